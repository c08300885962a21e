"""The camera that every scene goes through, whoever or whatever is in it.

Optics, colour filter array, exposure, white balance, noise, denoising, tone curve, sharpening and compression are drawn for each frame within
the character of one of `CAMERAS` makes. People and reproductions go through the very same code, so nothing of it tells them apart.
"""

from __future__ import annotations

import io
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
import torch
from PIL import Image

from .light import Picture, blur, encode, pixel_grid, resize, separable, smear

#: How many makes there are, and which of them nothing is trained on.
CAMERAS = 96
HELD_OUT_CAMERAS = frozenset(range(3, CAMERAS, 5))


@dataclass(frozen=True)
class Camera:
    """What is the same in all frames of one make."""

    blur: float  # pixels, of lens and antialiasing filter
    mosaic: bool  # a Bayer filter, demosaiced bilinearly
    noise: float  # read noise at ordinary gain, share of white
    shot: float  # variance per unit of light
    denoise: float  # 0 … 1 share of a denoised picture
    contrast: float  # of the S in the tone curve, 0 none
    saturation: float
    colour: np.ndarray  # (3, 3) error of the colour matrix
    sharpening: float  # strength of the unsharp mask
    sharpening_radius: float
    shading: float  # light lost in the corners
    native: float  # < 1: the sensor has fewer pixels than the frame
    codec: str  # 'jpeg', 'h264' or 'none'
    quality: tuple[int, int]  # JPEG quality; for H.264 it is turned into a rate factor


def camera(make: int) -> Camera:
    """The camera of a make, 0 … CAMERAS − 1; always the same."""
    rng = np.random.default_rng([71, make])
    codec = ("jpeg", "h264", "jpeg", "none")[make % 4]
    low = int(rng.integers(45, 80))
    return Camera(
        blur=float(rng.uniform(0.35, 1.0)),
        mosaic=bool(rng.random() < 0.7),
        noise=float(rng.uniform(0.001, 0.012)),
        shot=float(10 ** rng.uniform(-4.2, -3.0)),
        denoise=float(rng.choice([0, 0.3, 0.7, 0.9])),
        contrast=float(rng.uniform(0, 0.5)),
        saturation=float(rng.uniform(0.85, 1.25)),
        colour=np.eye(3, dtype=np.float32) + rng.normal(0, 0.025, (3, 3)).astype(np.float32),
        sharpening=float(rng.choice([0, 0.4, 0.8, 1.4])),
        sharpening_radius=float(rng.uniform(0.7, 1.6)),
        shading=float(rng.uniform(0, 0.35)),
        native=float(rng.choice([1, 1, 1, 0.75, 0.6])),
        codec=codec,
        quality=(low, min(97, low + 22)),
    )


def makes(*, held_out: bool) -> list[int]:
    """The makes of one side of the split."""
    return [make for make in range(CAMERAS) if (make in HELD_OUT_CAMERAS) == held_out]


@dataclass(frozen=True)
class Setting:
    """What stays as it is through one attempt: exposure, white balance, focus."""

    gain: float
    balance: np.ndarray  # (3,)
    defocus: float
    motion: float  # length of the motion blur, pixels
    motion_angle: float
    haze: float  # light that the lens strays over the picture, share of the mean
    quality: int
    #: Pixels of the camera along one that is drawn, at least 1: of a large picture the crops are reduced, and with it what its pixels do.
    oversampling: float

    @staticmethod
    def draw(rng: np.random.Generator, make: Camera, oversampling: float = 1) -> "Setting":
        temperature, tint = rng.normal(0, 0.06), rng.normal(0, 0.03)
        return Setting(
            gain=float(np.exp(rng.normal(0, 0.22))),
            balance=np.array([1 + temperature, 1 + tint, 1 - temperature], np.float32),
            defocus=float(rng.uniform(0, 0.7) if rng.random() < 0.65 else rng.uniform(0.7, 1.6)),
            motion=float(0 if rng.random() < 0.75 else rng.uniform(1.5, 5)),
            motion_angle=float(rng.uniform(0, np.pi)),
            haze=float(max(0.0, rng.normal(0, 0.12))),
            quality=min(97, int(rng.integers(*make.quality)) + round(20 * float(np.log2(oversampling)))),
            oversampling=oversampling,
        )


