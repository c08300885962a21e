"""`python3 -m presence COMMAND`; see ../README.md."""

from __future__ import annotations

import argparse
import json
import sys
import time
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path

import numpy as np
import torch
from PIL import Image

from . import export
from .dataset import ROUND, Plan, generate, read
from .figures import Figures, measure
from .kit import Kit
from .scenes import FAMILIES, draw_scene
from .sources import SourceFolder
from .train import AUGMENTATIONS, Recipe, train

#: Seeds of the scenes of each part; frames in one scene; scenes, where they are not as many as are asked for.
PARTS = {"training": (1, 1, None), "development": (2, 4, 560), "held-out": (3, 6, 1120)}


def main() -> None:
    parser = argparse.ArgumentParser(prog="presence", description=__doc__)
    commands = parser.add_subparsers(dest="command", required=True)
    for name, about in (
        ("generate", "draw the scenes"),
        ("train", "train, measure, and write the weights"),
        ("ablate", "train without each family of reproductions, kind of picture and augmentation, and measure on all"),
        ("frames", "write held-out attempts as pictures, for the engine to judge: npm run evaluate:presence -- --attempts"),
    ):
        command = commands.add_parser(name, help=about)
        if name in ("generate", "frames"):
            command.add_argument("--sources", type=Path, required=True, help="folder that export:presence wrote")
        if name == "frames":
            command.add_argument("--out", type=Path, required=True)
            command.add_argument("--attempts", type=int, default=56)
            continue
        command.add_argument("--work", type=Path, required=True, help="folder for the scenes")
        if name in ("generate", "ablate"):
            command.add_argument("--frames", type=int, default=40_000, help="frames to train on")
            command.add_argument("--workers", type=int, default=2)
        if name in ("train", "ablate"):
            command.add_argument("--seed", type=int, default=1)
            command.add_argument("--epochs", type=int, default=12)
            command.add_argument("--out", type=Path, help="folder for what was found; nothing is written without it")
        if name == "train":
            command.add_argument("--threads", type=int, default=2)
    options = parser.parse_args()
    {"generate": _generate, "train": _train, "ablate": _ablate, "frames": _frames}[options.command](options)


def _generate(options: argparse.Namespace) -> None:
    options.work.mkdir(parents=True, exist_ok=True)
    for part, (seed, per_scene, scenes) in PARTS.items():
        plan = Plan(
            sources=str(options.sources), part=part, seed=seed, scenes=scenes or options.frames, frames_per_scene=per_scene
        )
        generate(options.work, part, plan, options.workers)


def _train(options: argparse.Namespace) -> None:
    torch.set_num_threads(options.threads)
    log = _Log()
    frames, development, held_out = (read(options.work, part) for part in PARTS)
    recipe = Recipe(seed=options.seed, epochs=options.epochs)
    log(f"{len(frames)} frames, {recipe}")
    network = train(frames, np.arange(len(frames)), recipe, log, options.work / f"training-{options.seed}.state")
    tuned = measure(network, development)
    log("development: " + tuned.lines()[0])
    figures = measure(network, held_out)
    for line in figures.lines():
        log("held out: " + line)
    people, others = _scores(tuned)
    reading = export.calibration("presence", 1, people, others)
    log(f"calibration {json.dumps(reading)}; held out: {_errors(figures, reading)}")
    if options.out is not None:
        # Whether it serves by default, and how it is read together with the add-on, is said by hand: MODEL_CARD.md tells why.
        about = {
            "enabled": False,
            "seed": options.seed,
            "calibration": reading,
            "fused": export.fused(reading),
        }
        log("presence.pth " + export.write_weights(options.out, network, about))
        (options.out / "training-log.txt").write_text("\n".join(log.lines) + "\n")
        (options.out / "held-out.json").write_text(json.dumps(figures.__dict__, indent=1) + "\n")


def _frames(options: argparse.Namespace) -> None:
    """FOLDER/FAMILY/ATTEMPT/FRAME.png, of the same scenes that the held-out figures begin with."""
    seed, per_scene, _ = PARTS["held-out"]
    kit = Kit.of(SourceFolder(options.sources), "held-out")
    with torch.no_grad():
        for index in range(options.attempts):
            rng = np.random.default_rng([seed, index])
            scene = draw_scene(kit, rng, ROUND[index % len(ROUND)])
            folder = options.out / scene.family / f"{index:04}"
            folder.mkdir(parents=True, exist_ok=True)
            for number in range(per_scene):
                Image.fromarray(scene.frame(rng).pixels).save(folder / f"{number}.png")


def _ablate(options: argparse.Namespace) -> None:
    """A family of reproductions, a kind of picture or an augmentation left out of the training in turn: what the others teach about it."""
    log = _Log()
    held_out = read(options.work, "held-out")
    names = ["nothing", "nothing, another seed"]
    names += [f"family {family}" for family in FAMILIES if family != "live"]
    names += [f"pictures {kind}" for kind in sorted(set(held_out.kind))]
    names += [f"augmentation {augmentation}" for augmentation in AUGMENTATIONS]
    log(f"{options.frames} frames, {options.epochs} epochs, seed {options.seed}; AUC per attempt on what was held out")
    found: dict[str, dict] = {}
    with ProcessPoolExecutor(options.workers, get_context("spawn")) as pool:
        for name, figures in zip(names, pool.map(_without, [options] * len(names), names)):
            found[name] = {"all": figures.attempts, **figures.by_family, **figures.by_kind}
            log(f"without {name}: " + ", ".join(f"{of} {value:.4f}" for of, value in found[name].items()))
    if options.out is not None:
        options.out.mkdir(parents=True, exist_ok=True)
        (options.out / "ablations.json").write_text(json.dumps({"lines": log.lines[0], "without": found}, indent=1) + "\n")


def _without(options: argparse.Namespace, name: str) -> Figures:
    """What a network knows that was trained without something of `_ablate`'s names."""
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
    return measure(train(frames, numbers, recipe, lambda _: None), read(options.work, "held-out"))


def _scores(figures: Figures) -> tuple[np.ndarray, np.ndarray]:
    people = np.array(figures.scores["live"])
    others = np.concatenate([np.array(values) for name, values in figures.scores.items() if name != "live"])
    return people, others


def _errors(figures: Figures, reading: dict) -> str:
    people, others = _scores(figures)
    limit = reading["points"][1][0]
    return (
        f"{int((people < limit).sum())} of {len(people)} people below 0.9, "
        f"{int((others >= limit).sum())} of {len(others)} reproductions at or above"
    )


class _Log:
    def __init__(self) -> None:
        self.lines: list[str] = []
        self._started = time.time()

    def __call__(self, line: str) -> None:
        self.lines.append(line)
        print(f"[{time.time() - self._started:5.0f} s] {line}", file=sys.stderr, flush=True)


if __name__ == "__main__":
    main()
