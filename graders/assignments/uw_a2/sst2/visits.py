"""The events of a run of main, while evaluation followed a random script.

    epoch         1    2    3    4     5     6     7    8    9  ...
    validation  .72  .82  .82  .76  .921  .924  .924  .80  .86    rises, ties, drops, a late rise
    strictly better:   1, 2, 5, 6; the weights to keep are those of the last of these

Epoch 6 is better than 5 by two or three sentences of the course's 872, and the same in percent.

Replies are read as untrusted data.
"""

from collections.abc import Mapping, Sequence
from dataclasses import MISSING, dataclass, fields
from functools import lru_cache, partial
from itertools import pairwise
from pathlib import PurePath
from typing import Any

import numpy as np

from graders.boundary.outcome import fault_of
from graders.boundary.student import Student
from graders.checks.inputs import Inputs
from graders.errors import StudentFault, Unavailable

from .calls import answer_once, unreadable
from .rows import Row, rows

EPOCHS = 64  # of the script: no main trains longer
NEAR = 0.0027  # by which the best epoch is better than the one before
MOST_EVENTS = 10_000
MOST_TEXT = 200  # characters
SPLITS = ("train", "validation", "test")


@dataclass(frozen=True, slots=True)
class Optimizer:
    """An optimizer, and how many of the model's weights it contains."""

    settings: Mapping[str, float]
    name: str = ""
    adamw: bool = False
    maximizes: bool = False
    scheduled: bool = False  # whether a scheduler may raise its learning rate
    held: int = 0
    weights: int = 0
    frozen: int = 0  # weights of the model without gradients
    half: bool = False  # whether weights are float16


@dataclass(frozen=True, slots=True)
class Loader:
    """Two passes over a dataset of `count` items, and the indices of the first one's texts."""

    orders: Sequence[Sequence[int]]
    places: Sequence[int]
    names: Sequence[str]
    count: int
    whole: int  # items of the dataset that this one is a subset of, or its own
    plain: bool = False
    raised: str = ""


@dataclass(frozen=True, slots=True)
class Visit:
    """One event; `epoch` is the number of epochs trained before it, or with it."""

    epoch: int
    optimizer: Optimizer
    kind: str = ""
    split: str = ""
    weights: int = -1
    place: str = ""
    training: bool = False
    gradient: bool = True
    strange: str = ""  # an id in its batches outside the embedding table
    classes: int = 0  # of the model; 0 if unknown
    before: int = -1  # the epoch of the weights with which a training starts; 0 for initial ones
    untrained: bool = False  # whether its model has no pretrained weights
    initial: bool = False  # whether an evaluated model has the weights from before all training
    foreign: str = ""  # the tokenizer that belongs to another model than its own


