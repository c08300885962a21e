"""`python3 -m presence COMMAND`; see ../README.md."""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import time
from pathlib import Path

import torch

from . import export
from .collect import collect
from .crops import BRANCHES
from .generate import FAMILIES, generate
from .network import Presence, as_written
from .samples import Samples
from .train import Recipe, train


def main() -> None:
    parser = argparse.ArgumentParser(prog="presence", description=__doc__)
    commands = parser.add_subparsers(dest="command", required=True)

    command = commands.add_parser("collect", help="bring the pictures of sources/pictures.json")
    command.add_argument("--out", type=Path, required=True)
    command.add_argument("--mirror", type=Path, help="copies of repositories, OWNER+NAME/repo, that are not fetched then")
    command.add_argument("--data", type=Path, help="test data, whose portraits are not fetched then")

    command = commands.add_parser("generate", help="make samples and ask the teacher about them")
    command.add_argument("--sources", type=Path, required=True, help="folder that export:presence wrote")
    command.add_argument("--teacher", type=Path, required=True, help="folder with MiniFASNet's two files")
    command.add_argument("--out", type=Path, required=True)
    command.add_argument("--samples", type=int, default=1_000_000, help="to train on; 6,144 more for development and for the held-out part each")
    command.add_argument("--workers", type=int, default=os.cpu_count())

    command = commands.add_parser("train", help="train one branch, or both")
    command.add_argument("--samples", type=Path, required=True)
    command.add_argument("--branch", choices=list(BRANCHES), action="append")
    command.add_argument("--seed", type=int, default=1)
    command.add_argument("--total", type=int, default=20_000_000, help="samples seen, the same ones again and again")
    command.add_argument("--device", default="cuda" if torch.cuda.is_available() else "cpu")
    command.add_argument("--threads", type=int, default=1)
    command.add_argument("--batch", type=int, default=Recipe.batch)
    command.add_argument("--rate", type=float, default=Recipe.rate)
    command.add_argument("--no-stage", action="store_true", help="learn the log odds alone")
    command.add_argument("--hardened", type=float, help="press drawn reproductions below these log odds")

    command = commands.add_parser("export", help="measure what was trained, and write the weights")
    command.add_argument("--samples", type=Path, required=True)
    command.add_argument("--seed", type=int, default=1)
    command.add_argument("--out", type=Path, required=True)
    command.add_argument("--version", type=int, default=3, help="of the calibration: one more for other weights than the last")

    options = parser.parse_args()
    # What is written shows people.
    os.umask(0o077)
    {"collect": _collect, "generate": _generate, "train": _train, "export": _export}[options.command](options)


def _outside_of_git(folder: Path) -> None:
    """Makes a folder for pictures of people. Raises SystemExit where a commit could take them along."""
    nearest = next(path for path in (folder.resolve(), *folder.resolve().parents) if path.is_dir())
    git = ["git", "-C", str(nearest)]
    inside = subprocess.run([*git, "rev-parse", "--is-inside-work-tree"], capture_output=True).returncode == 0
    if inside and subprocess.run([*git, "check-ignore", "-q", str(folder.resolve() / "index.json")]).returncode != 0:
        raise SystemExit(f"{folder}: pictures of people do not go where git sees them")
    folder.mkdir(parents=True, exist_ok=True)


def _collect(options: argparse.Namespace) -> None:
    _outside_of_git(options.out)
    collect(options.out, options.mirror, options.data)


def _generate(options: argparse.Namespace) -> None:
    _outside_of_git(options.out)
    counts = {"training": options.samples, "development": 6_144, "held-out": 6_144}
    generate(options.out, options.sources, options.teacher, counts, options.workers)


def _state(samples: Path, branch: str, seed: int) -> Path:
    return samples / f"training-{branch}-{seed}.state"


def _train(options: argparse.Namespace) -> None:
    torch.set_num_threads(options.threads)
    recipe = Recipe(seed=options.seed, batch=options.batch, rate=options.rate, stage=0.0 if options.no_stage else Recipe.stage, hardened=options.hardened)
    training, tuning = Samples(options.samples, "training", options.device), Samples(options.samples, "development")
    for branch in options.branch or BRANCHES:
        log = _Log()
        log(f"{branch}: {recipe}, {options.device}, torch {torch.__version__}")
        kept = _state(options.samples, branch, options.seed)
        network = train(training, tuning, branch, recipe, options.total, log, kept, options.device)
        about = {"seen": options.total, "samples": len(training), "torch": torch.__version__, "log": log.lines}
        torch.save({"branch": network.state_dict(), "about": about}, kept.with_suffix(".trained"))


def _export(options: argparse.Namespace) -> None:
    network, trained = Presence(), {}
    for branch in BRANCHES:
        written = torch.load(_state(options.samples, branch, options.seed).with_suffix(".trained"))
        network.branches[branch].load_state_dict(written["branch"])
        trained[branch] = written["about"]
    log = _Log()
    measured = as_written(network)
    held_out = Samples(options.samples, "held-out")
    for branch in BRANCHES:
        for line in trained[branch].pop("log"):
            log(line)
    figures = export.figures(measured, held_out, FAMILIES)
    log(f"held out, both: {json.dumps({name: value for name, value in figures.items() if name != 'families'})}")
    reading = export.calibration(options.version)
    about = {
        # Whether it serves by default is said by hand: MODEL_CARD.md tells why.
        "enabled": False,
        "trained": {"seed": options.seed, "digest": held_out.digest, **{branch: trained[branch] for branch in BRANCHES}},
        "calibration": reading,
        "fused": export.fused(reading),
        "probe": export.probe(measured),
    }
    log("presence.pth " + export.write_weights(options.out, network, about))
    (options.out / "training-log.txt").write_text("\n".join(log.lines) + "\n")
    (options.out / "held-out.json").write_text(json.dumps(figures, indent=1) + "\n")


class _Log:
    def __init__(self) -> None:
        self.lines: list[str] = []
        self._started = time.time()

    def __call__(self, line: str) -> None:
        self.lines.append(line)
        print(f"[{time.time() - self._started:5.0f} s] {line}", file=sys.stderr, flush=True)


if __name__ == "__main__":
    main()
