"""A classifier of texts: an encoder, the mean over its tokens, a linear layer.

Devlin et al. 2019 (BERT), section 4, with the mean in place of [CLS]. With a prefix (Li and Liang
2021), only the embeddings before the text are trained; they determine all keys and values.

    ids -> word embeddings -> [prefix, words] -> encoder -> mean over the words -> linear -> logits
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import torch
from torch import nn
from torch.nn import functional as F

from reference.models.methods import CLASSES, PREFIX_LENGTH, Method


@dataclass(frozen=True, slots=True)
class Tokens:
    """The ids, mask (1 for a token, 0 for a PAD) and segments of some texts, (B, T) each."""

    ids: torch.Tensor
    mask: torch.Tensor
    segments: torch.Tensor | None = None  # 0 in the first text, 1 in the second; not in RoBERTa

    def to(self, device: torch.device) -> "Tokens":
        """Return the same tokens on another device."""
        segments = None if self.segments is None else self.segments.to(device)
        return Tokens(self.ids.to(device), self.mask.to(device), segments)


class Classifier(nn.Module):
    """An encoder with a linear head, and with a prefix if the method uses one."""

    def __init__(
        self, backbone: Any, method: Method, *, prefix_length: int = PREFIX_LENGTH
    ) -> None:
        super().__init__()
        d = backbone.config.hidden_size
        self.method = method
        self.backbone = backbone.requires_grad_(method == "full")
        length = prefix_length if method == "prefix" else 0
        self.prefix = nn.Parameter(beginning(self.words.weight, length))  # (P, d)
        self.drop = nn.Dropout(0.1)
        self.head = nn.Linear(d, CLASSES)
        nn.init.normal_(self.head.weight, std=0.02)  # BERT's initializer_range
        nn.init.zeros_(self.head.bias)

    @property
    def words(self) -> Any:
        """The table of word embeddings; the encoder adds positions and norm."""
        return self.backbone.get_input_embeddings()

    def forward(self, tokens: Tokens) -> torch.Tensor:
        """Return logits (B, 2) for texts (B, T)."""
        logits: torch.Tensor = self.head(self.drop(self.pooled(tokens)))  # (B, d) -> (B, 2)
        return logits

    def pooled(self, tokens: Tokens) -> torch.Tensor:
        """Return the mean of the encoder's output over the text's tokens without PADs, (B, d)."""
        (B, _), P = tokens.ids.shape, len(self.prefix)
        words = self.words(tokens.ids)  # (B, T, d)
        x = torch.cat([self.prefix.to(words.dtype).expand(B, P, -1), words], dim=1)  # (B, P+T, d)
        inputs = {"inputs_embeds": x, "attention_mask": F.pad(tokens.mask, (P, 0), value=1)}
        if tokens.segments is not None:
            inputs["token_type_ids"] = F.pad(tokens.segments, (P, 0))  # the prefix is in the first
        hidden = self.backbone(**inputs).last_hidden_state[:, P:].float()  # (B, T, d)
        mask = tokens.mask.unsqueeze(-1)  # (B, T, 1)
        pooled: torch.Tensor = (hidden * mask).sum(1) / mask.sum(1)  # (B, d)
        return pooled

    def train(self, mode: bool = True) -> "Classifier":
        """Set training mode; a frozen encoder never uses dropout, so its output is fixed."""
        super().train(mode)
        if self.method != "full":
            self.backbone.eval()
        return self

    def trained(self) -> dict[str, nn.Parameter]:
        """Return the parameters that training may change, by name."""
        named = ((name, p) for name, p in self.named_parameters() if p.requires_grad)
        return {name: p for name, p in named if p.numel()}

    def load_trained(self, state: Mapping[str, torch.Tensor]) -> None:
        """Load another classifier's trained parameters.

        Raises ValueError if names or shapes differ.
        """
        parameters = self.trained()
        if parameters.keys() != state.keys():
            name = sorted(parameters.keys() ^ state.keys())[0]
            raise ValueError(f"{name} is not in both models")
        with torch.no_grad():
            for name, parameter in parameters.items():
                if parameter.shape != state[name].shape:
                    raise ValueError(f"{name} has another shape")
                parameter.copy_(state[name])


def beginning(words: torch.Tensor, length: int) -> torch.Tensor:
    """Return an initial prefix (length, d): embeddings of random words from the table.

    The encoder works near real words; Lester et al. 2021 (section 3.2) measure that this is better
    than random numbers.
    """
    drawn = torch.randint(len(words), (length,), device="cpu").to(words.device)
    return words.detach()[drawn].clone()
