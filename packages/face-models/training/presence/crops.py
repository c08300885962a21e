"""What the network sees of a frame: the crops that `packages/face-engine/src/liveness` makes of it."""

from __future__ import annotations

from math import trunc

import numpy as np

#: Side of every crop, pixels.
SIDE = 80
#: Branch → how many face boxes the crop is wide and high. They are the teacher's.
BRANCHES = {"context": 4.0, "texture": 2.7}
#: A frame with less room around the face is not scored.
LEAST_CONTEXT = 1.3

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


class Frame:
    """A picture that crops are taken of: its light summed up once, from the corner on.

    `pixels` is (height, width, 3).
    """

    def __init__(self, pixels: np.ndarray) -> None:
        self._height, self._width = pixels.shape[:2]
        self._sums = np.zeros((self._height + 1, self._width + 1, 3))
        np.cumsum(pixels, 0, np.float64, self._sums[1:, 1:])
        np.cumsum(self._sums[1:, 1:], 1, out=self._sums[1:, 1:])

    def crop(self, box: Box, branch: str) -> np.ndarray:
        """A branch's input as bytes, (SIDE, SIDE, 3); a crop that is not square is squashed. The mean over each footprint, each at least a pixel large, outside
        of the picture there is black, as the engine's core takes it (`wasm/assembly/image.ts`): another filter would be another sharpness, which is what the network looks at."""
        x, y, across, down = liveness_crop(self._width, self._height, box, BRANCHES[branch])
        rows, tall = _between(self._sums, y, down)
        both, wide = _between(rows.swapaxes(0, 1), x, across)
        return np.floor(both.swapaxes(0, 1) / (tall * wide) + 0.5).clip(0, 255).astype(np.uint8)


def _between(sums: np.ndarray, start: float, length: float) -> tuple[np.ndarray, float]:
    """(SIDE, …) what `SIDE` equal parts of `length` from `start` on add up to, of running sums along the first axis, and how long each is counted."""
    step = length / SIDE
    size = max(1.0, step)
    middle = (np.arange(SIDE) + 0.5) * step + start

    def until(place: np.ndarray) -> np.ndarray:
        place = place.clip(0, len(sums) - 1)
        whole = np.minimum(place.astype(int), len(sums) - 2)
        return sums[whole] + (sums[whole + 1] - sums[whole]) * (place - whole).reshape(-1, *[1] * (sums.ndim - 1))

    return until(middle + size / 2) - until(middle - size / 2), size