def expose(scene: Picture, make: Camera, setting: Setting, rng: np.random.Generator, metered: float) -> Picture:
    """A scene in linear light as this camera shows it: sRGB values 0..1, not yet compressed.

    `metered` is the light that the exposure puts at a middle grey, before `setting.gain`.
    """
    height, width = scene.shape[1:]
    many = setting.oversampling
    has_own_pixels = many < 1.5
    if make.native < 1 and has_own_pixels:
        scene = resize(scene, max(32, round(height * make.native)), max(32, round(width * make.native)))
    x = blur(scene, float(np.hypot(make.blur / many, setting.defocus)))
    if setting.motion > 0:
        x = smear(x, setting.motion, setting.motion_angle)
    if setting.haze > 0:
        x = (1 - setting.haze) * x + setting.haze * x.mean((1, 2), keepdim=True)
    gain = 0.2 / max(metered, 1e-3) * setting.gain
    x = x * (gain * torch.from_numpy(setting.balance))[:, None, None]
    if make.shading > 0:
        x = x * _shading(x.shape[1], x.shape[2], make.shading)
    # Less light is amplified more, and its noise with it.
    amplified = float(np.clip(gain, 0.5, 4))
    deviation = (x.clamp_min(0) * make.shot * amplified + (make.noise * amplified) ** 2).sqrt() / many
    x = x + deviation * torch.from_numpy(rng.standard_normal(x.shape, np.float32))
    if make.mosaic and has_own_pixels:
        x = _demosaic(x)
    if make.denoise > 0 and has_own_pixels:
        x = x + make.denoise * (separable(x, torch.tensor([0.25, 0.5, 0.25])) - x)
    x = torch.einsum("oc,chw->ohw", torch.from_numpy(make.colour), x)
    x = encode(x)
    grey = x.mean(0, keepdim=True)
    x = grey + make.saturation * (x - grey)
    x = x + make.contrast * (x - 0.5) * x * (1 - x) * 2
    if make.sharpening > 0:
        x = x + make.sharpening / many * (x - blur(x, make.sharpening_radius))
    return resize(x.clamp(0, 1), height, width)


def to_bytes(frame: Picture) -> np.ndarray:
    """(3, height, width) 0..1 → (height, width, 3) uint8."""
    return (frame.clamp(0, 1) * 255 + 0.5).to(torch.uint8).permute(1, 2, 0).contiguous().numpy()


def jpeg(frame: np.ndarray, quality: int, *, full_colour: bool) -> np.ndarray:
    """Through a JPEG file in memory; colour at half the resolution unless told otherwise."""
    buffer = io.BytesIO()
    Image.fromarray(frame).save(buffer, "JPEG", quality=quality, subsampling=0 if full_colour else 2)
    buffer.seek(0)
    return np.asarray(Image.open(buffer).convert("RGB"))


def rate_factor(quality: int) -> int:
    """x264's rate factor that looks about as good as a JPEG quality: 45 → 36, 97 → 19."""
    return round(36 - (quality - 45) * 17 / 52)


def _demosaic(x: Picture) -> Picture:
    """What a Bayer filter (RGGB) leaves of a picture, interpolated bilinearly: colour has half the resolution, and aliases."""
    mask, weights = _bayer(x.shape[1], x.shape[2])
    return separable(x * mask, _TENT) * weights


_TENT = torch.tensor([0.5, 1.0, 0.5])


@lru_cache(maxsize=8)
def _bayer(height: int, width: int) -> tuple[torch.Tensor, torch.Tensor]:
    """Which pixels have which colour, and one over what the interpolation's weights add up to."""
    mask = torch.zeros(3, height, width)
    mask[0, ::2, ::2] = 1
    mask[1, ::2, 1::2] = 1
    mask[1, 1::2, ::2] = 1
    mask[2, 1::2, 1::2] = 1
    return mask, 1 / separable(mask, _TENT).clamp_min(0.25)


def _shading(height: int, width: int, amount: float) -> torch.Tensor:
    x, y = pixel_grid(height, width)
    r2 = ((x / width - 0.5) ** 2 + (y / height - 0.5) ** 2) * 2
    return (1 - amount * r2)[None]

