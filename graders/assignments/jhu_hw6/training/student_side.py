"""Run train() for the checks of the training loop, in the student's child."""

import copy
import functools
import inspect
import itertools
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, cast

import numpy as np
import torch
from torch import nn
from torch.utils.data import DataLoader, default_collate

from graders.adapting.arguments import Misfit, require_fit
from graders.adapting.gathered import code_folder
from graders.adapting.moves import MOVERS, Moves, moves_tensors, moving
from graders.adapting.raised import described, is_of_this_machine, is_unwritten

from ..boolq_data.student_side import NAME as DATASET
from ..boolq_data.student_side import own_forms
from ..student_model import (
    HUB_NAMES,
    NARROW,
    PREPARE,
    Parts,
    build,
    prepared,
    provide_rows,
)
from ..student_model import NAME as CLASS
from ..student_script import Enough, run_script
from ..student_side import (
    FILES,
    bound,
    by_name,
    by_position,
    code_of,
    definitions,
    globals_of,
    offline,
    settings,
)
from ..student_spy import CPU, GPU, Classifier, copies_of, items, state
from .student_log import Log

NAME = "train"
SETS = {"train": "train", "validation": "held_out", "test": "held_out"}
OTHERS = ("train", "test")  # the sets by which no epoch should be chosen
EVALUATE = "evaluate_model"
WEIGHTS = {"model.embeddings.weight": np.ones((2**16, 2), np.float32)}  # more than any token here
TINY = {"input_ids": [[1, 2]], "attention_mask": [[1, 1]], "labels": [1]}


def training_log(
    weights: dict[str, Any], batches: dict[str, Any], plan: dict[str, Any], file: str
) -> dict[str, Any]:
    """Return the updates of one run; `batches` contains the training set and the held-out set.

    The plan is {epochs, batch_size, lr, brief, own, trend, alike}: with `brief`, only the learning
    rates and the final weights are returned; without `own`, the student's evaluate_model is not
    used, and the accuracies have this `trend`, on all sets if they are `alike`. `ended` describes
    what the loop raised after it had made updates. With a trend, `kept` is the number of updates
    after which the model had the weights that it has at the end; it is -1 if it never had them.
    `restored` says that those are not the weights after the last update, `looked` that the loop
    itself evaluates the model, `reloaded` that it loads the model's own current weights at the end,
    and `renewed` that each step is the only one of its optimizer, which has a state.
    """
    with offline():
        log, problem = _watched(weights, batches, plan, file)
    if problem is not None and (not log.updates or is_unwritten(problem, code_folder())):
        raise problem
    kept = _final_after(log) if plan["trend"] else -1
    return {
        "updates": [update.plain() for update in log.updates] if not plan["brief"] else [],
        "rates": [update.rate for update in log.updates if update.steps],
        "final": _trained(log),
        "kept": kept,
        "restored": 0 <= kept < len(log.updates),
        "looked": log.looked,
        "reloaded": log.reloaded == log.stepped,
        "renewed": log.renewed,
        "read": [list(pair) for pair in log.sets],
        "misfit": problem is not None and _is_own_fault(problem, file),
        "ended": described(problem, code_folder()) if problem is not None else {},
    }


def _is_own_fault(problem: BaseException, file: str) -> bool:
    """Return whether a call does not fit evaluate_model, or a name does not exist in any file."""
    if isinstance(problem, NameError):
        return not code_of(file).may_assign(str(problem.name))
    return isinstance(problem, Misfit)


def _trained(log: Log) -> dict[str, Any]:
    """Return the weights after the last step, since a loop may restore the best ones after it."""
    return next(
        (update.after for update in reversed(log.updates) if update.steps), state(log.model)
    )


def _final_after(log: Log) -> int:
    """Return after how many updates the model had its final weights, -1 if after none."""
    final = state(log.model)
    states = [
        *(update.before for update in log.updates[:1]),
        *(update.after for update in log.updates),
    ]
    same = (
        number
        for number, weights in enumerate(states)
        if weights and all(torch.equal(weights[name], value) for name, value in final.items())
    )
    return max(same, default=-1)


