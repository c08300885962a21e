"""The files that are committed: weights, calibration, figures."""

from __future__ import annotations

import hashlib
import io
import json
import struct
from pathlib import Path

import numpy as np
import torch

from .crops import BRANCHES, crop, liveness_box
from .figures import Figures
from .network import Presence, folded_state, to_input

#: The room around a face that the samples have, in face boxes: scores of faces with less were not measured.
ROOM = {"from": 2, "comfortableFrom": 2}
#: Outside of these a frame is not scored.
SCORABLE = {"contextScale": 2, "interEyePx": 36, "brightness": 0.08, "overexposed": 0.4, "sharpness": 0.15}


def write_weights(folder: Path, network: Presence, about: dict) -> str:
    """Writes `presence.pth`, half precision in PyTorch's legacy format, and `presence.json`; returns the SHA-256 of the first, the same for the same weights."""
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / "presence.pth"
    written = legacy_bytes(folded_state(network))
    path.write_bytes(written)
    digest = hashlib.sha256(written).hexdigest()
    (folder / "presence.json").write_text(json.dumps({**about, "sha256": digest}, indent=2) + "\n")
    return digest


def legacy_bytes(state: dict[str, torch.Tensor]) -> bytes:
    """What `torch.save` writes in its legacy format of tensors of one type, but the same bytes each time.

    It names storages by where they lie in memory. Here all tensors are views of one, whose name is replaced.
    """
    flat = torch.cat([values.reshape(-1) for values in state.values()])
    parts = flat.split([values.numel() for values in state.values()])
    buffer = io.BytesIO()
    views = {name: part.view(values.shape) for (name, values), part in zip(state.items(), parts)}
    torch.save(views, buffer, _use_new_zipfile_serialization=False)
    storage = flat.untyped_storage() if hasattr(flat, "untyped_storage") else flat.storage()._storage
    name, written = _pickled(str(storage._cdata)), buffer.getvalue()
    if written.count(name) != len(state) + 1:
        raise ValueError("this PyTorch names storages in another way")
    return written.replace(name, _pickled("0"))


def _pickled(text: str) -> bytes:
    return b"X" + struct.pack("<I", len(text)) + text.encode()


def calibration(model: str, version: int, figures: Figures) -> dict:
    """How scores are read: 0.9 where an attempt's mean still is a person's, set on development scenes alone.

    The line goes through the middle between the score that one of 50 people falls below and the one that one of 50 reproductions rises above, and at least
    0.6; a single frame ends an attempt at half of the lowest frame of one of 100 people, at most 0.1.
    """
    others = np.concatenate([values for name, values in figures.scores.items() if name != "live"])
    separating = float(np.clip((np.quantile(figures.scores["live"], 0.02) + np.quantile(others, 0.98)) / 2, 0.6, 0.95))
    attack = float(np.clip(np.quantile(figures.lowest, 0.01) / 2, 0.0001, 0.1))
    return {
        "id": f"{model}/{version}",
        "model": model,
        "points": [[0, 0], [round(separating, 3), 0.9], [1, 1]],
        "attackFrameAtMost": round(attack, 4),
        "room": ROOM,
        "scorable": SCORABLE,
    }


def fused(reading: dict) -> dict:
    """How the mean with MiniFASNet's score is read: half-way between both models' own lines and bands, 0.6 and 0.1 for MiniFASNet (docs/liveness.md).

    Arithmetic, no measurement: drawn scenes tell nothing of MiniFASNet.
    """
    line = round((reading["points"][1][0] + 0.6) / 2, 3)
    return {
        **reading,
        "id": f"presence-minifasnet/{reading['id'].split('/')[1]}",
        "model": "presence-minifasnet",
        "points": [[0, 0], [line, 0.9], [1, 1]],
        "attackFrameAtMost": round((reading["attackFrameAtMost"] + 0.1) / 2, 4),
        "weight": 0.5,
    }


def errors(figures: Figures, reading: dict) -> str:
    """What the reading makes of attempts, in words."""
    people, line = np.array(figures.scores["live"]), reading["points"][1][0]
    others = np.concatenate([values for name, values in figures.scores.items() if name != "live"])
    ended = int((np.array(figures.lowest) <= reading["attackFrameAtMost"]).sum())
    return (
        f"{int((people < line).sum())} of {len(people)} people below 0.9, {ended} with a frame in the band of attacks; "
        f"{int((others >= line).sum())} of {len(others)} reproductions at or above"
    )


@torch.no_grad()
def probe(network: Presence) -> dict:
    """What the network says of a frame that anybody can make, by which the engine's crops and compiled networks are held against these."""
    width, height, face = 320, 240, (110.0, 60.0, 100.0, 120.0)
    y, x = np.mgrid[0:height, 0:width]
    channels = [100 + 50 * np.sin(x / (5 + c)) * np.cos(y / (7 - c)) + (x * x * 7 + y * y * 13 + x * y * 5 + c * 29) % 97 for c in range(3)]
    frame = np.clip(np.floor(np.stack(channels, -1)), 0, 255).astype(np.uint8)
    crops = {name: to_input(torch.from_numpy(crop(frame, liveness_box(face), name)[None])) for name in BRANCHES}
    return {"width": width, "height": height, "face": face, "logOdds": {k: round(float(v), 4) for k, v in network(crops).items()}}
