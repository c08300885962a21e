"""Samples: crops, and what the teacher says of them, made once and kept.

A file set has shards `PART-NNNN.SOMETHING.npy` of `SHARD` samples: `crops` (n, 2, 80, 80, 3) bytes in the order of `BRANCHES`, `logits` (n, 2, 3) float32 and `stage` (n, 2, 128, 5, 5)
float16, the teacher's (teacher.py), and `about` (n, 2) bytes: the family, and whether somebody real is shown. What is there is not made again, unless sources or code are others.
"""

from __future__ import annotations

import base64
import hashlib
import json
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

import numpy as np
import torch

from .crops import BRANCHES, SIDE, Frame
from .kit import Kit
from .scenes import DRAWN, draw_scene
from .sources import SourceFolder
from .teacher import FILES, STAGE, Teacher, multiplies_halves
from .views import Seen, held, jittered, nobody, standing

SHARD = 3072
SEEDS = {"training": 1, "development": 2, "held-out": 3}
#: What the project has recorded of the teacher.
GOLDENS = {"context": "minifasnet-v1se", "texture": "minifasnet-v2"}
#: What a sample shows, and how often; the drawn reproductions (scenes.py) in equal parts.
FAMILIES = ("standing", "held", "nobody", "mixed", *DRAWN)
SHARES = (0.60, 0.22, 0.04, 0.06, *[0.08 / len(DRAWN)] * len(DRAWN))
#: Crops of one frame, the box anew each time.
CROPS = 4
CODE = ("camera", "crops", "generate", "h264", "kit", "light", "media", "people", "reproductions", "scenes", "sheets", "sources", "teacher", "views")


def digest_of(sources: SourceFolder) -> str:
    """Of what samples are drawn from and by: other pictures or another line of code, other samples."""
    digest = hashlib.sha256(sources.digest.encode())
    for name in CODE:
        digest.update(Path(__file__).with_name(f"{name}.py").read_bytes())
    return digest.hexdigest()[:16]


def generate(folder: Path, sources: Path, teacher: Path, counts: dict[str, int], workers: int) -> None:
    """Writes the shards that are missing. Raises SystemExit where the folder has samples of other sources or by other code, or the teacher is not MiniFASNet."""
    check(teacher, sources / "golden.json")
    digest = digest_of(SourceFolder(sources))
    plan = folder / "plan.json"
    if plan.exists() and json.loads(plan.read_text())["digest"] != digest:
        raise SystemExit(f"{folder}: its samples are of other sources or by other code; another folder for these")
    plan.write_text(json.dumps({"digest": digest}) + "\n")
    tasks = [(part, shard) for part, count in counts.items() for shard in range(-(-count // SHARD))]
    # A little of everything first.
    tasks.sort(key=lambda task: (task[1], task[0]))
    missing = [task for task in tasks if not _path(folder, *task, "about").exists()]
    with ProcessPoolExecutor(workers, initializer=_open, initargs=(sources, teacher)) as pool:
        for done in pool.map(_shard, *zip(*[(folder, *task) for task in missing])) if missing else ():
            print(done, flush=True)


def check(teacher: Path, recorded: Path) -> None:
    """Holds the teacher against what the project has recorded of it. Raises SystemExit where they differ."""
    goldens = json.loads(recorded.read_text())
    for branch, name in GOLDENS.items():
        rgb = np.frombuffer(base64.b64decode(goldens[name]["rgb"]), np.uint8).reshape(1, SIDE, SIDE, 3)
        answer = Teacher.read(teacher, branch)(torch.from_numpy(rgb.copy()).permute(0, 3, 1, 2).float())
        worst = float((answer.logits.softmax(1)[0] - torch.tensor(goldens[name]["probabilities"])).abs().max())
        if worst > 1e-4:
            raise SystemExit(f"{FILES[branch]} does not say of the recorded picture what {name} does: {worst:.1e} off")


def _path(folder: Path, part: str, shard: int, name: str) -> Path:
    return folder / f"{part}-{shard:04}.{name}.npy"


_opened: dict = {}


def _open(sources: Path, teacher: Path) -> None:
    torch.set_num_threads(1)
    _opened["sources"] = SourceFolder(sources)
    _opened["teachers"] = {branch: Teacher.read(teacher, branch) for branch in BRANCHES}
    _opened["kits"] = {}


def _shard(folder: Path, part: str, shard: int) -> str:
    kits = _opened["kits"]
    if part not in kits:
        kits[part] = Kit.of(_opened["sources"], part)
    rng = np.random.default_rng([SEEDS[part], shard])
    crops = np.empty((SHARD, len(BRANCHES), SIDE, SIDE, 3), np.uint8)
    about = np.zeros((SHARD, 2), np.uint8)
    done = 0
    with torch.no_grad():
        while done < SHARD:
            family = int(rng.choice(len(FAMILIES), p=SHARES))
            name = FAMILIES[family]
            if name == "mixed":
                if done >= 2:
                    one, other = rng.integers(done, size=2)
                    share = np.float32(rng.uniform(0.2, 0.8))
                    mixed = crops[one] * share + crops[other] * (1 - share)
                    crops[done], about[done], done = mixed.astype(np.uint8), (family, 0), done + 1
                continue
            seen, real = _seen(kits[part], rng, name)
            frame = Frame(seen.pixels)
            for _ in range(min(CROPS, SHARD - done)):
                box = jittered(rng, seen)
                for number, branch in enumerate(BRANCHES):
                    crops[done, number] = frame.crop(box, branch)
                about[done], done = (family, real), done + 1
        logits = np.empty((SHARD, len(BRANCHES), 3), np.float32)
        stage = np.empty((SHARD, len(BRANCHES), STAGE, 5, 5), np.float16)
        for number, branch in enumerate(BRANCHES):
            for start in range(0, SHARD, 128):
                some = slice(start, start + 128)
                rgb = torch.from_numpy(crops[some, number]).permute(0, 3, 1, 2).float()
                # In halves where the processor multiplies them: 0.07 of the log odds, of which its answer on the mirrored crop differs by 1.
                with torch.autocast("cpu", dtype=torch.bfloat16, enabled=multiplies_halves()):
                    answer = _opened["teachers"][branch](rgb.contiguous(memory_format=torch.channels_last))
                logits[some, number], stage[some, number] = answer.logits.float().numpy(), answer.stage.float().numpy()
    for name, values in (("crops", crops), ("logits", logits), ("stage", stage), ("about", about)):
        path = _path(folder, part, shard, name)
        np.save(path.with_suffix(".partial.npy"), values)
        path.with_suffix(".partial.npy").rename(path)
    return f"{part} {shard}"


def _seen(kit: Kit, rng: np.random.Generator, name: str) -> tuple[Seen, bool]:
    if name == "standing":
        return standing(kit, rng), True
    if name == "held":
        return held(kit, rng), False
    if name == "nobody":
        return nobody(kit, rng), False
    frame = draw_scene(kit, rng, name).frame(rng)
    return Seen(frame.pixels, frame.box), False
