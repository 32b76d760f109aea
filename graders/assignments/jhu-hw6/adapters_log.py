"""The log of a training run: each update with the batch, the weights and the gradients it used.

    training forward -> batch, mode, weights before -+
    backward -> gradients as they piled up           |-> one update a forward
    optimizer.step (any optimizer) -> gradients used -+      weights after

Where no optimizer of torch steps, a change of the weights between two forwards is the update.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

import torch
from adapters_spy import state
from torch import nn
from torch.optim.optimizer import (
    register_optimizer_step_post_hook,
    register_optimizer_step_pre_hook,
)

Tensors = dict[str, torch.Tensor]


@dataclass(slots=True)
class Update:
    """What led from one training forward to the next."""

    input_ids: torch.Tensor
    training: bool
    before: Tensors
    gradients: Tensors = field(default_factory=dict)
    after: Tensors = field(default_factory=dict)
    steps: list[int] = field(default_factory=list)  # which optimizer, for each of its steps

    def plain(self) -> dict[str, Any]:
        """As it travels."""
        return {
            "input_ids": self.input_ids,
            "training": self.training,
            "before": self.before,
            "after": self.after,
            "gradients": self.gradients,
            "steps": max((self.steps.count(each) for each in self.steps), default=0),
        }


class Log:
    """Watches one model for as long as `watching` lasts."""

    def __init__(self, model: nn.Module) -> None:
        self.updates: list[Update] = []
        self.held: set[str] = set()
        self.model = model
        self._piled: Tensors = {}
        self._optimizers: dict[int, Any] = {}

    @contextmanager
    def watching(self) -> Iterator["Log"]:
        """Keep the log while the block runs."""
        names = {id(p): name for name, p in self.model.named_parameters()}
        handles = [
            self.model.register_forward_pre_hook(self._forward, with_kwargs=True),
            register_optimizer_step_pre_hook(self._before_step),
            register_optimizer_step_post_hook(self._after_step),
            *(
                p.register_post_accumulate_grad_hook(lambda p: self._pile(names[id(p)], p))
                for p in self.model.parameters()
                if p.requires_grad
            ),
        ]
        try:
            yield self
        finally:
            for handle in handles:
                handle.remove()
            self._close()

    def _forward(self, _: nn.Module, args: tuple[Any, ...], values: dict[str, Any]) -> None:
        if not torch.is_grad_enabled():
            return
        self._close()
        ids = args[0] if args else values.get("input_ids")
        ids = ids.detach().clone() if isinstance(ids, torch.Tensor) else torch.zeros(0)
        self.updates.append(Update(ids, self.model.training, state(self.model)))

    def _pile(self, name: str, parameter: torch.Tensor) -> None:
        if parameter.grad is not None:
            self._piled[name] = parameter.grad.detach().clone()

    def _before_step(self, optimizer: Any, *_: Any) -> None:
        held = {id(p) for group in optimizer.param_groups for p in group["params"]}
        named = [(name, p) for name, p in self.model.named_parameters() if id(p) in held]
        self.held |= {name for name, _ in named}
        if not named or not self.updates:
            return
        self._optimizers[id(optimizer)] = optimizer  # kept, so that no other gets its number
        update = self.updates[-1]
        update.steps.append(id(optimizer))
        for name, p in named:
            if p.grad is not None:
                update.gradients[name] = p.grad.detach().to_dense().clone()

    def _after_step(self, *_: Any) -> None:
        if self.updates:
            self.updates[-1].after = state(self.model)

    def _close(self) -> None:
        """End the last forward; a change that no optimizer made is one by hand.

        Without a backward it is none: an evaluation, and then the best weights taken back.
        """
        if self.updates and not self.updates[-1].steps:
            last = self.updates[-1]
            last.after = state(self.model)
            moved = (not torch.equal(last.after[name], each) for name, each in last.before.items())
            if self._piled and any(moved):
                last.gradients = dict(self._piled)
                last.steps.append(0)
        self._piled = {}
