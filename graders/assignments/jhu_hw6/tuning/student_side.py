"""Find what a student's train() changes in the student's model, in each kind of tuning."""

from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, TypeGuard

import torch
from torch import nn
from torch.optim.optimizer import register_optimizer_step_post_hook

from graders.adapting.unavailable import cause_of

from ..boolq_data.student_side import own_forms
from ..student_model import (
    HUB_NAMES,
    Parts,
    build,
    called,
    gradients_of,
    logits_of,
    prepared,
    provide_rows,
)
from ..student_model import NAME as CLASS
from ..student_script import handed_over
from ..student_side import FILES, PREFIX_LENGTH, definitions, offline
from ..student_spy import state
from ..training.student_side import NAME, run

MOST_TEXT = 200  # characters of an exception


def tuned(
    spec: dict[str, Any], batches: dict[str, Any], plan: dict[str, Any], file: str
) -> dict[str, Any]:
    """Return which parameters of each part a short run changed, and which it should have.

    `made` contains the parameters of each optimizer; `error` describes what ended the run. If the
    backbone is trained but should not be, the student's pre_process or the script may freeze it, so
    these are tried, too. If it should be, but pre_process freezes it, that one's model is used.
    """
    with offline():
        reply = _tuned(build(spec, file), batches, plan, file)
        if spec["type"] == "full":
            model = prepared(spec, file)
            return _tuned(model, batches, plan, file) if _is_frozen(model) else reply
        if not set(reply["changed"]) & set(reply["backbone"]):
            return reply
        for make in (prepared, _handed_over):
            model = make(spec, file)
            if model is not None and not all(p.requires_grad for p in model.parameters()):
                return _tuned(model, batches, plan, file)
        return reply


def _is_frozen(model: nn.Module | None) -> TypeGuard[nn.Module]:
    """Return whether there is a model without any trainable parameter in its backbone."""
    with suppress(LookupError):
        return model is not None and not any(
            parameter.requires_grad for parameter in Parts(model).backbone.parameters()
        )
    return False


def _tuned(
    model: nn.Module, batches: dict[str, Any], plan: dict[str, Any], file: str
) -> dict[str, Any]:
    """Return the same for a given model, with the student's evaluate_model unless that raises."""
    parts, before, error, loop = Parts(model), state(model), "", _loop_of(file)
    ours: BaseException | None = None
    for own, sets in ((own, sets) for own in (True, False) for sets in own_forms(batches, loop)):
        with _optimizers() as optimizers, _noting(model, before) as moved:
            try:
                run(model, sets, plan, file=loop, own=own)
                error, ours = "", None
                break
            except (Exception, SystemExit) as problem:  # noqa: BLE001  told; other checks judge the loop
                error, ours = _named(problem), cause_of(problem)
    after = state(model)
    changed = [
        name for name in before if name in moved or not torch.equal(before[name], after[name])
    ]
    if ours is not None and not changed:
        raise ours
    return {
        "error": error,
        "raises": "" if changed or not error else _raised_in_training(model, batches["train"]),
        "untied": not changed and not error and _is_untied(model, batches["train"]),
        "parts": parts.description(),
        "changed": changed,
        "backbone": [name for name in before if name not in parts.outside],
        "sizes": {name: p.numel() for name, p in model.named_parameters()},
        "made": [_names(model, parameters) for parameters in optimizers],
    }


def _raised_in_training(model: nn.Module, batch: dict[str, Any]) -> str:
    """Return what the model raises for a batch in training mode, but not in evaluation mode."""
    raised = [_raised(model.train(mode), batch) for mode in (False, True)]
    return "" if raised[0] else raised[1]


def _is_untied(model: nn.Module, batch: dict[str, Any]) -> bool:
    """Return whether the logits in training mode depend on no parameter, so no loop changes any."""
    try:
        logits, _ = logits_of(called(model.train(), batch))
        return not gradients_of(model, logits)
    except Exception:  # noqa: BLE001  other checks report it
        return False


def _raised(model: nn.Module, batch: dict[str, Any]) -> str:
    try:
        called(model, batch)
    except Exception as problem:  # noqa: BLE001  told
        return "" if cause_of(problem) else f"{_named(problem)}: {problem}"[:MOST_TEXT]
    return ""


def _named(problem: BaseException) -> str:
    """Return the type of an exception; torch's own NotImplementedError is a RuntimeError here."""
    name = type(problem).__name__
    return "RuntimeError" if name == "NotImplementedError" and "kernel" in str(problem) else name


def _handed_over(spec: dict[str, Any], file: str) -> nn.Module | None:
    """Return the model of this kind that the student's script freezes before train(), if any."""
    provide_rows()
    try:
        models = handed_over(CLASS, file, type=spec["type"], model=HUB_NAMES[spec["family"]])
    except Exception:  # noqa: BLE001  what it does beside is not judged
        return None
    frozen = [model for model in models if not all(p.requires_grad for p in model.parameters())]
    size = spec.get("length", PREFIX_LENGTH) * spec["width"]
    has_prefix = spec["type"] == "prefix"
    return next((m for m in frozen if bool(Parts(m).prefix(size)) == has_prefix), None)


def _loop_of(file: str) -> str:
    """Return the file whose train() is meant for the class of this file.

    It is the same file, or else the homework's file for such classes, or any but its other file.
    """

    def rank(other: str) -> tuple[bool, bool, bool]:
        stem = Path(other).stem.lower()
        return other != file, stem != FILES[1], stem == FILES[0]

    return min((definition["file"] for definition in definitions(NAME)), key=rank, default=file)


def _names(model: nn.Module, given: list[torch.Tensor]) -> list[str]:
    held = {id(p) for p in given if p.requires_grad}
    return [name for name, p in model.named_parameters() if id(p) in held]


@contextmanager
def _noting(model: nn.Module, before: dict[str, torch.Tensor]) -> Iterator[set[str]]:
    """Yield the parameters that differ after any step: equal steps may cancel each other."""
    moved: set[str] = set()

    def note(*_: Any) -> None:
        now = state(model)
        moved.update(name for name in before if not torch.equal(before[name], now[name]))

    hook = register_optimizer_step_post_hook(note)
    try:
        yield moved
    finally:
        hook.remove()


@contextmanager
def _optimizers() -> Iterator[list[list[torch.Tensor]]]:
    """Yield the parameters of every optimizer that is created inside the block."""
    parameters: list[list[torch.Tensor]] = []
    original = torch.optim.Optimizer.__init__

    def init(self: Any, *args: Any, **named: Any) -> None:
        original(self, *args, **named)
        parameters.append([p for group in self.param_groups for p in group["params"]])

    torch.optim.Optimizer.__init__ = init  # type: ignore[method-assign]
    try:
        yield parameters
    finally:
        torch.optim.Optimizer.__init__ = original  # type: ignore[method-assign]