@dataclass(frozen=True, slots=True)
class Visits:
    """All events of main, the script it followed, and what its loaders return."""

    events: Sequence[Visit]
    loaders: Mapping[str, Loader]
    script: Mapping[str, Sequence[float]]
    splits: Mapping[str, Sequence[Row]]
    ended: StudentFault | Unavailable | None  # what main raised after training
    is_own_error: bool  # whether that is raised on the student's own machine, too
    tests_elsewhere: bool  # whether code outside main may evaluate on test
    takes_options: bool  # whether the number of epochs can be chosen when main is started

    def of(self, kind: str) -> list[Visit]:
        """Return the events of one kind."""
        return [visit for visit in self.events if visit.kind == kind]

    @property
    def last_epoch(self) -> int:
        """The number of epochs that main trained."""
        return len(self.of("train"))

    def evaluations(self, split: str = "") -> list[Visit]:
        """Return the evaluations of one split, or of all."""
        return [visit for visit in self.of("evaluate") if visit.split == split or not split]

    def accuracy(self, split: str, epoch: int) -> float:
        """Return the accuracy that main received after an epoch; 0 is before training."""
        return self.script[split][min(max(epoch, 0), EPOCHS)]

    def validated(self) -> list[int]:
        """The epochs after which validation accuracy was requested."""
        return sorted({e.epoch for e in self.evaluations("validation") if e.epoch > 0})

    def best(self, split: str = "validation", *, ties: bool = False) -> int:
        """Return the best epoch on a split: the first of equals, or the last."""
        epochs = self.validated() or list(range(1, self.last_epoch + 1))
        numbers = [self.accuracy(split, epoch) for epoch in epochs]
        if not numbers:
            return 0
        best = max(numbers)
        at = len(numbers) - 1 - numbers[::-1].index(best) if ties else numbers.index(best)
        return epochs[at]

    def last_rise(self) -> int:
        """Return the last epoch that was better than the previous one."""
        epochs = self.validated()
        numbers = {at: self.accuracy("validation", at) for at in (0, *epochs)}
        rises = [b for a, b in zip([0, *epochs], epochs, strict=False) if numbers[b] > numbers[a]]
        return rises[-1] if rises else 0

    def outdated_file(self) -> Visit | None:
        """Return the last write of a file that is meant for the best weights and can miss them.

        It saves weights that the model has no longer, and is not written after the last epoch. Or
        no file has the best weights, and it is not written every so many epochs.
        """
        writes: dict[str, list[Visit]] = {}
        for visit in self.of("keep"):
            writes.setdefault(visit.place, []).append(visit)
        best = self.best()
        missing = best not in self.final_files().values()
        for saves in writes.values():
            last, gaps = saves[-1], {b.epoch - a.epoch for a, b in pairwise(saves)}
            is_best = last.weights == best and last.epoch == self.last_epoch
            if 0 < last.weights < last.epoch and not is_best:
                return last
            if missing and len(gaps) > 1 and 0 < last.weights != self.last_epoch:
                return last
        return None

    def misnamed_file(self) -> str:
        """Return a file that is named for the best weights, if no such file has them."""
        named = {
            place: weights
            for place, weights in self.final_files().items()
            if "best" in PurePath(place).name.lower()
        }
        return "" if self.best() in named.values() else next(iter(named), "")

    def final_files(self) -> Mapping[str, int]:
        """The epoch of the weights that each file contains at the end."""
        return {visit.place: visit.weights for visit in self.of("keep")}

    def tests(self) -> list[Visit]:
        """The evaluations on test."""
        return self.evaluations("test")


def visits(student: Student, inputs: Inputs) -> Visits:
    """Run main on random data, once for all checks."""
    return answer_once(student, "main", lambda: _run(student, inputs, _script(inputs)))


def falling_visits(student: Student, inputs: Inputs) -> Visits:
    """Run main again, with validation accuracies that are highest after the first epoch."""
    source = inputs.random("falling script")
    best = source.uniform(0.8, 0.86)
    later = [round(best - source.uniform(0.02, 0.1), 6) for _ in range(1, EPOCHS)]
    return _run(student, inputs, {**_script(inputs), "validation": [0.5, best, *later]})


def second_visits(student: Student, inputs: Inputs) -> Visits:
    """Run main again, with other validation accuracies, none of which occurs twice.

    A mean of several is highest after the best epoch, and not after the last one.
    """
    source = inputs.random("second script")
    low = [round(source.uniform(0.6, 0.74), 6) for _ in range(1, EPOCHS)]
    best = round(source.uniform(0.9, 0.93), 6)
    validation = [0.5, 0.55, *low[:2], best, round(best - 0.03, 6), *low[2:]]
    return _run(student, inputs, {**_script(inputs), "validation": validation[: EPOCHS + 1]})


def _run(student: Student, inputs: Inputs, script: Mapping[str, Sequence[float]]) -> Visits:
    splits = _splits(inputs)
    return student.call(
        "sst2_main",
        script={name: list(numbers) for name, numbers in script.items()},
        splits={name: list(split) for name, split in splits.items()},
        weights=inputs.seed("main weights"),
        read=partial(_visits, script, splits),
    )


