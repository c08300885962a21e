"""What the network sees of a frame: the crops that `packages/face-engine/src/liveness` makes of it."""

from __future__ import annotations

from math import trunc

import numpy as np

#: Branch → (how many face boxes the crop is wide and high, pixels of the network's input).
BRANCHES = {"context": (3.2, 96), "texture": (1.25, 128)}
#: A frame with less room around the face is not scored.
LEAST_CONTEXT = 2.0

Box = tuple[float, float, float, float]


def context_scale(width: int, height: int, box: Box) -> float:
    """How many times the face box fits into the frame, in the tighter direction."""
    return min((width - 1) / box[2], (height - 1) / box[3])


def liveness_crop(width: int, height: int, box: Box, scale: float) -> tuple[int, int, int, int]:
    """x, y, width, height in whole pixels: the box grown by `scale` or as far as the frame allows, shifted to stay inside."""
    effective = min(scale, context_scale(width, height, box))
    x, across = _along(box[0] + box[2] / 2, box[2] * effective, width)
    y, down = _along(box[1] + box[3] / 2, box[3] * effective, height)
    return x, y, across, down


def _along(centre: float, length: float, size: int) -> tuple[int, int]:
    start, end = centre - length / 2, centre + length / 2
    if start < 0:
        start, end = 0, end - start
    if end > size - 1:
        start, end = start - end + size - 1, size - 1
    first = max(0, trunc(start))
    return first, min(size - 1, trunc(end)) - first + 1


def liveness_box(face: Box) -> Box:
    """The box that crops are measured by, of the bounds of the face's mesh."""
    x, y, width, height = face
    w, h = width * 1.123, height * 0.966
    return x + width * 0.502 - w / 2, y + height * 0.518 - h / 2, w, h


def _means(values: np.ndarray, start: int, length: int, side: int) -> np.ndarray:
    """(n, …) → (side, …): means over the footprints of `side` pixels along `length` of the n from `start` on, each at least one long; outside there is black."""
    step = length / side
    centre, half = (np.arange(side) + 0.5) * step + start, max(1.0, step) / 2
    before = np.zeros((len(values) + 1, *values.shape[1:]))
    np.cumsum(values, axis=0, out=before[1:])

    def until(place: np.ndarray) -> np.ndarray:
        place = place.clip(0, len(values))
        whole = np.minimum(place.astype(int), len(values) - 1)
        return before[whole] + values[whole] * (place - whole).reshape(-1, *[1] * (values.ndim - 1))

    return (until(centre + half) - until(centre - half)) / (2 * half)


def crop(frame: np.ndarray, box: Box, branch: str) -> np.ndarray:
    """A branch's input as bytes, (size, size, 3) of a frame (height, width, 3); a crop that is not square is squashed. The mean over each
    footprint, as the engine's core takes it (`wasm/assembly/image.ts`): another filter would be another sharpness, which is what the network looks at."""
    scale, side = BRANCHES[branch]
    x, y, across, down = liveness_crop(frame.shape[1], frame.shape[0], box, scale)
    left, top = max(0, x - 1), max(0, y - 1)
    pixels = frame[top : y + down + 1, left : x + across + 1].astype(np.float64)
    rows = _means(pixels, y - top, down, side)
    columns = _means(rows.swapaxes(0, 1), x - left, across, side)
    return np.floor(columns.swapaxes(0, 1) + 0.5).clip(0, 255).astype(np.uint8)
