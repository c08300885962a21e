"""Figures of a network on held-out scenes, frame by frame and per attempt."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from .dataset import Frames
from .network import Presence
from .scenes import FAMILIES
from .train import log_odds


def area_under_curve(people: np.ndarray, others: np.ndarray) -> float:
    """The share of pairs in which the person has the higher score; ties count half. NaN where one side is empty."""
    if len(people) == 0 or len(others) == 0:
        return float("nan")
    ordered = np.sort(others)
    below = np.searchsorted(ordered, people, "left") + np.searchsorted(ordered, people, "right")
    return float(below.mean() / (2 * len(others)))


@dataclass(frozen=True)
class Figures:
    frames: float
    attempts: float
    attempts_by_branch: dict[str, float]
    by_family: dict[str, float]
    by_kind: dict[str, float]
    scores: dict[str, list[float]]  # family → mean score of each attempt

    def lines(self) -> list[str]:
        named = [f"{name} {value:.4f}" for name, value in [*self.by_family.items(), *self.by_kind.items()]]
        branches = ", ".join(f"{name} alone {value:.4f}" for name, value in self.attempts_by_branch.items())
        return [
            f"AUC per attempt {self.attempts:.4f}, per frame {self.frames:.4f}; {branches}",
            "per attempt: " + ", ".join(named),
        ]


def measure(network: Presence, frames: Frames, numbers: np.ndarray | None = None) -> Figures:
    """Figures over held-out frames; the score of an attempt is the mean over its frames, as the device takes it."""
    numbers = np.arange(len(frames)) if numbers is None else np.sort(numbers)
    odds = log_odds(network, frames, numbers)
    live, family, kind = frames.live[numbers], frames.family[numbers], frames.kind[numbers]
    score = 1 / (1 + np.exp(-odds["both"]))
    scenes, first, inverse = np.unique(frames.scene[numbers], return_index=True, return_inverse=True)

    def per_attempt(values: np.ndarray) -> np.ndarray:
        return np.bincount(inverse, values) / np.bincount(inverse)

    mean = per_attempt(score)
    is_live, of_family, of_kind = live[first], family[first], kind[first]
    by_branch = {
        name: per_attempt(1 / (1 + np.exp(-values))) for name, values in odds.items() if name != "both"
    }
    return Figures(
        frames=area_under_curve(score[live], score[~live]),
        attempts=area_under_curve(mean[is_live], mean[~is_live]),
        attempts_by_branch={n: area_under_curve(v[is_live], v[~is_live]) for n, v in by_branch.items()},
        by_family={
            name: area_under_curve(mean[is_live], mean[of_family == i])
            for i, name in enumerate(FAMILIES)
            if name != "live" and (of_family == i).any()
        },
        by_kind={
            str(name): area_under_curve(mean[is_live & (of_kind == name)], mean[~is_live & (of_kind == name)])
            for name in np.unique(of_kind)
        },
        scores={name: mean[of_family == i].round(4).tolist() for i, name in enumerate(FAMILIES) if (of_family == i).any()},
    )
