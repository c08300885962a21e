"""MiniFASNet (minivision-ai/Silent-Face-Anti-Spoofing, Apache-2.0), whose log odds are learned. Its weights are an add-on that is no part of the project: the folder is told."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import torch
import torch.nn.functional as F

#: Branch of the network that learns → the teacher's file.
FILES = {"context": "4_0_0_80x80_MiniFASNetV1SE.pth", "texture": "2.7_80x80_MiniFASNetV2.pth"}
#: What the last stage has: channels at 5 × 5 places.
STAGE = 128


@dataclass(frozen=True)
class Answer:
    logits: torch.Tensor  # (n, 3): print, live, replay
    stage: torch.Tensor  # (n, 128, 5, 5) what the last stage of residual blocks says, place by place

    @property
    def log_odds(self) -> torch.Tensor:
        """(n,) of a person: live against both kinds of attack."""
        return self.logits[:, 1] - torch.logsumexp(self.logits[:, [0, 2]], 1)


class Teacher:
    """One of the two networks, from the state that upstream published, in inference."""

    def __init__(self, state: dict[str, torch.Tensor], device: str = "cpu") -> None:
        self.state = {name.removeprefix("module."): values.float().to(device) for name, values in state.items()}
        # The norms, which stand still in inference, taken into the convolutions before them.
        self._folded = {}
        for name in [key.removesuffix(".conv.weight") for key in self.state if key.endswith(".conv.weight")]:
            if f"{name}.bn.weight" in self.state:
                weight, bias, mean, variance = (self.state[f"{name}.bn.{part}"] for part in ("weight", "bias", "running_mean", "running_var"))
                gain = weight / (variance + 1e-5).sqrt()
                self._folded[name] = self.state[f"{name}.conv.weight"] * gain[:, None, None, None], bias - mean * gain

    @staticmethod
    def read(folder: Path, branch: str, device: str = "cpu") -> "Teacher":
        """Raises FileNotFoundError where the folder lacks the file."""
        return Teacher(torch.load(folder / FILES[branch], map_location="cpu"), device)

    @torch.no_grad()
    def __call__(self, rgb: torch.Tensor) -> Answer:
        """(n, 3, 80, 80) RGB of 0 … 255."""
        x = self._block(rgb.flip(1), "conv1", 2, 1)
        x = self._block(x, "conv2_dw", 1, 1)
        for reduction, residual in (("conv_23", "conv_3"), ("conv_34", "conv_4"), ("conv_45", "conv_5")):
            x = self._depthwise(x, reduction, 2)
            number = 0
            while f"{residual}.model.{number}.conv.conv.weight" in self.state:
                name = f"{residual}.model.{number}"
                inner = self._depthwise(x, name, 1)
                if f"{name}.se_module.fc1.weight" in self.state:
                    inner = self._excited(inner, f"{name}.se_module")
                x, number = x + inner, number + 1
        stage = x
        x = self._block(x, "conv_6_sep", 1, 0)
        x = self._block(x, "conv_6_dw", 1, 0).flatten(1)
        x = self._norm(F.linear(x, self.state["linear.weight"]), "bn")
        return Answer(F.linear(x, self.state["prob.weight"]), stage)

    def _norm(self, x: torch.Tensor, name: str) -> torch.Tensor:
        of = [self.state[f"{name}.{part}"] for part in ("running_mean", "running_var", "weight", "bias")]
        return F.batch_norm(x, *of)

    def _block(self, x: torch.Tensor, name: str, stride: int, padding: int) -> torch.Tensor:
        weight, bias = self._folded[name]
        x = F.conv2d(x, weight, bias, stride, padding, groups=x.shape[1] // weight.shape[1])
        slopes = self.state.get(f"{name}.prelu.weight")
        return x if slopes is None else F.prelu(x, slopes)

    def _depthwise(self, x: torch.Tensor, name: str, stride: int) -> torch.Tensor:
        x = self._block(x, f"{name}.conv", 1, 0)
        return self._block(self._block(x, f"{name}.conv_dw", stride, 1), f"{name}.project", 1, 0)

    def _excited(self, x: torch.Tensor, name: str) -> torch.Tensor:
        y = x.mean((2, 3), keepdim=True)
        y = F.relu(self._norm(F.conv2d(y, self.state[f"{name}.fc1.weight"]), f"{name}.bn1"))
        return x * torch.sigmoid(self._norm(F.conv2d(y, self.state[f"{name}.fc2.weight"]), f"{name}.bn2"))


def multiplies_halves() -> bool:
    """Whether the processor multiplies bfloat16 itself; elsewhere that would be slower than full precision."""
    information = Path("/proc/cpuinfo")
    return information.exists() and any(flag in information.read_text() for flag in (" avx512_bf16", " amx_bf16"))
