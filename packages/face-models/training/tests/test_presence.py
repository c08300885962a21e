"""Tests of the training that need no source pictures: `python3 -m unittest discover tests`, in training/."""

from __future__ import annotations

import json
import tempfile
import unittest
from dataclasses import replace
from pathlib import Path

import numpy as np
import torch
from PIL import Image

from presence import export
from presence.dataset import Frames, Plan, digest_of, generate, read
from presence.figures import area_under_curve, of_same
from presence.network import as_written, folded_state
from presence.scenes import FAMILIES
from presence.sources import SourceFolder, part_of
from presence.train import Recipe, augmented, train

PARTS = ("training", "development", "held-out")
WIDTH, HEIGHT = 320, 240


def named(part: str, count: int, prefix: str = "somebody") -> list[str]:
    """Names that belong to a part by themselves."""
    return [name for name in (f"{prefix}-{i}" for i in range(400)) if part_of(name) == part][:count]


def face(file: str, identity: str, recording: str | None = None, kind: str = "rendered") -> dict:
    angles = np.linspace(0, 2 * np.pi, 468, endpoint=False)
    landmarks = np.stack([160 + 30 * np.cos(angles), 120 + 40 * np.sin(angles)], 1)
    return {
        "file": file,
        "kind": kind,
        "identity": identity,
        "recording": recording or file,
        "width": WIDTH,
        "height": HEIGHT,
        "box": [126, 80, 68, 80],
        "landmarks": landmarks.round(2).tolist(),
    }


