"""Stand-in for trainer.py of the starter, used if a submission does not include it."""

import math

import torch
from torch import Tensor, nn
from torch.utils.data import DataLoader, Dataset


class TrainerConfig:
    """The settings of a training run; additional ones are accepted."""

    max_epochs = 10
    batch_size = 64
    learning_rate = 3e-4
    betas = (0.9, 0.95)
    grad_norm_clip = 1.0
    weight_decay = 0.1
    lr_decay = False
    warmup_tokens = 375e6
    final_tokens = 260e9
    ckpt_path: str | None = None
    num_workers = 0
    writer: object = None

    def __init__(self, **settings: object) -> None:
        for name, value in settings.items():
            setattr(self, name, value)


class Trainer:
    """Trains a model on a dataset; nothing is shuffled, as in the starter."""

    def __init__(
        self,
        model: nn.Module,
        train_dataset: Dataset[tuple[Tensor, Tensor]],
        test_dataset: Dataset[tuple[Tensor, Tensor]] | None,
        config: TrainerConfig,
    ) -> None:
        self.model = model
        self.train_dataset = train_dataset
        self.test_dataset = test_dataset
        self.config = config
        self.device = next(model.parameters()).device
        self.tokens = 0

    def save_checkpoint(self) -> None:
        """Write the model's state to `config.ckpt_path`."""
        if self.config.ckpt_path is not None:
            torch.save(self.model.state_dict(), self.config.ckpt_path)

    def train(self) -> None:
        """Run all epochs, then save the checkpoint if a path is given."""
        config = self.config
        optimizer = torch.optim.AdamW(
            self.model.parameters(),
            lr=config.learning_rate,
            betas=config.betas,
            weight_decay=config.weight_decay,
        )
        self.model.train()
        for _ in range(config.max_epochs):
            for x, y in DataLoader(self.train_dataset, batch_size=config.batch_size):
                self._step(optimizer, x.to(self.device), y.to(self.device))
        self.save_checkpoint()

    def _step(self, optimizer: torch.optim.Optimizer, x: Tensor, y: Tensor) -> None:
        _, loss = self.model(x, y)
        optimizer.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(self.model.parameters(), self.config.grad_norm_clip)
        self.tokens += int((y >= 0).sum())
        for group in optimizer.param_groups:
            group["lr"] = self.config.learning_rate * self._decay()
        optimizer.step()

    def _decay(self) -> float:
        """Set the learning rate: linear over `warmup_tokens`, then cosine decay to a tenth."""
        config = self.config
        if not config.lr_decay:
            return 1.0
        if self.tokens < config.warmup_tokens:
            return self.tokens / max(1.0, config.warmup_tokens)
        left = max(1.0, config.final_tokens - config.warmup_tokens)
        progress = (self.tokens - config.warmup_tokens) / left
        return max(0.1, 0.5 * (1.0 + math.cos(math.pi * progress)))
