"""Runs the student's main with training and evaluation scripted; beside that code.

    main -> train_one_epoch (ours)   marks the weights with the number of the epoch
         -> evaluate (ours)          returns a drawn accuracy, in the student's own form
         -> torch.save, save_pretrained, DataLoader, optimizer      noted

Nothing is judged here.
"""

import contextlib
import inspect
import tempfile
from collections.abc import Callable, Iterator
from functools import partial
from types import ModuleType
from typing import Any
from unittest import mock

import torch
from adapters_sst2_code import code, optional, wanted
from adapters_sst2_data import Rows, provide
from adapters_sst2_forms import Form, evaluation_form, training_forms
from adapters_sst2_loaders import Loaders, in_process, strange_id
from adapters_sst2_marks import mark, marked
from adapters_sst2_saves import keeping
from adapting.gathered import code_folder
from adapting.raised import is_of_this_machine, is_raised_inside, told
from torch import nn
from torch.utils.data import DataLoader

ENOUGH = 2000  # events: a main of more than that has lost its way
ARGUMENTS = {
    "epochs": 8, "batch": 4, "rate": 5e-5, "lr": 5e-5, "model": "roberta-base", "seed": 0,
    "decay": 0.01, "eps": 1e-8, "optim": "AdamW", "name": "run", "device": torch.device("cpu"),
}  # fmt: skip


class Script:
    """What stands in for training and evaluation, and all that was noted meanwhile."""

    def __init__(
        self, script: dict[str, list[float]], splits: dict[str, Rows], weights: int
    ) -> None:
        self._script = script
        self._forms = partial(evaluation_form, optional("evaluate"), weights)
        self._loaders = Loaders(splits)
        self.epoch = 0
        self.events: list[dict[str, Any]] = []

    def report(self, problem: Exception | None) -> dict[str, Any]:
        """Return all that main did, what its loaders deliver, and what it raised in the end."""
        ended = told(problem, code_folder()) if problem is not None else {}
        return {"events": self.events, "loaders": self._loaders.seen, "ended": ended}

    def note(self, kind: str, **values: Any) -> None:
        """Keep one event."""
        if len(self.events) >= ENOUGH:
            raise RuntimeError("main trains, evaluates and saves without an end")
        self.events.append({"kind": kind, "epoch": self.epoch, **values})

    def kept(self, place: str, weights: int) -> None:
        """Weights were written to a file."""
        if weights >= 0:
            self.note("keep", place=place[:200], weights=weights)

    def train(self, form: Form, *args: Any, **kwargs: Any) -> Any:
        """In place of train_one_epoch."""
        given = [*args, *kwargs.values()]
        model, optimizer = _of(given, nn.Module), _of(given, torch.optim.Optimizer)
        self.epoch += 1
        split, described = self._split(given), _described(optimizer, model)
        strange = next(filter(None, (strange_id(each, model) for each in _loaders(given))), "")
        noted = {"split": split, "optimizer": described, "strange": strange}
        self.note("train", training=_trains(model), **noted)
        if model is not None:
            mark(model, self.epoch)
        return form.filled(self._number("train"))

    def evaluate(self, *args: Any, **kwargs: Any) -> Any:
        """In place of evaluate."""
        plain = {key: each for key, each in kwargs.items() if isinstance(each, bool | int | str)}
        form, leaves_training = self._forms(**plain)
        given = [*args, *kwargs.values()]
        model, split = _of(given, nn.Module), self._split(given)
        self.note(
            "evaluate",
            split=split,
            weights=marked(model),
            training=_trains(model),
            gradient=torch.is_grad_enabled(),
        )
        if model is not None and leaves_training is not None:
            model.train(leaves_training)
        return form.filled(self._number(split))

    def _split(self, given: list[Any]) -> str:
        loaders = _loaders(given)
        loaders.sort(key=lambda each: not isinstance(each, DataLoader))
        return self._loaders.split(loaders[0]) if loaders else ""

    def _number(self, split: str) -> float:
        numbers = self._script.get(split) or [0.5]
        return numbers[min(self.epoch, len(numbers) - 1)]


def _loaders(given: list[Any]) -> list[Any]:
    loaders = [each for each in given if hasattr(each, "__iter__") and hasattr(each, "__len__")]
    return [each for each in loaders if not isinstance(each, str | nn.Module | torch.Tensor)]


