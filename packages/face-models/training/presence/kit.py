"""What scenes are made of, and how much of a frame is drawn."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from . import media
from .camera import makes
from .crops import BRANCHES, Box, liveness_crop
from .sources import Face, SourceFolder

#: How often a rendered person is drawn where there are photographs.
RENDERED = 0.06
#: How many times larger than in its picture a face is drawn at most.
ENLARGED = 1.15


@dataclass(frozen=True)
class Kit:
    """What scenes of one side of the split are made of."""

    sources: SourceFolder
    rooms: list[int]
    cameras: list[int]
    papers: list[int]
    displays: list[int]
    #: Faces by identity, and identities by whether they are rendered.
    by_identity: dict[str, list[Face]]
    identities: dict[str, list[str]]
    #: How often each identity of a kind is drawn, summed up to 1.
    weights: dict[str, np.ndarray]

    @staticmethod
    def of(sources: SourceFolder, part: str) -> "Kit":
        """Raises ValueError where a part has nobody or no room."""
        faces, rooms = sources.part(part)
        if not faces or not rooms:
            raise ValueError(f"the sources have too few pictures for the part {part}")
        # Development asks how well the trained generalises to other people; other cameras, papers and displays are held out alone.
        held_out = part == "held-out"
        by_identity: dict[str, list[Face]] = {}
        for face in faces:
            by_identity.setdefault(face.identity, []).append(face)
        kinds: dict[str, list[str]] = {}
        for identity, theirs in by_identity.items():
            kinds.setdefault(theirs[0].kind, []).append(identity)
        return Kit(
            sources=sources,
            rooms=rooms,
            cameras=makes(held_out=held_out),
            papers=media.makes(media.PAPERS, media.HELD_OUT_PAPERS, held_out=held_out),
            displays=media.makes(media.DISPLAYS, media.HELD_OUT_DISPLAYS, held_out=held_out),
            by_identity=by_identity,
            identities={kind: sorted(names) for kind, names in kinds.items()},
            weights={kind: _summed([len(by_identity[name]) for name in sorted(names)]) for kind, names in kinds.items()},
        )

    def identity(self, rng: np.random.Generator) -> str:
        """Somebody of a photograph, and now and then a rendered person. Every face is as likely as any other."""
        rendered = "rendered" in self.identities and ("photo" not in self.identities or rng.random() < RENDERED)
        kind = "rendered" if rendered else "photo"
        return str(self.identities[kind][int(np.searchsorted(self.weights[kind], rng.random()))])

    def face_of(self, rng: np.random.Generator, identity: str) -> Face:
        return self.by_identity[identity][int(rng.integers(len(self.by_identity[identity])))]


def _summed(weights: list[float]) -> np.ndarray:
    summed = np.cumsum(weights)
    return summed / summed[-1]


@dataclass(frozen=True)
class View:
    """The frame, and where the face in it was found."""

    width: int
    height: int
    box: Box

    def region(self) -> tuple[int, int, int, int]:
        """What has to be drawn: the largest crop and a few pixels more, x, y, width, height."""
        scale = max(BRANCHES.values())
        x, y, width, height = liveness_crop(self.width, self.height, self.box, scale)
        left, top = max(0, x - 6), max(0, y - 6)
        return left, top, min(self.width, x + width + 6) - left, min(self.height, y + height + 6) - top