def _visits(
    script: Mapping[str, Sequence[float]], splits: Mapping[str, Sequence[Row]], reply: Any
) -> Visits:
    if not isinstance(reply, dict) or not isinstance(reply.get("events"), list):
        unreadable()
    if len(reply["events"]) > MOST_EVENTS:
        unreadable()
    loaders: Any = reply.get("loaders") if isinstance(reply.get("loaders"), dict) else {}
    by_split = {name: _loader(loaders[name]) for name in SPLITS if name in loaders}
    ending = reply.get("ended")
    ending = ending if isinstance(ending, dict) else {}
    ended = fault_of(ending) if ending else None
    run = Visits(
        [_visit(event) for event in reply["events"]],
        by_split,
        script,
        splits,
        ended,
        is_own_error=ended is not None and ending.get("elsewhere") is not True,
        tests_elsewhere=reply.get("tests_elsewhere") is True,
        takes_options=reply.get("takes_options") is True,
    )
    if isinstance(ended, Unavailable) and not run.tests():
        raise ended  # nobody knows what main would have done then
    return run


def _visit(reply: Any) -> Visit:
    if not isinstance(reply, dict) or not isinstance(reply.get("epoch"), int):
        unreadable()
    return Visit(reply["epoch"], _optimizer(reply.get("optimizer")), **_plain(Visit, reply))


def _optimizer(reply: Any) -> Optimizer:
    reply = reply if isinstance(reply, dict) else {}
    settings = {name: reply.get(name) for name in ("lr", "highest", "now", "eps")}
    numbers = {name: value for name, value in settings.items() if isinstance(value, float)}
    return Optimizer(numbers, **_plain(Optimizer, reply))


def _loader(reply: Any) -> Loader:
    if not isinstance(reply, dict) or not isinstance(reply.get("orders"), list):
        unreadable()
    passes, count = [*reply["orders"], reply.get("places")], reply.get("count")
    if len(passes) != 3 or not all(map(_is_order, passes)) or not isinstance(count, int):
        unreadable()
    names, whole = reply.get("names"), reply.get("whole")
    names = [str(name)[:40] for name in names] if isinstance(names, list) else []
    whole = whole if isinstance(whole, int) else count
    return Loader(passes[:2], passes[2], names, count, whole, **_plain(Loader, reply))


def _plain(kind: type[Visit | Optimizer | Loader], reply: Mapping[str, Any]) -> dict[str, Any]:
    """Return a reply's values for the fields with a default, if they have the field's type."""
    return {
        field.name: value[:MOST_TEXT] if isinstance(value, str) else value
        for field in fields(kind)
        if field.default is not MISSING and type(value := reply.get(field.name)) is field.type
    }


def _is_order(value: Any) -> bool:
    return isinstance(value, list) and all(isinstance(index, int) for index in value)


@lru_cache(maxsize=2)
def _script(inputs: Inputs) -> Mapping[str, Sequence[float]]:
    """Return accuracies per epoch, starting before training; each split has its own best epoch."""
    source = inputs.random("script")
    low = source.uniform(0.7, 0.74)
    first, best = low + source.uniform(0.08, 0.12), source.choice((0.914, 0.924, 0.934))
    near = best - NEAR
    later = [best - source.uniform(0.02, 0.1) for _ in range(EPOCHS)]
    validation = [low - 0.04, low, first, first, low + 0.04, near, best, best]
    validation += [best - 0.12, best - 0.06]
    test = [low + 0.1 - source.uniform(0.0, 0.05) for _ in range(EPOCHS + 1)]
    test[source.choice((3, 4))] = low + 0.2
    return {
        "train": [0.5 + 0.49 * epoch / EPOCHS for epoch in range(EPOCHS + 1)],
        "validation": [round(accuracy, 6) for accuracy in (validation + later)[: EPOCHS + 1]],
        "test": test,
    }


@lru_cache(maxsize=2)
def _splits(inputs: Inputs) -> Mapping[str, Sequence[Row]]:
    """Return sizes larger than a batch; none is a multiple of the batch size."""
    source = inputs.random("main sizes")
    sizes = [source.choice((131, 137, 139, 149)), *source.sample((67, 71, 73, 79, 83), 2)]
    drawn = rows(inputs, "main", sum(sizes))
    ends = np.cumsum(sizes).tolist()
    parts = zip(SPLITS, sizes, ends, strict=True)
    return {name: drawn[end - size : end] for name, size, end in parts}
