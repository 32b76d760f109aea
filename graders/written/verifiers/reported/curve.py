"""Verify learning curves given as numbers, one row per epoch, and the best epochs named."""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import pairwise

from graders.written.audits.finding import Finding
from graders.written.audits.reading.columns import meaning
from graders.written.audits.reading.figure import Figure, figure_in
from graders.written.audits.reading.runs import SETTINGS, Report, Run, report_of
from graders.written.question import Asked, Judgement, Unreadable
from graders.written.verifiers.reported.award import Award, judgement_of
from graders.written.verifiers.reported.reading import refuse_unread
from graders.written.verifiers.reported.settings import CurveAward, CurveSettings, read_settings

EPOCHS = {"train_epoch": "train", "dev_epoch": "dev"}
_FROM_ZERO = ("zero", "index", "0-based", "0 based", "from 0")
# `epoch 8`, `epoch #8 of 10`; `the 8th epoch`; and an integer on its own.
_NUMBERED = re.compile(
    r"epoch\w*\s{0,3}(?:is|was|=|:|#|no\.?|number|nr\.?)?\s{0,3}#?(\d{1,6})(?![.\d%])"
)
# Matches `8th epoch` or `8. epoch`.
_COUNTED = re.compile(
    r"(?<![.\d])(\d{1,6})\s{0,3}(?:st|nd|rd|th|\.|个|轮|-?te[rns]?)?\s{0,3}(?:epoch|轮)"
)
_WHOLE = re.compile(r"(?<![.,\d])\d{1,6}(?![\d%]|[.,]\d|\s?%)")  # `epoch 8`
_ASIDE = re.compile(r"\([^()]{0,80}\)")
_ORDINALS = (
    "first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth",
    "tenth", "eleventh", "twelfth", "thirteenth", "fourteenth", "fifteenth", "sixteenth",
    "seventeenth", "eighteenth", "nineteenth", "twentieth",
)  # fmt: skip
_LAST = re.compile(r"\b(?:last|final|letzte\w*|dernière|última)\b")


@dataclass(frozen=True, slots=True)
class Curve:
    """The points of a training run in order, with the number of each epoch."""

    points: tuple[Run, ...]
    epochs: tuple[int, ...]

    def of(self, name: str) -> list[Figure]:
        return [run.values[name] for run in self.points if name in run.values]


@dataclass(frozen=True, slots=True)
class Drawn:
    """A curve, the text around it, and the assignment's requirements."""

    curve: Curve
    report: Report
    answer: Asked
    settings: CurveSettings


def reported_curve(answer: Asked) -> Judgement:
    """Grade a curve with one row per epoch, and the stated best epochs.

    Settings: `CurveSettings`. The parts `train_epoch` and `dev_epoch` contain the epochs, `epochs`
    and `batch_size` these settings, and the other part the rows, unless `curve_from` names the
    question that has them.
    """
    settings = read_settings(CurveSettings, answer.machine)
    report = _report(answer, settings)
    drawn = Drawn(curve_of(report.runs), report, answer, settings)
    missing = [name for name in settings.stated if _value(drawn, name) is None]
    refuse_unread("\n".join(answer.parts.values()), missing)
    earned = [(points, AWARDS[name](drawn)) for name, points in settings.points.items()]
    unawarded = settings.epochs and "length" not in settings.points
    findings = [length_finding(drawn.curve, settings.epochs)] if unawarded else []
    return judgement_of(earned, findings)


def _report(answer: Asked, settings: CurveSettings) -> Report:
    values = {*EPOCHS, *(part for part in answer.parts if meaning(part) in SETTINGS)}
    texts = [text for part, text in answer.parts.items() if part not in values]
    if settings.curve_from:
        texts += answer.others.get(settings.curve_from, {}).values()
    reports = [report_of(text, settings.names) for text in texts]
    longest = max(reports, key=lambda report: len(report.runs), default=Report(()))
    if len(longest.runs) < 2:
        where = f" in {settings.curve_from}" if settings.curve_from else ""
        raise Unreadable(
            f"No curve could be read{where}; write one row per epoch below the line "
            "`epoch, train accuracy, dev accuracy`, with commas or as a table."
        )
    return longest


def _length(drawn: Drawn) -> Award:
    finding = length_finding(drawn.curve, _allowed(drawn))
    return Award(float(finding.severity == "fine"), finding.sentence)


def _allowed(drawn: Drawn) -> list[int]:
    """Return the correct lengths: the assignment's, or what the student states."""
    stated = [figure for figure in [_value(drawn, "epochs")] if figure is not None]
    return drawn.settings.epochs or [int(stated[0].value) if stated else len(drawn.curve.epochs)]


def _value(drawn: Drawn, name: str) -> Figure | None:
    """Return a setting from its own part, or from the text around the curve."""
    for part, text in drawn.answer.parts.items():
        if meaning(part) == name and (figure := figure_in(text)) is not None:
            return figure
    figures = {**drawn.report.choice, **drawn.report.shared}
    runs = drawn.report.runs
    return figures.get(name) or (runs[0].values.get(name) if name != "epochs" else None)


def _columns(drawn: Drawn) -> Award:
    """Award the required columns, as accuracies or as losses, in every epoch."""
    size = len(drawn.curve.epochs)
    missing = [
        name
        for name in drawn.settings.need
        if max(len(drawn.curve.of(column)) for column in (name, f"{name}_loss")) < size
    ]
    words = f"The curve is missing numbers for {', '.join(missing)}."
    return Award(1 - len(missing) / max(len(drawn.settings.need), 1), words)


