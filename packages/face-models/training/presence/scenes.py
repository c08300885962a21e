"""Scenes: a person before a camera, or a reproduction of one held before it.

A scene is drawn once and can be seen several times, as the frames of one attempt: the hand trembles, the head moves, the noise is new,
everything else stays. Only the part of the frame that the crops need is drawn.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from .camera import Camera, Setting, camera, expose, jpeg, rate_factor, to_bytes
from .crops import Box
from .h264 import through_h264
from .kit import ENLARGED, Kit
from .light import Picture, luma
from .people import Drawing
from .reproductions import reproduction

#: Reproductions that a scene can show.
DRAWN = ("print", "bent", "cut-out", "mask", "screen", "filling")

#: Width of the face box in the camera's frame, pixels: as little as is scored, and as much as a phone's selfie has.
SMALLEST_FACE, LARGEST_FACE = 78.0, 460.0
#: No face is drawn wider: the crops reduce it to 102 pixels, and what a finer camera adds is drawn as such.
DRAWN_FACE = 190.0


@dataclass(frozen=True)
class Frame:
    """Pixels of the drawn part (height, width, 3) uint8, and the face box in it."""

    pixels: np.ndarray
    box: Box


@dataclass(frozen=True)
class Scene:
    family: str
    #: 'rendered' or 'photo': what the person or the reproduced picture is; and who.
    kind: str
    identity: str
    make: int
    draw: Drawing
    setting: Setting

    def frame(self, rng: np.random.Generator) -> Frame:
        """The scene once more."""
        box, light = self.draw(rng)
        height, width = light.shape[1:]
        make = camera(self.make)
        seen = expose(light, make, self.setting, rng, _metered(light, box))
        return Frame(_compressed(to_bytes(seen), make, self.setting.quality), _jittered(rng, box, width, height))


def draw_scene(kit: Kit, rng: np.random.Generator, family: str) -> Scene:
    """A scene of one of `DRAWN`."""
    make = int(rng.choice(kit.cameras))
    face = kit.face_of(rng, kit.identity(rng))
    # No larger than its picture has pixels for, on either side: that would be a blur that no camera makes.
    span = min(float(np.exp(rng.uniform(np.log(SMALLEST_FACE), np.log(LARGEST_FACE)))), ENLARGED * face.box[2])
    setting = Setting.draw(rng, camera(make), oversampling=max(1.0, span / DRAWN_FACE))
    wanted = min(span, DRAWN_FACE)
    draw = reproduction(kit, rng, face, family, wanted)
    return Scene(family, face.kind, face.identity, make, draw, setting)


def _metered(light: Picture, box: Box) -> float:
    """Light that the exposure is set on: the face for the most part."""
    bright = luma(light)[0]
    height, width = bright.shape
    x0, x1 = int(np.clip(box[0], 0, width - 2)), int(np.clip(box[0] + box[2], 2, width))
    y0, y1 = int(np.clip(box[1], 0, height - 2)), int(np.clip(box[1] + box[3], 2, height))
    face = bright[y0:y1, x0:x1] if x1 > x0 and y1 > y0 else bright
    return float(0.55 * face.mean() + 0.45 * bright.mean())


def _compressed(frame: np.ndarray, make: Camera, quality: int) -> np.ndarray:
    if make.codec == "jpeg":
        return jpeg(frame, quality, full_colour=quality > 85)
    if make.codec == "h264":
        return through_h264(frame, rate_factor(quality))
    return frame


def _jittered(rng: np.random.Generator, box: Box, width: int, height: int) -> Box:
    """A detector's box is never quite the same."""
    x, y, w, h = box
    grow = np.exp(rng.normal(0, 0.035, 2))
    cx, cy = x + w / 2 + rng.normal(0, 0.02) * w, y + h / 2 + rng.normal(0, 0.02) * h
    w, h = min(w * grow[0], width - 2), min(h * grow[1], height - 2)
    return float(cx - w / 2), float(cy - h / 2), float(w), float(h)
