"""Run the student's main with scripted training and evaluation, in the student's child.

    main -> train_one_epoch (ours)   marks the weights with the number of the epoch
         -> evaluate (ours)          returns a random accuracy, in the student's own form
         -> torch.save, save_pretrained, DataLoader, optimizer      noted

Nothing is graded here.
"""

import ast
import contextlib
import inspect
import itertools
import tempfile
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from types import ModuleType
from typing import Any
from unittest import mock

import torch
from torch import nn
from torch.nn.modules.module import register_module_forward_pre_hook
from torch.optim.lr_scheduler import LRScheduler
from torch.utils.data import DataLoader

from graders.adapting.arguments import is_required, require_fit
from graders.adapting.devices import on_cpu
from graders.adapting.gathered import calls, code_folder
from graders.adapting.raised import described, is_of_this_machine, is_raised_inside

from ..sst2.student_code import WANTED, accepted, call, code, definition, optional
from ..sst2.student_forms import Form, evaluation_form, schedule_steps, training_forms
from ..sst2.student_loaders import Loaders, in_process, strange_id
from ..sst2.student_marks import firsts, mark, marked
from ..sst2.student_models import has_dropout, tokenizer
from ..sst2.student_saves import NeverSaved, keeping, unseen
from ..sst2.student_values import item
from ..sst2_data.student_side import Rows, datasets_of, provide
from .student_origin import foreign, is_untrained

EVALUATING = ("evaluate", "load", "load_state_dict", "from_pretrained")
ENOUGH = 2000  # events: a main with more is stuck
MOST_BATCHES = 200  # more than our splits have
NO_RATE = 1e-9  # with less, 20 epochs move a weight by less than 0.000003
ARGUMENTS = {
    "epochs": 8, "batch": 4, "rate": 5e-5, "lr": 5e-5, "model": "roberta-base", "seed": 0,
    "decay": 0.01, "eps": 1e-8, "optim": "AdamW", "name": "run", "device": torch.device("cpu"),
}  # fmt: skip


