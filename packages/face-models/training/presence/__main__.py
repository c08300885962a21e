"""`python3 -m presence COMMAND`; see ../README.md."""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import time
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path

import numpy as np
import torch
from PIL import Image

from . import export
from .dataset import ROUND, Frames, Plan, digest_of, generate, read
from .figures import Figures, measure
from .kit import Kit
from .network import as_written
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
            command.add_argument("--epochs", type=int, default=9)
            command.add_argument("--out", type=Path, help="folder for what was found; nothing is written without it")
        if name == "train":
            command.add_argument("--threads", type=int, default=1)
            command.add_argument("--version", type=int, default=1, help="of the calibration: one more for other weights than the last")
    options = parser.parse_args()
    # What is written shows people.
    os.umask(0o077)
    {"generate": _generate, "train": _train, "ablate": _ablate, "frames": _frames}[options.command](options)


def _outside_of_git(folder: Path) -> None:
    """Makes a folder for pictures of people. Raises SystemExit where a commit could take them along."""
    nearest = next(path for path in (folder.resolve(), *folder.resolve().parents) if path.is_dir())
    git = ["git", "-C", str(nearest)]
    inside = subprocess.run([*git, "rev-parse", "--is-inside-work-tree"], capture_output=True).returncode == 0
    if inside and subprocess.run([*git, "check-ignore", "-q", str(folder.resolve() / "index.json")]).returncode != 0:
        raise SystemExit(f"{folder}: pictures of people do not go where git sees them")
    folder.mkdir(parents=True, exist_ok=True)


def _generate(options: argparse.Namespace) -> None:
    _outside_of_git(options.work)
    digest = digest_of(SourceFolder(options.sources))
    for part, (seed, per_scene, scenes) in PARTS.items():
        plan = Plan(str(options.sources), digest, part, seed, scenes or options.frames, per_scene)
        generate(options.work, part, plan, options.workers)


def _train(options: argparse.Namespace) -> None:
    torch.set_num_threads(options.threads)
    log = _Log()
    frames = read(options.work, "training")
    recipe = Recipe(seed=options.seed, epochs=options.epochs)
    environment = {"frames": len(frames), "scenes": frames.digest, "threads": options.threads, "torch": torch.__version__}
    log(f"{recipe}, {environment}")
    state = options.work / f"training-{options.seed}.state"
    network = train(frames, np.arange(len(frames)), recipe, log, state)
    written = as_written(network)
    tuned, figures = (measure(written, _of_same(frames, read(options.work, part))) for part in ("development", "held-out"))
    log("development: " + tuned.lines()[0])
    for line in figures.lines():
        log("held out: " + line)
    reading = export.calibration("presence", options.version, tuned)
    log(f"calibration {json.dumps(reading)}")
    log(f"development: {export.errors(tuned, reading)}")
    log(f"held out: {export.errors(figures, reading)}")
    if options.out is not None:
        about = {
            # Whether it serves by default is said by hand: MODEL_CARD.md tells why.
            "enabled": False,
            "trained": {"seed": recipe.seed, "epochs": recipe.epochs, **environment},
            "calibration": reading,
            "fused": export.fused(reading),
            "probe": export.probe(written),
        }
        log("presence.pth " + export.write_weights(options.out, network, about))
        (options.out / "training-log.txt").write_text("\n".join(log.lines) + "\n")
        (options.out / "held-out.json").write_text(json.dumps(figures.__dict__, indent=1) + "\n")
        state.unlink()


def _of_same(frames: Frames, part: Frames) -> Frames:
    """Raises ValueError where a part was drawn of other pictures or by other code."""
    if part.digest != frames.digest:
        raise ValueError("the parts were not drawn of the same sources and by the same code: generate them again")
    return part


def _frames(options: argparse.Namespace) -> None:
    """FOLDER/FAMILY/ATTEMPT/FRAME.png, of the same scenes that the held-out figures begin with."""
    _outside_of_git(options.out)
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
    """A family of reproductions, a kind of picture or an augmentation left out of the training in turn: what the others teach about it.

    With `--out`, every network's figures are written as soon as they are there, and those that are there are not found again.
    """
    log = _Log()
    held_out = read(options.work, "held-out")
    kinds = sorted(set(held_out.kind))
    names = ["nothing", "nothing, another seed"]
    names += [f"family {family}" for family in FAMILIES if family != "live"]
    names += [f"pictures {kind}" for kind in kinds if len(kinds) > 1]
    names += [f"augmentation {augmentation}" for augmentation in AUGMENTATIONS]
    about = f"{options.frames} frames, {options.epochs} epochs, seed {options.seed}, scenes {held_out.digest}; AUC per attempt on what was held out"
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
    return measure(as_written(train(frames, numbers, recipe, lambda _: None)), _of_same(frames, read(options.work, "held-out")))


class _Log:
    def __init__(self) -> None:
        self.lines: list[str] = []
        self._started = time.time()

    def __call__(self, line: str) -> None:
        self.lines.append(line)
        print(f"[{time.time() - self._started:5.0f} s] {line}", file=sys.stderr, flush=True)


if __name__ == "__main__":
    main()
