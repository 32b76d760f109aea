"""A small classifier that records how it is trained and evaluated.

It is a transformers model, so it has everything that a loop may use of one, and it has the
attributes of the homework's own classes (`.model`, `.classifier`, `.prefix`, `.type`): any loop for
either of them runs on it.
"""

import copy
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any
from unittest import mock

import torch
from torch import nn
from torch.nn import functional as F
from transformers import PretrainedConfig, PreTrainedModel
from transformers.modeling_outputs import BaseModelOutput, SequenceClassifierOutput

NAME = "distilbert-base-uncased"  # the hub's name of the model that this one replaces


class TinyConfig(PretrainedConfig):  # type: ignore[no-untyped-call]  # transformers has no types
    """The settings of a small classifier, named as for models of the hub."""

    model_type = "tiny-classifier"


class Backbone(PreTrainedModel):  # type: ignore[no-untyped-call]  # transformers has no types
    """Token embeddings: the last hidden state of a model without layers."""

    config_class = TinyConfig
    supports_gradient_checkpointing = True
    gradient_checkpointing = False  # there are no layers to recompute: setting it changes nothing

    def __init__(self, config: TinyConfig) -> None:
        super().__init__(config)
        self.embeddings = nn.Embedding(config.vocab_size, config.hidden_size)

    def get_input_embeddings(self) -> nn.Module:
        """Return the table of token embeddings."""
        return self.embeddings

    def forward(
        self,
        input_ids: torch.Tensor | None = None,
        attention_mask: torch.Tensor | None = None,
        inputs_embeds: torch.Tensor | None = None,
        **_: Any,
    ) -> BaseModelOutput:
        """Return the hidden states, (B, T, D)."""
        hidden = self.embeddings(input_ids) if inputs_embeds is None else inputs_embeds
        return BaseModelOutput(last_hidden_state=hidden)


class Classifier(PreTrainedModel):  # type: ignore[no-untyped-call]  # transformers has no types
    """The mean of the embeddings of all tokens but padding, tanh, and a linear layer."""

    config_class = TinyConfig
    supports_gradient_checkpointing = True
    gradient_checkpointing = False
    base_model_prefix = "model"
    type: Any  # "full", as in the homework's own; a method of other modules

    def __init__(self, weights: dict[str, Any], *, dropout: float = 0.0) -> None:
        vocabulary, size = weights["model.embeddings.weight"].shape
        sizes = {"vocab_size": vocabulary, "hidden_size": size, "dim": size}
        settings: dict[str, Any] = {**sizes, "num_labels": 2, "name_or_path": NAME}
        config = TinyConfig(**settings)
        super().__init__(config)
        self.model = Backbone(config)
        self.classifier = nn.Linear(size, 2)
        self.dropout = nn.Dropout(dropout)
        self.prefix = None
        self.type = "full"
        self.num_labels = 2
        values = {name: torch.tensor(array) for name, array in weights.items()}
        self.load_state_dict(values, strict=False)
        # As from_pretrained returns a model; transformers has no types for it.
        self.eval()  # type: ignore[no-untyped-call]

    def forward(
        self,
        input_ids: torch.Tensor,
        attention_mask: torch.Tensor | None = None,
        labels: torch.Tensor | None = None,
        return_dict: bool = True,
        **_: Any,
    ) -> Any:
        """Return the logits (B, 2), and the loss if labels are given; as a tuple if asked to."""
        hidden = self.model(input_ids).last_hidden_state  # (B, T, D)
        if attention_mask is None:
            attention_mask = torch.ones_like(input_ids)
        # 1 is text and everything else is not, as in transformers' own models
        mask = (attention_mask == 1).unsqueeze(-1).to(hidden.dtype)  # (B, T, 1)
        mean = (hidden * mask).sum(1) / mask.sum(1).clamp(min=1)  # (B, D)
        logits = self.classifier(self.dropout(torch.tanh(mean)))  # (B, 2)
        output = SequenceClassifierOutput(logits=logits)
        if labels is not None:
            loss = F.cross_entropy(logits, labels.view(-1).to(logits.device))
            output = SequenceClassifierOutput(loss=loss, logits=logits)
        return output if return_dict is not False else output.to_tuple()

    @property
    def trains(self) -> bool:
        """Whether dropout is on: a flag of the outermost module alone does not change that."""
        return self.dropout.training

    def save_pretrained(self, *_: Any, **__: Any) -> None:
        """Save nothing: saved files are not graded."""


class Device(str):
    """A device name from the command line that also has the attributes of a device."""

    __slots__ = ()
    index: Any = None

    @property
    def type(self) -> str:
        """The type of device."""
        return str(self)


CPU = Device("cpu")
GPU = Device("cuda")


def state(model: nn.Module) -> dict[str, torch.Tensor]:
    """Return a copy of every parameter."""
    return {name: p.detach().clone() for name, p in model.named_parameters()}


@contextmanager
def copies_of(model: nn.Module, *, first: nn.Module | None = None) -> Iterator[list[nn.Module]]:
    """Yield the copies that copy.deepcopy makes of a model; if given, `first` is the first one."""
    copies: list[nn.Module] = []
    copiers: dict[type, Any] = copy._deepcopy_dispatch  # type: ignore[attr-defined]  # not public

    def copied(module: nn.Module, memo: dict[int, Any]) -> nn.Module:
        if module is model and first is not None and not copies:
            copies.append(first)
            return first
        with mock.patch.dict(copiers):
            del copiers[type(module)]
            result = copy.deepcopy(module, memo)
        if module is model:
            copies.append(result)
        return result

    with mock.patch.dict(copiers, {type(model): copied}):
        yield copies


def items(batch: dict[str, Any]) -> Any:  # a list: torch takes it, its types ask for a Dataset
    """The items of a data set, from arrays of all their ids, masks and labels."""
    tensors = {name: torch.tensor(batch[name]) for name in ("input_ids", "attention_mask")}
    tensors["labels"] = torch.tensor(batch["labels"])
    return [
        {name: tensor[i] for name, tensor in tensors.items()} for i in range(len(tensors["labels"]))
    ]