def _of(given: list[Any], kind: Any) -> Any:
    """The first argument of a kind."""
    return next((each for each in given if isinstance(each, kind)), None)


def _trains(model: nn.Module | None) -> bool:
    return model is not None and model.training


def _described(optimizer: torch.optim.Optimizer | None, model: nn.Module | None) -> dict[str, Any]:
    """The optimizer's class and settings, and how many of the model's weights it holds."""
    if optimizer is None:
        return {"name": ""}
    held = {id(each) for group in optimizer.param_groups for each in group["params"]}
    parameters = [each for each in model.parameters() if each.requires_grad] if model else []
    group = optimizer.param_groups[0]
    settings = {"lr": group.get("initial_lr", group.get("lr")), "eps": group.get("eps")}
    return {
        "name": type(optimizer).__name__,
        "adamw": isinstance(optimizer, torch.optim.AdamW) or type(optimizer).__name__ == "AdamW",
        "held": sum(id(each) in held for each in parameters),
        "weights": len(parameters),
        **{name: float(each) for name, each in settings.items() if isinstance(each, int | float)},
    }


def sst2_main(
    script: dict[str, list[float]], splits: dict[str, Rows], weights: int
) -> dict[str, Any]:
    """What main does with these splits, where evaluation follows the script.

    The script has a number for each epoch and split, the one before training first. A main that
    raises once it has trained is told by what it did until then.
    """
    provide(splits)
    main = wanted("main")
    tried: list[tuple[Script, BaseException]] = []
    for training in training_forms(weights):
        run = Script(script, splits, weights)
        standins = {
            "train_one_epoch": lambda *a, form=training, run=run, **k: run.train(form, *a, **k),
            "evaluate": lambda *a, run=run, **k: run.evaluate(*a, **k),
        }
        try:
            _run(main, standins, run)
        except (Exception, SystemExit) as error:  # noqa: BLE001  the next form may be the one main expects
            tried.append((run, error))
            continue
        return run.report(None)
    run, problem = max(tried, key=lambda each: len(each[0].events))
    late = not is_raised_inside(problem, code().loops_around("train_one_epoch"))
    if run.epoch and (late or is_of_this_machine(problem)):
        return run.report(problem)
    raise tried[0][1]


def _run(main: Callable[..., Any], standins: dict[str, Any], run: Script) -> None:
    from adapting.devices import on_cpu

    with (
        tempfile.TemporaryDirectory(dir=".") as folder,
        contextlib.chdir(folder),
        on_cpu(),
        _replaced(main, standins),
        keeping(run.kept),
        mock.patch.object(DataLoader, "__init__", in_process),
    ):
        try:
            main(**_arguments(main))
        except SystemExit as ended:  # a script may end so; with a message or a status it failed
            if ended.code:
                raise
        finally:  # what main leaves switched off is not for the checks that come after it
            torch.set_grad_enabled(True)
            torch.set_default_dtype(torch.float32)


@contextlib.contextmanager
def _replaced(main: Callable[..., Any], standins: dict[str, Any]) -> Iterator[None]:
    """The stand-ins wherever main finds the functions: in its file, or in a module it uses."""
    own = getattr(inspect.unwrap(main), "__globals__", code().namespace)
    with contextlib.ExitStack() as stack:
        for space in (own, code().namespace):
            stack.enter_context(mock.patch.dict(space, standins))
        for module in [each for each in own.values() if isinstance(each, ModuleType)]:
            for name, standin in standins.items():
                if vars(module).get(name, module) is optional(name):
                    stack.enter_context(mock.patch.object(module, name, standin))
        yield


def _arguments(main: Callable[..., Any]) -> dict[str, Any]:
    """Values for what main demands."""
    demanded = [
        name
        for name, each in inspect.signature(main).parameters.items()
        if each.default is each.empty
        and each.kind in (each.POSITIONAL_OR_KEYWORD, each.KEYWORD_ONLY)
    ]
    return {
        name: next((v for word, v in ARGUMENTS.items() if word in name.lower()), _Options())
        for name in demanded
    }


class _Options:
    """What an argument parser would give: a value for whatever option is read."""

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        return next((v for word, v in ARGUMENTS.items() if word in name.lower()), None)
