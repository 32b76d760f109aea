"""A small classifier that keeps a log of how it is trained and evaluated.

It answers as a Hugging Face model does (`.logits`, `["logits"]`, `[0]`) and has what the
homework's own classes have (`.model`, `.classifier`, `.prefix`, `.type`), so that any loop for
either of them runs on it.
"""

from types import SimpleNamespace
from typing import Any

import torch
from torch import nn
from torch.nn import functional as F


class Output(dict[str, Any]):
    """A model's output: by key, by attribute and by number."""

    def __getattr__(self, name: str) -> Any:
        if name in self:
            return self[name]
        raise AttributeError(name)

    def __getitem__(self, key: Any) -> Any:
        if isinstance(key, int | slice):
            return self.to_tuple()[key]
        return super().__getitem__(key)

    def to_tuple(self) -> tuple[Any, ...]:
        """The values in order, the loss first where there is one."""
        return tuple(self.values())


class Backbone(nn.Module):
    """Embeddings of the tokens: the last hidden state of a model without layers."""

    def __init__(self, vocabulary: int, size: int) -> None:
        super().__init__()
        self.embeddings = nn.Embedding(vocabulary, size)

    def forward(self, input_ids: torch.Tensor, **_: Any) -> Output:
        """The hidden states, (B, T, D)."""
        return Output(last_hidden_state=self.embeddings(input_ids))


class Classifier(nn.Module):
    """The mean of the embeddings of the tokens that are not padding, tanh, and a linear layer."""

    def __init__(self, weights: dict[str, Any], *, dropout: float = 0.0) -> None:
        nn.Module.__init__(self)  # not super(): a student's class may stand behind this one
        vocabulary, size = weights["model.embeddings.weight"].shape
        self.model = Backbone(vocabulary, size)
        self.classifier = nn.Linear(size, 2)
        self.dropout = nn.Dropout(dropout)
        self.register_buffer("forwards", torch.zeros(1))
        self.prefix = None
        self.type = "full"
        self.num_labels = 2
        self.config = SimpleNamespace(
            num_labels=2, hidden_size=size, vocab_size=vocabulary, name_or_path="tiny"
        )
        values = {name: torch.tensor(array) for name, array in weights.items()}
        self.load_state_dict(values, strict=False)
        self.eval()  # as from_pretrained leaves a model

    def forward(
        self,
        input_ids: torch.Tensor,
        attention_mask: torch.Tensor | None = None,
        labels: torch.Tensor | None = None,
        **_: Any,
    ) -> Output:
        """The logits (B, 2), and the loss where labels are given."""
        if self.training:
            self.forwards += 1
        hidden = self.model(input_ids).last_hidden_state  # (B, T, D)
        if attention_mask is None:
            attention_mask = torch.ones_like(input_ids)
        mask = attention_mask.unsqueeze(-1).to(hidden.dtype)  # (B, T, 1)
        mean = (hidden * mask).sum(1) / mask.sum(1).clamp(min=1)  # (B, D)
        logits = self.classifier(self.dropout(torch.tanh(mean)))  # (B, 2)
        if labels is None:
            return Output(logits=logits)
        return Output(loss=F.cross_entropy(logits, labels.view(-1).long()), logits=logits)

    @property
    def device(self) -> torch.device:
        """Where the weights are."""
        return self.classifier.weight.device

    def num_parameters(self, only_trainable: bool = False, **_: Any) -> int:
        """How many numbers it has."""
        return sum(p.numel() for p in self.parameters() if p.requires_grad or not only_trainable)

    def save_pretrained(self, *_: Any, **__: Any) -> None:
        """Nothing: what is saved is not judged."""


class Device(str):
    """The name of a device, as the command line gives it, that also has what a device has."""

    __slots__ = ()
    index = None

    @property
    def type(self) -> str:
        """The kind of device."""
        return str(self)


CPU = Device("cpu")


def state(model: nn.Module) -> dict[str, torch.Tensor]:
    """A copy of every parameter."""
    return {name: p.detach().clone() for name, p in model.named_parameters()}


def items(batch: dict[str, Any]) -> list[dict[str, torch.Tensor]]:
    """The items of a data set, from arrays of all their ids, masks and labels."""
    tensors = {name: torch.tensor(batch[name]) for name in ("input_ids", "attention_mask")}
    tensors["labels"] = torch.tensor(batch["labels"], dtype=torch.long)
    return [
        {name: each[i] for name, each in tensors.items()} for i in range(len(tensors["labels"]))
    ]
