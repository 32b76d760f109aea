"""Read the runs in an answer's parts, and find numbers that are mentioned but could not be read."""

import re
from collections.abc import Iterable, Mapping, Set
from dataclasses import replace
from fractions import Fraction

from graders.written.audits.reading.columns import meaning
from graders.written.audits.reading.figure import Figure, figure_in, undressed
from graders.written.audits.reading.runs import ACCURACIES, Report, Run, report_of
from graders.written.question import Asked, Unreadable
from graders.written.verifiers.reported.settings import RunSettings

_DECIMAL = re.compile(r"\d\s*%|[.,]\d")
# Matches `<` or `between` or `error`.
_HEDGED = re.compile(
    r"[<>≤≥≠‰]|\b(?:not|nicht|kein\w*|or|oder|between|less than|more than|at (?:least|most))\b"
    r"|^(?!.*\bacc)\D*\b(?:error|loss)\b\D*\d",
    re.IGNORECASE,
)
# Words beside a whole number that do not make it a number of something else.
_OF_ACCURACY = re.compile(
    r"\b(?:the|my|our|final|best|test|dev|val|validation|train|training|set|data|split|accuracy|acc"
    r"|is|was|of|on|for|in|with|we|i|got|get|has|have|about|approximately|around|percent"
    r"|per cent|rounded|genauigkeit|exactitud|précision|sst-?2|boolq|bert|roberta)\b",
    re.IGNORECASE,
)
# Matches `see figure 1` or `Table 2.1`.
REFERENCE = re.compile(
    r"\b(?:see|fig|figures?|figs|tab|tables?|sec|sections?|chapter|pages?|parts?|questions?"
    r"|equations?|appendix|version|step)\b[\s.#:(]*\d[\d.,]*",
    re.IGNORECASE,
)
VALUES = (*ACCURACIES, "lr", "epochs", "batch_size")


def report_in(answer: Asked, settings: RunSettings) -> Report:
    """Return all runs of an answer. Raises Unreadable, with a remedy, if there are none."""
    single = {part: meaning(part, settings.names) for part in answer.parts}
    values = {
        name: _number(part, name, answer.parts[part])
        for part, name in single.items()
        if name in VALUES
    }
    report = Report(())
    for part, name in single.items():
        if name not in VALUES:
            report = _joined(report, _read(answer.parts[part], settings))
    if values:
        report = _with_values(report, values)
    if not report.runs:
        raise _nothing(settings)
    return replace(report, runs=tuple(_renamed(run, settings) for run in report.runs))


def _number(part: str, name: str, text: str) -> Figure:
    figure = figure_in(text)
    if figure is None:
        raise Unreadable(
            f"`{part}` contains no number ({text[:60]!r}); write one, such as `0.7092` or `70.92%`."
        )
    if name in ACCURACIES:
        _refuse_other_number(text, figure)
    return figure


def _read(text: str, settings: RunSettings) -> Report:
    """Return the report in a text; a single number is the required accuracy."""
    report = report_of(text, settings.names)
    required = [name for name in settings.need if name in ACCURACIES]
    if len(required) != 1:
        return report
    if len(text) < 80:
        _refuse_unclear(undressed(text), report, required[0])
        figure = figure_in(text)
        if not report.runs and figure is not None:
            report = Report((Run(1, "", {required[0]: figure}),))
    for run in report.runs:
        for name in {required[0], "accuracy"} & run.values.keys():
            _refuse_other_number(text, run.values[name])
    return report


def _refuse_other_number(text: str, figure: Figure) -> None:
    """Refuse the only accuracy if its number may be of something else: `attempt 1 failed`."""
    words = undressed(text)
    whole = figure.unit >= 1 and not re.search(
        rf"(?<!\d){figure.value}\s*(?:%|per ?cent)", words, re.IGNORECASE
    )
    references = " ".join(match[0] for match in REFERENCE.finditer(words))
    referred = figure.value in map(Fraction, re.findall(r"\d+(?:\.\d+)?", references))
    if referred or (whole and re.search(r"[^\W\d_]", _OF_ACCURACY.sub("", words))):
        raise Unreadable(
            f"It is not clear which number is the accuracy ({text[:60]!r}); write only the "
            "accuracy, such as `0.7092` or `70.92%`."
        )
    if figure.share == 1:
        raise Unreadable("An accuracy of 100% is unlikely, so a person reads this answer.")


def _refuse_unclear(text: str, report: Report, split: str) -> None:
    """Refuse a short answer whose number may be no accuracy: `not 94.8`, `5 % at epoch 3`."""
    found = any({split, "accuracy"} & run.values.keys() for run in report.runs)
    beside = report.runs and not found and _DECIMAL.search(text)
    if beside or _HEDGED.search(text):
        raise Unreadable("It is not clear which number is the accuracy; write only one.")