class Script:
    """The replacements of training and evaluation, and everything that was recorded."""

    def __init__(
        self, script: dict[str, list[float]], splits: dict[str, Rows], weights: int
    ) -> None:
        self._script = script
        self._own = {name: optional(name) for name in ("train_one_epoch", "evaluate")}
        self._forms = partial(evaluation_form, optional("evaluate"), weights)
        self._loaders = Loaders(splits)
        self._initial: list[float] = []  # the first numbers of the weights before training
        self.epoch = 0
        self._steps: dict[str, int] = {}  # of an epoch, by the parameter of the schedule
        self._asking = False  # whether a stand-in calls a model to learn its form
        self._evaluates = False  # whether main calls a model itself after training
        self.events: list[dict[str, Any]] = []

    def report(self, problem: BaseException | None) -> dict[str, Any]:
        """Return the events of main, what its loaders return, and what it raised at the end."""
        return {
            "events": self.events,
            "loaders": self._loaders.seen,
            "ended": _ended(problem) if problem is not None else {},
            "tests_elsewhere": self._evaluates or _tests_elsewhere(),
            "takes_options": _takes_options(),
        }

    def forward(self, *_: Any) -> None:
        """Note that main, or another function than evaluate, calls a model."""
        self._evaluates = self._evaluates or (self.epoch > 0 and not self._asking)

    @contextlib.contextmanager
    def _asking_models(self) -> Iterator[None]:
        """Do not take the calls of models in this block for main's own."""
        self._asking = True
        try:
            yield
        finally:
            self._asking = False

    def note(self, kind: str, **values: Any) -> None:
        """Record one event."""
        if len(self.events) >= ENOUGH:
            raise RuntimeError("main trains, evaluates and saves endlessly")
        self.events.append({"kind": kind, "epoch": self.epoch, **values})

    def note_weights(self, place: str, weights: int) -> None:
        """Record that weights were written to a file."""
        if weights >= 0:
            self.note("keep", place=place[:200], weights=weights)

    def train(self, form: Form, *args: Any, **kwargs: Any) -> Any:
        """Replace train_one_epoch."""
        self._require_fit("train_one_epoch", form, args, kwargs)
        values = [*args, *kwargs.values()]
        model, optimizer = _of(values, nn.Module), _of(values, torch.optim.Optimizer)
        self.epoch += 1
        split, described = self._split(values), _described(optimizer, model)
        strange = next(filter(None, (strange_id(loader, model) for loader in _loaders(values))), "")
        noted: dict[str, Any] = {"split": split, "optimizer": described, "strange": strange}
        with self._asking_models():
            classes = _classes(model)
        if self.epoch == 1:
            self._initial = firsts(model)
            noted["untrained"] = is_untrained(model)
            families = (foreign(loader, model) for loader in _loaders(values))
            noted["foreign"] = next(filter(None, families), "")
        noted["before"] = marked(model)
        noted["gradient"] = torch.is_grad_enabled() or not self._needs_gradients(form)
        self.note("train", training=_trains(model), classes=classes, **noted)
        self._step_schedules(form, args, kwargs)
        if model is not None:
            mark(model, self.epoch)
            model.train(model.training or form.sets_training)
        return form.filled(self._number("train"))

    def evaluate(self, *args: Any, **kwargs: Any) -> Any:
        """Replace evaluate."""
        plain = {key: value for key, value in kwargs.items() if isinstance(value, bool | int | str)}
        with self._asking_models():
            form, leaves_training = self._forms(**plain)
        self._require_fit("evaluate", form, args, kwargs)
        values = [*args, *kwargs.values()]
        model, split = _of(values, nn.Module), self._split(values)
        initial = self.epoch > 0 and firsts(model) == self._initial != []
        if model is not None and split == "validation" and not (initial or marked(model)):
            mark(model, self.epoch)  # an average of several epochs' weights, as AveragedModel's
        self.note(
            "evaluate",
            split=split,
            weights=marked(model),
            initial=initial,
            training=_trains(model),
            gradient=torch.is_grad_enabled(),
        )
        if model is not None and leaves_training is not None:
            model.train(leaves_training)
        return form.filled(self._number(split))

    def _needs_gradients(self, form: Form) -> bool:
        """Return whether the student's loops raise with gradients off, as main leaves them."""
        evaluated, _ = self._forms()
        with self._asking_models(), keeping(unseen), torch.no_grad():
            with contextlib.suppress(Exception):  # it may turn them on again
                call(self._own["evaluate"], evaluated.worked or {})
            try:
                call(self._own["train_one_epoch"], form.worked or {})
            except Exception:  # noqa: BLE001
                return form.worked is not None
        return False

    def _require_fit(
        self, name: str, form: Form, args: Sequence[Any], kwargs: dict[str, Any]
    ) -> None:
        """Raise TypeError if main's call does not fit the student's own function."""
        function = self._own[name]
        if function is not None:
            works = {} if form.worked is None else accepted(function, form.worked)
            with self._asking_models():
                require_fit(function, args, kwargs, works)

    def _step_schedules(self, form: Form, args: Sequence[Any], kwargs: dict[str, Any]) -> None:
        """Make the steps that the student's train_one_epoch makes of main's schedules."""
        function, loaders = self._own["train_one_epoch"], _loaders([*args, *kwargs.values()])
        try:
            batches = min(len(loaders[0]), MOST_BATCHES)
        except (IndexError, TypeError):  # there is none, or it does not know its length
            return
        if function is None:
            return
        for name, schedule in inspect.signature(function).bind(*args, **kwargs).arguments.items():
            if not isinstance(schedule, LRScheduler):
                continue
            if name not in self._steps:
                with self._asking_models():
                    self._steps[name] = schedule_steps(function, form, name, batches)
            with contextlib.suppress(Exception):  # some raise after their last step
                for _ in range(self._steps[name]):
                    schedule.step()

    def _split(self, given: list[Any]) -> str:
        loaders = _loaders(given)
        return self._loaders.split(loaders[0]) if loaders else ""

    def _number(self, split: str) -> float:
        numbers = self._script.get(split) or [0.5]
        return numbers[min(self.epoch, len(numbers) - 1)]


def _loaders(given: list[Any]) -> list[Any]:
    """Return the arguments that may be dataloaders, the likely ones first."""
    loaders = [value for value in given if hasattr(value, "__iter__") and hasattr(value, "__len__")]
    loaders.sort(key=lambda loader: not isinstance(loader, DataLoader))
    return [loader for loader in loaders if not isinstance(loader, str | nn.Module | torch.Tensor)]


