"""Learning curves given as numbers, and the best epochs that a student names."""

import re
from collections.abc import Callable
from dataclasses import dataclass

from graders.written.audits.columns import meaning
from graders.written.audits.curve import (
    Curve,
    best_epochs,
    curve_of,
    epoch_finding,
    length_finding,
    overfits,
)
from graders.written.audits.figure import Figure, figure_in
from graders.written.audits.finding import Finding
from graders.written.audits.runs import Report, report_of
from graders.written.judgement import Asked, Judgement, Unreadable
from graders.written.verifiers.audit_settings import CurveAward, CurveSettings, read_settings
from graders.written.verifiers.award import Award, judgement_of

EPOCHS = {"train_epoch": "train", "dev_epoch": "dev"}
_FROM_ZERO = ("zero", "index", "0-based", "0 based", "from 0")
_EPOCH = re.compile(r"\d{1,6}")
_ORDINALS = (
    *("first", "second", "third", "fourth", "fifth"),
    *("sixth", "seventh", "eighth", "ninth", "tenth"),
)


@dataclass(frozen=True, slots=True)
class Drawn:
    """A curve, what is said beside it, and what the assignment asks of it."""

    curve: Curve
    report: Report
    asked: Asked
    settings: CurveSettings


def reported_curve(asked: Asked) -> Judgement:
    """Judge a curve of a row an epoch, and the best epochs stated.

    Settings: `CurveSettings`. The parts `train_epoch` and `dev_epoch` hold the epochs, `epochs` and
    `batch_size` what they are called, and the other part the rows, unless `curve_from` names the
    question that has them.
    """
    settings = read_settings(CurveSettings, asked.machine)
    report = _report(asked, settings)
    drawn = Drawn(curve_of(report.runs), report, asked, settings)
    earned = [(points, AWARDS[name](drawn)) for name, points in settings.points.items()]
    findings: list[Finding] = []
    if settings.epochs and "length" not in settings.points:
        findings.append(length_finding(drawn.curve, settings.epochs))
    return judgement_of(earned, findings)


def _report(asked: Asked, settings: CurveSettings) -> Report:
    texts = [text for part, text in asked.parts.items() if not _is_value(part)]
    if settings.curve_from:
        texts += asked.others.get(settings.curve_from, {}).values()
    reports = [report_of(text, settings.names) for text in texts]
    longest = max(reports, key=lambda each: len(each.runs), default=Report(()))
    if len(longest.runs) < 2:
        where = f" in {settings.curve_from}" if settings.curve_from else ""
        raise Unreadable(
            f"No curve can be read{where}: write a row an epoch below the line "
            "`epoch, train accuracy, dev accuracy`, with commas or as a table."
        )
    return longest


def _is_value(part: str) -> bool:
    return part in EPOCHS or meaning(part) in ("epochs", "batch_size", "lr")


def _length(drawn: Drawn) -> Award:
    finding = length_finding(drawn.curve, _allowed(drawn))
    return Award(float(finding.severity == "fine"), finding.student)


def _allowed(drawn: Drawn) -> list[int]:
    """The lengths that are right: the assignment's, or what the student states."""
    stated = [figure for figure in [_value(drawn, "epochs")] if figure is not None]
    return drawn.settings.epochs or [int(stated[0].value) if stated else len(drawn.curve.epochs)]


def _value(drawn: Drawn, name: str) -> Figure | None:
    """A setting from its own part, or from the words beside the curve."""
    for part, text in drawn.asked.parts.items():
        if meaning(part) == name and (figure := figure_in(text)) is not None:
            return figure
    told = {**drawn.report.choice, **drawn.report.shared}
    runs = drawn.report.runs
    return told.get(name) or (runs[0].values.get(name) if name != "epochs" else None)


def _columns(drawn: Drawn) -> Award:
    """The columns asked for, as accuracies or as losses, in every epoch."""
    size = len(drawn.curve.epochs)
    missing = [
        name
        for name in drawn.settings.need
        if max(len(drawn.curve.of(each)) for each in (name, f"{name}_loss")) < size
    ]
    words = f"The curve lacks numbers for {', '.join(missing)}."
    return Award(1 - len(missing) / max(len(drawn.settings.need), 1), words)


def _overfits(drawn: Drawn) -> Award:
    words = "The last train accuracy is not above every dev accuracy: the model does not overfit."
    return Award(float(overfits(drawn.curve)), words)


def _final(drawn: Drawn) -> Award:
    train = drawn.curve.of("train")
    least = drawn.settings.final
    enough = bool(train) and float(train[-1].share) >= least - 1e-9
    return Award(float(enough), f"The last train accuracy is not {least:g} or more.")


def _stated(drawn: Drawn) -> Award:
    """The settings that must be told as whole numbers or rates."""
    missing = [name for name in drawn.settings.stated if _value(drawn, name) is None]
    words = f"Not stated: {', '.join(missing)}."
    return Award(1 - len(missing) / max(len(drawn.settings.stated), 1), words)


def _best_epoch(part: str) -> Callable[[Drawn], Award]:
    """The award for naming the best epoch of a column."""

    def award(drawn: Drawn) -> Award:
        text = drawn.asked.parts.get(part, "")[:200].casefold()
        digits = _EPOCH.search(text)
        worded = next((n for n, word in enumerate(_ORDINALS, start=1) if word in text), None)
        stated = int(digits[0]) if digits is not None else worded
        if stated is None:
            return Award(0.0, f"`{part}` names no epoch: write its number.")
        from_zero = any(word in text for word in _FROM_ZERO)
        split = EPOCHS[part]
        name = split if best_epochs(drawn.curve, split) else f"{split}_loss"
        finding = epoch_finding(drawn.curve, name, stated, from_zero)
        return Award(float(finding.severity == "fine"), finding.student)

    return award


AWARDS: dict[CurveAward, Callable[[Drawn], Award]] = {
    "length": _length,
    "columns": _columns,
    "overfits": _overfits,
    "final": _final,
    "stated": _stated,
    "train_epoch": _best_epoch("train_epoch"),
    "dev_epoch": _best_epoch("dev_epoch"),
}
