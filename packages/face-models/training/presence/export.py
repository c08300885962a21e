"""The files that are committed: weights, calibration, figures."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path

import numpy as np
import torch

from .network import Presence, folded_state

#: As for the add-on: outside of these a frame is not scored. Of the engine, not of this network.
SCORABLE = {"contextScale": 2, "interEyePx": 36, "brightness": 0.08, "overexposed": 0.4, "sharpness": 0.15}


def write_weights(folder: Path, network: Presence, about: dict) -> str:
    """Writes `presence.pth`, half precision in PyTorch's legacy format, and `presence.json`; returns the SHA-256 of the first."""
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / "presence.pth"
    torch.save(folded_state(network), path, _use_new_zipfile_serialization=False)
    digest = hashlib.sha256(path.read_bytes()).hexdigest()
    (folder / "presence.json").write_text(json.dumps({**about, "sha256": digest}, indent=2) + "\n")
    return digest


def calibration(model: str, version: int, people: np.ndarray, others: np.ndarray) -> dict:
    """How scores are read: 0.9 where an attempt's mean still is a person's, set on development scenes alone.

    The line goes through the middle between the score that one of 50 people falls below and the one that one of 50 reproductions rises above, and at least
    0.6; a single frame ends an attempt at a fifth of what one of 500 people falls below, at most 0.1.
    """
    separating = float(np.clip((np.quantile(people, 0.02) + np.quantile(others, 0.98)) / 2, 0.6, 0.95))
    attack = float(np.clip(np.quantile(people, 0.002) / 5, 0.001, 0.1))
    return {
        "id": f"{model}/{version}",
        "model": model,
        "points": [[0, 0], [round(separating, 3), 0.9], [1, 1]],
        "attackFrameAtMost": round(attack, 4),
        "scorable": SCORABLE,
    }


def fused(reading: dict) -> dict:
    """How the mean with MiniFASNet's score is read: its own line is at 0.6 (docs/liveness.md), the mean's between the two."""
    line = round((reading["points"][1][0] + 0.6) / 2, 3)
    return {
        **reading,
        "id": "presence-minifasnet/1",
        "model": "presence-minifasnet",
        "points": [[0, 0], [line, 0.9], [1, 1]],
        "weight": 0.5,
    }
