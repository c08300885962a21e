"""What a picture is reproduced on: papers and displays, each of a make with a character of its own.

`print_on` and `show_on` turn a picture into what leaves the sheet or the glass: for a paper the share of light that it reflects, for a display the
light that it gives. Patterns finer than the camera's pixels (dots of ink, cells of a display) are evaluated at the centres of the camera's
pixels, which is how they alias into beats, and weakened as much as a pixel's area averages them away.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import torch

from .light import Picture, blur, luma, smooth_noise

PAPERS = 48
HELD_OUT_PAPERS = frozenset(range(2, PAPERS, 5))
DISPLAYS = 60
HELD_OUT_DISPLAYS = frozenset(range(1, DISPLAYS, 5))


@dataclass(frozen=True)
class Paper:
    dots: str  # 'screen' ordered dots, 'inkjet' scattered ones, 'photo' none
    dots_per_mm: float
    angle: float
    dot_contrast: float
    white: np.ndarray  # (3,) reflectance of the bare sheet
    black: float  # reflectance of full ink
    saturation: float
    softness_mm: float  # smallest detail of the printer
    fibre: float  # deviation of the sheet's own brightness
    gloss: float  # 0 matt … 1 glossy


def paper(make: int) -> Paper:
    """The paper of a make, 0 … PAPERS − 1; always the same."""
    rng = np.random.default_rng([72, make])
    dots = ("photo", "inkjet", "screen", "inkjet")[make % 4]
    warm = rng.uniform(-0.03, 0.06)
    return Paper(
        dots=dots,
        dots_per_mm=float({"photo": 12, "inkjet": rng.uniform(3, 8), "screen": rng.uniform(2, 6)}[dots]),
        angle=float(rng.uniform(0, np.pi / 2)),
        dot_contrast=float({"photo": 0, "inkjet": rng.uniform(0.1, 0.35), "screen": rng.uniform(0.2, 0.6)}[dots]),
        white=np.array([0.86 + warm / 2, 0.85, 0.85 - warm], np.float32) * float(rng.uniform(0.9, 1.03)),
        black=float(rng.uniform(0.02, 0.09)),
        saturation=float(rng.uniform(0.65, 1.1)),
        softness_mm=float(rng.uniform(0.1, 0.7)),
        fibre=float(rng.uniform(0.002, 0.03)),
        gloss=float(rng.choice([0, 0.2, 0.6, 1])),
    )


@dataclass(frozen=True)
class Display:
    kind: str  # 'phone', 'tablet' or 'monitor'
    cells_per_mm: float
    layout: str  # 'stripe', 'bgr' or 'diamond'
    primaries: np.ndarray  # (3, 3) from linear sRGB as sent to linear light as shown
    gamma: float  # of the whole chain, 1 as meant
    white: float  # light of its white, over that of a white sheet in an ordinary room
    black: float  # share of white that its black leaks
    cell_contrast: float
    banding: float  # of the backlight or the rolling refresh
    unevenness: float  # of the backlight
    gloss: float  # 0 matt … 1 bare glass
    sharpening: float  # some players and panels sharpen


def display(make: int) -> Display:
    """The display of a make, 0 … DISPLAYS − 1; always the same."""
    rng = np.random.default_rng([73, make])
    kind = ("phone", "monitor", "tablet", "monitor")[make % 4]
    cells = {"phone": (14, 20), "tablet": (8, 12), "monitor": (3.2, 7)}[kind]
    temperature = rng.normal(0.06, 0.08)
    mix = rng.uniform(0, 0.12)
    primaries = (1 - mix) * np.eye(3) + mix / 3 + rng.normal(0, 0.015, (3, 3))
    primaries *= np.array([1 - temperature, 1, 1 + temperature])[:, None]
    return Display(
        kind=kind,
        cells_per_mm=float(rng.uniform(*cells)),
        layout=str(rng.choice(["stripe", "stripe", "bgr", "diamond"])),
        primaries=primaries.astype(np.float32),
        gamma=float(rng.uniform(0.85, 1.25)),
        white=float(np.exp(rng.normal(0.3, 0.5))),
        black=float(rng.choice([0.0005, 0.002, 0.006])),
        cell_contrast=float(rng.uniform(0.2, 1)),
        banding=float(rng.choice([0, 0, 0.03, 0.08])),
        unevenness=float(rng.uniform(0, 0.12)),
        gloss=float(rng.choice([0.1, 0.5, 1, 1])),
        sharpening=float(rng.choice([0, 0.3, 0.8])),
    )


def makes(total: int, held: frozenset[int], *, held_out: bool) -> list[int]:
    """The makes of one side of the split."""
    return [make for make in range(total) if (make in held) == held_out]


def print_on(
    make: Paper, picture: Picture, x: torch.Tensor, y: torch.Tensor, mm_per_pixel: float, rng: np.random.Generator
) -> Picture:
    """Reflectance of a print.

    `picture` is what was printed, as sampled at the camera's pixels, linear 0..1; `x`, `y` are those pixels' places on the sheet in millimetres.
    """
    soft = blur(picture, make.softness_mm / mm_per_pixel)
    grey = luma(soft)
    ink = (grey + make.saturation * (soft - grey)).clamp(0, 1)
    white = torch.from_numpy(make.white)[:, None, None]
    reflectance = make.black + (white - make.black) * ink
    if make.dots_per_mm > 0 and make.dot_contrast > 0:
        seen = make.dot_contrast * _left_after_averaging(make.dots_per_mm * mm_per_pixel)
        middle = 4 * ink * (1 - ink)  # bare paper and full ink have no dots
        reflectance = reflectance * (1 + seen * middle * _dots(make, x, y, rng))
    height, width = x.shape
    fibre = smooth_noise(rng, height, width, max(1.0, 0.6 / mm_per_pixel))
    return (reflectance * (1 + make.fibre * fibre)).clamp(0, 1)


def show_on(
    make: Display, picture: Picture, x: torch.Tensor, y: torch.Tensor, mm_per_pixel: float, rng: np.random.Generator
) -> Picture:
    """Light of a display, 1 as much as a white sheet in an ordinary room. Arguments as of `print_on`."""
    sent = picture.clamp(0, 1)
    if make.sharpening > 0:
        sent = (sent + make.sharpening * (sent - blur(sent, 1.2))).clamp(0, 1)
    sent = sent ** make.gamma
    light = torch.einsum("oc,chw->ohw", torch.from_numpy(make.primaries), sent).clamp_min(0)
    seen = make.cell_contrast * _left_after_averaging(make.cells_per_mm * mm_per_pixel)
    if seen > 0.003:
        light = light * (1 + seen * _cells(make, x, y))
    height, width = x.shape
    if make.banding > 0:
        rows = torch.arange(height, dtype=torch.float32)[:, None]
        period, phase = rng.uniform(20, 200), rng.uniform(0, 2 * np.pi)
        light = light * (1 + make.banding * torch.cos(2 * np.pi * rows / period + phase))
    if make.unevenness > 0:
        light = light * (1 + make.unevenness * smooth_noise(rng, height, width, max(height, width) / 2)).clamp_min(0.2)
    return make.white * (light * (1 - make.black) + make.black)


def _left_after_averaging(cycles_per_pixel: float) -> float:
    """What the area of a pixel leaves of a pattern's contrast: a box's transform, its zeros filled as real sensors' gaps and optics fill them."""
    f = abs(cycles_per_pixel)
    return float(1.0 if f < 0.05 else min(1.0, np.hypot(np.sinc(f), 0.22 / (1 + f))))


