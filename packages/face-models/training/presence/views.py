"""Frames with somebody in them, drawn from real pictures: the same face at another distance, place, light and quality, held up in another picture, or nobody.

What is drawn need not look right: the teacher is asked what it makes of every crop, and that is learned. It has to be varied.
"""

from __future__ import annotations

import io
from dataclasses import dataclass

import numpy as np
from PIL import Image, ImageFilter

from .crops import LEAST_CONTEXT, Box
from .kit import Kit
from .sources import Face

FILTERS = (Image.BILINEAR, Image.BOX, Image.BICUBIC, Image.LANCZOS)
#: How much room a frame has around a face, times its box.
MOST_CONTEXT = 4.6
#: Width of a face in its frame, pixels; and how much larger than in its picture.
SMALLEST, LARGEST, ENLARGED = 34.0, 130.0, 1.4

#: How often a picture is left as it is, but for size and compression.
UNTOUCHED = 0.45

_noise = np.random.default_rng(5).standard_normal(1 << 21).astype(np.float32)


@dataclass(frozen=True)
class Seen:
    pixels: np.ndarray  # (height, width, 3) uint8
    box: Box


def standing(kit: Kit, rng: np.random.Generator) -> Seen:
    """Somebody before the camera."""
    picture, box = _framed(kit, rng, _anybody(kit, rng))
    if rng.random() < UNTOUCHED:
        return Seen(_coded(rng, picture), box)
    return Seen(_taken(rng, np.asarray(picture, np.float32), chance_of_beats=0.06), box)


def held(kit: Kit, rng: np.random.Generator) -> Seen:
    """A picture of somebody, with a border or without, in front of somebody else or of a room."""
    if rng.random() < 0.5:
        behind, place = _framed(kit, rng, _anybody(kit, rng))
    else:
        behind, place = _room(kit, rng)
    face = _anybody(kit, rng)
    pixels = kit.sources.picture(face.picture)
    height, width = pixels.shape[:2]
    x, y, w, h = face.box
    loose = rng.uniform(0.02, 1.3) * rng.uniform(0.5, 1.5, 4)
    left, top = max(0, x - loose[0] * w), max(0, y - loose[1] * h)
    right, bottom = min(width, x + w + loose[2] * w), min(height, y + h + loose[3] * h)
    scale = place[2] * rng.uniform(0.75, 1.7) / w
    size = (max(12, round((right - left) * scale)), max(12, round((bottom - top) * scale)))
    shown = Image.fromarray(pixels).resize(size, FILTERS[rng.integers(4)], box=(left, top, right, bottom))
    shown = Image.fromarray(_taken(rng, np.asarray(shown, np.float32), chance_of_beats=0.5, coded=False))
    border = int(rng.uniform(0, 0.25) * w * scale) if rng.random() < 0.6 else 0
    tone = int(rng.choice([8, 25, 60, 200, 235, 250]))
    sheet = Image.new("RGBA", (size[0] + 2 * border, size[1] + 2 * border), (tone, tone, tone, 255))
    sheet.paste(shown, (border, border))
    sheet = sheet.rotate(float(rng.normal(0, 7)), Image.BILINEAR, expand=True)
    cx, cy = place[0] + place[2] / 2, place[1] + place[3] / 2
    at = (round(cx - sheet.width / 2 + rng.normal(0, 0.1) * place[2]), round(cy - sheet.height / 2 + rng.normal(0, 0.1) * place[3]))
    behind.paste(sheet, at, sheet)
    # Turned a little, the face is about where it would be unturned.
    bx = at[0] + sheet.width / 2 + ((x + w / 2) - (left + right) / 2) * scale - w * scale / 2
    by = at[1] + sheet.height / 2 + ((y + h / 2) - (top + bottom) / 2) * scale - h * scale / 2
    box = _inside((bx, by, w * scale, h * scale), behind.width, behind.height)
    return Seen(_taken(rng, np.asarray(behind, np.float32), chance_of_beats=0.15), box)


