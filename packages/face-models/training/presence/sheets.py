"""Sheets of paper and displays: their borders, how they are held, what is cut out of them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import torch

from . import media
from .crops import Box
from .light import Picture, polygon_mask, resize, sample, to_linear
from .sources import Face, SourceFolder

#: Width of a face, millimetres, where a reproduction is life-size.
FACE_MM = 150.0

#: Mesh points around the face, and around each eye, in order.
OVAL = [10, 338, 297, 332, 284, 251, 389, 356, 454, 323, 361, 288, 397, 365, 379, 378, 400, 377, 152, 148, 176, 149, 150, 136, 172, 58, 132, 93, 234, 127, 162, 21, 54, 103, 67, 109]  # fmt: skip
EYES = [[33, 246, 161, 160, 159, 158, 157, 173, 133, 155, 154, 153, 145, 144, 163, 7], [263, 466, 388, 387, 386, 385, 384, 398, 362, 382, 381, 380, 374, 373, 390, 249]]  # fmt: skip


@dataclass(frozen=True)
class Sheet:
    """A sheet or a display in the hand. Millimetres on it, its origin in the middle of the face."""

    content: tuple[float, float, float, float]  # left, top, right, bottom of the picture
    whole: tuple[float, float, float, float]  # with its border
    corner: float
    mm_per_source_pixel: float


def sheet_of(
    rng: np.random.Generator,
    face: Face,
    pixels: np.ndarray,
    size: float,
    family: str,
    on_screen: bool,
    display: media.Display,
) -> Sheet:
    """What a picture is shown on: how much of it around the face, and the border of a print or the bezel of a display.

    `pixels` is the picture, (height, width, 3) uint8; `size` how large the face is shown, 1 for life-size; a sheet of the family «filling» has no edge within sight.
    """
    bx, by, bw, bh = face.box
    mm = FACE_MM * size / bw
    height, width = pixels.shape[:2]
    if family == "filling":
        room = (9.0, 9.0, 9.0, 9.0)
    else:
        loose = float(rng.uniform(0.08, 1.6))
        room = tuple((loose * rng.uniform(0.5, 1.5, 4)).tolist())
    cx, cy = bx + bw / 2, by + bh / 2
    left = (max(0.0, bx - room[0] * bw) - cx) * mm
    top = (max(0.0, by - room[1] * bh) - cy) * mm
    right = (min(width, bx + bw + room[2] * bw) - cx) * mm
    bottom = (min(height, by + bh + room[3] * bh) - cy) * mm
    if family == "filling":
        # Beyond the picture it goes on as its edge does; there is no border to be seen.
        far = 4000.0
        return Sheet((-far, -far, far, far), (-far, -far, far, far), 0, mm)
    content = (left, top, right, bottom)
    if on_screen:
        bars = rng.random() < 0.4
        bezel = float(0 if rng.random() < 0.25 else {"phone": rng.uniform(2, 9), "tablet": rng.uniform(5, 20), "monitor": rng.uniform(6, 30)}[display.kind])
        wide, high = (float(rng.uniform(0, 0.6)) if bars else 0.0), (float(rng.uniform(0, 0.6)) if bars else 0.0)
        glass = (left - wide * (right - left), top - high * (bottom - top), right + wide * (right - left), bottom + high * (bottom - top))
        return Sheet(content, tuple(v + s * bezel for v, s in zip(glass, (-1, -1, 1, 1))), float(rng.uniform(0, 8)), mm)
    border = float(0 if rng.random() < 0.5 else rng.uniform(2, 25))
    return Sheet(content, (left - border, top - border, right + border, bottom + border), 0, mm)


def inner(sheet: Sheet) -> tuple[float, float, float, float]:
    """The lit glass of a display: what is left of the whole within the bezel, as wide as the narrowest side of it."""
    l, t, r, b = sheet.whole
    cl, ct, cr, cb = sheet.content
    bezel = min(cl - l, ct - t, r - cr, b - cb)
    return l + bezel, t + bezel, r - bezel, b - bezel


def pose(
    angles: np.ndarray, centre: tuple[float, float], mm_per_pixel: float, focal: float
) -> tuple[np.ndarray, np.ndarray]:
    """Homographies from drawn pixels to the sheet and back, for a sheet turned by yaw, pitch and roll in degrees."""
    yaw, pitch, roll = np.radians(angles)
    ry = np.array([[np.cos(yaw), 0, np.sin(yaw)], [0, 1, 0], [-np.sin(yaw), 0, np.cos(yaw)]])
    rx = np.array([[1, 0, 0], [0, np.cos(pitch), -np.sin(pitch)], [0, np.sin(pitch), np.cos(pitch)]])
    rz = np.array([[np.cos(roll), -np.sin(roll), 0], [np.sin(roll), np.cos(roll), 0], [0, 0, 1]])
    r = ry @ rx @ rz
    depth = focal * mm_per_pixel
    k = np.array([[focal, 0, centre[0]], [0, focal, centre[1]], [0, 0, 1]])
    to_frame = k @ np.column_stack([r[:, 0], r[:, 1], [0, 0, depth]])
    return np.linalg.inv(to_frame), to_frame


def projected(h: np.ndarray, x: torch.Tensor, y: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
    """Where a homography, (3, 3), takes points; x and y of any one shape, which the result has. Points at its horizon stay finite."""
    h = h / h[2, 2]
    w = h[2, 0] * x + h[2, 1] * y + 1
    w = torch.where(w.abs() < 1e-3, w.new_full((), 1e-3), w)
    return (h[0, 0] * x + h[0, 1] * y + h[0, 2]) / w, (h[1, 0] * x + h[1, 1] * y + h[1, 2]) / w


def content_at(
    sources: SourceFolder, face: Face, sheet: Sheet, sx: torch.Tensor, sy: torch.Tensor, face_px: float
) -> Picture:
    """The reproduced picture at places of the sheet, reduced beforehand to about the size in which it is seen."""
    pixels = sources.picture(face.picture)
    reach = 3.6 * max(face.box[2], face.box[3])
    cx, cy = face.box[0] + face.box[2] / 2, face.box[1] + face.box[3] / 2
    x0, y0 = int(max(0, cx - reach)), int(max(0, cy - reach))
    x1, y1 = int(min(pixels.shape[1], cx + reach)), int(min(pixels.shape[0], cy + reach))
    part = to_linear(pixels[y0:y1, x0:x1])
    ratio = min(1.0, 1.25 * face_px / face.box[2])
    part = resize(part, max(8, round(part.shape[1] * ratio)), max(8, round(part.shape[2] * ratio)))
    fx, fy = part.shape[2] / (x1 - x0), part.shape[1] / (y1 - y0)
    return sample(part, (sx / sheet.mm_per_source_pixel + cx - x0) * fx, (sy / sheet.mm_per_source_pixel + cy - y0) * fy)


def cover(
    rectangle: tuple[float, float, float, float], corner: float, sx: torch.Tensor, sy: torch.Tensor, mm_per_pixel: float
) -> torch.Tensor:
    """How much of each pixel a rectangle with round corners covers, (1, height, width)."""
    l, t, r, b = rectangle
    dx = torch.maximum(l + corner - sx, sx - r + corner)
    dy = torch.maximum(t + corner - sy, sy - b + corner)
    outside = torch.hypot(dx.clamp_min(0), dy.clamp_min(0)) + torch.maximum(dx, dy).clamp_max(0) - corner
    return (0.5 - outside / mm_per_pixel).clamp(0, 1)[None]


def scissors(
    rng: np.random.Generator, face: Face, sheet: Sheet, sx: torch.Tensor, sy: torch.Tensor, holes: bool
) -> torch.Tensor:
    """Cut along the face, or along the head with its hair; holes for the eyes where asked."""
    cx, cy = face.box[0] + face.box[2] / 2, face.box[1] + face.box[3] / 2
    points = (face.landmarks - [cx, cy]) * sheet.mm_per_source_pixel
    oval = points[OVAL].copy()
    middle = oval.mean(0)
    oval = middle + (oval - middle) * rng.uniform(1.0, 1.15)
    up = oval[:, 1] < middle[1]
    oval[up, 1] = middle[1] + (oval[up, 1] - middle[1]) * rng.uniform(1.0, 1.55)
    oval[up, 0] = middle[0] + (oval[up, 0] - middle[0]) * rng.uniform(1.0, 1.15)
    # A hand with scissors: not quite along the line.
    oval = oval + np.convolve(rng.normal(0, 2.0, len(oval) + 2), [0.25, 0.5, 0.25], "valid")[:, None]
    masks = [(oval, True)]
    if holes:
        for eye in EYES:
            ring = points[eye]
            masks.append((ring.mean(0) + (ring - ring.mean(0)) * rng.uniform(1.1, 1.9), False))
    # The outline is drawn on the sheet at 0.8 mm and looked up from the frame's pixels.
    low, high = oval.min(0) - 4, oval.max(0) + 4
    columns, rows = np.ceil((high - low) / 0.8).astype(int)
    alpha = torch.zeros(1, rows, columns)
    for outline, keep in masks:
        mask = polygon_mask((outline - low) / 0.8, rows, columns)
        alpha = torch.maximum(alpha, mask) if keep else alpha * (1 - mask)
    return sample(alpha, (sx - low[0]) / 0.8, (sy - low[1]) / 0.8, edge="zeros")


def box_on_sheet(to_frame: np.ndarray, face: Face, sheet: Sheet, bend: float, arc: float) -> Box:
    """The face box as a detector would draw it around the reproduced face, in drawn pixels."""
    bx, by, bw, bh = face.box
    xs = np.array([-0.5, 0.5, 0, 0]) * bw * sheet.mm_per_source_pixel
    ys = np.array([0, 0, -0.5, 0.5]) * bh * sheet.mm_per_source_pixel
    if bend > 0:
        xs = np.sin(np.clip(xs * arc, -1.5, 1.5)) / arc
    p = to_frame @ np.stack([xs, ys, np.ones(4)])
    px, py = p[0] / p[2], p[1] / p[2]
    return float(px[0]), float(py[2]), float(px[1] - px[0]), float(py[3] - py[2])