def _overfits(drawn: Drawn) -> Award:
    words = "The last train accuracy is not above every dev accuracy: the model does not overfit."
    return Award(float(overfits(drawn.curve)), words)


def _final(drawn: Drawn) -> Award:
    train = drawn.curve.of("train")
    least = drawn.settings.final
    enough = bool(train) and float(train[-1].share) >= least - 1e-9
    return Award(float(enough), f"The last train accuracy is below {least:g}.")


def _stated(drawn: Drawn) -> Award:
    """Award the settings that must be stated as integers or rates."""
    figures = {name: _value(drawn, name) for name in drawn.settings.stated}
    missing = [name for name, figure in figures.items() if figure is None or figure.value <= 0]
    words = f"Not stated, or not a positive number: {', '.join(missing)}."
    return Award(1 - len(missing) / max(len(drawn.settings.stated), 1), words)


def _stated_epoch(text: str, drawn: Drawn) -> int | None:
    """Return the epoch that a text names; None if it names none or several."""
    if re.match(r"\W*(?:not|nicht|never)\b", text):
        return None
    for pattern in (_NUMBERED, _COUNTED):
        if match := pattern.search(text):
            return int(match[1])
    outside = _ASIDE.sub(" ", text)  # as in `1st (index 0)`
    text = outside if re.search(r"\d", outside) else text
    worded = [n for n, word in enumerate(_ORDINALS, start=1) if re.search(rf"\b{word}\b", text)]
    whole = [int(number) for number in _WHOLE.findall(text)]
    if len(worded) == 1 or (not worded and len(whole) == 1):
        return (worded or whole)[0]
    return drawn.curve.epochs[-1] if _LAST.search(text) and not (worded or whole) else None


def _best_epoch(part: str) -> Callable[[Drawn], Award]:
    def award(drawn: Drawn) -> Award:
        text = drawn.answer.parts.get(part, "")[:200].casefold()
        if not text:
            return Award(0.0, f"`{part}` is not answered.")
        stated = _stated_epoch(text, drawn)
        if stated is None:
            raise Unreadable(f"`{part}` names no readable epoch; write its number.")
        from_zero = any(word in text for word in _FROM_ZERO)
        split = EPOCHS[part]
        name = split if best_epochs(drawn.curve, split) else f"{split}_loss"
        finding = epoch_finding(drawn.curve, name, stated, from_zero)
        return Award(float(finding.severity == "fine"), finding.sentence)

    return award


def curve_of(runs: Sequence[Run]) -> Curve:
    """Return the curve in these rows; if rows have no epoch, they are counted from one."""
    numbers = [run.values.get("epochs") for run in runs]
    if all(number is not None and number.value.denominator == 1 for number in numbers):
        return Curve(tuple(runs), tuple(int(n.value) for n in numbers if n is not None))
    return Curve(tuple(runs), tuple(range(1, len(runs) + 1)))


def length_finding(curve: Curve, allowed: Sequence[int]) -> Finding:
    """Check whether the curve has as many epochs as required, each once and in order."""
    size = len(curve.epochs)
    expected = " or ".join(map(str, allowed))
    numbers = (("epochs", f"{size}/{expected}"),)
    if any(b - a != 1 for a, b in pairwise(curve.epochs)):
        sentence = "The epochs are not consecutive; give one row per epoch, in order."
        return Finding("curve-order", "suspicious", sentence, numbers)
    sentence = f"The curve has {size} epochs."
    if size in allowed:
        return Finding("curve-length", "fine", sentence, numbers)
    sentence = f"The curve has {size} epochs; expected {expected}."
    if curve.epochs[:1] == (0,):
        sentence += " The row for epoch 0, before training, counts as an epoch."
    return Finding("curve-length", "suspicious", sentence, numbers)


def best_epochs(curve: Curve, name: str) -> tuple[int, ...]:
    """Return the positions, from 0, of the column's best value (the lowest for a loss)."""
    places = [at for at, run in enumerate(curve.points) if name in run.values]
    values = [curve.points[at].values[name].value for at in places]
    if not values:
        return ()
    top = min(values) if name.endswith("loss") else max(values)
    return tuple(at for at, value in zip(places, values, strict=True) if value == top)


def epoch_finding(curve: Curve, name: str, stated: int, from_zero: bool = False) -> Finding:
    """Check whether the stated epoch is the column's best, in either way of counting.

    The number in the curve's own column is correct, and so is the position counted from one. A
    position counted from zero is correct if the curve, or the statement (`from_zero`), counts so.
    """
    places = best_epochs(curve, name)
    if not places:
        sentence = f"The curve has no numbers for {name}."
        return Finding("best-epoch", "suspicious", sentence)
    right = {curve.epochs[at] for at in places} | {at + 1 for at in places}
    right |= set(places) if from_zero else set()
    shown = ", ".join(str(curve.epochs[at]) for at in places[:4])
    if stated in right:
        sentence = f"{name} is best at epoch {shown}, as you stated."
        return Finding("best-epoch", "fine", sentence)
    sentence = (
        f"You stated that {name} is best at epoch {stated}. "
        f"According to your own curve, it is epoch {shown}."
    )
    return Finding("best-epoch", "suspicious", sentence, ((name, shown),))


def overfits(curve: Curve) -> bool:
    train, dev = curve.of("train"), curve.of("dev")
    return bool(train and dev) and train[-1].share > max(figure.share for figure in dev)


AWARDS: dict[CurveAward, Callable[[Drawn], Award]] = {
    "length": _length,
    "columns": _columns,
    "overfits": _overfits,
    "final": _final,
    "stated": _stated,
    "train_epoch": _best_epoch("train_epoch"),
    "dev_epoch": _best_epoch("dev_epoch"),
}
