"""A reproduction of a person before a camera: a print or a display in the hand, a cut-out that is worn, a picture that fills the view."""

from __future__ import annotations

import numpy as np
import torch

from . import media
from .crops import LEAST_CONTEXT, Box
from .kit import ENLARGED, Kit, View
from .light import Picture, blur, pixel_grid, resize, smooth_noise
from .people import Drawing, props_of, room_light, seen_directly, small, stretched
from .sheets import FACE_MM, Sheet, box_on_sheet, content_at, cover, inner, pose, projected, scissors, sheet_of
from .sources import Face


def reproduction(kit: Kit, rng: np.random.Generator, face: Face, family: str, wanted: float) -> Drawing:
    on_screen = family == "screen" or (family == "filling" and rng.random() < 0.6)
    worn = family == "mask"
    cut = family in ("cut-out", "mask")
    paper = media.paper(int(rng.choice(kit.papers)))
    display = media.display(int(rng.choice(kit.displays)))
    if worn:
        size = float(rng.uniform(1.0, 1.25))
    elif on_screen:
        size = float(rng.uniform(*{"phone": (0.22, 0.5), "tablet": (0.45, 1.0), "monitor": (0.5, 1.3)}[display.kind]))
    else:
        size = float(rng.uniform(0.4, 1.3))
    behind_somebody = worn or (not family == "filling" and rng.random() < 0.4)
    behind = _somebody(kit, rng, wanted) if behind_somebody else None
    room = int(rng.choice(kit.rooms))
    room_wanted = float(rng.uniform(LEAST_CONTEXT + 0.05, 4.6))
    aspect = float(rng.choice([4 / 3, 4 / 3, 3 / 4, 16 / 9, 1]))
    place = rng.uniform(0.2, 0.8, 2)
    flip = bool(rng.random() < 0.5)
    turn = np.array([rng.normal(0, 9), rng.normal(0, 6), rng.normal(0, 4)])
    bend = float(rng.uniform(25, 150) if family == "bent" or (cut and rng.random() < 0.5) else 0)
    sheet_seed = int(rng.integers(2**31))
    tint, backdrop_tint = room_light(rng), room_light(rng)
    defocus = float(rng.uniform(0, 1.5))
    props = props_of(kit, rng) if rng.random() < 0.4 else None
    holes = bool(cut and rng.random() < 0.4)
    tremble = float(rng.uniform(0.2, 1.5))

    def draw(frame_rng: np.random.Generator) -> tuple[Box, Picture]:
        # What stays the same from frame to frame is drawn from generators of its own, each for one thing: how much one draws changes no other.
        def of(thing: int) -> np.random.Generator:
            return np.random.default_rng([sheet_seed, thing])

        same = of(0)
        if behind is not None:
            view, backdrop, centre = seen_directly(
                kit.sources, behind, wanted, max(room_wanted, 2.3), aspect, place, frame_rng, flip
            )
            grow = 1.0 if worn else float(same.uniform(0.85, 1.4))
        else:
            view, backdrop, centre = _empty_room(kit.sources.picture(room), wanted, room_wanted, aspect, place)
            grow = 1.0
        face_px = view.box[2] * grow * (size if worn else 1)
        face_px = min(face_px, ENLARGED * face.box[2])
        mm_per_pixel = FACE_MM * size / face_px
        sheet = sheet_of(same, face, kit.sources.picture(face.picture), size, family, on_screen, display)
        if not worn:
            centre = (centre[0] + same.normal(0, 0.06) * view.box[2], centre[1] + same.normal(0, 0.06) * view.box[3])
        angles = turn + frame_rng.normal(0, tremble, 3)
        if worn:
            angles = np.array([turn[0] * 0.4, turn[1] * 0.4, 0]) + frame_rng.normal(0, tremble * 0.4, 3)
        to_sheet, to_frame = pose(angles, centre, mm_per_pixel, 1.15 * max(view.width, view.height))
        height, width = backdrop.shape[1:]
        x, y = pixel_grid(height, width)
        sx, sy = projected(to_sheet, x, y)
        arc = np.radians(bend) / max(60.0, sheet.whole[2] - sheet.whole[0])
        shade = torch.ones_like(x)
        if bend > 0:
            tight = (sx * arc).clamp(-0.98, 0.98)
            shade = (1 - tight**2).sqrt().clamp_min(0.3) ** float(same.uniform(0.2, 1.2))
            sx = torch.asin(tight) / arc
        content = content_at(kit.sources, face, sheet, sx, sy, face_px)
        inside_content = cover(sheet.content, 0, sx, sy, mm_per_pixel)
        reproduce = media.show_on if on_screen else media.print_on
        make = display if on_screen else paper
        made = reproduce(make, content, sx, sy, mm_per_pixel, of(1))
        if on_screen:
            dark = float(same.choice([0.0, 0.0, 0.6])) * display.white
            made = made * inside_content + (1 - inside_content) * (dark + display.white * display.black)
            bezel = float(same.choice([0.012, 0.02, 0.5, 0.7], p=[0.5, 0.25, 0.15, 0.1]))
            glass = cover(inner(sheet), sheet.corner, sx, sy, mm_per_pixel)
            made = made * glass + (1 - glass) * bezel * tint[:, None, None]
            made = made + _reflections(kit, of(2), display.gloss, x, y)
        else:
            bare = torch.from_numpy(paper.white)[:, None, None]
            made = (made * inside_content + (1 - inside_content) * bare) * tint[:, None, None] * shade
            made = made * (1 + 0.12 * smooth_noise(of(3), height, width, max(height, width) * 0.7))
            made = made + _reflections(kit, of(2), paper.gloss * 0.5, x, y)
        if cut:
            alpha = scissors(of(4), face, sheet, sx, sy, holes)
        else:
            alpha = cover(sheet.whole, sheet.corner, sx, sy, mm_per_pixel)
        backdrop = blur(backdrop * backdrop_tint[:, None, None], 0 if worn else defocus)
        if props is not None:
            backdrop = props(backdrop, view, centre)
        if behind is not None:
            shadow = blur(torch.roll(alpha, (int(same.integers(1, 8)), int(same.integers(-6, 7))), (1, 2)), float(same.uniform(1, 8)))
            backdrop = backdrop * (1 - float(same.uniform(0, 0.5)) * shadow)
        light = backdrop * (1 - alpha) + made * alpha
        hand = of(5)
        if not cut and family != "filling" and hand.random() < 0.5:
            light = _fingers(hand, light, sheet, sx, sy, mm_per_pixel)
        return box_on_sheet(to_frame, face, sheet, bend, arc), light

    return draw


