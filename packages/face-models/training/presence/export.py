"""The files that are committed: weights, how their scores are read, figures."""

from __future__ import annotations

import hashlib
import io
import json
import struct
from pathlib import Path

import numpy as np
import torch

from .crops import BRANCHES, LEAST_CONTEXT, Frame, liveness_box
from .network import Presence, folded_state, to_input
from .samples import Samples
from .train import log_odds

#: The room around a face that the samples have, in face boxes, and from which on a guest is told nothing.
ROOM = {"from": LEAST_CONTEXT, "comfortableFrom": 2}
#: Outside of these a frame is not scored.
SCORABLE = {"contextScale": LEAST_CONTEXT, "interEyePx": 36, "brightness": 0.08, "overexposed": 0.4, "sharpness": 0.15}


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


def calibration(version: int) -> dict:
    """How scores are read: as the teacher's are, whose function was learned (docs/liveness.md), until somebody measures another line."""
    return {
        "id": f"presence/{version}",
        "model": "presence",
        "points": [[0, 0], [0.6, 0.9], [1, 1]],
        "attackFrameAtMost": 0.1,
        # Nobody measured photos at enrolment with it.
        "photoAtLeast": None,
        "room": ROOM,
        "scorable": SCORABLE,
    }


def fused(reading: dict) -> dict:
    """How the mean with the teacher's score is read: as each of them."""
    version = reading["id"].split("/")[1]
    return {**reading, "id": f"presence-minifasnet/{version}", "model": "presence-minifasnet", "weight": 0.5}


@torch.no_grad()
def figures(network: Presence, samples: Samples, families: tuple[str, ...]) -> dict:
    """Scores beside the teacher's on samples of people and repositories that were neither trained on nor tuned by, all and family by family."""
    own, theirs = (
        np.mean([1 / (1 + np.exp(-of(branch))) for branch in BRANCHES], 0)
        for of in (lambda branch: log_odds(network.branches[branch], samples, branch), samples.log_odds)
    )
    family = samples.families()

    def beside(of: np.ndarray) -> dict:
        one, other = own[of], theirs[of]
        return {
            "samples": int(of.sum()),
            "correlation": round(float(np.corrcoef(one, other)[0, 1]), 4),
            "same side of 0.6": round(float(np.mean((one >= 0.6) == (other >= 0.6))), 4),
            "at 0.5 or more": [round(float(np.mean(one >= 0.5)), 4), round(float(np.mean(other >= 0.5)), 4)],
        }

    everything = beside(np.ones(len(family), bool))
    return {**everything, "families": {name: beside(family == number) for number, name in enumerate(families) if (family == number).any()}}


@torch.no_grad()
def probe(network: Presence) -> dict:
    """What the network says of a frame that anybody can make, by which the engine's crops and compiled networks are held against these."""
    width, height, face = 320, 240, (110.0, 60.0, 100.0, 120.0)
    y, x = np.mgrid[0:height, 0:width]
    channels = [100 + 50 * np.sin(x / (5 + c)) * np.cos(y / (7 - c)) + (x * x * 7 + y * y * 13 + x * y * 5 + c * 29) % 97 for c in range(3)]
    frame = np.clip(np.floor(np.stack(channels, -1)), 0, 255).astype(np.uint8)
    crops = {name: to_input(torch.from_numpy(Frame(frame).crop(liveness_box(face), name)[None])) for name in BRANCHES}
    return {"width": width, "height": height, "face": face, "logOdds": {k: round(float(v), 4) for k, v in network(crops).items()}}
