"""Training: a branch learns what its teacher says, from random numbers. No label is used.

The loss is that of the log odds, as they are (Huber) and as a probability (cross-entropy), and of what both networks' last stage says place by place: 25 places tell more of what the teacher
sees than one number. The layer that compares the two stages is not part of what is written.
"""

from __future__ import annotations

import hashlib
import time
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Callable

import numpy as np
import torch
import torch.nn.functional as F
from torch import nn

from .network import BLOCKS, Branch, to_input
from .samples import Samples
from .teacher import STAGE, multiplies_halves

#: Log odds beyond are as sure as can be.
SURE = 10.0


@dataclass(frozen=True)
class Recipe:
    seed: int
    batch: int = 64
    rate: float = 3e-3
    decay: float = 0.02
    #: Weights of the losses.
    odds: float = 0.3
    chance: float = 1.0
    stage: float = 1.0
    #: Where the score of drawn reproductions is pressed below: log odds; None for the teacher's own answer.
    hardened: float | None = None
    #: Share of the training, at its end, in which the rate falls to nothing.
    falling: float = 0.3
    keep: float = 0.999
    #: Samples between two states that are kept, at least; a hundredth of all where that is more.
    state_every: int = 8_192


@torch.no_grad()
def _follow(average: dict[str, torch.Tensor], network: nn.Module, keep: float) -> None:
    """Weights averaged over the last steps: steadier than the last ones."""
    for key, value in network.state_dict().items():
        if value.dtype.is_floating_point:
            average[key].mul_(keep).add_(value.detach(), alpha=1 - keep)
        else:
            average[key].copy_(value)


class Learner(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.branch = Branch()
        self.compared = nn.Conv2d(BLOCKS[-1][0], STAGE, 1)

    def forward(self, x: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        stage = self.branch.stage(x)
        return self.branch.judged(stage), self.compared(stage)


def train(
    samples: Samples,
    tuning: Samples,
    branch: str,
    recipe: Recipe,
    total: int,
    log: Callable[[str], None],
    kept: Path,
    device: str = "cpu",
) -> Branch:
    """A branch after `total` samples. Goes on from what is kept of the same recipe, also where that was of another total, as long as the rate had not begun to fall.

    The same recipe, samples, device and number of threads give the same network.
    """
    torch.manual_seed(recipe.seed)
    rng = np.random.default_rng([recipe.seed, 9])
    learner = Learner().to(device).to(memory_format=torch.channels_last)
    weights = [p for p in learner.parameters() if p.dim() > 1]
    others = [p for p in learner.parameters() if p.dim() <= 1]
    groups = [{"params": weights, "weight_decay": recipe.decay}, {"params": others, "weight_decay": 0}]
    optimiser = torch.optim.AdamW(groups, recipe.rate)
    average = {key: value.detach().clone() for key, value in learner.state_dict().items()}
    middle, spread = (values.to(device) for values in samples.stage_scale(branch))
    asked = {**asdict(recipe), "branch": branch, "samples": samples.digest, "code": code_digest()}
    seen, told = 0, []
    if kept.exists():
        had = torch.load(kept, map_location=device)
        if had["asked"] == asked:
            learner.load_state_dict(had["learner"])
            optimiser.load_state_dict(had["optimiser"])
            average, seen, told = had["average"], had["seen"], had["told"]
            rng.bit_generator.state = had["numpy"]
            for line in told:
                log(line)
    halves = device != "cpu" or multiplies_halves()
    losses, started, at = [], time.time(), seen
    every = max(recipe.state_every, total // 100)
    while seen < total:
        learner.train()
        warm, end = min(1.0, seen / min(10_000, total / 10)), (total - seen) / (recipe.falling * total)
        for group in optimiser.param_groups:
            group["lr"] = recipe.rate * max(0.01, min(warm, end, 1.0))
        batch = samples.batch(branch, rng.integers(len(samples), size=recipe.batch), device)
        crops = to_input(batch.crops).contiguous(memory_format=torch.channels_last)
        stage = (batch.stage - middle) / spread
        target = batch.log_odds
        if recipe.hardened is not None:
            target = torch.where(batch.drawn, target.clamp(max=recipe.hardened), target)
        with torch.autocast("cuda" if device.startswith("cuda") else "cpu", dtype=torch.bfloat16, enabled=halves):
            odds, seen_stage = learner(crops)
        odds = odds.float()
        loss = recipe.odds * F.smooth_l1_loss(odds, target.clamp(-SURE, SURE))
        loss = loss + recipe.chance * F.binary_cross_entropy_with_logits(odds, target.sigmoid())
        if recipe.stage > 0:
            loss = loss + recipe.stage * F.mse_loss(seen_stage.float(), stage)
        optimiser.zero_grad(set_to_none=True)
        loss.backward()
        torch.nn.utils.clip_grad_norm_(learner.parameters(), 5.0)
        optimiser.step()
        seen += recipe.batch
        losses.append(loss.item())
        _follow(average, learner, min(recipe.keep, 1 - 10 / (10 + seen / recipe.batch)))
        if seen // every > at // every or seen >= total:
            at = seen
            current = agreement(_of(learner, average), tuning, branch, device)
            told.append(f"{branch}: {seen} samples, of {len(samples)} others: loss {np.mean(losses):.4f}, {current}, {time.time() - started:.0f} s")
            log(told[-1])
            losses = []
            state = {"asked": asked, "seen": seen, "told": told, "average": average, "learner": learner.state_dict()}
            state |= {"optimiser": optimiser.state_dict(), "numpy": rng.bit_generator.state}
            written = kept.with_suffix(".partial")
            torch.save(state, written)
            written.replace(kept)
            samples.refresh()
    return _of(learner, average).cpu().eval()


def _of(learner: Learner, average: dict[str, torch.Tensor]) -> Branch:
    branch = Branch().to(next(learner.parameters()).device)
    branch.load_state_dict({key.removeprefix("branch."): value for key, value in average.items() if key.startswith("branch.")})
    return branch.eval()


def code_digest() -> str:
    """Of what decides, besides recipe and samples, which network comes out."""
    code = hashlib.sha256()
    for name in ("network", "train"):
        code.update(Path(__file__).with_name(f"{name}.py").read_bytes())
    return code.hexdigest()


@torch.no_grad()
def log_odds(branch: Branch, samples: Samples, name: str, device: str = "cpu", most: int | None = None) -> np.ndarray:
    """What a branch says of samples, (n,); of the first `most` of them."""
    out = []
    count = min(len(samples), most or len(samples))
    for start in range(0, count, 256):
        batch = samples.batch(name, np.arange(start, min(count, start + 256)), device)
        out.append(branch(to_input(batch.crops).contiguous(memory_format=torch.channels_last)).float().cpu())
    return torch.cat(out).numpy()


def agreement(branch: Branch, samples: Samples, name: str, device: str = "cpu", most: int = 3072) -> str:
    """Correlation of probabilities and of log odds with the teacher's, and how often both are on one side of 0.6."""
    count = min(len(samples), most)
    own = log_odds(branch, samples, name, device, count)
    theirs = samples.log_odds(name)[:count]
    one, other = 1 / (1 + np.exp(-own)), 1 / (1 + np.exp(-theirs))
    correlation = np.corrcoef(one, other)[0, 1]
    of_odds = np.corrcoef(own.clip(-SURE, SURE), theirs.clip(-SURE, SURE))[0, 1]
    return f"correlation {correlation:.4f} (log odds {of_odds:.4f}), same side {np.mean((one >= 0.6) == (other >= 0.6)):.4f}"
