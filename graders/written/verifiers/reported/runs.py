"""Verify and audit training runs with their accuracies: the grid, the choice and the numbers."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace

from graders.written.audits.accuracy import (
    debug_finding,
    debug_subset,
    fit,
    granularity,
    majority_class,
    out_of_range,
    threshold_finding,
)
from graders.written.audits.finding import Finding
from graders.written.audits.reading.figure import Figure
from graders.written.audits.reading.runs import ACCURACIES, Report
from graders.written.audits.runs import (
    chosen_run,
    coverage,
    dev_equals_test,
    grid_findings,
    identical_runs,
    selection_finding,
    test_above_dev,
)
from graders.written.question import Asked, Judgement, Unreadable
from graders.written.verifiers.reported.award import Award, judgement_of
from graders.written.verifiers.reported.reading import refuse_unnamed, refuse_unread, report_in
from graders.written.verifiers.reported.settings import RunAward, RunSettings, exact, read_settings

MOST_FIGURES = 600  # accuracies of one answer that are audited


@dataclass(frozen=True, slots=True)
class Accuracy:
    """One reported accuracy: its name in sentences, its split, and the figure."""

    name: str
    split: str
    figure: Figure


@dataclass(frozen=True, slots=True)
class Audited:
    """An answer's runs, and the assignment's rules for them."""

    report: Report
    settings: RunSettings

    @property
    def accuracies(self) -> list[Accuracy]:
        """The accuracies of all runs, named by split and, if there are several runs, by run."""
        several = len(self.report.runs) > 1
        accuracies = [
            Accuracy(f"{split} ({run.title})" if several else split, split, run.values[split])
            for run in self.report.runs
            for split in ACCURACIES
            if split in run.values
        ]
        return accuracies[:MOST_FIGURES]

    @property
    def sized(self) -> list[Accuracy]:
        """The accuracies on splits whose sizes the assignment gives."""
        return [accuracy for accuracy in self.accuracies if accuracy.split in self.settings.splits]

    @property
    def debug(self) -> bool:
        """Return whether all accuracies are those of the small subset."""
        splits, size = self.settings.splits, self.settings.subset
        pairs = [(accuracy.figure, splits[accuracy.split]) for accuracy in self.sized]
        return bool(size and pairs) and debug_subset(pairs, size, self.settings.digits)


def reported_runs(answer: Asked) -> Judgement:
    """Grade reported runs: a table, a list or sentences, or single values in separate parts.

    Settings: `RunSettings`. Parts named `lr`, `epochs`, `batch_size`, `train`, `dev` or `test` are
    single values; any other part is read as a table.
    """
    settings = read_settings(RunSettings, answer.machine)
    audited = Audited(_with_choice(report_in(answer, settings), answer, settings), settings)
    words = answer.others.get(settings.words_from, {}).get("text", "")
    _refuse_unread("\n".join(answer.parts.values()), words, audited)
    shares = [accuracy.figure.share for accuracy in audited.accuracies]
    if len(shares) > 1 and all(share in (0, 1) for share in shares):
        raise Unreadable("All accuracies are 0 or 1, so a person reads this answer.")
    earned = [(points, AWARDS[name](audited)) for name, points in settings.points.items()]
    return judgement_of(earned, audit(audited))


def audit(audited: Audited) -> Iterator[Finding]:
    """Yield every finding on the runs of an answer."""
    report, settings = audited.report, audited.settings
    for run in report.runs:
        for name in run.not_finite:
            sentence = f"{name} in line {run.line} is not a finite number."
            yield Finding("not-finite", "impossible", sentence)
    yield from _of_figures(audited)
    if settings.grid:
        yield from grid_findings(coverage(report.runs, settings.exact_grid))
    if "selection" in settings.points:
        yield selection_finding(report, settings.splits)
    yield from identical_runs(report.runs)
    yield from test_above_dev(report.runs, settings.splits)
    if (equal := dev_equals_test(report.runs)) is not None:
        yield equal


def _of_figures(audited: Audited) -> Iterator[Finding]:
    debug, splits = audited.debug, audited.settings.splits
    for accuracy in audited.accuracies:
        split = splits.get(accuracy.split)
        if split is not None and not debug:
            yield granularity(accuracy.figure, accuracy.name, split.items)
            if (collapsed := majority_class(accuracy.figure, accuracy.name, split)) is not None:
                yield collapsed
        elif split is None and not 0 <= accuracy.figure.share <= 1:
            yield out_of_range(accuracy.figure, accuracy.name)
    if debug:
        named = [(accuracy.name, accuracy.figure) for accuracy in audited.sized]
        yield debug_finding(named, audited.settings.subset)


def _refuse_unread(text: str, words: str, audited: Audited) -> None:
    """Raise Unreadable if a requirement is missing from all runs, but in the text or the words."""
    report, settings = audited.report, audited.settings
    names = set(report.shared).union(*(run.values for run in report.runs))
    needed = dict.fromkeys((*settings.need, *settings.grid))
    missing = [
        name
        for name in needed
        if name not in names and (name in settings.grid or name not in report.choice)
    ]
    choice = chosen_run(report)
    if "selection" in settings.points and choice.run is None and not choice.ambiguous:
        missing.append("choice")
    refuse_unread(f"{text}\n{words}", missing)
    refuse_unnamed(text, missing, report)


def _with_choice(report: Report, answer: Asked, settings: RunSettings) -> Report:
    """Return the report with the choice that only the question's free text mentions."""
    words = answer.others.get(settings.words_from, {}).get("text", "")
    if not words or chosen_run(report).run is not None:
        return report
    parts = {part: f"{text}\n\n{words}" for part, text in answer.parts.items()}
    extended = report_in(replace(answer, parts=parts), settings)
    return replace(report, choice=extended.choice) if extended.choice else report