def _of(given: list[Any], kind: Any) -> Any:
    """Return the first argument of a kind."""
    return next((value for value in given if isinstance(value, kind)), None)


def _trains(model: nn.Module | None) -> bool:
    return model is not None and has_dropout(model)


def _classes(model: Any) -> int:
    """Return the number of classes of a model of transformers; 0 if unknown.

    Its settings have the number, but its last layer may have been replaced.
    """
    from transformers import PreTrainedModel

    model = getattr(model, "module", model)
    count = getattr(getattr(model, "config", None), "num_labels", 0)
    if isinstance(model, PreTrainedModel):
        with contextlib.suppress(Exception), torch.no_grad():
            count = model(torch.zeros(1, 2, dtype=torch.long)).logits.shape[-1]
    return count if isinstance(count, int) else 0


def _tests_elsewhere() -> bool:
    """Return whether code outside main evaluates a model on test, as a later cell may."""
    return any(
        "test" in ast.unparse(statement.node)
        and any(calls(statement.node, name) for name in EVALUATING)
        for statement in code().statements()
        if getattr(statement.node, "name", "") not in (*WANTED, "main")
    )


def _takes_options() -> bool:
    """Return whether main's settings can be chosen when it is started."""
    lines = any(
        calls(statement.node, name)
        for statement in code().statements()
        for name in ("parse_args", "Fire")
    )
    return lines or bool(inspect.signature(definition("main")).parameters)


def _described(optimizer: torch.optim.Optimizer | None, model: nn.Module | None) -> dict[str, Any]:
    """Return the optimizer's class and settings, and how many of the model's weights it has."""
    if optimizer is None:
        return {"name": ""}
    outer, optimizer = optimizer, _unwrapped(optimizer)
    held = {id(parameter) for group in optimizer.param_groups for parameter in group["params"]}
    every = [*model.parameters()] if model else []
    parameters = [parameter for parameter in every if parameter.requires_grad]
    groups = optimizer.param_groups
    rates = [  # as the student chose them, before a schedule changes them
        group.get("max_lr", group.get("initial_lr", group.get("lr"))) for group in groups
    ]
    initial, now = _numbers(rates), _numbers(group.get("lr") for group in groups)
    settings = {"lr": rates[0], "highest": max(initial, default=None), "eps": groups[0].get("eps")}
    settings["now"] = max(now, default=None)
    return {
        "name": type(optimizer).__name__,
        "adamw": isinstance(optimizer, torch.optim.AdamW) or type(optimizer).__name__ == "AdamW",
        "held": sum(id(parameter) in held for parameter in parameters),
        "weights": len(parameters),
        "frozen": len(every) - len(parameters) + _at_rest(groups, parameters),
        "half": any(parameter.dtype == torch.float16 for parameter in parameters),
        "maximizes": any(group.get("maximize") is True for group in groups),
        "scheduled": any(  # torch's own mark
            hasattr(part.step, "_wrapped_by_lr_sched") for part in (outer, optimizer)
        ),
        **{
            name: float(value) for name, value in settings.items() if isinstance(value, int | float)
        },
    }


def _at_rest(groups: list[dict[str, Any]], parameters: list[nn.Parameter]) -> int:
    """Return how many weights are in groups that do not learn, if other groups do."""
    rates = (_numbers(group.get(name) for name in ("lr", "initial_lr")) for group in groups)
    resting = [bool(numbers) and max(numbers) < NO_RATE for numbers in rates]
    if all(resting):  # a wrong rate, not frozen weights
        return 0
    pairs = zip(groups, resting, strict=True)
    at_rest = {id(parameter) for group, rests in pairs if rests for parameter in group["params"]}
    return sum(id(parameter) in at_rest for parameter in parameters)


def _numbers(values: Iterable[Any]) -> list[float]:
    return [float(value) for value in values if isinstance(value, int | float | torch.Tensor)]


def _unwrapped(optimizer: Any) -> Any:
    """Return the optimizer that accelerate's prepare wrapped."""
    return optimizer.optimizer if type(optimizer).__name__ == "AcceleratedOptimizer" else optimizer


