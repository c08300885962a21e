"""The pictures that samples are made of, and which of them are held out.

A folder of sources is written by `npm run export:presence` in benchmarks: faces with their surroundings, each with the box and the 468 mesh points
that the face engine found, and pictures without anybody. `SourceFolder` keeps the decoded pictures in one file that is mapped into memory, so
that several processes share it.
"""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from PIL import Image

#: Which of the possible splits: the first by which a thousand photographed faces are held out, half of them with room, and two thousand trained on.
SPLIT = 42
PARTS = ("training", "development", "held-out")


@dataclass(frozen=True)
class Face:
    """One face and its surroundings. Lengths in pixels of that picture."""

    picture: int
    kind: str  # 'rendered' or 'photo'
    identity: str  # of its group: whoever may be seen again there has the same
    box: tuple[float, float, float, float]  # x, y, width, height: the liveness box
    landmarks: np.ndarray  # (468, 2) float32


def part_of(group: str) -> str:
    """The part that a group of pictures belongs to: by a hash of its name, so that it is the same wherever it is asked (benchmarks has the same)."""
    digest = hashlib.sha256(f"presence split {SPLIT}: {group}".encode()).digest()
    share = int.from_bytes(digest[:4], "big") / 2**32
    return "held-out" if share < 0.3 else "development" if share < 0.35 else "training"


class SourceFolder:
    """Faces and rooms of an exported folder. `digest` tells one export from another.

    Raises FileNotFoundError where the folder has no index, ValueError where the index is none of ours or is of another export than today's.
    """

    def __init__(self, folder: Path) -> None:
        written = (folder / "index.json").read_bytes()
        self.digest = hashlib.sha256(written).hexdigest()[:16]
        try:
            self._read(folder, json.loads(written))
        except (AttributeError, KeyError, TypeError) as error:
            raise ValueError(f"{folder}/index.json lists no faces as today's export does") from error

    def _read(self, folder: Path, index: dict) -> None:
        listed = [*index["faces"], *index["nobody"]]
        packed = folder / f"pixels-{self.digest}"
        if not packed.with_suffix(".json").exists():
            _pack(folder, [entry["file"] for entry in listed], packed)
        sizes = json.loads(packed.with_suffix(".json").read_text())
        self._pixels = np.memmap(packed.with_suffix(".bin"), np.uint8, "r")
        self._offsets = []
        offset = 0
        for width, height in sizes:
            self._offsets.append((offset, width, height))
            offset += width * height * 3
        self.faces = [
            Face(
                picture=number,
                kind="rendered" if entry["source"] == "rendered" else "photo",
                identity=entry["group"],
                box=tuple(entry["box"]),
                landmarks=np.asarray(entry["landmarks"], np.float32),
            )
            for number, entry in enumerate(index["faces"])
        ]
        self.rooms = list(range(len(index["faces"]), len(listed)))
        self._room_groups = [entry["group"] for entry in index["nobody"]]

    def picture(self, number: int) -> np.ndarray:
        """Pixels of a picture, (height, width, 3) uint8 sRGB; a view on the mapped file."""
        offset, width, height = self._offsets[number]
        return self._pixels[offset : offset + width * height * 3].reshape(height, width, 3)

    def part(self, part: str) -> tuple[list[Face], list[int]]:
        """Faces and rooms of one part of the split."""
        faces = [face for face in self.faces if part_of(face.identity) == part]
        rooms = [room for room, group in zip(self.rooms, self._room_groups) if part_of(group) == part]
        return faces, rooms


def _pack(folder: Path, files: list[str], packed: Path) -> None:
    sizes = []
    partial = packed.with_suffix(".partial")
    with partial.open("wb") as out:
        for file in files:
            with Image.open(folder / file) as picture:
                pixels = np.asarray(picture.convert("RGB"))
            sizes.append((pixels.shape[1], pixels.shape[0]))
            out.write(pixels.tobytes())
    partial.rename(packed.with_suffix(".bin"))
    packed.with_suffix(".json").write_text(json.dumps(sizes))
