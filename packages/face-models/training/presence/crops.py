"""What the network sees of a frame: the crops that `packages/face-engine/src/liveness` makes of it."""

from __future__ import annotations

from math import trunc

import numpy as np
import torch

from .light import resize

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


def crop(frame: np.ndarray, box: Box, branch: str) -> np.ndarray:
    """A branch's input as bytes, (size, size, 3) of a frame (height, width, 3); a crop that is not square is squashed."""
    scale, size = BRANCHES[branch]
    x, y, width, height = liveness_crop(frame.shape[1], frame.shape[0], box, scale)
    part = torch.from_numpy(frame[y : y + height, x : x + width].copy()).permute(2, 0, 1).float()
    return (resize(part, size, size) + 0.5).clamp(0, 255).to(torch.uint8).permute(1, 2, 0).numpy()