def sst2_main(
    script: dict[str, list[float]], splits: dict[str, Rows], weights: int
) -> dict[str, Any]:
    """Run main on these splits, with evaluation following the script.

    The script has a number for each epoch and split, starting before training. If main raises after
    training, its events until then count.
    """
    provide(splits)
    code.cache_clear()  # datasets and models made outside main are those of earlier rows
    splits = _named(splits)
    main = definition("main")
    tried: list[tuple[Script, BaseException]] = []
    for training in training_forms(weights):
        run = Script(script, splits, weights)
        standins = {
            "train_one_epoch": lambda *a, form=training, run=run, **k: run.train(form, *a, **k),
            "evaluate": lambda *a, run=run, **k: run.evaluate(*a, **k),
        }
        try:
            _run(main, standins, run)
        except (Exception, SystemExit) as error:  # noqa: BLE001  main may expect the next form
            tried.append((run, error))
            continue
        return run.report(None)
    run, problem = max(tried, key=lambda attempt: len(attempt[0].events))
    late = not is_raised_inside(problem, code().loops_around("train_one_epoch"))
    if run.epoch and (late or is_of_this_machine(problem)):
        return run.report(problem)
    raise tried[0][1]


def _named(splits: dict[str, Rows]) -> dict[str, Rows]:
    """Return the splits by the names that initialize_datasets gives them, if it exchanges names.

    What main does with these names is then judged alone. Without names, the order in which main
    takes the datasets may be that in which they are returned.
    """
    homes = {row["text"]: split for split, rows in splits.items() for row in rows}
    with contextlib.suppress(Exception), on_cpu():  # its own check reports it
        made = call(definition("initialize_datasets"), {"tokenizer": tokenizer()})
        if not isinstance(made, list | tuple):
            found = {name: homes.get(item(data[0])["text"], "") for name, data in datasets_of(made)}
            if {*found.values()} == {*splits} == {*found}:
                return {name: splits[found[name]] for name in splits}
    return splits


def _run(main: Callable[..., Any], standins: dict[str, Any], run: Script) -> None:
    handle = register_module_forward_pre_hook(run.forward)
    with (
        tempfile.TemporaryDirectory(dir=".") as folder,
        contextlib.chdir(folder),
        on_cpu(),
        _replaced(main, standins),
        keeping(run.note_weights),
        mock.patch.object(DataLoader, "__init__", in_process),
    ):
        try:
            main(**_arguments(main))
        except SystemExit as ended:  # a script may end this way; with a message or status it failed
            if ended.code:
                raise
        finally:  # main must not affect later checks
            handle.remove()
            torch.set_grad_enabled(True)
            torch.set_default_dtype(torch.float32)


def _ended(problem: BaseException) -> dict[str, Any]:
    """Return what main raised; weights that it loads but never saves are its own mistake."""
    ended = described(problem, code_folder())
    return {**ended, "elsewhere": ended["elsewhere"] and not isinstance(problem, NeverSaved)}


@contextlib.contextmanager
def _replaced(main: Callable[..., Any], standins: dict[str, Any]) -> Iterator[None]:
    """Replace the functions wherever main finds them: in its file, a module, or a class."""
    namespace = getattr(inspect.unwrap(main), "__globals__", code().namespace)
    owners = [value for value in namespace.values() if isinstance(value, ModuleType | type)]
    own = {name: _bare(optional(name)) for name in standins}
    with contextlib.ExitStack() as stack:
        for space in (namespace, code().namespace):
            stack.enter_context(mock.patch.dict(space, standins))
        for owner, name in itertools.product(owners, standins):
            if own[name] is not None and _bare(vars(owner).get(name)) is own[name]:
                standin = standins[name]
                new = staticmethod(standin) if isinstance(owner, type) else standin
                stack.enter_context(mock.patch.object(owner, name, new))
        yield


def _bare(function: Any) -> Any:
    """Return the function behind a method; each lookup of a method makes a new wrapper."""
    return getattr(function, "__func__", function)


def _arguments(main: Callable[..., Any]) -> dict[str, Any]:
    """Return values for main's required arguments."""
    return {
        name: next((v for word, v in ARGUMENTS.items() if word in name.lower()), _Options())
        for name, parameter in inspect.signature(main).parameters.items()
        if is_required(parameter)
    }


class _Options:
    """Parsed arguments with a value for every option."""

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        return next((v for word, v in ARGUMENTS.items() if word in name.lower()), None)