def _runs(audited: Audited) -> Award:
    settings, runs = audited.settings, audited.report.runs
    measured = [run for run in runs if not set(ACCURACIES).isdisjoint(run.values)]
    if not settings.grid:
        count = len({(run.label, *run.values.items()) for run in measured})  # each row once
        share = min(1.0, count / settings.runs)
        return Award(share, f"{count} of {settings.runs} required runs are reported.")
    covered = coverage(runs, settings.exact_grid)
    done = [
        point for point, runs in covered.reported.items() if any(run in measured for run in runs)
    ]
    share = len(done) / covered.size
    bare = len(covered.reported) - len(done)
    return Award(share, covered.summary + (f" {bare} of them have no accuracy." if bare else ""))


def _selection(audited: Audited) -> Award:
    finding = selection_finding(audited.report, audited.settings.splits)
    return Award(float(finding.severity == "fine"), finding.sentence)


def _test(audited: Audited) -> Award:
    choice = chosen_run(audited.report).run
    figures = {} if choice is None else {**audited.report.choice, **choice.values}
    if (figure := figures.get("test")) is None:
        return Award(0.0, "The test accuracy of the run that you chose is missing.")
    if not 0 <= figure.share <= 1:
        return Award(0.0, f"The test accuracy {figure.text} is not between 0 and 1.")
    return Award(1.0)


def _stated(audited: Audited) -> Award:
    """Award the settings that must be stated, for every run or once for all."""
    need = [name for name in audited.settings.need if name not in ACCURACIES]
    figures, runs = {**audited.report.shared, **audited.report.choice}, audited.report.runs
    missing = [
        name
        for name in need
        if not (_is_size(figures.get(name)) or all(_is_size(run.values.get(name)) for run in runs))
    ]
    words = f"Not stated, or not a positive number: {', '.join(missing)}."
    return Award(1 - len(missing) / max(len(need), 1), words)


def _is_size(figure: Figure | None) -> bool:
    return figure is not None and figure.value > 0


def _possible(audited: Audited) -> Award:
    """Award accuracies that are fractions of their split, and not those of the small subset."""
    needed = [name for name in audited.settings.need if name in ACCURACIES]
    rows = max(len(audited.report.runs), audited.settings.runs)
    accuracies = audited.accuracies
    total = max(len(accuracies), rows * len(needed))
    if audited.debug:
        words = (
            f"The accuracies are those of the small subset ({audited.settings.subset} items), not "
            "of the whole splits; if you rounded them, write all digits."
        )
        return Award(0.0, words)
    good = [accuracy for accuracy in accuracies if _is_possible(accuracy, audited.settings)]
    if not total or len(good) == total:
        return Award(float(bool(total)), "No accuracy is reported.")
    absent = total - len(accuracies)
    missing = f" {absent} of {total} accuracies are missing." if absent else ""
    bad = [
        accuracy.name + " " + accuracy.figure.text
        for accuracy in accuracies
        if accuracy not in good
    ]
    impossible = f" Impossible: {', '.join(bad[:4])}." if bad else ""
    return Award(len(good) / total, (missing + impossible).strip())


def _is_possible(accuracy: Accuracy, settings: RunSettings) -> bool:
    """Return whether the figure is an accuracy, and a fraction of its split's items."""
    split = settings.splits.get(accuracy.split)
    possible = split is None or fit(accuracy.figure, split.items).possible
    return possible and 0 <= accuracy.figure.share <= 1


def _learned(audited: Audited) -> Award:
    """Award accuracies that are better than always predicting the most frequent class."""
    accuracies, splits = audited.sized, audited.settings.splits
    flat = [
        accuracy
        for accuracy in accuracies
        if not 0 <= accuracy.figure.share <= 1
        or majority_class(accuracy.figure, accuracy.name, splits[accuracy.split])
    ]
    words = f"{len(flat)} of {len(accuracies)} accuracies show no learning."
    return Award((len(accuracies) - len(flat)) / len(accuracies) if flat else 1.0, words)


def _distinct(audited: Audited) -> Award:
    first = next(identical_runs(audited.report.runs), None)
    return Award(1.0) if first is None else Award(0.0, first.sentence)


def _reached(audited: Audited) -> Award:
    """Award the thresholds that the best accuracy of a split reaches."""
    thresholds = audited.settings.thresholds
    missed = [why for name in thresholds if (why := _missed(audited, name))]
    return Award(1 - len(missed) / max(len(thresholds), 1), " ".join(missed))


def _missed(audited: Audited, name: str) -> str:
    """Return the message if the threshold of a split is not reached, else nothing."""
    threshold, split = exact(audited.settings.thresholds[name]), audited.settings.splits.get(name)
    figures = [accuracy.figure for accuracy in audited.accuracies if accuracy.split == name]
    if not figures or split is None:
        reached = any(figure.share >= threshold for figure in figures)
        return "" if reached else f"{name} does not reach {float(threshold):.0%}."
    best = max(fit(figure, split.items).high for figure in figures)
    finding = threshold_finding(name, min(max(best, 0), split.items), split.items, threshold)
    return finding.sentence if finding.severity == "suspicious" else ""


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