def _somebody(kit: Kit, rng: np.random.Generator, wanted: float) -> Face:
    """Who stands behind or wears the mask: somebody whose picture has pixels enough, if such a one is found in some tries."""
    for _ in range(12):
        face = kit.face_of(rng, kit.identity(rng))
        if ENLARGED * face.box[2] >= wanted:
            break
    return face


def _empty_room(
    pixels: np.ndarray, wanted: float, room: float, aspect: float, place: np.ndarray
) -> tuple[View, Picture, tuple[float, float]]:
    """A part of a room as the whole frame; the face will be in the middle of the returned box."""
    bw, bh = wanted, wanted * 1.2
    height = max(bh * room, bw * room / aspect, (LEAST_CONTEXT + 0.1) * bw / aspect)
    width = height * aspect
    view_w, view_h = round(width), round(height)
    box = ((view_w - bw) * place[0], (view_h - bh) * place[1], bw, bh)
    view = View(view_w, view_h, box)
    rx, ry, rw, rh = view.region()
    ph, pw = pixels.shape[:2]
    scale = max(view_w / pw, view_h / ph)
    light = stretched(pixels, rx / scale, ry / scale, rw / scale, rh / scale, rw, rh)
    return view, light, (box[0] + bw / 2 - rx, box[1] + bh / 2 - ry)


def _reflections(kit: Kit, rng: np.random.Generator, gloss: float, x: torch.Tensor, y: torch.Tensor) -> Picture:
    """What a shiny surface mirrors: the room, out of focus, and lamps."""
    height, width = x.shape
    mirrored = resize(blur(small(kit.sources.picture(int(rng.choice(kit.rooms)))), 4), height, width).flip(-1)
    out = mirrored * (gloss * float(rng.uniform(0, 0.09))) + float(rng.uniform(0, 0.02))
    if gloss > 0 and rng.random() < 0.45:
        for _ in range(int(rng.integers(1, 3))):
            cx, cy = rng.uniform(0, width), rng.uniform(0, height)
            a, stretch, size = rng.uniform(0, np.pi), rng.uniform(0.15, 1), rng.uniform(0.03, 0.25) * width
            u = ((x - cx) * np.cos(a) + (y - cy) * np.sin(a)) / size
            v = ((y - cy) * np.cos(a) - (x - cx) * np.sin(a)) / (size * stretch)
            edge = float(rng.choice([1, 3]))
            out = out + gloss * float(rng.uniform(0.1, 1.6)) * torch.exp(-((u * u + v * v) ** edge))[None]
    return out


def _fingers(
    rng: np.random.Generator, light: Picture, sheet: Sheet, sx: torch.Tensor, sy: torch.Tensor, mm_per_pixel: float
) -> Picture:
    """A thumb or some fingers over an edge of the sheet."""
    l, t, r, b = sheet.whole
    tone = np.array([0.42, 0.24, 0.16]) * float(np.exp(rng.normal(-0.2, 0.5)))
    side = int(rng.integers(3))  # left, right, bottom
    for k in range(int(rng.integers(1, 4))):
        along = rng.uniform(0.35, 0.95) if side < 2 else rng.uniform(0.1, 0.9)
        reach, thick = rng.uniform(8, 35), rng.uniform(7, 10)
        if side == 2:
            start, end = (l + along * (r - l), b + 40), (l + along * (r - l) + rng.normal(0, 4), b - reach)
        else:
            edge, sign = (l, 1) if side == 0 else (r, -1)
            start, end = (edge - sign * 40, t + along * (b - t) + k * 18), (edge + sign * reach, t + along * (b - t) + k * 18)
        dx, dy = end[0] - start[0], end[1] - start[1]
        s = (((sx - start[0]) * dx + (sy - start[1]) * dy) / (dx * dx + dy * dy)).clamp(0, 1)
        distance = torch.hypot(sx - start[0] - s * dx, sy - start[1] - s * dy)
        alpha = (0.5 - (distance - thick) / mm_per_pixel).clamp(0, 1)[None]
        round_ = (1 - 0.5 * (distance / thick).clamp(0, 1) ** 2)[None]
        light = light * (1 - alpha) + alpha * round_ * torch.from_numpy(tone.astype(np.float32))[:, None, None]
    return light
