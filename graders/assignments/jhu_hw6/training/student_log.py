"""Log a training run: each update with the batch, the weights and the gradients that it used.

    training forward -> batch, mode, weights before --+
    backward -> gradients as they accumulated         |-> one update for each forward
    optimizer.step (any optimizer) -> gradients used -+       weights after

If no torch optimizer steps, a change of the weights between two forward passes is the update.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any
from unittest import mock

import torch
from torch import nn
from torch.optim.optimizer import (
    register_optimizer_step_post_hook,
    register_optimizer_step_pre_hook,
)
from torch.utils.data import RandomSampler

from ..student_spy import Classifier, state

Tensors = dict[str, torch.Tensor]


@dataclass(slots=True)
class Update:
    """The events from one forward pass in training to the next.

    `gradients` are those that the last step used. If no step was made, or all of them were zero
    then, they are those from backward.
    """

    input_ids: torch.Tensor
    training: bool
    before: Tensors
    gradients: Tensors = field(default_factory=dict)
    after: Tensors = field(default_factory=dict)
    steps: list[int] = field(default_factory=list)  # which optimizer, for each of its steps
    rate: float = -1.0  # the largest learning rate of a step; below 0 if none is known
    foreign: int = 0  # steps of optimizers without any of the model's parameters
    backwards: int = 0  # calls of backward
    reached: bool = False  # whether any of them gave the model a gradient
    cleared: bool = False  # whether the gradients were zero or missing at a step

    def plain(self) -> dict[str, Any]:
        """Return it in a form that can be sent."""
        return {
            "input_ids": self.input_ids,
            "training": self.training,
            "before": self.before,
            "after": self.after,
            "gradients": self.gradients,
            "steps": max((self.steps.count(step) for step in self.steps), default=0),
            "foreign": self.foreign,
            "backwards": self.backwards,
            "reached": self.reached,
            "cleared": self.cleared,
        }


def _in_order(shuffled: Callable[[RandomSampler], Iterator[int]]) -> Any:
    """Return an `__iter__` that draws the items in their order, as a shuffle could.

    A loop with a shuffled loader of its own then uses the batches that the checks expect. A sampler
    that repeats or omits items stays random.
    """

    def drawn(sampler: RandomSampler) -> Iterator[int]:
        size = len(sampler.data_source)
        whole = not sampler.replacement and sampler.num_samples == size
        return iter(range(size)) if whole else shuffled(sampler)

    return drawn


class Log:
    """Watches one model while `watching` is active."""

    def __init__(self, model: Classifier) -> None:
        self.updates: list[Update] = []
        self.sets: dict[tuple[str, int], None] = {}  # read to evaluate, and updates before that
        self.looked = False  # whether the model is called without a backward pass
        self.reloaded = -1  # the updates before its own current weights were last loaded into it
        self.model = model
        self._piled: Tensors = {}
        self._optimizers: dict[int, Any] = {}

    @property
    def stepped(self) -> int:
        """The number of updates that made a step, with a manual one of the last forward pass."""
        return sum(bool(update.steps) for update in self.updates) + self._has_manual_step

    @property
    def renewed(self) -> bool:
        """Whether every step is the only one of its optimizer, whose state is lost after it."""
        steps = [step for update in self.updates for step in update.steps]
        once = len(set(steps)) == len(steps) == len(self._optimizers)
        return once and all(map(_has_state, self._optimizers.values()))

    def read(self, name: str) -> None:
        """Note that a set is used to evaluate; training reads its own with gradients."""
        if name != "train" or not torch.is_grad_enabled():
            self.sets[name, self.stepped] = None

    @contextmanager
    def watching(self) -> Iterator["Log"]:
        """Keep the log while the block runs."""
        names = {id(p): name for name, p in self.model.named_parameters()}
        handles = [
            self.model.register_forward_pre_hook(self._forward, with_kwargs=True),
            self.model._register_load_state_dict_pre_hook(self._load),  # type: ignore[no-untyped-call]  # torch has no types for it
            register_optimizer_step_pre_hook(self._before_step),
            register_optimizer_step_post_hook(self._after_step),
            *(
                p.register_post_accumulate_grad_hook(  # type: ignore[no-untyped-call]  # torch has no types for it
                    lambda p: self._pile(names[id(p)], p.grad)
                )
                for p in self.model.parameters()
                if p.requires_grad
            ),
        ]
        try:
            with (
                mock.patch.object(torch.autograd, "backward", self._counting_backwards()),
                mock.patch.object(torch.autograd, "grad", self._noting_gradients(names)),
                mock.patch.object(RandomSampler, "__iter__", _in_order(RandomSampler.__iter__)),
                _copied_by("cpu"),
                _copied_by("to"),
            ):
                yield self
        finally:
            for handle in handles:
                handle.remove()
            self._close()

    def _counting_backwards(self) -> Any:
        backward = torch.autograd.backward

        def counted(*values: Any, **named: Any) -> Any:
            if self.updates:
                self.updates[-1].backwards += 1
            return backward(*values, **named)

        return counted

    def _noting_gradients(self, names: dict[int, str]) -> Any:
        """Return a torch.autograd.grad that notes the gradients, which no call of backward does."""
        grad = torch.autograd.grad

        def noted(outputs: Any, inputs: Any, *values: Any, **named: Any) -> Any:
            inputs = [inputs] if isinstance(inputs, torch.Tensor) else list(inputs)
            gradients = grad(outputs, inputs, *values, **named)
            if self.updates:
                self.updates[-1].backwards += 1
            for tensor, gradient in zip(inputs, gradients, strict=True):
                if id(tensor) in names:
                    self._pile(names[id(tensor)], gradient)
            return gradients

        return noted

    def _forward(self, _: nn.Module, args: tuple[Any, ...], values: dict[str, Any]) -> None:
        if not torch.is_grad_enabled():
            self.looked = True
            return
        self._close()
        ids = args[0] if args else values.get("input_ids")
        ids = ids.detach().clone() if isinstance(ids, torch.Tensor) else torch.zeros(0)
        self.updates.append(Update(ids, self.model.trains, state(self.model)))

    def _load(self, loaded: Tensors, *_: Any) -> None:
        """Note whether the loaded weights are the model's own: a state_dict is not a copy."""
        parameters = dict(self.model.named_parameters())
        if parameters.keys() <= loaded.keys() and all(
            parameter.data_ptr() == loaded[name].data_ptr()
            for name, parameter in parameters.items()
        ):
            self.reloaded = self.stepped

    def _pile(self, name: str, gradient: torch.Tensor | None) -> None:
        if gradient is not None:
            self._piled[name] = gradient.detach().clone()
            if self.updates:
                self.updates[-1].reached = True

    def _before_step(self, optimizer: Any, *_: Any) -> None:
        held = {id(p) for group in optimizer.param_groups for p in group["params"]}
        named = [(name, p) for name, p in self.model.named_parameters() if id(p) in held]
        if not self.updates:
            return
        update = self.updates[-1]
        if not named:
            update.foreign += 1
            return
        self._optimizers[id(optimizer)] = optimizer  # kept alive, so that its id is not reused
        update.steps.append(id(optimizer))
        rates = (group.get("lr") for group in optimizer.param_groups)
        update.rate = max([update.rate, *(float(rate) for rate in rates if rate is not None)])
        used = {name: p.grad.detach().to_dense() for name, p in named if p.grad is not None}
        update.gradients |= {name: gradient.clone() for name, gradient in used.items()}
        update.cleared = update.cleared or not any(gradient.any() for gradient in used.values())

    def _after_step(self, *_: Any) -> None:
        if self.updates:
            self.updates[-1].after = state(self.model)

    def _close(self) -> None:
        """End the last forward pass; a change without an optimizer is a manual step.

        Without a backward pass it is not: then it is an evaluation, followed by restoring the best
        weights.
        """
        last = self.updates[-1] if self.updates else None
        self.looked = self.looked or (last is not None and not last.backwards)
        if last is not None and last.cleared:
            last.gradients = dict(self._piled)
        if last is not None and not last.steps:
            last.after, last.gradients = state(self.model), dict(self._piled)
            if self._has_manual_step:
                last.steps.append(0)
        self._piled = {}

    @property
    def _has_manual_step(self) -> bool:
        """Whether the weights changed since the last forward pass, without an optimizer's step."""
        last = self.updates[-1] if self.updates else None
        if last is None or last.steps or not self._piled:
            return False
        now = dict(self.model.named_parameters())
        return any(not torch.equal(now[name], weight) for name, weight in last.before.items())


def _has_state(optimizer: Any) -> bool:
    """Return whether an optimizer keeps something from one step to the next."""
    values = (value for state in optimizer.state.values() for value in state.values())
    return any(value is not None for value in values)


def _copied_by(name: str) -> Any:
    """Make a method that moves tensors return a copy, as it does for weights on a GPU."""
    move = getattr(torch.Tensor, name)

    def moved(tensor: torch.Tensor, *values: Any, **named: Any) -> Any:
        result = move(tensor, *values, **named)
        return result.clone() if result is tensor and not tensor.requires_grad else result

    return mock.patch.object(torch.Tensor, name, moved)
