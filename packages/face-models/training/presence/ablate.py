"""Ablations: what each thing in the training gives on what it was not made from."""

from __future__ import annotations

import json
from argparse import Namespace
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from typing import Callable

import numpy as np
import torch

from .dataset import read
from .figures import Figures, measure, of_same
from .network import as_written
from .scenes import FAMILIES
from .train import AUGMENTATIONS, Recipe, code_digest, train


def ablate(options: Namespace, log: Callable[[str], None]) -> None:
    """A family of reproductions, a kind of picture or an augmentation left out of the training in turn: what the others teach about it.

    With `--out`, every network's figures are written as soon as they are there, and those that are there are not found again.
    """
    held_out = read(options.work, "held-out")
    kinds = sorted(set(held_out.kind))
    names = ["nothing", "nothing, another seed"]
    names += [f"family {family}" for family in FAMILIES if family != "live"]
    names += [f"pictures {kind}" for kind in kinds if len(kinds) > 1]
    names += [f"augmentation {augmentation}" for augmentation in AUGMENTATIONS]
    about = f"{options.frames} frames, {options.epochs} epochs, seed {options.seed}, scenes {held_out.digest}, code {code_digest()[:16]}; AUC per attempt on what was held out"
    log(about)
    written = None if options.out is None else options.out / "ablations.json"
    had = json.loads(written.read_text()) if written is not None and written.exists() else {"about": None, "without": {}}
    found: dict[str, dict] = had["without"] if had["about"] == about else {}
    left = [name for name in names if name not in found]
    with ProcessPoolExecutor(options.workers, get_context("spawn")) as pool:
        for name, figures in zip(left, pool.map(_without, [options] * len(left), left)):
            found[name] = {"all": figures.attempts, **figures.by_family, **figures.by_kind}
            log(f"without {name}: " + ", ".join(f"{of} {value:.4f}" for of, value in found[name].items()))
            if written is not None:
                written.parent.mkdir(parents=True, exist_ok=True)
                partial = written.with_suffix(".partial")
                partial.write_text(json.dumps({"about": about, "without": found}, indent=1) + "\n")
                partial.replace(written)


def _without(options: Namespace, name: str) -> Figures:
    """What a network knows that was trained without something of `ablate`'s names."""
    torch.set_num_threads(1)
    frames = read(options.work, "training")
    kind, _, of = name.partition(" ")
    numbers = np.arange(min(options.frames, len(frames)))
    if kind == "family":
        numbers = numbers[frames.family[numbers] != FAMILIES.index(of)]
    if kind == "pictures":
        numbers = numbers[frames.kind[numbers] != of]
    kept = tuple(each for each in AUGMENTATIONS if name != f"augmentation {each}")
    # About as many steps for each, so that leaving frames out is not training less.
    steps_like = max(1, round(options.epochs * min(options.frames, len(frames)) / len(numbers)))
    # What another seed changes is what a figure has to differ by to mean anything.
    seed = options.seed + 1 if name.endswith("another seed") else options.seed
    recipe = Recipe(seed=seed, epochs=steps_like, augmentations=kept)
    return measure(as_written(train(frames, numbers, recipe, lambda _: None)), of_same(frames, read(options.work, "held-out")))
