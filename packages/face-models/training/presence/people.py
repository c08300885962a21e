"""A person before a camera, in a room with things that have edges."""

from __future__ import annotations

from typing import Callable

import numpy as np
import torch

from .crops import LEAST_CONTEXT, Box
from .kit import ENLARGED, Kit, View
from .light import Picture, pixel_grid, resize, sample, to_linear
from .sources import Face, SourceFolder

#: Draws a frame's light and tells where the face in it is, in its pixels.
Drawing = Callable[[np.random.Generator], tuple[Box, Picture]]


def seen_directly(
    sources: SourceFolder,
    face: Face,
    wanted: float,
    room: float,
    aspect: float,
    place: np.ndarray,
    rng: np.random.Generator,
    flip: bool,
) -> tuple[View, Picture, tuple[float, float]]:
    """A picture as the scene itself: the frame is a part of it. Returns also where the middle of the face lies in the drawn part.

    `wanted` is the width of the face in pixels of the frame, at most `ENLARGED` times what the picture has; `room` the frame's height in face boxes and `aspect` its width by its height, as far as
    the picture reaches; `place`, (2,), where in the frame the face is, 0 left or top to 1.
    """
    pixels = sources.picture(face.picture)
    height, width = pixels.shape[:2]
    bx, by, bw, bh = face.box
    part_h = min(height, max(bh * room, bw * room / aspect))
    part_w = min(width, part_h * aspect)
    part_w = max(part_w, min(width, (LEAST_CONTEXT + 0.03) * bw))
    part_h = max(part_h, min(height, (LEAST_CONTEXT + 0.03) * bh))
    left = _placed(bx, bw, part_w, width, place[0] + rng.normal(0, 0.01))
    top = _placed(by, bh, part_h, height, place[1] + rng.normal(0, 0.01))
    scale = min(wanted / bw, ENLARGED)
    view = View(
        width=max(64, round(part_w * scale)),
        height=max(64, round(part_h * scale)),
        box=((bx - left) * scale, (by - top) * scale, bw * scale, bh * scale),
    )
    rx, ry, rw, rh = view.region()
    x0, y0 = left + rx / scale, top + ry / scale
    light = stretched(pixels, x0, y0, rw / scale, rh / scale, rw, rh)
    centre = (view.box[0] + view.box[2] / 2 - rx, view.box[1] + view.box[3] / 2 - ry)
    # A hand that holds a phone, or a head: a slight turn about the face, the same for whatever is in view.
    angle, stretch = rng.normal(0, 0.02), 1 + rng.normal(0, 0.01)
    x, y = pixel_grid(rh, rw)
    dx, dy = (x - centre[0]) * stretch, (y - centre[1]) * stretch
    light = sample(
        light, centre[0] + dx * np.cos(angle) - dy * np.sin(angle), centre[1] + dx * np.sin(angle) + dy * np.cos(angle)
    )
    if flip:
        light = light.flip(-1)
        view = View(view.width, view.height, (view.width - view.box[0] - view.box[2], *view.box[1:]))
        centre = (rw - centre[0], centre[1])
    return view, light, centre


def _placed(start: float, length: float, part: float, size: float, where: float) -> float:
    """Where a part of a line begins that holds an interval, `where` of the free way along, inside of 0 … size."""
    low, high = max(0.0, start + length * 1.05 - part), min(size - part, start - length * 0.05)
    if high < low:
        low = high = float(np.clip(start + length / 2 - part / 2, 0, max(0, size - part)))
    return float(np.clip(low + (high - low) * where, 0, max(0, size - part)))


def stretched(pixels: np.ndarray, x: float, y: float, width: float, height: float, columns: int, rows: int) -> Picture:
    """A part of a picture in linear light at another size, area-averaged where it shrinks."""
    x0, y0 = int(np.clip(np.floor(x), 0, pixels.shape[1] - 2)), int(np.clip(np.floor(y), 0, pixels.shape[0] - 2))
    x1 = int(np.clip(np.ceil(x + width), x0 + 2, pixels.shape[1]))
    y1 = int(np.clip(np.ceil(y + height), y0 + 2, pixels.shape[0]))
    return resize(to_linear(pixels[y0:y1, x0:x1]), rows, columns)


def room_light(rng: np.random.Generator) -> torch.Tensor:
    """Colour and strength of the light on a thing, (3,)."""
    warm = rng.normal(0, 0.08)
    return torch.from_numpy(np.array([1 + warm, 1, 1 - warm], np.float32) * float(np.exp(rng.normal(0, 0.15))))


def props_of(kit: Kit, rng: np.random.Generator) -> Callable[[Picture, View, tuple[float, float]], Picture]:
    """Sheets, frames and screens that stand about, so that an edge alone is no sign of a reproduction."""
    things = []
    for _ in range(int(rng.integers(1, 3))):
        picture = kit.sources.picture(int(rng.choice(kit.rooms)))
        things.append((picture, rng.uniform(0, 1, 2), rng.uniform(0.25, 0.9, 2), rng.uniform(0.1, 1.2), rng.random(), rng.normal(0, 0.1)))

    def add(light: Picture, view: View, centre: tuple[float, float]) -> Picture:
        height, width = light.shape[1:]
        x, y = pixel_grid(height, width)
        bw, bh = view.box[2], view.box[3]
        # The head with some room, and the body below it, stay free.
        side = (x - centre[0]).abs() / bw
        free = (side > 0.95) & ((y < centre[1] + 0.5 * bh) | (side > 1.5)) | (y < centre[1] - 1.05 * bh)
        for picture, where, size, brightness, edge, angle in things:
            w, h = size[0] * bw * 2.2, size[1] * bh * 2.2
            cx, cy = where[0] * width, where[1] * height
            u = (x - cx) * np.cos(angle) + (y - cy) * np.sin(angle)
            v = (y - cy) * np.cos(angle) - (x - cx) * np.sin(angle)
            inside = (u.abs() < w / 2) & (v.abs() < h / 2)
            if bool((inside & ~free).any()):
                continue
            content = sample(small(picture), (u / w + 0.5) * 240, (v / h + 0.5) * 180) * brightness
            border = ((u.abs() > w / 2 - 0.05 * bw) | (v.abs() > h / 2 - 0.05 * bw)) & inside
            light = torch.where(inside[None], content, light)
            light = torch.where(border[None], light.new_full((3, 1, 1), float(0.02 if edge < 0.5 else 0.8)), light)
        return light

    return add


def small(picture: np.ndarray) -> Picture:
    """A picture at 240 × 180 in linear light."""
    step = max(1, picture.shape[1] // 240)
    return resize(to_linear(picture[::step, ::step]), 180, 240)
