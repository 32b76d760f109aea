"""Load, train and answer in the course's style, as the baseline for the pipeline's speed.

Examples are corrupted one after another, every position is computed, including PADs, and answers
are generated one prompt and one full forward pass at a time. It is plain on purpose: a figure in
docs/performance.md is only as meaningful as the loop that it is compared with.
"""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset

from reference.data.vocabulary import MASK, Vocabulary
from reference.models.gpt import GPT
from reference.models.prediction import STEPS

Example = tuple[torch.Tensor, torch.Tensor]
BETAS = (0.9, 0.95)
WEIGHT_DECAY = 0.1
CLIP = 1.0
FLOOR = 0.1


def loader(dataset: Dataset[Example], batch_size: int, num_workers: int = 0) -> DataLoader[Example]:
    """Return the dataset in batches and in order: the course does not shuffle."""
    on_gpu = torch.cuda.is_available()
    return DataLoader(dataset, batch_size, num_workers=num_workers, pin_memory=on_gpu)


@dataclass(slots=True)
class Schedule:
    """The learning rate by tokens seen, as in minGPT's trainer."""

    learning_rate: float
    warmup_tokens: int
    final_tokens: int
    tokens: int = 0

    def after(self, y: torch.Tensor) -> float:
        """Return the rate after this batch; every id is >= 0, so PADs count."""
        self.tokens += int((y >= 0).sum())
        if self.tokens < self.warmup_tokens:
            return self.learning_rate * self.tokens / max(1, self.warmup_tokens)
        # Not clamped: after final_tokens, the cosine rises again.
        after_warmup = self.tokens - self.warmup_tokens
        progress = after_warmup / max(1, self.final_tokens - self.warmup_tokens)
        return self.learning_rate * max(FLOOR, 0.5 * (1 + math.cos(math.pi * progress)))


def plain_optimizer(model: nn.Module, learning_rate: float) -> torch.optim.AdamW:
    """Return AdamW with the course's groups: everything but biases decays."""
    decayed = [p for name, p in model.named_parameters() if not name.endswith("bias")]
    biases = [p for name, p in model.named_parameters() if name.endswith("bias")]
    groups = [
        {"params": decayed, "weight_decay": WEIGHT_DECAY},
        {"params": biases, "weight_decay": 0.0},
    ]
    return torch.optim.AdamW(groups, lr=learning_rate, betas=BETAS)


def plain_step(
    model: GPT, optimizer: torch.optim.Optimizer, batch: Sequence[torch.Tensor], schedule: Schedule
) -> float:
    """Do one step on x and y, set the next step's learning rate, and return the loss."""
    device = next(model.parameters()).device
    x, y = (part.to(device) for part in batch)  # (B, T) each
    model.train()
    _, loss = model(x, y)
    assert loss is not None
    model.zero_grad()
    loss.backward()
    nn.utils.clip_grad_norm_(model.parameters(), CLIP)
    optimizer.step()
    rate = schedule.after(y)
    for group in optimizer.param_groups:
        group["lr"] = rate
    return float(loss.detach())


def plain_evaluate(model: GPT, vocabulary: Vocabulary, prompts: Iterable[str]) -> list[str]:
    """Return the model's answers between the first and the second MASK, one prompt at a time."""
    model.eval()
    return [plain_answer(model, vocabulary, prompt) for prompt in prompts]


@torch.no_grad()
def plain_answer(model: GPT, vocabulary: Vocabulary, prompt: str) -> str:
    """Return one answer: always 32 letters, each from the whole text before it."""
    device = next(model.parameters()).device
    idx = torch.tensor([vocabulary.encode(prompt)], device=device)  # (1, T)
    for _ in range(STEPS):
        logits, _ = model(idx[:, -model.config.block_size :])  # (1, T, vocab_size)
        shares = torch.softmax(logits[:, -1], dim=-1)  # (1, vocab_size)
        best = shares.topk(1, dim=-1).indices  # (1, 1)
        idx = torch.cat((idx, best), dim=1)  # (1, T + 1)
    return vocabulary.decode(idx[0].tolist()).split(MASK)[1]
