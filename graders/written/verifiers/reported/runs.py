"""Audit training runs with their accuracies: the grid, the choice and the numbers."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace

from graders.written.audits.audit import (
    Accuracy,
    Rules,
    accuracies,
    audit,
    covered_grid,
    has_learned,
    is_debug,
    is_possible,
)
from graders.written.audits.copies import identical_runs
from graders.written.audits.granularity import fit
from graders.written.audits.reading.figure import Figure
from graders.written.audits.reading.runs import Report
from graders.written.audits.selection import chosen_run, selection_finding
from graders.written.audits.threshold import threshold_finding
from graders.written.judgement import Asked, Judgement
from graders.written.verifiers.reported.award import Award, judgement_of
from graders.written.verifiers.reported.reading import report_in
from graders.written.verifiers.reported.settings import RunAward, RunSettings, exact, read_settings
from graders.written.verifiers.values.mentions import refuse_unread


@dataclass(frozen=True, slots=True)
class Audited:
    """An answer's runs, and the assignment's rules for them."""

    report: Report
    settings: RunSettings
    rules: Rules

    @property
    def accuracies(self) -> list[Accuracy]:
        """All reported accuracies."""
        return accuracies(self.report)


def reported_runs(asked: Asked) -> Judgement:
    """Grade reported runs: a table, a list or sentences, or single values in separate parts.

    Settings: `RunSettings`. Parts named `lr`, `epochs`, `batch_size`, `train`, `dev` or `test` are
    single values; any other part is read as a table.
    """
    settings = read_settings(RunSettings, asked.machine)
    report = _with_choice(report_in(asked, settings), asked, settings)
    audited = Audited(report, settings, settings.rules)
    words = asked.others.get(settings.words_from, {}).get("text", "")
    _refuse_unread("\n".join((*asked.parts.values(), words)), audited)
    earned = [(points, AWARDS[name](audited)) for name, points in settings.points.items()]
    return judgement_of(earned, audit(report, audited.rules))


def _refuse_unread(text: str, audited: Audited) -> None:
    """Raise Unreadable if a requirement is mentioned but missing from all runs."""
    report, settings = audited.report, audited.settings
    told = {*report.shared, *report.choice}.union(*(run.values for run in report.runs))
    missing = [name for name in dict.fromkeys((*settings.need, *settings.grid)) if name not in told]
    choice = chosen_run(report)
    if "selection" in settings.points and choice.run is None and not choice.ambiguous:
        missing.append("choice")
    refuse_unread(text, missing)


def _with_choice(report: Report, asked: Asked, settings: RunSettings) -> Report:
    """Return the report with the choice that only the question's free text mentions."""
    words = asked.others.get(settings.words_from, {}).get("text", "")
    if not words or chosen_run(report).run is not None:
        return report
    parts = {part: f"{text}\n\n{words}" for part, text in asked.parts.items()}
    told = report_in(replace(asked, parts=parts), settings)
    return replace(report, choice=told.choice) if told.choice else report


def _runs(audited: Audited) -> Award:
    """Award the required runs that have an accuracy."""
    covered = covered_grid(audited.report, audited.rules)
    measured = [run for run in audited.report.runs if set(run.values) & {"train", "dev", "test"}]
    if covered is None:
        asked = audited.settings.runs
        share = min(1.0, len(measured) / asked)
        return Award(share, f"{len(measured)} of {asked} required runs are reported.")
    done = [point for point, runs in covered.found.items() if any(run in measured for run in runs)]
    share = len(done) / covered.size
    bare = len(covered.found) - len(done)
    return Award(share, covered.summary + (f" {bare} of them have no accuracy." if bare else ""))


def _selection(audited: Audited) -> Award:
    dev = audited.rules.splits.get("dev")
    finding = selection_finding(audited.report, dev.items if dev else 0)
    return Award(1.0) if finding.severity == "fine" else Award(0.0, finding.student)


