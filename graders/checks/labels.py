"""Judge files of predicted labels, one 0 or 1 per line, against the data.

    bytes -> read_labels -> Labels(predictions, gold) -> judge: one class? enough? borderline?

A model that always predicts one class has learned nothing, whatever its accuracy.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from math import comb
from typing import Generic, Literal, TypeVar

from graders.checks.compare import fail, skip
from graders.checks.score import Score
from graders.checks.submitted import SubmittedFiles
from graders.data.labelled import LabelledData
from graders.figures import Accuracy
from graders.model import Setting
from graders.statistics import is_borderline, percent, percentage, share_in_words

T = TypeVar("T")
State = Literal["reached", "borderline", "missed"]
ALPHA = Fraction(1, 100)  # how unlikely an accuracy must be for a model that predicts one class
WORDS = {
    **dict.fromkeys(("0", "0.0", "false", "no", "negative", "neg", "label_0"), 0),
    **dict.fromkeys(("1", "1.0", "true", "yes", "positive", "pos", "label_1"), 1),
}
MARKS = ((b"\xef\xbb\xbf", "utf-8-sig"), (b"\xff\xfe", "utf-16"), (b"\xfe\xff", "utf-16"))
TITLES = {"sst2": "SST-2", "boolq": "BoolQ"}
QUOTES = " \t\"'[](),;"


@dataclass(frozen=True, slots=True)
class Predictions(Generic[T]):
    """Predictions and the correct answers; `notes` say what was unusual about the file."""

    name: str
    predictions: tuple[T, ...]
    gold: tuple[T, ...]
    notes: tuple[str, ...] = ()

    @property
    def correct(self) -> int:
        """The number of predictions that equal their answer."""
        return sum(a == b for a, b in zip(self.predictions, self.gold, strict=True))

    @property
    def n(self) -> int:
        """The number of items."""
        return len(self.gold)

    @property
    def share(self) -> Fraction:
        """The accuracy."""
        return Fraction(self.correct, self.n)

    @property
    def in_words(self) -> str:
        """`1690 of 1821 = 92.8% (95% interval ...)`."""
        return share_in_words(self.correct, self.n)

    @property
    def is_constant(self) -> bool:
        """Whether all predictions are the same."""
        return len(set(self.predictions)) == 1


@dataclass(frozen=True, slots=True)
class Labels(Predictions[int]):
    """Predicted and correct labels."""

    @property
    def majority(self) -> int:
        """The number correct if the more frequent class is always predicted."""
        return max(self.gold.count(0), self.gold.count(1))

    @property
    def beats_majority(self) -> bool:
        """Whether a one-class model would be this accurate less than once in a hundred times."""
        return chance_at_least(self.correct, self.n, Fraction(self.majority, self.n)) < ALPHA

    @property
    def exchanged(self) -> "Labels":
        """The same predictions with the two classes exchanged."""
        return replace(self, predictions=tuple(1 - prediction for prediction in self.predictions))

    def figure(self, threshold: Fraction) -> Accuracy:
        """Return a figure of the accuracy, with the majority class as a baseline."""
        always = ("always the more frequent class", self.majority / self.n)
        return Accuracy(self.name, self.correct, self.n, float(threshold), (always,))

    def state(self, threshold: Fraction) -> State:
        """Return whether the accuracy reaches the threshold, or its 95% interval contains it."""
        if is_borderline(self.correct, self.n, threshold):
            return "borderline"
        return "reached" if self.share >= threshold else "missed"


def read_part(
    submitted: SubmittedFiles, data: LabelledData, part: Literal["dev", "test"], unknown: int | None
) -> Labels:
    """Read the labels submitted for a part of the data; skip the check if there are none.

    It is also skipped if they are for as many items as the course's own data has there, if that is
    not this data: `unknown` is that number.
    """
    name = f"{data.kind}.{part}.predictions"
    if not submitted.has(name):
        skip(f"`{name}` was not submitted; it is optional.")
    raw, items = submitted.bytes(name), data.dev if part == "dev" else data.test
    if unknown and raw.count(b"\n") in (unknown, unknown - 1):
        skip(f"`{name}` is for {TITLES[data.kind]}, whose labels are missing. Grade with --data.")
    return read_labels(name, raw, [label for _, label in items])


def read_labels(name: str, raw: bytes, gold: Sequence[int]) -> Labels:
    """Read the labels in a file; fail the check if there is not one for each of `gold`."""
    lines, notes = _lines(raw)
    if len(lines) == len(gold) + 1 and _label(lines[0]) is None:
        notes.append(f"the first line is not a label and was left out ({lines[0][:40]!r})")
        lines = lines[1:]
    if len(lines) != len(gold):
        fail(
            f"`{name}` has {len(lines)} lines, but {len(gold)} are expected.",
            hint="Write one label per line, in the order of the data, without blank lines.",
            expected=f"{len(gold)} lines",
            actual=f"{len(lines)} lines",
        )
    return Labels(name, _labels(name, lines), tuple(gold), tuple(notes))


def required(data: LabelledData, settings: Mapping[str, Setting]) -> Fraction:
    """Return the accuracy that the assignment requires on this data."""
    return Fraction(str(settings[f"{data.kind}_accuracy_percent"])) / 100


def note_copy(labels: Labels, score: Score, *, either: bool = False) -> None:
    """Add a note if all labels are correct (`either`: or all exchanged): no model does that."""
    if labels.correct == labels.n or (either and not labels.correct):
        score.note(f"All {labels.n} labels are correct. Are these the answers themselves?")


def judge(labels: Labels, threshold: Fraction, score: Score, *, either: bool = False) -> None:
    """Pass if the accuracy reaches the threshold; add a note if it is borderline.

    `either` is for data whose editions exchange the classes: the better interpretation counts.
    """
    if either and labels.exchanged.correct > labels.correct:
        labels = labels.exchanged
        score.note("Some editions of the data have the classes exchanged; yours was read that way.")
    score.show(labels.figure(threshold))
    for note in labels.notes:
        score.note(f"`{labels.name}`: {note}.")
    _fail_if_constant(labels)
    if labels.state(threshold) == "borderline":
        score.note(f"Borderline: {labels.n} items are too few to tell on which side of "
                   f"{percentage(threshold)} the model is.")  # fmt: skip
    if labels.share >= threshold:
        score.note(f"Correct: {labels.in_words}.")
        return
    fail(
        f"{share_in_words(labels.correct, labels.n, threshold)}: below {percentage(threshold)}.",
        hint=_why_low(labels, threshold),
        expected=f"at least {percentage(threshold)}",
        actual=percent(labels.correct, labels.n, threshold),
    )


def chance_at_least(k: int, n: int, share: Fraction) -> Fraction:
    """Return the exact probability of k or more of n for a model whose accuracy is `share`."""
    hit, miss = share.numerator, share.denominator - share.numerator
    ways = sum(comb(n, i) * hit**i * miss ** (n - i) for i in range(k, n + 1))
    return Fraction(ways, share.denominator**n)


def _fail_if_constant(labels: Labels) -> None:
    if not labels.is_constant:
        return
    sentence = f"Only one class is predicted: all {labels.n} labels are {labels.predictions[0]}."
    fail(
        f"{sentence} Correct: {labels.in_words}.",
        hint="The model has learned nothing. Is the learning rate too high? Does the optimizer "
        "have the model's parameters?",
        expected="both classes",
        actual="one predicted class",
    )


def _why_low(labels: Labels, threshold: Fraction) -> str:
    if labels.exchanged.share >= threshold:
        right = percent(labels.exchanged.correct, labels.n)
        return f"With the two classes exchanged, the accuracy would be {right}."
    for by, where in ((1, "earlier"), (-1, "later")):
        moved = replace(labels, predictions=_rotated(labels.predictions, by))
        if moved.share >= threshold:
            right = percent(moved.correct, moved.n)
            return f"With every line moved one line {where}, the accuracy would be about {right}."
    if not labels.beats_majority:
        return (
            "Always predicting the more frequent class would do as well "
            f"({percent(labels.majority, labels.n)}). Are the lines in the order of the data?"
        )
    return "Did you predict with your best checkpoint?"


def _rotated(values: tuple[int, ...], by: int) -> tuple[int, ...]:
    return (*values[by:], *values[:by])


def _lines(raw: bytes) -> tuple[list[str], list[str]]:
    """Return the lines without blank ones at the end, and notes on unusual bytes."""
    encoding = next((name for mark, name in MARKS if raw.startswith(mark)), "utf-8")
    notes = [] if encoding == "utf-8" else [f"it begins with a byte-order mark ({encoding})"]
    text = (
        raw.decode(encoding, "replace").lstrip("\ufeff").replace("\r\n", "\n").replace("\r", "\n")
    )
    lines = [line.strip() for line in text.split("\n")]
    while lines and not lines[-1]:
        lines.pop()
    return lines, notes


def _labels(name: str, lines: Sequence[str]) -> tuple[int, ...]:
    """Return each line's label: the whole line, or its last column if every line has one there."""
    whole = [_label(line) for line in lines]
    columns = [_label(line.replace("\t", ",").rsplit(",", 1)[-1]) for line in lines]
    for labels in (whole, columns):
        if None not in labels:
            return tuple(label for label in labels if label is not None)
    at = whole.index(None)
    fail(
        f"Line {at + 1} of `{name}` is not a label.",
        hint="Write one label per line: 0 or 1.",
        expected="0 or 1",
        actual=repr(lines[at][:60]),
    )


def _label(line: str) -> int | None:
    return WORDS.get(line.strip(QUOTES).lower())