def _dots(make: Paper, x: torch.Tensor, y: torch.Tensor, rng: np.random.Generator) -> torch.Tensor:
    if make.dots == "inkjet":
        return torch.from_numpy(rng.standard_normal((3, *x.shape), np.float32)).clamp(-2, 2) * 0.7
    layers = []
    for k, turn in enumerate((0.26, 1.31, 0.0)):  # 15°, 75°, 0°: cyan, magenta, yellow screens
        a = make.angle + turn
        u = (x * np.cos(a) + y * np.sin(a)) * (2 * np.pi * make.dots_per_mm)
        v = (y * np.cos(a) - x * np.sin(a)) * (2 * np.pi * make.dots_per_mm)
        layers.append((torch.cos(u + k) + torch.cos(v)) * 0.5)
    return torch.stack(layers)


def _cells(make: Display, x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
    across = 2 * np.pi * make.cells_per_mm * x
    down = torch.cos(2 * np.pi * make.cells_per_mm * y)
    order = (2, 1, 0) if make.layout == "bgr" else (0, 1, 2)
    layers = []
    for k in order:
        if make.layout == "diamond":
            shift = 0.0 if k == 1 else np.pi / 2
            layers.append(0.6 * torch.cos(across + 2 * np.pi * make.cells_per_mm * y * (1 if k == 1 else 0.5) + shift))
        else:
            layers.append(0.6 * torch.cos(across - k * 2 * np.pi / 3) + 0.35 * down)
    return torch.stack(layers)
