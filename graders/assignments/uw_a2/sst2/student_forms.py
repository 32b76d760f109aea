"""Detect the form in which the student's functions return numbers, to return them likewise.

    evaluate -> (0.81, 12)       seen on predictions that are all correct, and all wrong
    form.filled(0.5) -> (0.5, 0.5)

Nothing is graded here.
"""

import contextlib
from dataclasses import dataclass
from functools import cache, partial
from typing import Any

import numpy as np
import torch

from graders.adapting.devices import on_cpu

from ..sst2_training.student_evaluation import predicting
from .student_code import CountedSchedule, Names, accepted, call, definition
from .student_models import classifier, loader
from .student_saves import keeping, unseen

CLASSES = {"good": 1, "bad": 0}
Place = tuple[Any, ...]  # how to reach a number: () for itself, ("acc",) or (1,) inside a container


@dataclass(frozen=True, slots=True)
class Form:
    """A returned value, the place of the accuracy in it, and its unit."""

    value: Any
    accuracy: Place = ()
    unit: float = 1.0
    worked: Names | None = None  # arguments with which the function returned this value
    sets_training: bool = False  # whether the function sets training mode

    def filled(self, number: float) -> Any:
        """Return the same with this accuracy, and with its complement where a number falls."""
        return self._filled(self.value, (), number)

    def _filled(self, value: Any, place: Place, number: float) -> Any:
        if place == self.accuracy:
            return _scalar(value, number * self.unit)
        if isinstance(value, dict):
            return {key: self._filled(part, (*place, key), number) for key, part in value.items()}
        if isinstance(value, list | tuple) and not place:
            parts = [self._filled(part, (at,), number) for at, part in enumerate(value)]
            named = hasattr(value, "_fields")
            return type(value)(*parts) if named else type(value)(parts)
        return _scalar(value, 1 - number)


def _scalar(value: Any, number: float) -> Any:
    """Return the number in the type of the value, or the value if it is not a number."""
    if isinstance(value, torch.Tensor) and value.numel() == 1:
        return torch.full_like(value.detach(), number, dtype=torch.get_default_dtype())
    if isinstance(value, np.generic):
        return np.float64(number)
    return float(number) if isinstance(value, int | float) else value


def numbers(value: Any) -> dict[Place, float]:
    """Return all single numbers in a returned value, by place."""
    if isinstance(value, list | tuple | dict):
        parts = value.items() if isinstance(value, dict) else enumerate(value)
        return {(key,): number for key, part in parts if (number := _number(part)) is not None}
    number = _number(value)
    return {} if number is None else {(): number}


def _number(value: Any) -> float | None:
    if isinstance(value, torch.Tensor):
        return float(value) if value.numel() == 1 else None
    if isinstance(value, np.ndarray):
        return float(value.item()) if value.size == 1 else None
    return float(value) if isinstance(value, int | float | np.generic) else None


@cache
def evaluation_form(evaluate: Any, seed: int, **options: Any) -> tuple[Form, bool]:
    """Return what evaluate returns with these options, and whether it leaves training mode on.

    If evaluate does not work, assume a float and eval mode: its own checks report that.
    """
    values = {"model": classifier(seed), "loader": loader(*_source((1, 0)))}
    try:
        run = partial(evaluate, **options)
        (right, left), (wrong, _) = (_evaluated(run, values, labels) for labels in ((1, 0), (0, 1)))
    except Exception:  # noqa: BLE001
        return Form(0.0), False
    before, after = numbers(wrong), numbers(right)
    for place, number in after.items():
        if number in (1.0, 100.0) and before.get(place) == 0.0:
            return Form(right, place, number, worked=values), left
    return Form(0.0, worked=values), left


def _evaluated(evaluate: Any, arguments: Names, labels: tuple[int, int]) -> tuple[Any, bool]:
    """Return evaluate's result for a good and a bad text with these labels."""
    model = arguments["model"].train()
    batches = loader(*_source(labels))
    # enable_grad ends with the mode before it, whatever evaluate sets.
    with on_cpu(), keeping(unseen), predicting(model, CLASSES), torch.enable_grad():
        returned = call(evaluate, {**arguments, "loader": batches})
    return returned, model.training


def training_forms(seed: int) -> list[Form]:
    """Return what train_one_epoch returns or, if it does not work, what it may be meant to."""
    model = classifier(seed).eval()
    values = {
        "model": model,
        "loader": loader(*_source((1, 0))),
        "optimizer": torch.optim.SGD(model.parameters(), lr=0.001),
        "epoch": 0,
    }
    try:
        with on_cpu(), keeping(unseen), torch.enable_grad():
            returned = call(definition("train_one_epoch"), values)
    except Exception:  # noqa: BLE001  its own checks report it
        return [Form(None), Form(0.5), Form((0.5, 0.5), (1,))]
    place = next(reversed(numbers(returned)), ())
    return [Form(returned, place, worked=values, sets_training=model.training)]


def schedule_steps(train: Any, form: Form, name: str, batches: int) -> int:
    """Return how often `train` steps its parameter `name`, a schedule, in so many batches.

    It may step for each batch, for every few, or once after all. If it does not work, assume 0.
    """
    schedule, rows = CountedSchedule(), [{"text": "good film", "label": 1}] * batches
    with on_cpu(), keeping(unseen), torch.enable_grad(), contextlib.suppress(Exception):
        values = {**(form.worked or {}), "loader": loader("given", rows, 1)}
        train(**{**accepted(train, values), name: schedule})
        return schedule.steps
    return 0


def _source(labels: tuple[int, int]) -> tuple[str, list[dict[str, Any]], int]:
    """Return two texts in one batch, in the handout's format."""
    texts = ("good film", "bad film")
    return "given", [{"text": t, "label": n} for t, n in zip(texts, labels, strict=True)], 2