def _watched(
    weights: dict[str, Any], batches: dict[str, Any], plan: dict[str, Any], file: str
) -> tuple[Log, BaseException | None]:
    """Return the log of the first way to run the loop that does not raise.

    An evaluate_model that raises, an attribute of the student's own model that ours lacks, or an
    axis that only the labels of the student's own dataset have, is not the loop's fault, but a call
    that does not fit evaluate_model is. If every way raises, the one that got furthest counts.
    """
    tried: list[tuple[Log, BaseException]] = []
    for own in (True, False) if plan["own"] else (False,):
        for sets in own_forms(batches, file):
            for make in (Classifier, functools.partial(like_theirs, file=file)):
                log = Log(make(weights))
                problem = _attempt(log, sets, plan, file=file, own=own)
                if problem is None or isinstance(problem, Misfit):
                    return log, problem
                tried.append((log, problem))
    return max(tried, key=lambda attempt: attempt[0].stepped)


def _attempt(
    log: Log, batches: dict[str, Any], plan: dict[str, Any], *, file: str, own: bool
) -> BaseException | None:
    """Run the loop; return what it raises, or how it exits.

    A brief run tests what the loop learns: one that lacks something here at the end of an epoch
    continues.
    """
    epoch = -(-len(batches["train"]["labels"]) // plan["batch_size"])
    while True:
        before = log.stepped
        try:
            with log.watching():
                run(log.model, batches, plan, file=file, own=own, note=log.read)
        except (Exception, SystemExit) as problem:  # noqa: BLE001  told
            goes_on = plan["brief"] and is_of_this_machine(problem)
            ended = log.stepped - before < epoch or log.stepped >= plan["epochs"] * epoch
            if ended or not goes_on:
                return problem
        else:
            return None


def forgets_device(weights: dict[str, Any], batches: dict[str, Any], name: str, file: str) -> bool:
    """Return whether train() or evaluate_model() leaves tensors on the CPU that meet moved ones.

    If the other of the two moves its batches, this one has to move them, too. The student's own
    model is used if there is one, because its forward() may move its inputs. If other code may move
    the batches, nothing is known.
    """
    other = EVALUATE if name == NAME else NAME
    with offline():
        for sets in own_forms(batches, file):
            for model, inside in _models(weights, file):
                moves = _moves(model, inside, sets, name, file)
                if moves.met or (
                    moves.inputs == {False}
                    and _moves(model, inside, sets, other, file).inputs == {True}
                ):
                    return not _is_moved_elsewhere(file)
        return False


def _moves(
    model: nn.Module, inside: nn.Module, sets: dict[str, Any], name: str, file: str
) -> Moves:
    """Return what one short run moves."""
    moves = Moves()
    with moving(inside, moves), suppress(Exception, SystemExit):
        loaders = [
            DataLoader(
                items(sets[part]), 4, collate_fn=lambda rows: moves.loaded(default_collate(rows))
            )
            for part in SETS.values()
        ]
        if name == NAME:
            run_on(model, loaders, {"epochs": 1, "lr": 0.01}, file=file, own=False, device=GPU)
        else:
            named = {"model": model, "dataloader": loaders[-1], "device": GPU}
            by_name(code_of(file)[name], named)
    return moves


def _models(weights: dict[str, Any], file: str) -> Iterator[tuple[nn.Module, nn.Module]]:
    """Yield the models on which this file's functions may run, each with its backbone."""
    if Path(file).stem.lower() != FILES[0] and definitions(CLASS):
        with suppress(Exception):
            model = build({"family": "bert", "type": "full", "width": NARROW}, file)
            yield model, Parts(model).backbone
        return
    for make in (Classifier, functools.partial(like_theirs, file=file)):
        model = make(weights)
        yield model, model


def _is_moved_elsewhere(file: str) -> bool:
    """Return whether something besides the loops may move batches, such as the dataset."""
    code = code_of(file)
    if any(word in text for text in code.texts() for word in (*MOVERS, "collate_fn")):
        return True
    with suppress(Exception):
        return moves_tensors(code[DATASET])
    return False


def like_theirs(weights: dict[str, Any], *, file: str) -> Classifier:
    """Return the classifier with the methods and attributes of the student's own model."""
    model = Classifier(weights)
    spec = {"family": "bert", "type": "full", "width": NARROW}
    for make in (build, prepared):
        try:
            _adopt(model, make(spec, file))
        except Exception:  # noqa: BLE001, S112  then the classifier alone has to do
            continue
    return model


def _adopt(model: Classifier, theirs: nn.Module | None) -> None:
    """Give our model the methods and attributes of theirs.

    In lists and other modules, too, our backbone and classifier replace theirs.
    """
    if theirs is None:
        return
    own = not type(theirs).__module__.startswith("transformers.")  # whatever its name is
    if own and not isinstance(model, type(theirs)):
        model.__class__ = type(Classifier.__name__, (type(model), type(theirs)), {})
    parts = Parts(theirs)
    memo: dict[int, Any] = {id(theirs): model, id(parts.backbone): model.model}
    if parts.head is not None:
        memo[id(parts.head)] = model.classifier
    for name, value in {**vars(theirs), **theirs._modules}.items():
        if not (name.startswith("_") or name in vars(model) or name in model._modules):
            vars(model)[name] = _copied(value, memo)


def _copied(value: Any, memo: dict[int, Any]) -> Any:
    """Return a copy with the replacements of this memo, or the value itself if it has no copy."""
    try:
        return copy.deepcopy(value, memo)
    except Exception:  # noqa: BLE001  such as an open file
        return value


class Rows(list[Any]):
    """The items of a set, which call `note` with the set's name when they are read."""

    def __init__(self, rows: Any, name: str, note: Callable[[str], None]) -> None:
        super().__init__(rows)
        self.name, self._note = name, note

    def __getitem__(self, index: Any) -> Any:
        """Return an item, and note that the set is used."""
        self._note(self.name)
        return super().__getitem__(index)


def run(
    model: nn.Module,
    batches: dict[str, Any],
    plan: dict[str, Any],
    *,
    file: str,
    own: bool,
    note: Callable[[str], None] = lambda _: None,
) -> None:
    """Call the student's train() as its script does; `own` means with its evaluate_model.

    `note` gets the name of each set whenever one of its items is read.
    """
    sets = [_loader(batches[part], name, plan, note) for name, part in SETS.items()]
    run_on(model, sets, plan, file=file, own=own)


def run_on(
    model: nn.Module,
    sets: Sequence[Any],
    plan: dict[str, Any],
    *,
    file: str,
    own: bool,
    device: Any = CPU,
) -> None:
    """Do the same with these loaders for training, validation and test."""
    train: Callable[..., Any] = code_of(file)[NAME]
    order = _expected(train, [model, plan["epochs"], *sets, device, plan["lr"]])
    names = globals_of(train)
    options = {"type": getattr(model, "type", "full"), "small_subset": False}
    names["args"] = settings(**options, device=device)
    replaced = {EVALUATE: names[EVALUATE]} if EVALUATE in names else {}
    if replaced or not own:
        theirs = names.get(EVALUATE)
        used = theirs if own else _evaluation(plan.get("trend", 0), alike=plan.get("alike", False))
        names[EVALUATE] = _fitting(theirs, used, model, file)
    try:
        _train(model, lambda: by_position(train, order, **options))
    finally:
        torch.set_grad_enabled(True)
        names.update(replaced)


def _train(model: nn.Module, call: Callable[[], Any]) -> None:
    """Call train(); if it trains only a copy of the model, again with the model as that copy."""
    before = state(model)

    def is_trained(each: nn.Module) -> bool:
        now = state(each)
        return any(not torch.equal(value, now.get(name, value)) for name, value in before.items())

    def trains_copy() -> bool:
        return bool(copies) and is_trained(copies[0]) and not is_trained(model)

    with copies_of(model) as copies:
        try:
            call()
        except (Exception, SystemExit):
            if not trains_copy():
                raise
    if trains_copy():
        with copies_of(model, first=model):
            call()


def _expected(train: Callable[..., Any], order: list[Any]) -> list[Any]:
    """Return the arguments of the handout's order that this train() expects.

    One with the device as its fifth parameter leaves the test set to the script.
    """
    short = list(inspect.signature(train).parameters)[4:5] == ["device"]
    return [*order[:4], *order[5:]] if short else order


def _loader(
    batch: dict[str, Any], name: str, plan: dict[str, Any], note: Callable[[str], None]
) -> Any:
    return DataLoader(cast(Any, Rows(items(batch), name, note)), plan["batch_size"])


def _fitting(theirs: Any, used: Any, model: nn.Module, file: str) -> Callable[..., Any]:
    """Return the function that is used, for calls that fit the student's own evaluate_model.

    If that works, but not with a part of the trained model, the call does not fit it either.
    """
    works = {} if theirs is None else _works(theirs, file)

    @functools.wraps(used)
    def evaluate(*args: Any, **kwargs: Any) -> Any:
        if theirs is not None:
            require_fit(theirs, args, kwargs, works)
        try:
            return used(*args, **kwargs)
        except Exception as problem:
            values = [*args, *kwargs.values()]
            part = any(value is part for value in values for part in [*model.modules()][1:])
            if part and works and not is_of_this_machine(problem):
                raise Misfit(
                    f"{EVALUATE}() is called with a part of the model: {problem}"
                ) from None
            raise

    return evaluate


def script_misfit(file: str) -> str:
    """Return why the file's script calls pre_process, or first train(), with wrong arguments.

    Nothing is returned if the calls fit, or if no arguments are known with which they work.
    """
    problems: list[str] = []

    def standin(name: str, works: Mapping[str, Any]) -> Callable[..., Any]:
        function = code_of(file)[name]

        @functools.wraps(function)
        def called(*values: Any, **named: Any) -> Any:
            try:
                require_fit(function, values, named, works)
            except Misfit as problem:
                problems.append(str(problem))
                raise Enough from None
            if name == NAME:
                raise Enough  # the rest of the script may take long
            return function(*values, **named)

        return called

    with offline():
        provide_rows()
        used = {name: works for name in (NAME, PREPARE) if (works := _accepted(file, name))}
        if used:
            standins = {name: standin(name, works) for name, works in used.items()}
            names = globals_of(code_of(file)[next(iter(used))])
            run_script(names, standins, type="full")
    return next(iter(problems), "")


def _accepted(file: str, name: str) -> dict[str, Any]:
    """Return arguments with which train or pre_process works, by parameter, if any are known."""
    for order in _orders(file, name):
        try:
            function = code_of(file)[name]
            values = _expected(function, order) if name == NAME else order
            by_position(function, values)
            return bound(function, values)
        except (Exception, SystemExit):  # noqa: BLE001, S112  other checks report it
            continue
    return {}


def _orders(file: str, name: str) -> Iterator[list[Any]]:
    """Yield arguments of train or pre_process, in order."""
    if name != NAME:
        yield [HUB_NAMES["distilbert"], 4, CPU, True]
        return
    models = (Classifier(WEIGHTS), like_theirs(WEIGHTS, file=file))
    for tiny in own_forms({"train": TINY}, file):
        sets = [DataLoader(items(tiny["train"])) for _ in SETS]
        for model in models:
            yield [model, 1, *sets, torch.device("cpu"), 0.01]


@functools.cache
def _works(theirs: Callable[..., Any], file: str) -> dict[str, Any]:
    """Return arguments with which the student's evaluate_model works, by parameter, if any."""
    for sets in own_forms({"held_out": TINY}, file):
        named = {
            "model": Classifier(WEIGHTS),
            "dataloader": DataLoader(items(sets["held_out"])),
            "device": torch.device("cpu"),
        }
        try:
            by_name(theirs, named)
            if set(named) <= set(inspect.signature(theirs).parameters):
                return {**bound(theirs, []), **named}
            return bound(theirs, list(named.values()))
        except Exception:  # noqa: BLE001, S112  its own checks report it
            continue
    return {}


def _evaluation(trend: int, *, alike: bool) -> Callable[..., dict[str, float]]:
    """Return an evaluation whose accuracies rise (1), fall (-1) or stay the same (0).

    Unless all sets are `alike`, those on the training and test sets do the opposite.
    """
    count = itertools.count()

    def evaluate(model: nn.Module, *args: Any, **kwargs: Any) -> dict[str, float]:
        """Set evaluation mode, read the batches, and return a number, like any evaluation."""
        model.eval()
        sign = 1
        with torch.no_grad():
            for loader in (*args, *kwargs.values()):
                if isinstance(loader, DataLoader):
                    list(loader)
                    other = getattr(loader.dataset, "name", "") in OTHERS
                    sign = -1 if other and not alike else sign
        return {"accuracy": 0.5 + sign * trend * (0.5 - 0.5 / (1 + next(count)))}

    return evaluate
