"""Training: binary cross-entropy of the summed log odds, and of each branch alone so that neither leans on the other."""

from __future__ import annotations

import hashlib
import time
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Callable

import numpy as np
import torch
import torch.nn.functional as F

from .dataset import Frames
from .network import Presence, to_input


#: What is done to a batch that no camera of the scenes did.
AUGMENTATIONS = ("mirror", "light", "colour", "sharpness", "noise")


@dataclass(frozen=True)
class Recipe:
    seed: int
    epochs: int
    augmentations: tuple[str, ...] = AUGMENTATIONS
    batch: int = 64
    rate: float = 3e-3
    decay: float = 0.02
    #: What people and reproductions are told to be: not 1 and 0, which are never reached.
    smoothing: float = 0.02
    branch_weight: float = 0.3


def train(
    frames: Frames, numbers: np.ndarray, recipe: Recipe, log: Callable[[str], None], kept: Path | None = None
) -> Presence:
    """A network trained on some frames of a file set. The same recipe, frames and number of threads give the same network.

    With `kept`, every epoch's end is written there, and a training of the same goes on from it to the same network.
    """
    torch.manual_seed(recipe.seed)
    rng = np.random.default_rng([recipe.seed, 9])
    device = "cuda" if torch.cuda.is_available() else "cpu"
    halves = device == "cuda" or _multiplies_halves()
    network = Presence().to(device).to(memory_format=torch.channels_last)
    steps = recipe.epochs * (len(numbers) // recipe.batch)
    optimiser = torch.optim.AdamW(_groups(network, recipe.decay), recipe.rate)
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimiser, recipe.rate, total_steps=steps, pct_start=0.15)
    average = {key: value.detach().clone() for key, value in network.state_dict().items()}
    asked = {
        **asdict(recipe),
        "scenes": frames.digest,
        "numbers": hashlib.sha256(numbers.tobytes()).hexdigest(),
        "code": code_digest(),
        "threads": torch.get_num_threads(),
    }
    started, step, first, told = time.time(), 0, 0, []
    if kept is not None and kept.exists():
        had = torch.load(kept, map_location=device, weights_only=False)
        if had["asked"] == asked:
            network.load_state_dict(had["network"])
            optimiser.load_state_dict(had["optimiser"])
            schedule.load_state_dict(had["schedule"])
            average, step, first = had["average"], had["step"], had["epochs"]
            rng.bit_generator.state = had["numpy"]
            torch.set_rng_state(had["torch"].cpu())
            if device == "cuda":
                torch.cuda.set_rng_state(had["cuda"].cpu())
            told = had["told"]
            for line in told if first == recipe.epochs else [*told, f"goes on after epoch {first}"]:
                log(line)
    for epoch in range(first, recipe.epochs):
        network.train()
        losses = []
        order = _balanced(frames, numbers, rng)
        for start in range(0, len(order) - recipe.batch + 1, recipe.batch):
            batch = np.sort(order[start : start + recipe.batch])
            crops = augmented({name: values[batch] for name, values in frames.crops.items()}, recipe.augmentations, rng)
            crops = {
                name: values.div(127.5).sub(1).to(device).contiguous(memory_format=torch.channels_last)
                for name, values in crops.items()
            }
            target = torch.from_numpy(frames.live[batch]).float().to(device)
            target = target * (1 - 2 * recipe.smoothing) + recipe.smoothing
            with torch.autocast(device, dtype=torch.bfloat16, enabled=halves):
                odds = {name: values.float() for name, values in network(crops).items()}
            loss = F.binary_cross_entropy_with_logits(sum(odds.values()), target)
            for each in odds.values():
                loss = loss + recipe.branch_weight * F.binary_cross_entropy_with_logits(each, target)
            optimiser.zero_grad(set_to_none=True)
            loss.backward()
            torch.nn.utils.clip_grad_norm_(network.parameters(), 5.0)
            optimiser.step()
            schedule.step()
            step += 1
            losses.append(loss.item())
            _follow(average, network, 0.99 if step > 100 else 0.9)
        told.append(f"epoch {epoch + 1} of {recipe.epochs}: loss {np.mean(losses):.4f}, {time.time() - started:.0f} s")
        log(told[-1])
        if kept is not None:
            state = {"asked": asked, "epochs": epoch + 1, "step": step, "average": average, "network": network.state_dict()}
            state |= {"optimiser": optimiser.state_dict(), "schedule": schedule.state_dict()}
            state |= {"numpy": rng.bit_generator.state, "torch": torch.get_rng_state(), "told": told}
            if device == "cuda":
                state["cuda"] = torch.cuda.get_rng_state()
            written = kept.with_suffix(".partial")
            torch.save(state, written)
            written.replace(kept)
    network.load_state_dict(average)
    return network.cpu().eval()


def _multiplies_halves() -> bool:
    """Whether the processor multiplies bfloat16 itself; elsewhere that would be slower than full precision."""
    information = Path("/proc/cpuinfo")
    return information.exists() and any(flag in information.read_text() for flag in (" avx512_bf16", " amx_bf16"))


