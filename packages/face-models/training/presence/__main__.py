"""`python3 -m presence COMMAND`; see ../README.md."""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import torch
from PIL import Image

from . import export
from .ablate import ablate
from .dataset import ROUND, Plan, digest_of, generate, read
from .figures import measure, of_same
from .kit import Kit
from .network import as_written
from .scenes import draw_scene
from .sources import SourceFolder
from .train import Recipe, train

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
    {"generate": _generate, "train": _train, "ablate": lambda asked: ablate(asked, _Log()), "frames": _frames}[options.command](options)


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
    # Stays when all is done: whoever asks again, for another version say, has the network at once.
    state = options.work / f"training-{options.seed}.state"
    network = train(frames, np.arange(len(frames)), recipe, log, state)
    written = as_written(network)
    tuned, figures = (measure(written, of_same(frames, read(options.work, part))) for part in ("development", "held-out"))
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


class _Log:
    def __init__(self) -> None:
        self.lines: list[str] = []
        self._started = time.time()

    def __call__(self, line: str) -> None:
        self.lines.append(line)
        print(f"[{time.time() - self._started:5.0f} s] {line}", file=sys.stderr, flush=True)


if __name__ == "__main__":
    main()