def _test(audited: Audited) -> Award:
    """Award the test accuracy of the chosen run."""
    choice = chosen_run(audited.report).run
    values: Mapping[str, Figure] = choice.values if choice is not None else {}
    figure = values.get("test") or (audited.report.choice.get("test") if choice else None)
    if figure is None:
        return Award(0.0, "The test accuracy of the run that you chose is missing.")
    if not 0 <= figure.share <= 1:
        return Award(0.0, f"The test accuracy {figure.text} is not between 0 and 1.")
    return Award(1.0)


def _stated(audited: Audited) -> Award:
    """Award the settings that must be stated, for every run or once for all."""
    need = [name for name in audited.settings.need if name not in ("train", "dev", "test")]
    told = {**audited.report.shared, **audited.report.choice}
    missing = [
        name
        for name in need
        if name not in told and not all(name in run.values for run in audited.report.runs)
    ]
    words = f"Not stated: {', '.join(missing)}."
    return Award(1.0) if not missing else Award(1 - len(missing) / len(need), words)


def _possible(audited: Audited) -> Award:
    """Award accuracies that are fractions of their split, and not those of the small subset."""
    needed = [name for name in audited.settings.need if name in ("train", "dev", "test")]
    rows = max(len(audited.report.runs), audited.settings.runs)
    given = audited.accuracies
    total = max(len(given), rows * len(needed))
    if is_debug(audited.report, audited.rules):
        size = audited.rules.subset
        words = (
            f"The accuracies are those of the small subset ({size} items), not of the "
            "whole splits; if you rounded them, write all digits."
        )
        return Award(0.0, words)
    good = [each for each in given if is_possible(each, audited.rules)]
    if not total or len(good) == total:
        return Award(float(bool(total)), "No accuracy is reported.")
    absent = total - len(given)
    missing = f" {absent} of {total} accuracies are missing." if absent else ""
    bad = [each.name + " " + each.figure.text for each in given if each not in good]
    impossible = f" Impossible: {', '.join(bad[:4])}." if bad else ""
    return Award(len(good) / total, (missing + impossible).strip())


def _learned(audited: Audited) -> Award:
    """Award accuracies that are better than always predicting the most frequent class."""
    known = [each for each in audited.accuracies if each.split in audited.rules.splits]
    good = [each for each in known if has_learned(each, audited.rules)]
    words = f"{len(known) - len(good)} of {len(known)} accuracies show no learning."
    return Award(1.0) if len(good) == len(known) else Award(len(good) / len(known), words)


def _distinct(audited: Audited) -> Award:
    first = next(identical_runs(audited.report.runs), None)
    return Award(1.0) if first is None else Award(0.0, first.student)


def _reached(audited: Audited) -> Award:
    """Award the thresholds that the best accuracy of a split reaches."""
    thresholds = audited.settings.thresholds
    missed = [why for name in thresholds if (why := _missed(audited, name))]
    return Award(1 - len(missed) / max(len(thresholds), 1), " ".join(missed))


def _missed(audited: Audited, name: str) -> str:
    """Return the message if the threshold of a split is not reached, else nothing."""
    threshold, split = exact(audited.settings.thresholds[name]), audited.rules.splits.get(name)
    figures = [each.figure for each in audited.accuracies if each.split == name]
    if not figures or split is None:
        reached = any(figure.share >= threshold for figure in figures)
        return "" if reached else f"{name} does not reach {float(threshold):.0%}."
    best = max(fit(figure, split.items).high for figure in figures)
    finding = threshold_finding(name, min(max(best, 0), split.items), split.items, threshold)
    return finding.student if finding.severity == "suspicious" else ""


AWARDS: dict[RunAward, Callable[[Audited], Award]] = {
    "runs": _runs,
    "selection": _selection,
    "test": _test,
    "stated": _stated,
    "possible": _possible,
    "learned": _learned,
    "distinct": _distinct,
    "reached": _reached,
}
