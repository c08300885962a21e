"""Tests of the training that need neither pictures nor the teacher's weights: `python3 -m unittest discover tests`, in training/."""

from __future__ import annotations

import base64
import json
import subprocess
import tempfile
import unittest
from dataclasses import replace
from pathlib import Path
from unittest import mock

import numpy as np
import torch
from PIL import Image

from presence import collect, export, generate
from presence.crops import BRANCHES, SIDE, Frame, liveness_crop
from presence.network import Branch, Presence, as_written, folded_state
from presence.samples import Samples
from presence.sources import PARTS, SourceFolder, part_of
from presence.teacher import FILES, STAGE, Answer, Teacher
from presence.train import Recipe, log_odds, train

WIDTH, HEIGHT = 320, 240


def named(part: str, count: int, prefix: str = "somebody") -> list[str]:
    """Names that belong to a part by themselves."""
    return [name for name in (f"{prefix}-{i}" for i in range(400)) if part_of(name) == part][:count]


def face(file: str, group: str, source: str = "somewhere") -> dict:
    angles = np.linspace(0, 2 * np.pi, 468, endpoint=False)
    landmarks = np.stack([160 + 30 * np.cos(angles), 120 + 40 * np.sin(angles)], 1)
    return {"file": file, "source": source, "group": group, "box": [126, 80, 68, 80], "landmarks": landmarks.round(2).tolist()}


