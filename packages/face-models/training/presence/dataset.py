"""Frames of scenes as the network sees them, in files that training maps into memory.

A file set `NAME.context.npy`, `NAME.texture.npy` and `NAME.json` holds n frames: crops as bytes, and for each its family, what kind of picture and who is shown,
and the attempt it belongs to.
"""

from __future__ import annotations

import hashlib
import json
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import torch

from .crops import BRANCHES, crop
from .kit import Kit
from .scenes import FAMILIES, draw_scene
from .sources import SourceFolder

#: Families of one round of scenes: half of them people.
ROUND = ("live", "print", "live", "screen", "live", "mask", "live", "filling", "live", "cut-out", "live", "screen", "live", "bent")
CHUNK = 280


#: What decides how a scene looks.
DRAWING = ("camera", "crops", "dataset", "h264", "kit", "light", "media", "people", "reproductions", "scenes", "sheets", "sources")


def digest_of(sources: SourceFolder) -> str:
    """Of what scenes are drawn from and by: other pictures or another line of code, other scenes."""
    digest = hashlib.sha256(sources.digest.encode())
    for name in DRAWING:
        digest.update(Path(__file__).with_name(f"{name}.py").read_bytes())
    return digest.hexdigest()[:16]


@dataclass(frozen=True)
class Plan:
    sources: str
    #: Of the sources' index and of the code that draws.
    digest: str
    part: str
    seed: int
    scenes: int
    frames_per_scene: int


def generate(folder: Path, name: str, plan: Plan, workers: int) -> None:
    """Writes a file set, unless it is there. The same plan gives the same bytes, however many workers there are, and also where it goes on from one of fewer scenes."""
    done = folder / f"{name}.json"
    had = json.loads(done.read_text()) if done.exists() else {"plan": None, "frames": []}
    if had["plan"] == plan.__dict__:
        return
    goes_on = had["plan"] is not None and had["plan"]["scenes"] < plan.scenes and {**had["plan"], "scenes": plan.scenes} == plan.__dict__
    tags: list[dict] = had["frames"] if goes_on else []
    first = len(tags) // plan.frames_per_scene
    chunks = [(start, min(CHUNK, plan.scenes - start)) for start in range(first, plan.scenes, CHUNK)]
    total = plan.scenes * plan.frames_per_scene
    arrays = {
        branch: np.lib.format.open_memmap(_partial(folder, name, branch), "w+", np.uint8, (total, size, size, 3))
        for branch, (_, size) in BRANCHES.items()
    }
    if goes_on:
        for branch, values in arrays.items():
            values[: len(tags)] = np.load(folder / f"{name}.{branch}.npy", mmap_mode="r")
    SourceFolder(Path(plan.sources))  # packs the pictures once, before the workers ask for them
    with ProcessPoolExecutor(workers) as pool:
        for crops, theirs in pool.map(_chunk, [plan] * len(chunks), *zip(*chunks)):
            for branch, values in crops.items():
                arrays[branch][len(tags) : len(tags) + len(values)] = values
            tags += theirs
            print(f"{name}: {len(tags)} of {total} frames", flush=True)
    done.unlink(missing_ok=True)
    for branch, values in arrays.items():
        values.flush()
        _partial(folder, name, branch).rename(folder / f"{name}.{branch}.npy")
    done.write_text(json.dumps({"plan": plan.__dict__, "frames": tags}))


def _partial(folder: Path, name: str, branch: str) -> Path:
    return folder / f"{name}.{branch}.partial"


_kits: dict[tuple[str, str], Kit] = {}


def _chunk(plan: Plan, start: int, count: int) -> tuple[dict[str, np.ndarray], list[dict]]:
    torch.set_num_threads(1)
    key = (plan.sources, plan.part)
    if key not in _kits:
        _kits[key] = Kit.of(SourceFolder(Path(plan.sources)), plan.part)
    crops: dict[str, list[np.ndarray]] = {branch: [] for branch in BRANCHES}
    tags = []
    with torch.no_grad():
        for index in range(start, start + count):
            rng = np.random.default_rng([plan.seed, index])
            scene = draw_scene(_kits[key], rng, ROUND[index % len(ROUND)])
            for _ in range(plan.frames_per_scene):
                frame = scene.frame(rng)
                for branch, values in crops.items():
                    values.append(crop(frame.pixels, frame.box, branch))
                tags.append({"scene": index, "family": scene.family, "kind": scene.kind, "identity": scene.identity})
    return {branch: np.stack(values) for branch, values in crops.items()}, tags


@dataclass(frozen=True)
class Frames:
    """A file set, mapped."""

    crops: dict[str, np.ndarray]
    live: np.ndarray  # (n,) bool
    family: np.ndarray  # (n,) index into FAMILIES
    kind: np.ndarray  # (n,) str
    identity: np.ndarray  # (n,) str
    scene: np.ndarray  # (n,) int
    #: Of the plan that they were drawn by.
    digest: str

    def __len__(self) -> int:
        return len(self.live)


def read(folder: Path, name: str) -> Frames:
    """A file set of `generate`; raises FileNotFoundError where there is none."""
    written = json.loads((folder / f"{name}.json").read_text())
    tags = written["frames"]
    family = np.array([FAMILIES.index(tag["family"]) for tag in tags])
    return Frames(
        crops={branch: np.load(folder / f"{name}.{branch}.npy", mmap_mode="r") for branch in BRANCHES},
        live=family == FAMILIES.index("live"),
        family=family,
        kind=np.array([tag["kind"] for tag in tags]),
        identity=np.array([tag["identity"] for tag in tags]),
        scene=np.array([tag["scene"] for tag in tags]),
        digest=written["plan"]["digest"],
    )
