"""A training loop with a learning rate that warms up and decays by tokens seen."""

import math

import torch
from torch.utils.data import DataLoader
from tqdm import tqdm


class TrainerConfig:
    max_epochs = 10
    batch_size = 64
    learning_rate = 3e-4
    betas = (0.9, 0.95)
    grad_norm_clip = 1.0
    weight_decay = 0.1
    lr_decay = False
    warmup_tokens = 375e6
    final_tokens = 260e9
    ckpt_path = None
    num_workers = 0
    writer = None

    def __init__(self, **kwargs):
        for name, value in kwargs.items():
            setattr(self, name, value)


class Trainer:
    def __init__(self, model, train_dataset, test_dataset, config):
        self.device = "cuda" if torch.cuda.is_available() else "cpu"
        self.model = model.to(self.device)
        self.train_dataset = train_dataset
        self.test_dataset = test_dataset
        self.config = config

    def save_checkpoint(self):
        if self.config.ckpt_path is not None:
            torch.save(self.model.state_dict(), self.config.ckpt_path)

    def train(self):
        config, step, tokens = self.config, 0, 0
        optimizer = torch.optim.AdamW(
            self.model.parameters(), config.learning_rate, config.betas,
            weight_decay=config.weight_decay,
        )
        for epoch in range(config.max_epochs):
            self.model.train()
            batches = DataLoader(
                self.train_dataset, batch_size=config.batch_size, num_workers=config.num_workers
            )
            for x, y in tqdm(batches, desc=f"epoch {epoch + 1}"):
                _, loss = self.model(x.to(self.device), y.to(self.device))
                optimizer.zero_grad()
                loss.backward()
                torch.nn.utils.clip_grad_norm_(self.model.parameters(), config.grad_norm_clip)
                tokens += y.numel()
                for group in optimizer.param_groups:
                    group["lr"] = config.learning_rate * self.decay(tokens)
                optimizer.step()
                if config.writer is not None:
                    config.writer.add_scalar("train/loss", loss.item(), step)
                step += 1
            self.save_checkpoint()

    def decay(self, tokens):
        config = self.config
        if not config.lr_decay:
            return 1.0
        if tokens < config.warmup_tokens:
            return tokens / max(1, config.warmup_tokens)
        progress = (tokens - config.warmup_tokens) / max(1, config.final_tokens - config.warmup_tokens)
        return max(0.1, 0.5 * (1 + math.cos(math.pi * progress)))