def code_digest() -> str:
    """Of what decides, besides recipe and scenes, which network comes out."""
    code = hashlib.sha256()
    for name in ("network", "train"):
        code.update(Path(__file__).with_name(f"{name}.py").read_bytes())
    return code.hexdigest()


@torch.no_grad()
def log_odds(network: Presence, frames: Frames, batch: int = 128) -> dict[str, np.ndarray]:
    """What each branch says of frames, and `both`, their sum."""
    network.eval()
    out: dict[str, list[torch.Tensor]] = {name: [] for name in frames.crops}
    for start in range(0, len(frames), batch):
        crops = {
            name: to_input(torch.from_numpy(values[start : start + batch].copy())).contiguous(memory_format=torch.channels_last)
            for name, values in frames.crops.items()
        }
        for name, values in network(crops).items():
            out[name].append(values)
    found = {name: torch.cat(values).numpy() for name, values in out.items()}
    return {**found, "both": sum(found.values())}


def _groups(network: Presence, decay: float) -> list[dict]:
    decayed = [p for p in network.parameters() if p.dim() > 1]
    kept = [p for p in network.parameters() if p.dim() <= 1]
    return [{"params": decayed, "weight_decay": decay}, {"params": kept, "weight_decay": 0}]


def _balanced(frames: Frames, numbers: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """People and reproductions in equal numbers, in a random order."""
    live = rng.permutation(numbers[frames.live[numbers]])
    other = rng.permutation(numbers[~frames.live[numbers]])
    half = max(len(live), len(other))
    order = np.concatenate([np.resize(live, half), np.resize(other, half)])
    return rng.permutation(order)[: len(numbers)]


def augmented(
    crops: dict[str, np.ndarray], augmentations: tuple[str, ...], rng: np.random.Generator
) -> dict[str, torch.Tensor]:
    """(n, size, size, 3) bytes → (n, 3, size, size) 0 … 255: mirrored, of other light, colour, sharpness and noise. Both crops of a frame alike, as one camera would.

    The same numbers are drawn whichever of `AUGMENTATIONS` are asked for.
    """
    count = len(next(iter(crops.values())))

    def unless(name: str, values: np.ndarray, nothing: float) -> np.ndarray:
        return (values if name in augmentations else np.full_like(values, nothing)).astype(np.float32)

    mirrored = unless("mirror", rng.random(count) < 0.5, False).astype(bool)
    exposure, balance = np.exp(rng.normal(0, 0.12, (count, 1))), np.exp(rng.normal(0, 0.05, (count, 3)))
    gain = unless("light", exposure, 1) * unless("colour", balance, 1)
    gamma = unless("light", np.exp(rng.normal(0, 0.12, count)), 1)
    lift = unless("light", rng.normal(0, 6, count), 0)
    drab = np.where(rng.random(count) < 0.05, 0, np.exp(rng.normal(0, 0.15, count)))
    saturation = _column(unless("colour", drab, 1))
    sharpness = unless("sharpness", np.where(rng.random(count) < 0.5, rng.uniform(-0.9, 1.0, count), 0), 0)
    noise = unless("noise", np.where(rng.random(count) < 0.4, rng.uniform(0, 7, count), 0), 0)
    seed = torch.Generator().manual_seed(int(rng.integers(2**31)))
    # What happens to a byte by itself is looked up: (n, 3, 256).
    codes = (np.arange(256, dtype=np.float32) / 255) ** gamma[:, None]
    tables = 255 * codes[:, None] * gain[:, :, None] + lift[:, None, None]
    sharpened, noisy = np.flatnonzero(sharpness), np.flatnonzero(noise)
    out = {}
    for name, values in crops.items():
        x = torch.empty(count, 3, *values.shape[1:3])
        looked_up = x.numpy()
        for i in range(count):
            for channel in range(3):
                np.take(tables[i, channel], values[i, :, :, channel], out=looked_up[i, channel])
        grey = x.mean(1, keepdim=True)
        x = torch.lerp(grey.expand_as(x), x, saturation)
        some = x[sharpened]
        x[sharpened] = some + _column(sharpness[sharpened]) * (
            some - F.avg_pool2d(some, 3, 1, 1, count_include_pad=False)
        )
        x[noisy] += _column(noise[noisy]) * torch.randn(len(noisy), *x.shape[1:], generator=seed)
        x[mirrored] = x[mirrored].flip(3)
        out[name] = x.clamp_(0, 255)
    return out


def _column(values: np.ndarray) -> torch.Tensor:
    return torch.from_numpy(values).reshape(-1, 1, 1, 1)


def _follow(average: dict[str, torch.Tensor], network: Presence, keep: float) -> None:
    """Weights averaged over the last steps: steadier than the last ones."""
    for key, value in network.state_dict().items():
        if value.dtype.is_floating_point:
            average[key].mul_(keep).add_(value.detach(), alpha=1 - keep)
        else:
            average[key].copy_(value)