def nobody(kit: Kit, rng: np.random.Generator) -> Seen:
    """A room, and a box anywhere in it."""
    room, box = _room(kit, rng)
    return Seen(_taken(rng, np.asarray(room, np.float32), chance_of_beats=0.1), box)


def _anybody(kit: Kit, rng: np.random.Generator) -> Face:
    return kit.face_of(rng, kit.identity(rng))


def _framed(kit: Kit, rng: np.random.Generator, face: Face) -> tuple[Image.Image, Box]:
    """A part of a face's picture as the whole frame."""
    picture = Image.fromarray(kit.sources.picture(face.picture))
    x, y, w, h = face.box
    if rng.random() < 0.35:
        picture = picture.rotate(float(rng.normal(0, 8)), Image.BILINEAR, center=(x + w / 2, y + h / 2))
    room = float(np.exp(rng.uniform(np.log(LEAST_CONTEXT), np.log(MOST_CONTEXT))))
    aspect = float(rng.choice([4 / 3, 4 / 3, 3 / 4, 16 / 9, 9 / 16, 1]))
    across, down = max(w * room, h * room * aspect), max(h * room, w * room / aspect)
    across, down = min(across, picture.width), min(down, picture.height)
    left, top = (_placed(rng, *of) for of in ((x, w, across, picture.width), (y, h, down, picture.height)))
    span = min(float(np.exp(rng.uniform(np.log(SMALLEST), np.log(LARGEST)))), ENLARGED * w)
    scale, stretch = span / w, float(np.exp(rng.normal(0, 0.04)))
    size = max(24, round(across * scale)), max(24, round(down * scale * stretch))
    frame = picture.resize(size, FILTERS[rng.integers(4)], box=(left, top, left + across, top + down))
    box = ((x - left) * scale, (y - top) * scale * stretch, w * scale, h * scale * stretch)
    if rng.random() < 0.5:
        frame = frame.transpose(Image.FLIP_LEFT_RIGHT)
        box = (frame.width - box[0] - box[2], *box[1:])
    return frame, _inside(box, frame.width, frame.height)


def _room(kit: Kit, rng: np.random.Generator) -> tuple[Image.Image, Box]:
    picture = Image.fromarray(kit.sources.picture(int(rng.choice(kit.rooms))))
    across, down = (float(rng.uniform(0.35, 1) * length) for length in picture.size)
    left, top = rng.uniform(0, picture.width - across), rng.uniform(0, picture.height - down)
    scale = rng.uniform(120, 400) / max(across, down)
    size = max(48, round(across * scale)), max(48, round(down * scale))
    frame = picture.resize(size, Image.BILINEAR, box=(left, top, left + across, top + down))
    room = rng.uniform(LEAST_CONTEXT, MOST_CONTEXT)
    w = min(frame.width, frame.height / 1.2) / room
    box = (rng.uniform(0, frame.width - w), rng.uniform(0, max(1, frame.height - 1.2 * w)), w, 1.2 * w)
    return frame, _inside(box, frame.width, frame.height)


def _placed(rng: np.random.Generator, start: float, length: float, part: float, size: float) -> float:
    """Where a part of a line begins that holds most of an interval."""
    low, high = max(0.0, start + length * 1.1 - part), min(size - part, start - length * 0.1)
    if high < low:
        low = high = float(np.clip(start + length / 2 - part / 2, 0, max(0, size - part)))
    return float(np.clip(rng.uniform(low, high), 0, max(0, size - part)))


def _inside(box: Box, width: int, height: int) -> Box:
    """The same or as large as fits, for crops have at least its size."""
    w, h = min(box[2], width - 2), min(box[3], height - 2)
    return box[0] + (box[2] - w) / 2, box[1] + (box[3] - h) / 2, w, h


