"""The pictures that scenes are made of, and which of them are held out.

A folder of sources is written by `npm run export:presence` in apps/e2e: rendered people, rooms and photographs, each face with the
box and the 468 mesh points that the face engine found. `SourceFolder` keeps the decoded pictures in one file that is mapped into memory, so
that several processes share it.
"""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from PIL import Image

#: Parts of the split: what is trained on, what numbers are set on, what is measured on once and for nothing else.
PARTS = ("training", "development", "held-out")


@dataclass(frozen=True)
class Face:
    """One face in one picture. Lengths in pixels of that picture."""

    picture: int
    kind: str  # 'rendered' or 'photo'
    source: str
    identity: str
    box: tuple[float, float, float, float]  # x, y, width, height: the liveness box
    landmarks: np.ndarray  # (468, 2) float32
    yaw_deg: float


def part_of(name: str) -> str:
    """The part that an identity or a room belongs to: by a hash of its name, so that it is the same wherever it is asked."""
    digest = hashlib.sha256(f"presence split 1: {name}".encode()).digest()
    share = int.from_bytes(digest[:4], "big") / 2**32
    return "held-out" if share < 0.15 else "development" if share < 0.25 else "training"


class SourceFolder:
    """Faces and rooms of an exported folder.

    Raises FileNotFoundError where the folder has no index, ValueError where the index is none of ours.
    """

    def __init__(self, folder: Path) -> None:
        index = json.loads((folder / "index.json").read_text())
        if not isinstance(index.get("pictures"), list) or not isinstance(index.get("rooms"), list):
            raise ValueError(f"{folder}/index.json lists no pictures and rooms")
        self.excluded: dict[str, dict[str, int]] = index.get("excluded", {})
        files = {entry["file"]: (entry["width"], entry["height"]) for entry in [*index["pictures"], *index["rooms"]]}
        self._offsets: list[tuple[int, int, int]] = []
        number = {}
        offset = 0
        for file, (width, height) in files.items():
            number[file] = len(self._offsets)
            self._offsets.append((offset, width, height))
            offset += width * height * 3
        self._pixels = _packed(folder, list(files.items()), offset)
        self.faces = [
            Face(
                picture=number[entry["file"]],
                kind=entry["kind"],
                source=entry["source"],
                identity=entry["identity"],
                box=tuple(entry["box"]),
                landmarks=np.asarray(entry["landmarks"], np.float32),
                yaw_deg=entry["yawDeg"],
            )
            for entry in index["pictures"]
            if entry["usable"]
        ]
        self.rooms = [number[entry["file"]] for entry in index["rooms"]]
        self._room_files = [entry["file"] for entry in index["rooms"]]

    def picture(self, number: int) -> np.ndarray:
        """Pixels of a picture, (height, width, 3) uint8 sRGB; a view on the mapped file."""
        offset, width, height = self._offsets[number]
        return self._pixels[offset : offset + width * height * 3].reshape(height, width, 3)

    def part(self, part: str) -> tuple[list[Face], list[int]]:
        """Faces and rooms of one part of the split."""
        faces = [face for face in self.faces if part_of(face.identity) == part]
        rooms = [room for room, file in zip(self.rooms, self._room_files) if part_of(file) == part]
        return faces, rooms


def _packed(folder: Path, files: list[tuple[str, tuple[int, int]]], size: int) -> np.ndarray:
    path = folder / "pixels.bin"
    if not path.exists() or path.stat().st_size != size:
        partial = path.with_suffix(".partial")
        with partial.open("wb") as out:
            for file, (width, height) in files:
                with Image.open(folder / file) as picture:
                    pixels = np.asarray(picture.convert("RGB"))
                if pixels.shape != (height, width, 3):
                    raise ValueError(f"{file} is not of the size that the index tells")
                out.write(pixels.tobytes())
        partial.rename(path)
    return np.memmap(path, np.uint8, "r")