class Folder(unittest.TestCase):
    def setUp(self) -> None:
        temporary = tempfile.TemporaryDirectory()
        self.addCleanup(temporary.cleanup)
        self.folder = Path(temporary.name)
        torch.set_num_threads(1)

    def sources(self, faces: list[dict], nobody: list[dict]) -> SourceFolder:
        """A folder of sources whose pictures are noise."""
        rng = np.random.default_rng(1)
        for entry in [*faces, *nobody]:
            pixels = rng.integers(0, 256, (HEIGHT // 8, WIDTH // 8, 3), np.uint8)
            Image.fromarray(pixels).resize((WIDTH, HEIGHT)).save(self.folder / entry["file"], "PNG")
        (self.folder / "index.json").write_text(json.dumps({"done": [], "faces": faces, "nobody": nobody}))
        return SourceFolder(self.folder)


class ThePictures(Folder):
    def git(self, *arguments: str) -> str:
        who = ["-c", "user.name=nobody", "-c", "user.email=nobody@example.org"]
        return subprocess.run(["git", "-C", str(self.repository), *who, *arguments], check=True, capture_output=True, text=True).stdout.strip()

    def setUp(self) -> None:
        super().setUp()
        self.repository = self.folder / "mirror" / "somebody+pictures" / "repo"
        rng = np.random.default_rng(1)
        for file in ("people/a.jpg", "people/again.jpg", "people/logo-b.jpg", "elsewhere/c.jpg", "people/note.txt"):
            path = self.repository / file
            path.parent.mkdir(parents=True, exist_ok=True)
            if "again" in file:
                path.write_bytes((self.repository / "people/a.jpg").read_bytes())
            else:
                Image.fromarray(rng.integers(0, 256, (90, 90, 3), np.uint8)).save(path, "JPEG", quality=100)
        self.git("init", "-q")
        self.git("add", "-A")
        self.git("commit", "-q", "-m", "pictures")
        self.listed = {"name": "some", "repository": "somebody/pictures", "commit": self.git("rev-parse", "HEAD"), "paths": ["people/"], "identity": "repository"}

    def collected(self, **changes: str) -> list[dict]:
        listed = self.folder / "pictures.json"
        listed.write_text(json.dumps([{**self.listed, **changes}]))
        with mock.patch.object(collect, "SOURCES", listed), mock.patch("builtins.print"):
            collect.collect(self.folder / "work", self.folder / "mirror", None)
        return json.loads((self.folder / "work" / "index.json").read_text())

    def test_are_those_of_the_commit_below_the_paths_each_once(self) -> None:
        # What is not committed, or later than the commit, is not taken.
        (self.repository / "people" / "later.jpg").write_bytes(bytes(9_000))
        found = self.collected()
        self.assertEqual([(entry["path"], entry["group"]) for entry in found], [("people/a.jpg", "some")])
        self.assertEqual((self.folder / "work" / found[0]["file"]).read_bytes(), (self.repository / "people/a.jpg").read_bytes())

    def test_are_of_as_many_people_as_files_where_the_list_says_so(self) -> None:
        self.assertEqual([entry["group"] for entry in self.collected(identity="file")], ["some/a"])

    def test_are_not_taken_of_another_commit(self) -> None:
        with mock.patch.object(collect.subprocess, "run", wraps=subprocess.run) as run:
            # Nothing is fetched in a test.
            run.side_effect = lambda command, **kept: mock.Mock(returncode=1) if "fetch" in command else subprocess.CompletedProcess(command, *_run(command, kept))
            with self.assertRaisesRegex(SystemExit, "has no commit"):
                self.collected(commit="0" * 40)

    def test_are_listed_with_a_pinned_commit_a_licence_and_why(self) -> None:
        listed = json.loads(collect.SOURCES.read_text())
        self.assertGreater(len(listed), 20)
        self.assertEqual(len({source["name"] for source in listed}), len(listed))
        for source in listed:
            self.assertRegex(source["commit"], "^[0-9a-f]{40}$")
            self.assertRegex(source["licence"], "public domain|CC0|CC-BY|MIT|BSD|Apache")
            self.assertNotRegex(source["licence"], "NC|SA|ND")
            self.assertTrue(source["statedIn"] and source["why"] and source["paths"])
            self.assertIn(source["identity"], ("file", "repository"))


def _run(command: list[str], kept: dict) -> tuple:
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as child:
        out, errors = child.communicate()
    return child.returncode, out, errors


class TheSplit(Folder):
    def test_has_each_group_in_one_part(self) -> None:
        groups = [named(part, 1)[0] for part in PARTS]
        faces = [face(f"{i}.png", group) for i, group in enumerate([*groups, *groups])]
        rooms = [{"file": f"room-{i}.png", "source": "somewhere", "group": group} for i, group in enumerate(groups)]
        sources = self.sources(faces, rooms)
        for number, (part, group) in enumerate(zip(PARTS, groups)):
            found, empty = sources.part(part)
            self.assertEqual([of.identity for of in found], [group, group])
            self.assertEqual(empty, [6 + number])

    def test_has_about_the_shares_that_it_says(self) -> None:
        shares = {part: sum(part_of(f"name {i}") == part for i in range(4_000)) / 4_000 for part in PARTS}
        self.assertAlmostEqual(shares["held-out"], 0.3, delta=0.02)
        self.assertAlmostEqual(shares["development"], 0.05, delta=0.02)

    def test_is_asked_of_an_export_of_today_alone(self) -> None:
        for index in ([], {}, {"faces": {}, "nobody": 1}, {"faces": [{"file": "a.png"}], "nobody": []}):
            Image.new("RGB", (WIDTH, HEIGHT)).save(self.folder / "a.png")
            (self.folder / "index.json").write_text(json.dumps(index))
            with self.assertRaisesRegex(ValueError, "index.json"):
                SourceFolder(self.folder)


class ACrop(unittest.TestCase):
    def test_is_the_mean_over_each_footprint(self) -> None:
        rng = np.random.default_rng(3)
        pixels = rng.integers(0, 256, (240, 320, 3), np.uint8)
        # So that every footprint is two pixels by three.
        x, y, across, down = liveness_crop(320, 240, (120.2, 75.2, 59.2, 88.8), BRANCHES["texture"])
        self.assertEqual((across, down), (160, 240))
        expected = pixels[y : y + down, x : x + across].reshape(SIDE, 3, SIDE, 2, 3).mean((1, 3))
        found = Frame(pixels).crop((120.2, 75.2, 59.2, 88.8), "texture")
        self.assertLessEqual(np.abs(found - expected).max(), 0.51)

    def test_is_interpolated_where_the_frame_is_smaller(self) -> None:
        ramp = np.repeat(np.arange(0, 240, 6, dtype=np.uint8)[None, :, None], 40, 0).repeat(3, 2)
        # Beyond the frame there is black, which the outermost footprints reach into.
        found = Frame(ramp).crop((5, 5, 30, 30), "texture")[40, 1:-1, 0].astype(int)
        self.assertTrue((np.diff(found) >= 0).all())
        self.assertLess(np.diff(found).max(), 6)


def published(branch: str) -> dict[str, torch.Tensor]:
    """A state of the teacher's form, of few channels and random numbers."""
    torch.manual_seed(4)
    state: dict[str, torch.Tensor] = {}

    def norm(name: str, count: int) -> None:
        state.update({f"{name}.weight": torch.rand(count) + 0.5, f"{name}.bias": torch.randn(count) * 0.1})
        state.update({f"{name}.running_mean": torch.randn(count) * 0.1, f"{name}.running_var": torch.rand(count) + 0.5})

    def block(name: str, inputs: int, outputs: int, kernel: int, depthwise: bool = False, linear: bool = False) -> None:
        state[f"{name}.conv.weight"] = torch.randn(outputs, 1 if depthwise else inputs, kernel, kernel) * 0.3
        norm(f"{name}.bn", outputs)
        if not linear:
            state[f"{name}.prelu.weight"] = torch.rand(outputs)

    def bottleneck(name: str, inputs: int, inner: int, outputs: int) -> None:
        block(f"{name}.conv", inputs, inner, 1)
        block(f"{name}.conv_dw", inner, inner, 3, depthwise=True)
        block(f"{name}.project", inner, outputs, 1, linear=True)

    block("conv1", 3, 8, 3)
    block("conv2_dw", 8, 8, 3, depthwise=True)
    for stage, (reduction, residual) in enumerate((("conv_23", "conv_3"), ("conv_34", "conv_4"), ("conv_45", "conv_5"))):
        outputs = STAGE if stage == 2 else 16
        bottleneck(reduction, 8 if stage == 0 else 16, 12, outputs)
        bottleneck(f"{residual}.model.0", outputs, 12, outputs)
    if branch == "context":
        se = "conv_5.model.0.se_module"
        state[f"{se}.fc1.weight"], state[f"{se}.fc2.weight"] = torch.randn(4, STAGE, 1, 1) * 0.1, torch.randn(STAGE, 4, 1, 1) * 0.1
        norm(f"{se}.bn1", 4)
        norm(f"{se}.bn2", STAGE)
    block("conv_6_sep", STAGE, 24, 1)
    block("conv_6_dw", 24, 24, 5, depthwise=True, linear=True)
    state["linear.weight"], state["prob.weight"] = torch.randn(10, 24), torch.randn(3, 10)
    norm("bn", 10)
    return {f"module.{name}": values for name, values in state.items()}


class TheTeacher(Folder):
    def test_says_the_same_of_a_crop_alone_and_among_others(self) -> None:
        for branch in BRANCHES:
            torch.save(published(branch), self.folder / FILES[branch])
            teacher = Teacher.read(self.folder, branch)
            crops = torch.rand(3, 3, SIDE, SIDE) * 255
            every = teacher(crops)
            self.assertEqual(every.stage.shape, (3, STAGE, 5, 5))
            torch.testing.assert_close(teacher(crops[1:2]).logits, every.logits[1:2], rtol=1e-3, atol=1e-3)
            # It reads blue first: red and blue are not the same to it.
            self.assertGreater(float((teacher(crops.flip(1)).logits - every.logits).abs().max()), 0.1)

    def test_is_asked_for_the_odds_against_both_attacks(self) -> None:
        answer = Answer(torch.tensor([[0.0, 2.0, 1.0]]), torch.empty(0))
        probability = answer.logits.softmax(1)[0, 1]
        torch.testing.assert_close(answer.log_odds.sigmoid()[0], probability)


class Generated(Folder):
    def setUp(self) -> None:
        super().setUp()
        faces = [face(f"{part}-{i}.png", name) for part in PARTS for i, name in enumerate(named(part, 3))]
        rooms = [{"file": f"room-{part}-{i}.png", "source": "s", "group": name} for part in PARTS for i, name in enumerate(named(part, 2, "room"))]
        self.sources(faces, rooms)
        for branch in BRANCHES:
            torch.save(published(branch), self.folder / FILES[branch])
        rgb, goldens = np.full((1, SIDE, SIDE, 3), 90, np.uint8), {}
        for branch, name in generate.GOLDENS.items():
            answer = Teacher.read(self.folder, branch)(torch.from_numpy(rgb).permute(0, 3, 1, 2).float())
            goldens[name] = {"rgb": base64.b64encode(rgb.tobytes()).decode(), "probabilities": answer.logits.softmax(1)[0].tolist()}
        (self.folder / "golden.json").write_text(json.dumps(goldens))
        shard = mock.patch.object(generate, "SHARD", 40)
        shard.start()
        self.addCleanup(shard.stop)

    def generated(self, name: str, counts: dict[str, int], workers: int = 1) -> Path:
        out = self.folder / name
        out.mkdir(exist_ok=True)
        with mock.patch("builtins.print"):
            generate.generate(out, self.folder, self.folder, counts, workers)
        return out

    def test_samples_are_the_same_however_they_are_made(self) -> None:
        at_once = self.generated("at-once", {"training": 80}, workers=2)
        self.generated("in-two", {"training": 40})
        in_two = self.generated("in-two", {"training": 80})
        names = sorted(path.name for path in at_once.glob("*.npy"))
        self.assertEqual(len(names), 8)
        self.assertEqual(names, sorted(path.name for path in in_two.glob("*.npy")))
        for name in names:
            np.testing.assert_array_equal(np.load(at_once / name), np.load(in_two / name))
        samples = Samples(at_once, "training")
        self.assertEqual(len(samples), 80)
        with self.assertRaises(FileNotFoundError):
            Samples(at_once, "held-out")

    def test_samples_have_the_teachers_answer_to_their_own_crop(self) -> None:
        samples = Samples(self.generated("some", {"development": 40}), "development")
        for branch in BRANCHES:
            batch = samples.batch(branch, np.arange(40))
            answer = Teacher.read(self.folder, branch)(batch.crops.permute(0, 3, 1, 2).float())
            # They are made in halves on some processors.
            spread = float(answer.log_odds.std())
            self.assertLess(float((answer.log_odds - batch.log_odds).abs().mean()), 0.05 * spread)
            np.testing.assert_array_equal(samples.log_odds(branch), batch.log_odds.numpy())

    def test_samples_are_not_made_by_another_teacher(self) -> None:
        torch.save({**published("texture"), "module.prob.weight": -published("texture")["module.prob.weight"]}, self.folder / FILES["texture"])
        with self.assertRaisesRegex(SystemExit, "minifasnet-v2"):
            self.generated("some", {"training": 40})

    def test_samples_of_other_sources_are_not_taken_for_these(self) -> None:
        out = self.folder / "some"
        out.mkdir()
        (out / "plan.json").write_text(json.dumps({"digest": "another"}))
        with self.assertRaisesRegex(SystemExit, "other sources"):
            self.generated("some", {"training": 40})


def bright_or_dark(folder: Path, count: int = 96) -> None:
    """Samples whose answer is how bright the crop is: something that can be learned at once."""
    rng = np.random.default_rng(2)
    for part in ("training", "development"):
        light = rng.random(count) < 0.5
        crops = rng.integers(0, 90, (count, 2, SIDE, SIDE, 3), np.uint8) + (light * 120).astype(np.uint8)[:, None, None, None, None]
        logits = np.zeros((count, 2, 3), np.float32)
        logits[:, :, 1] = np.where(light, 4, -4)[:, None]
        about = np.zeros((count, 2), np.uint8)
        about[::4, 0] = generate.FAMILIES.index("cut-out")
        stage = rng.standard_normal((count, 2, STAGE, 5, 5)).astype(np.float16)
        for name, values in (("crops", crops), ("logits", logits), ("stage", stage), ("about", about)):
            np.save(folder / f"{part}-0000.{name}.npy", values)
    (folder / "plan.json").write_text(json.dumps({"digest": "light"}))


class BrokenOff(Exception):
    pass


class Training(Folder):
    def setUp(self) -> None:
        super().setUp()
        bright_or_dark(self.folder)
        self.samples, self.tuning = Samples(self.folder, "training"), Samples(self.folder, "development")
        self.recipe = Recipe(seed=1, batch=16, state_every=32)

    def trained(self, recipe: Recipe, kept: str, total: int = 64, log=lambda line: None) -> Branch:
        return train(self.samples, self.tuning, "texture", recipe, total, log, self.folder / kept)

    def flat(self, branch: Branch) -> torch.Tensor:
        return torch.cat([values.flatten().float() for values in branch.state_dict().values()])

    def test_gives_the_same_network_also_where_it_was_broken_off(self) -> None:
        at_once = self.flat(self.trained(self.recipe, "at-once.state"))

        def broken_off(line: str) -> None:
            if "64 samples" in line:
                raise BrokenOff

        with self.assertRaises(BrokenOff):
            self.trained(self.recipe, "broken.state", log=broken_off)
        lines: list[str] = []
        gone_on = self.flat(self.trained(self.recipe, "broken.state", log=lines.append))
        self.assertTrue(torch.equal(gone_on, at_once))
        self.assertEqual([line.split(",")[0] for line in lines], ["texture: 32 samples", "texture: 64 samples"])
        other = self.flat(self.trained(replace(self.recipe, seed=2), "broken.state"))
        self.assertFalse(torch.equal(other, at_once))

    def test_learns_what_the_teacher_says(self) -> None:
        # The light is all there is to it, and the teacher's stage is noise.
        branch = self.trained(replace(self.recipe, stage=0), "learned.state", 640)
        own, theirs = log_odds(branch, self.tuning, "texture"), self.tuning.log_odds("texture")
        self.assertGreater(np.corrcoef(own, theirs)[0, 1], 0.9)

    def test_presses_drawn_reproductions_down_where_it_is_to(self) -> None:
        branch = self.trained(replace(self.recipe, stage=0, hardened=-6.0, odds=1.0), "hardened.state", 320)
        kept = self.trained(replace(self.recipe, stage=0, odds=1.0), "kept.state", 320)
        theirs = self.tuning.log_odds("texture")
        pressed, as_taught = (log_odds(of, self.tuning, "texture")[theirs > 0].mean() for of in (branch, kept))
        self.assertLess(pressed, as_taught)

    def test_gives_the_same_files_for_the_same_network(self) -> None:
        network = Presence()
        digests = [export.write_weights(self.folder / str(i), network, {"enabled": False}) for i in range(2)]
        self.assertEqual(digests[0], digests[1])
        state = torch.load(self.folder / "0" / "presence.pth")
        for name, values in folded_state(network.eval()).items():
            self.assertTrue(torch.equal(state.pop(name), values))
        self.assertEqual(state, {})
        written = json.loads((self.folder / "0" / "presence.json").read_text())
        self.assertEqual(written, {"enabled": False, "sha256": digests[0]})
        probes = [export.probe(as_written(network))["logOdds"] for _ in range(2)]
        self.assertEqual(probes[0], probes[1])

    def test_the_figures_count_both_sides_of_the_line(self) -> None:
        network = as_written(Presence())
        for branch in network.branches.values():
            branch.dense.weight.data.zero_()
            branch.dense.bias.data.fill_(3)
        with np.errstate(invalid="ignore", divide="ignore"):
            figures = export.figures(network, self.tuning, generate.FAMILIES)
        live = float(np.mean(self.tuning.log_odds("texture") > 0))
        self.assertEqual(figures["at 0.5 or more"], [1.0, round(live, 4)])
        self.assertEqual(figures["same side of 0.6"], round(live, 4))
        self.assertEqual(sum(of["samples"] for of in figures["families"].values()), 96)


if __name__ == "__main__":
    unittest.main()