def _joined(one: Report, other: Report) -> Report:
    """Join two texts; a text without runs of its own may say which run was chosen."""
    return Report(
        (*one.runs, *other.runs),
        {**one.shared, **other.shared},
        one.choice or other.choice,
        one.choice_text or other.choice_text,
    )


def _with_values(report: Report, values: Mapping[str, Figure]) -> Report:
    """Add single values: as a separate run, or for all runs of the table."""
    if report.runs:
        return replace(report, shared={**report.shared, **values})
    return replace(report, runs=(Run(1, "", dict(values)),))


def _renamed(run: Run, settings: RunSettings) -> Run:
    """Rename `accuracy` to the one accuracy that is required."""
    required = [name for name in settings.need if name in ACCURACIES] or list(settings.splits)
    if "accuracy" not in run.values or len(required) != 1 or required[0] in run.values:
        return run
    values = {required[0] if name == "accuracy" else name: v for name, v in run.values.items()}
    return replace(run, values=values)


def _nothing(settings: RunSettings) -> Unreadable:
    names = [*settings.grid, *(name for name in settings.need if name not in settings.grid)]
    columns = " | ".join(dict.fromkeys([*names, *settings.splits])) or "lr | epochs | dev | test"
    return Unreadable(
        f"No reported number could be read; write a table whose first line is `| {columns} |`, "
        "with one run per line, or `name: value` for each number."
    )


SEARCHED = 60_000  # characters
_WORDS = {
    "lr": (
        r"lr|learning[ _-]?rates?|step[ _-]?sizes?|lernrate|taux|tasa"
        r"|\d(?:[.,]\d+)?e-0?\d|0[.,]000\d*|10\s?\^\s?\{?-\d",
        "学习率",
    ),
    "epochs": (r"epochs?|epochen|époques?|épocas?|эпох\w*", "轮"),
    "batch_size": (r"batch\w*|bs|bsz", "批"),
    "train": (r"train\w*|tr|entraînement|entrenamiento", "训练"),
    "dev": (r"dev\w*|val\w*|eval\w*", "验证"),
    "test": (r"test\w*|prueba", "测试"),
    "perplexity": (r"perplex\w*|ppl|pplx", "困惑度"),
    "choice": (r"best|chos\w+|choose|select\w*|pick\w*|final\w*|winner|gewählt|choisi\w*", "选择"),
}
_MENTIONS = {  # Chinese has no spaces between words
    name: re.compile(rf"(?<![^\W_])(?:{words})(?![^\W\d_])|{chinese}", re.IGNORECASE)
    for name, (words, chinese) in _WORDS.items()
}


_HEADER = re.compile(r"^.*\n(?=[ \t]*\|?[ \t]*:?-[-:| \t]*$)", re.MULTILINE)


def mentions(text: str, name: str) -> bool:
    """Return whether a text mentions this kind of number; a column `chosen` is not a choice."""
    searched = text[:SEARCHED]
    if name == "choice":
        searched = _HEADER.sub("", searched)
    return name in _MENTIONS and _MENTIONS[name].search(searched) is not None


def refuse_unread(text: str, missing: Iterable[str]) -> None:
    """Raise Unreadable if a missing value is mentioned, so that it may be present after all."""
    unread = [name for name in missing if mentions(text, name)]
    if unread and re.search(r"\d", text[:SEARCHED]):
        names = ", ".join(name.replace("_", " ") for name in unread)
        raise Unreadable(f"The answer mentions this, but it could not be read: {names}.")


# Matches `96.99 %` or `.9461` or `825/872`; not `1e-5`, and not a part of a longer number or word.
_UNNAMED = re.compile(
    r"(?<![\w.+-])(?:\d{1,9}\s?/\s?\d{1,9}|\d{1,3}(?:\.\d{1,40})?|\.\d{1,40})(?!\w|[.,]\d)"
    r"(?:\s?%)?"
)
_LEAST = Fraction(
    1, 10
)  # a smaller share is hardly an accuracy, and as a number in 1..10 a setting


def refuse_unnamed(text: str, missing: Iterable[str], report: Report) -> None:
    """Raise Unreadable if accuracies are missing, and numbers without a name may be them."""
    names = [name for name in missing if name in ACCURACIES]
    read = [report.shared, report.choice, *(run.values for run in report.runs)]
    used = {
        figure.value for figures in read for name, figure in figures.items() if name != "accuracy"
    }
    numbers = [match[0] for match in _UNNAMED.finditer(undressed(text[:SEARCHED]))] if names else []
    unnamed = [number for number in numbers if _may_be_accuracy(number, used)]
    if unnamed:
        accuracies = " and ".join(f"`{name} accuracy`" for name in names)
        raise Unreadable(
            f"{accuracies} could not be found, but may be among these numbers: "
            f"{', '.join(unnamed[:6])}. Write the name of each number before it."
        )


def _may_be_accuracy(number: str, used: Set[Fraction]) -> bool:
    figure = figure_in(number)
    return figure is not None and figure.value not in used and _LEAST < figure.share <= 1
