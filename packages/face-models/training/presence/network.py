"""The network: two small branches of inverted residuals (Sandler et al. 2018), one for a wide crop around the face, one for a narrower one.

`packages/face-models/src/networks/presence.ts` builds the same graph from the exported weights.
"""

from __future__ import annotations

from copy import deepcopy as copy_of

import torch
import torch.nn.functional as F
from torch import nn

from .crops import BRANCHES

STEM = 16
#: Channels, stride and expansion of each block.
BLOCKS = ((32, 2, 2), (32, 1, 2), (48, 2, 3), (48, 1, 3), (48, 1, 3), (96, 2, 3), (96, 1, 3), (96, 1, 3))
HEAD = 192
HIDDEN = 64
#: Rows and columns of places that are left after the last block.
PLACES = 5


def _same(x: torch.Tensor, kernel: int, stride: int) -> torch.Tensor:
    """TensorFlow's padding: the odd row and column at the end."""
    if kernel == 1:
        return x
    padding = []
    for size in (x.shape[3], x.shape[2]):
        total = max(0, (-(-size // stride) - 1) * stride + kernel - size)
        padding += [total // 2, total - total // 2]
    return F.pad(x, padding)


class ConvNorm(nn.Module):
    def __init__(self, inputs: int, outputs: int, kernel: int, stride: int = 1, groups: int = 1, valid: bool = False) -> None:
        super().__init__()
        self.kernel, self.stride, self.valid = kernel, stride, valid
        self.conv = nn.Conv2d(inputs, outputs, kernel, stride, groups=groups, bias=False)
        self.norm = nn.BatchNorm2d(outputs)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.norm(self.conv(x if self.valid else _same(x, self.kernel, self.stride)))

    def folded(self) -> tuple[torch.Tensor, torch.Tensor]:
        """Weight and bias of the one convolution that this is in inference."""
        gain = self.norm.weight / (self.norm.running_var + self.norm.eps).sqrt()
        return self.conv.weight * gain[:, None, None, None], self.norm.bias - self.norm.running_mean * gain


    @torch.no_grad()
    def fold(self) -> None:
        """The norm taken into the convolution, both in the halves that are written."""
        weight, bias = self.folded()
        self.conv.weight.copy_(weight.half())
        self.norm.weight.fill_(1)
        self.norm.bias.copy_(bias.half())
        self.norm.running_mean.zero_()
        self.norm.running_var.fill_(1 - self.norm.eps)


class Block(nn.Module):
    def __init__(self, inputs: int, outputs: int, stride: int, expansion: int) -> None:
        super().__init__()
        inner = inputs * expansion
        self.expand = ConvNorm(inputs, inner, 1)
        self.depthwise = ConvNorm(inner, inner, 3, stride, groups=inner)
        self.project = ConvNorm(inner, outputs, 1)
        self.adds = stride == 1 and inputs == outputs

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        y = self.project(F.relu(self.depthwise(F.relu(self.expand(x)))))
        return x + y if self.adds else y


class Branch(nn.Module):
    """(n, 3, 80, 80) in −1 … 1 → (n,) log odds that a person is there."""

    def __init__(self) -> None:
        super().__init__()
        self.stem = ConvNorm(3, STEM, 3, 2)
        channels = [STEM, *(outputs for outputs, _, _ in BLOCKS)]
        self.blocks = nn.ModuleList(
            Block(inputs, outputs, stride, expansion)
            for inputs, (outputs, stride, expansion) in zip(channels, BLOCKS)
        )
        self.head = ConvNorm(channels[-1], HEAD, 1)
        # Every channel weighted place by place, as the teacher has it: where in the crop something is counts.
        self.pool = ConvNorm(HEAD, HEAD, PLACES, groups=HEAD, valid=True)
        self.hidden = ConvNorm(HEAD, HIDDEN, 1)
        self.dense = nn.Linear(HIDDEN, 1)

    def stage(self, x: torch.Tensor) -> torch.Tensor:
        """(n, 96, 5, 5) what the last block says."""
        x = F.relu(self.stem(x))
        for block in self.blocks:
            x = block(x)
        return x

    def judged(self, stage: torch.Tensor) -> torch.Tensor:
        """(n,) log odds of what the last block says."""
        x = F.relu(self.hidden(self.pool(F.relu(self.head(stage)))))
        return self.dense(x.flatten(1))[:, 0]

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.judged(self.stage(x))


class Presence(nn.Module):
    """Both branches; the score of a frame is the mean of their probabilities, as it is the teacher's."""

    def __init__(self) -> None:
        super().__init__()
        self.branches = nn.ModuleDict({name: Branch() for name in BRANCHES})

    def forward(self, crops: dict[str, torch.Tensor]) -> dict[str, torch.Tensor]:
        return {name: branch(crops[name]) for name, branch in self.branches.items()}


def to_input(pixels: torch.Tensor) -> torch.Tensor:
    """(n, size, size, 3) uint8 → (n, 3, size, size) in −1 … 1, channels last in memory."""
    return pixels.permute(0, 3, 1, 2).float().div(127.5).sub(1)


@torch.no_grad()
def as_written(network: Presence) -> Presence:
    """The network that others get, folded and rounded: what is measured. Raises ValueError for one with a weight that no half can hold."""
    copy = copy_of(network).eval()
    for module in copy.modules():
        if isinstance(module, ConvNorm):
            module.fold()
        if isinstance(module, nn.Linear):
            module.weight.copy_(module.weight.half())
            module.bias.copy_(module.bias.half())
    if not all(bool(values.isfinite().all()) for values in copy.state_dict().values() if values.is_floating_point()):
        raise ValueError("a weight is no finite half")
    return copy


def folded_state(network: Presence) -> dict[str, torch.Tensor]:
    """What inference needs, batch norms folded, in half precision; the names that the compiler of the `.tflite` files reads."""
    state: dict[str, torch.Tensor] = {}
    for name, branch in network.branches.items():
        parts = {part: getattr(branch, part) for part in ("stem", "head", "pool", "hidden")}
        for i, block in enumerate(branch.blocks):
            parts |= {f"blocks.{i}.{part}": getattr(block, part) for part in ("expand", "depthwise", "project")}
        for part, layer in parts.items():
            weight, bias = layer.folded()
            state[f"{name}.{part}.weight"], state[f"{name}.{part}.bias"] = weight, bias
        state[f"{name}.dense.weight"], state[f"{name}.dense.bias"] = branch.dense.weight, branch.dense.bias
    return {key: value.detach().half().contiguous() for key, value in state.items()}