def jittered(rng: np.random.Generator, seen: Seen) -> Box:
    """A detector's box is never quite the same, and at times it is wrong."""
    x, y, w, h = seen.box
    wide = 0.12 if rng.random() < 0.25 else 0.04
    grow = np.exp(rng.normal(0, wide, 2))
    cx, cy = x + w / 2 + rng.normal(0, wide) * w, y + h / 2 + rng.normal(0, wide) * h
    height, width = seen.pixels.shape[:2]
    return _inside((cx - w * grow[0] / 2, cy - h * grow[1] / 2, w * grow[0], h * grow[1]), width, height)


def _taken(rng: np.random.Generator, x: np.ndarray, chance_of_beats: float, coded: bool = True) -> np.ndarray:
    """Light, colour, focus, noise, beats of two grids, compression. (height, width, 3) float 0 … 255, which is changed, → bytes."""
    height, width = x.shape[:2]
    if rng.random() < 0.7:
        gain = np.exp(rng.normal(0, 0.25)) * np.exp(rng.normal(0, 0.06, 3))
        x *= gain.astype(np.float32)
        x += np.float32(rng.normal(0, 9))
    if rng.random() < 0.35:
        grey = x.mean(2, keepdims=True)
        x += (grey - x) * np.float32(1 - (0 if rng.random() < 0.12 else np.exp(rng.normal(0, 0.35))))
    if rng.random() < 0.35:
        np.clip(x, 0, 255, out=x)
        x = 255 * (x / 255) ** np.float32(np.exp(rng.normal(0, 0.3)))
    if rng.random() < 0.25:
        # Light from a side.
        slope = rng.normal(0, 0.5, 2)
        ramp = 1 + slope[0] * (np.arange(width) / width - 0.5) + slope[1] * (np.arange(height) / height - 0.5)[:, None]
        x *= ramp.clip(0.2, 2)[..., None].astype(np.float32)
    if rng.random() < chance_of_beats:
        for _ in range(int(rng.integers(1, 3))):
            fx, fy = rng.normal(0, 1, 2) / np.exp(rng.uniform(np.log(2.2), np.log(30)))
            wave = np.cos(2 * np.pi * (fx * np.arange(width) + fy * np.arange(height)[:, None]) + rng.uniform(0, 6.3))
            x *= 1 + (rng.uniform(0.02, 0.25) * wave[..., None] * (rng.uniform(0.3, 1, 3) if rng.random() < 0.5 else 1)).astype(np.float32)
    picture = Image.fromarray(x.clip(0, 255).astype(np.uint8))
    way = rng.random()
    if way < 0.3:
        picture = picture.filter(ImageFilter.GaussianBlur(float(rng.uniform(0.3, 2.2))))
    elif way < 0.4:
        picture = picture.filter(ImageFilter.UnsharpMask(float(rng.uniform(0.7, 2)), int(rng.uniform(40, 200)), 0))
    elif way < 0.48:
        # A camera of fewer pixels.
        fewer = rng.uniform(0.3, 0.8)
        small = picture.resize((max(16, int(width * fewer)), max(16, int(height * fewer))), Image.BILINEAR)
        picture = small.resize((width, height), FILTERS[rng.integers(4)])
    if rng.random() < 0.35:
        start = int(rng.integers(len(_noise) - height * width * 3)) if height * width * 3 < len(_noise) else None
        if start is not None:
            noise = _noise[start : start + height * width * 3].reshape(height, width, 3)
            noisy = np.asarray(picture, np.float32) + noise * np.float32(rng.uniform(1, 14))
            picture = Image.fromarray(noisy.clip(0, 255).astype(np.uint8))
    return _coded(rng, picture) if coded else np.asarray(picture)


def _coded(rng: np.random.Generator, picture: Image.Image) -> np.ndarray:
    if rng.random() < 0.6:
        buffer = io.BytesIO()
        picture.save(buffer, "JPEG", quality=int(rng.integers(25, 97)), subsampling=int(rng.choice([0, 2])))
        buffer.seek(0)
        picture = Image.open(buffer).convert("RGB")
    return np.asarray(picture)
