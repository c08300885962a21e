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

#: Which of the possible splits: the first by which at least a fifth of the photographed people is held out, a tenth is for development, and half is trained on.
SPLIT = 6


@dataclass(frozen=True)
class Face:
    """One face in one picture. Lengths in pixels of that picture."""

    picture: int
    kind: str  # 'rendered' or 'photo'
    identity: str
    recording: str  # what the picture was taken from: frames of one clip have one
    box: tuple[float, float, float, float]  # x, y, width, height: the liveness box
    landmarks: np.ndarray  # (468, 2) float32


def part_of(name: str) -> str:
    """The part that a company or a room belongs to: by a hash of its name, so that it is the same wherever it is asked."""
    digest = hashlib.sha256(f"presence split {SPLIT}: {name}".encode()).digest()
    share = int.from_bytes(digest[:4], "big") / 2**32
    return "held-out" if share < 0.15 else "development" if share < 0.25 else "training"


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
            raise ValueError(f"{folder}/index.json lists no pictures and rooms as today's export does") from error

    def _read(self, folder: Path, index: dict) -> None:
        files = {entry["file"]: (entry["width"], entry["height"]) for entry in [*index["pictures"], *index["rooms"]]}
        self._offsets: list[tuple[int, int, int]] = []
        number = {}
        offset = 0
        for file, (width, height) in files.items():
            number[file] = len(self._offsets)
            self._offsets.append((offset, width, height))
            offset += width * height * 3
        self._pixels = _packed(folder / f"pixels-{self.digest}.bin", list(files.items()), offset)
        self.faces = [
            Face(
                picture=number[entry["file"]],
                kind=entry["kind"],
                identity=entry["identity"],
                recording=entry["recording"],
                box=tuple(entry["box"]),
                landmarks=np.asarray(entry["landmarks"], np.float32),
            )
            for entry in index["pictures"]
        ]
        self.rooms = [number[entry["file"]] for entry in index["rooms"]]
        self._companies = _companies(self.faces)
        self._room_files = [entry["file"] for entry in index["rooms"]]

    def picture(self, number: int) -> np.ndarray:
        """Pixels of a picture, (height, width, 3) uint8 sRGB; a view on the mapped file."""
        offset, width, height = self._offsets[number]
        return self._pixels[offset : offset + width * height * 3].reshape(height, width, 3)

    def part(self, part: str) -> tuple[list[Face], list[int]]:
        """Faces and rooms of one part of the split."""
        faces = [face for face in self.faces if part_of(self._companies[face.identity]) == part]
        rooms = [room for room, file in zip(self.rooms, self._room_files) if part_of(file) == part]
        return faces, rooms


def _companies(faces: list[Face]) -> dict[str, str]:
    """Identity → name of its company: who is seen in one recording with somebody, or with somebody of whom that is so, is in one part with them.

    A scene shows the surroundings of a face: whoever stands beside it, and the place that a clip shows in its other frames too.
    """
    of = {face.identity: face.identity for face in faces}

    def leader(identity: str) -> str:
        while of[identity] != identity:
            identity = of[identity]
        return identity

    first_in: dict[str, str] = {}
    for face in faces:
        one, other = sorted((leader(face.identity), leader(first_in.setdefault(face.recording, face.identity))))
        of[other] = one
    return {identity: leader(identity) for identity in of}


def _packed(path: Path, files: list[tuple[str, tuple[int, int]]], size: int) -> np.ndarray:
    if not path.exists() or path.stat().st_size != size:
        partial = path.with_suffix(".partial")
        with partial.open("wb") as out:
            for file, (width, height) in files:
                with Image.open(path.parent / file) as picture:
                    pixels = np.asarray(picture.convert("RGB"))
                if pixels.shape != (height, width, 3):
                    raise ValueError(f"{file} is not of the size that the index tells")
                out.write(pixels.tobytes())
        partial.rename(path)
    return np.memmap(path, np.uint8, "r")
