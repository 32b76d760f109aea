"""Provide the AdamW that transformers had before release 5."""

import math
from collections.abc import Callable, Iterable
from typing import Any

import torch


class AdamW(torch.optim.Optimizer):
    """Adam with decoupled weight decay; its eps is added before the bias is corrected."""

    def __init__(  # noqa: PLR0913  the signature of the removed class
        self,
        params: Iterable[Any],
        lr: float = 1e-3,
        betas: tuple[float, float] = (0.9, 0.999),
        eps: float = 1e-6,
        weight_decay: float = 0.0,
        correct_bias: bool = True,
        no_deprecation_warning: bool = False,
    ) -> None:
        defaults = {"lr": lr, "betas": betas, "eps": eps, "weight_decay": weight_decay}
        super().__init__(params, defaults | {"correct_bias": correct_bias})

    @torch.no_grad()
    def step(self, closure: Callable[[], Any] | None = None) -> Any:
        """Update every parameter that has a gradient."""
        loss = None
        if closure is not None:
            with torch.enable_grad():
                loss = closure()
        for group in self.param_groups:
            for parameter in group["params"]:
                if parameter.grad is not None:
                    self._update(parameter, group)
        return loss

    def _update(self, parameter: torch.Tensor, group: dict[str, Any]) -> None:
        state = self.state[parameter]
        if not state:
            state["step"] = 0
            state["exp_avg"] = torch.zeros_like(parameter)
            state["exp_avg_sq"] = torch.zeros_like(parameter)
        state["step"] += 1
        (first, second), rate, gradient = group["betas"], group["lr"], parameter.grad
        state["exp_avg"].mul_(first).add_(gradient, alpha=1 - first)
        state["exp_avg_sq"].mul_(second).addcmul_(gradient, gradient, value=1 - second)
        step = rate
        if group["correct_bias"]:
            step *= math.sqrt(1 - second ** state["step"]) / (1 - first ** state["step"])
        scale = state["exp_avg_sq"].sqrt().add_(group["eps"])
        parameter.addcdiv_(state["exp_avg"], scale, value=-step)
        if group["weight_decay"] > 0:
            parameter.add_(parameter, alpha=-rate * group["weight_decay"])
