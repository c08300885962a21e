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


def of_same(frames: Frames, part: Frames) -> Frames:
    """Raises ValueError where a part was drawn of other pictures or by other code."""
    if part.digest != frames.digest:
        raise ValueError("the parts were not drawn of the same sources and by the same code: generate them again")
    return part


@dataclass(frozen=True)
class Attempts:
    """One number of each attempt."""

    live: np.ndarray  # (n,) bool
    family: np.ndarray  # (n,) index into FAMILIES
    kind: np.ndarray  # (n,) str
    identity: np.ndarray  # (n,) str
    mean: np.ndarray  # (n,) mean score over its frames
    lowest: np.ndarray  # (n,) of its frames

    def area(self, keep: np.ndarray | slice = slice(None)) -> float:
        return area_under_curve(self.mean[keep][self.live[keep]], self.mean[keep][~self.live[keep]])

    def interval(self, draws: int = 400) -> tuple[float, float]:
        """The area's 95 % interval over people: who is shown is drawn with replacement, with all attempts of and with them."""
        rng = np.random.default_rng(1)
        people, number = np.unique(self.identity, return_inverse=True)
        of = [np.flatnonzero(number == i) for i in range(len(people))]
        areas = [self.area(np.concatenate([of[i] for i in rng.integers(len(people), size=len(people))])) for _ in range(draws)]
        low, high = np.quantile(areas, [0.025, 0.975])
        return float(low), float(high)


@dataclass(frozen=True)
class Figures:
    """Areas under the curve, and the scores they are made of."""

    frames: float
    attempts: float
    interval: tuple[float, float]
    attempts_by_branch: dict[str, float]
    by_family: dict[str, float]
    by_kind: dict[str, float]
    identities: dict[str, int]  # kind → how many people are shown
    scores: dict[str, list[float]]  # family → mean score of each attempt
    lowest: list[float]  # lowest frame of each attempt of a person

    def lines(self) -> list[str]:
        named = [f"{name} {value:.4f}" for name, value in [*self.by_family.items(), *self.by_kind.items()]]
        branches = ", ".join(f"{name} alone {value:.4f}" for name, value in self.attempts_by_branch.items())
        low, high = self.interval
        return [
            f"AUC per attempt {self.attempts:.4f} ({low:.4f} to {high:.4f} over people), per frame {self.frames:.4f}; {branches}",
            "per attempt: " + ", ".join(named),
        ]


def measure(network: Presence, frames: Frames) -> Figures:
    """Figures over the frames of a part; the score of an attempt is the mean over its frames, as the device takes it."""
    odds = log_odds(network, frames)
    score = 1 / (1 + np.exp(-odds["both"]))
    _, first, inverse = np.unique(frames.scene, return_index=True, return_inverse=True)

    def per_attempt(values: np.ndarray) -> Attempts:
        lowest = np.ones(len(first))
        np.minimum.at(lowest, inverse, values)
        mean = np.bincount(inverse, values) / np.bincount(inverse)
        return Attempts(frames.live[first], frames.family[first], frames.kind[first], frames.identity[first], mean, lowest)

    each = per_attempt(score)
    of_family = {name: each.family == i for i, name in enumerate(FAMILIES) if (each.family == i).any()}
    kinds = [str(kind) for kind in np.unique(each.kind)]
    return Figures(
        frames=area_under_curve(score[frames.live], score[~frames.live]),
        attempts=each.area(),
        interval=each.interval(),
        attempts_by_branch={
            name: per_attempt(1 / (1 + np.exp(-values))).area() for name, values in odds.items() if name != "both"
        },
        by_family={name: each.area(each.live | theirs) for name, theirs in of_family.items() if name != "live"},
        by_kind={kind: each.area(each.kind == kind) for kind in kinds},
        identities={kind: len(np.unique(each.identity[each.kind == kind])) for kind in kinds},
        scores={name: each.mean[theirs].round(4).tolist() for name, theirs in of_family.items()},
        lowest=each.lowest[each.live].round(4).tolist(),
    )