class Folder(unittest.TestCase):
    def setUp(self) -> None:
        temporary = tempfile.TemporaryDirectory()
        self.addCleanup(temporary.cleanup)
        self.folder = Path(temporary.name)

    def sources(self, pictures: list[dict], rooms: list[str]) -> SourceFolder:
        """A folder of sources whose pictures are noise."""
        rng = np.random.default_rng(1)
        entries = [{"file": file, "width": WIDTH, "height": HEIGHT} for file in rooms]
        for entry in [*pictures, *entries]:
            pixels = rng.integers(0, 256, (HEIGHT // 8, WIDTH // 8, 3), np.uint8)
            Image.fromarray(pixels).resize((WIDTH, HEIGHT)).save(self.folder / entry["file"], "PNG")
        (self.folder / "index.json").write_text(json.dumps({"pictures": pictures, "rooms": entries}))
        return SourceFolder(self.folder)


class TheSplit(Folder):
    def parts_of(self, pictures: list[dict]) -> dict[str, set[str]]:
        sources = self.sources(pictures, ["room.png"])
        return {part: {face.identity for face in sources.part(part)[0]} for part in PARTS}

    def test_has_each_company_in_one_part(self) -> None:
        trained, held_out, alone = named("training", 1)[0], named("held-out", 1)[0], named("development", 1)[0]
        pictures = [face("a.png", trained), face("a.png", held_out), face("b.png", alone)]
        parts = self.parts_of(pictures)
        self.assertEqual(sorted(map(len, parts.values())), [0, 1, 2])
        self.assertEqual(parts["development"], {alone})

    def test_has_whoever_is_linked_by_others_in_one_part(self) -> None:
        names = [*named("training", 2), *named("held-out", 2), *named("development", 1)]
        pictures = [face(f"{i}.png", name) for i in range(4) for name in names[i : i + 2]]
        self.assertEqual(sorted(map(len, self.parts_of(pictures).values())), [0, 0, 5])

    def test_has_the_frames_of_a_clip_in_one_part(self) -> None:
        first, second = named("training", 1)[0], named("held-out", 1)[0]
        of_one = [face("clip-000.png", first, "clip.gif"), face("clip-006.png", second, "clip.gif")]
        self.assertEqual(sorted(map(len, self.parts_of(of_one).values())), [0, 0, 2])
        of_two = [face("clip-000.png", first), face("clip-006.png", second)]
        self.assertEqual(sorted(map(len, self.parts_of(of_two).values())), [0, 1, 1])

    def test_has_about_the_shares_that_it_says(self) -> None:
        shares = {part: sum(part_of(f"name {i}") == part for i in range(4_000)) / 4_000 for part in PARTS}
        self.assertAlmostEqual(shares["held-out"], 0.15, delta=0.02)
        self.assertAlmostEqual(shares["development"], 0.10, delta=0.02)

    def test_is_asked_of_an_export_of_today_alone(self) -> None:
        of_before = face("a.png", "somebody")
        del of_before["recording"]
        Image.new("RGB", (WIDTH, HEIGHT)).save(self.folder / "a.png")
        for index in ([], {}, {"pictures": {}, "rooms": 1}, {"pictures": [of_before], "rooms": []}):
            (self.folder / "index.json").write_text(json.dumps(index))
            with self.assertRaisesRegex(ValueError, "index.json"):
                SourceFolder(self.folder)

    def test_is_not_asked_of_pictures_of_another_size(self) -> None:
        picture = face("a.png", "somebody")
        Image.new("RGB", (10, 10)).save(self.folder / "a.png")
        (self.folder / "index.json").write_text(json.dumps({"pictures": [picture], "rooms": []}))
        with self.assertRaisesRegex(ValueError, "a.png"):
            SourceFolder(self.folder)


class Scenes(Folder):
    def setUp(self) -> None:
        super().setUp()
        pictures = [face(f"{i}.png", name) for i, name in enumerate(named("training", 3))]
        sources = self.sources(pictures, named("training", 2, "room"))
        self.plan = Plan(str(self.folder), digest_of(sources), "training", 1, 14, 1)

    def drawn(self, name: str, plan: Plan, workers: int = 1) -> Frames:
        generate(self.folder, name, plan, workers)
        return read(self.folder, name)

    def assert_same(self, some: Frames, others: Frames) -> None:
        for branch, crops in some.crops.items():
            np.testing.assert_array_equal(crops, others.crops[branch][: len(crops)])

    def test_are_the_same_however_they_are_drawn(self) -> None:
        at_once = self.drawn("at-once", self.plan, workers=2)
        self.assertEqual(sorted(set(at_once.family)), list(range(len(FAMILIES))))
        self.assertEqual(int(at_once.live.sum()), 7)
        fewer = self.drawn("in-two", replace(self.plan, scenes=5))
        self.assertEqual(len(fewer), 5)
        self.assert_same(fewer, at_once)
        self.assert_same(at_once, self.drawn("in-two", self.plan))

    def test_of_other_sources_are_other_scenes(self) -> None:
        frames = self.drawn("some", replace(self.plan, scenes=2))
        others = self.drawn("some", replace(self.plan, scenes=2, digest="another"))
        self.assertEqual(others.digest, "another")
        with self.assertRaisesRegex(ValueError, "generate them again"):
            of_same(frames, others)


def noise(count: int) -> Frames:
    """Frames of noise, every second one of a person."""
    rng = np.random.default_rng(2)
    family = np.arange(count) % 2
    return Frames(
        crops={name: rng.integers(0, 256, (count, size, size, 3), np.uint8) for name, size in (("context", 96), ("texture", 128))},
        live=family == FAMILIES.index("live"),
        family=family,
        kind=np.full(count, "rendered"),
        identity=np.full(count, "somebody"),
        scene=np.arange(count),
        digest="noise",
    )


class BrokenOff(Exception):
    pass


class Training(Folder):
    def setUp(self) -> None:
        super().setUp()
        torch.set_num_threads(1)
        self.frames, self.recipe = noise(16), Recipe(seed=1, epochs=2, batch=8)

    def trained(self, recipe: Recipe, kept: Path | None = None) -> tuple[torch.Tensor, list[str]]:
        lines: list[str] = []
        network = train(self.frames, np.arange(16), recipe, lines.append, kept)
        return torch.cat([values.flatten().float() for values in network.state_dict().values()]), lines

    def test_gives_the_same_network_also_where_it_was_broken_off(self) -> None:
        at_once, _ = self.trained(self.recipe)
        kept = self.folder / "training.state"

        def broken_off(line: str) -> None:
            if line.startswith("epoch 2"):
                raise BrokenOff

        with self.assertRaises(BrokenOff):
            train(self.frames, np.arange(16), self.recipe, broken_off, kept)
        gone_on, lines = self.trained(self.recipe, kept)
        self.assertTrue(torch.equal(gone_on, at_once))
        self.assertEqual([line.split(":")[0] for line in lines], ["epoch 1 of 2", "goes on after epoch 1", "epoch 2 of 2"])
        again, lines = self.trained(self.recipe, kept)
        self.assertTrue(torch.equal(again, at_once))
        self.assertEqual(len(lines), 2)

    def test_of_another_recipe_begins_anew(self) -> None:
        kept = self.folder / "training.state"
        first, _ = self.trained(self.recipe, kept)
        other, lines = self.trained(replace(self.recipe, seed=2), kept)
        self.assertFalse(torch.equal(first, other))
        self.assertEqual(len(lines), 2)

    def test_draws_the_same_augmentations_whichever_are_left_out(self) -> None:
        crops = {name: values[:4] for name, values in self.frames.crops.items()}
        every, none = (augmented(crops, kept, np.random.default_rng(3)) for kept in (("noise",), ()))
        for name, values in crops.items():
            np.testing.assert_allclose(none[name].numpy(), values.transpose(0, 3, 1, 2), atol=1e-3)
            self.assertGreater(float((every[name] - none[name]).abs().max()), 1)

    def test_gives_the_same_files_for_the_same_network(self) -> None:
        network = train(self.frames, np.arange(16), self.recipe, lambda _: None)
        digests = [export.write_weights(self.folder / str(i), network, {"enabled": False}) for i in range(2)]
        self.assertEqual(digests[0], digests[1])
        state = torch.load(self.folder / "0" / "presence.pth")
        for name, values in folded_state(network).items():
            self.assertTrue(torch.equal(state.pop(name), values))
        self.assertEqual(state, {})
        written = json.loads((self.folder / "0" / "presence.json").read_text())
        self.assertEqual(written, {"enabled": False, "sha256": digests[0]})
        probes = [export.probe(as_written(network))["logOdds"] for _ in range(2)]
        self.assertEqual(probes[0], probes[1])


class FiguresOf(unittest.TestCase):
    def test_an_area_count_ties_half(self) -> None:
        people, others = np.array([0.9, 0.5]), np.array([0.5, 0.1])
        self.assertEqual(area_under_curve(people, others), (1 + 1 + 0.5 + 1) / 4)
        self.assertEqual(area_under_curve(people, np.array([1.0])), 0)
        self.assertTrue(np.isnan(area_under_curve(people, np.array([]))))

    def test_the_fused_reading_is_half_way(self) -> None:
        reading = {"id": "presence/3", "model": "presence", "points": [[0, 0], [0.8, 0.9], [1, 1]], "attackFrameAtMost": 0.02}
        both = export.fused({**reading, "scorable": export.SCORABLE})
        self.assertEqual((both["id"], both["points"][1], both["attackFrameAtMost"]), ("presence-minifasnet/3", [0.7, 0.9], 0.06))


if __name__ == "__main__":
    unittest.main()
