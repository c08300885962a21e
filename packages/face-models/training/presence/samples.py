"""The samples that `generate.py` wrote, mapped into memory."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import torch

from .crops import BRANCHES
from .generate import FAMILIES
from .scenes import DRAWN


@dataclass(frozen=True)
class Batch:
    crops: torch.Tensor  # (n, 80, 80, 3) bytes
    log_odds: torch.Tensor  # (n,) the teacher's
    stage: torch.Tensor  # (n, 128, 5, 5) the teacher's
    drawn: torch.Tensor  # (n,) whether a reproduction is shown that scenes.py draws


class Samples:
    """Of one part; raises FileNotFoundError where there are none."""

    def __init__(self, folder: Path, part: str, device: str = "cpu") -> None:
        self._folder, self._part, self._device = folder, part, device
        self.digest = json.loads((folder / "plan.json").read_text())["digest"]
        self._shards: list[dict[str, np.ndarray | torch.Tensor]] = []
        self.refresh()
        if not self._shards:
            raise FileNotFoundError(f"{folder} has no samples of the part {part}")

    def refresh(self) -> None:
        """Takes in what was added meanwhile."""
        names = sorted(self._folder.glob(f"{self._part}-*.about.npy"))
        for about in names[len(self._shards) :]:
            stem = about.name.removesuffix(".about.npy")
            shard = {
                name: np.load(self._folder / f"{stem}.{name}.npy", mmap_mode="r") for name in ("crops", "logits", "stage", "about")
            }
            if self._device != "cpu":
                # An accelerator has room for all of them.
                shard |= {name: torch.from_numpy(np.array(shard[name])).to(self._device) for name in ("crops", "stage")}
            self._shards.append(shard)
        self._ends = np.cumsum([len(shard["about"]) for shard in self._shards])

    def __len__(self) -> int:
        return int(self._ends[-1]) if self._shards else 0

    def batch(self, branch: str, numbers: np.ndarray, device: str = "cpu") -> Batch:
        number = list(BRANCHES).index(branch)
        found: dict[str, list] = {"crops": [], "logits": [], "stage": [], "about": []}
        # In the order of the shards, which is no order of its own to the learner.
        numbers = np.sort(numbers)
        which = np.searchsorted(self._ends, numbers, "right")
        for shard in np.unique(which):
            inner = numbers[which == shard] - (self._ends[shard - 1] if shard else 0)
            for name, values in self._shards[shard].items():
                taken = values[inner] if name == "about" else values[inner, number]
                found[name].append(taken if isinstance(taken, torch.Tensor) else torch.from_numpy(np.ascontiguousarray(taken)))
        crops, logits, stage, about = (torch.cat(found[name]).to(device) for name in ("crops", "logits", "stage", "about"))
        first_drawn = FAMILIES.index(DRAWN[0])
        return Batch(crops, _odds(logits), stage.float(), about[:, 0] >= first_drawn)

    def log_odds(self, branch: str) -> np.ndarray:
        """(n,) the teacher's."""
        number = list(BRANCHES).index(branch)
        return np.concatenate([_odds(torch.from_numpy(np.array(shard["logits"][:, number]))).numpy() for shard in self._shards])

    def families(self) -> np.ndarray:
        """(n,) index into `FAMILIES`."""
        return np.concatenate([shard["about"][:, 0] for shard in self._shards])

    def stage_scale(self, branch: str) -> tuple[torch.Tensor, torch.Tensor]:
        """Mean and deviation of the teacher's stage, (1, channels, 1, 1) each, of the first shard."""
        number = list(BRANCHES).index(branch)
        shard = self._shards[0]["stage"]
        values = (shard if isinstance(shard, torch.Tensor) else torch.from_numpy(np.array(shard[:1024])))[:1024, number].float()
        return values.mean((0, 2, 3), keepdim=True), values.std((0, 2, 3), keepdim=True).clamp_min(1e-3)


def _odds(logits: torch.Tensor) -> torch.Tensor:
    return logits[:, 1] - torch.logsumexp(logits[:, [0, 2]], 1)
