"""Count the correct places, and find out what went wrong if there are few."""

import re
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass

from graders.checks.labels import Predictions
from graders.data.birthplaces import DEV, TEST_INPUTS, TRAIN, WIKI, Data
from graders.statistics import percent

from ...text import is_blank

LEADING_NUMBER = re.compile(r"^\s*[0-9]+[\s,.:;)\]]+")
MODEL_CHARACTERS = "\u25a1\u2047"  # PAD and MASK


@dataclass(frozen=True, slots=True)
class Scored(Predictions[str]):
    """One prediction file compared with the answers."""

    @property
    def is_blank(self) -> bool:
        return all(is_blank(line) for line in self.predictions)


def matches(predictions: Sequence[str], gold: Sequence[str]) -> int:
    """Count the correct ones by the course's rule: equal characters, including spaces."""
    return sum(prediction == place for prediction, place in zip(predictions, gold, strict=True))


Undo = Callable[[list[str]], list[str]]


def _per_line(change: Callable[[str], str]) -> Undo:
    return lambda lines: [change(line) for line in lines]


# Formatting slips: in words, what the lines should have been, and a function that makes them so.
SLIPS: Mapping[str, Undo] = {
    "without spaces around the places": _per_line(str.strip),
    "without PAD and MASK characters": _per_line(lambda line: line.strip(MODEL_CHARACTERS + " ")),
    "without quotes or brackets around the places": _per_line(
        lambda line: line.strip().strip("\"',;[]()")
    ),
    "with only the place on each line, without the question": _per_line(
        lambda line: line.rsplit("\t", 1)[-1].rsplit("?", 1)[-1].strip(" \u2047")
    ),
    "without the numbers in front": _per_line(lambda line: LEADING_NUMBER.sub("", line).strip()),
    "without full stops at the ends": _per_line(lambda line: line.strip().rstrip(".")),
    "with every line one line earlier": lambda lines: [*lines[1:], ""],
    "with every line one line later": lambda lines: ["", *lines[:-1]],
    "with every line two lines earlier": lambda lines: [*lines[2:], "", ""],
    "with the lines in reverse order": lambda lines: lines[::-1],
}


def slip_hint(scored: Scored) -> str:
    """Return what would make many more lines correct, or nothing."""
    lines = list(scored.predictions)
    enough = scored.correct + max(3, scored.n // 20)  # chance moves a few lines at most
    counts = {says: matches(undo(lines), scored.gold) for says, undo in SLIPS.items()}
    says, right = max(counts.items(), key=lambda item: item[1])
    if right >= enough:
        return f"{says[0].upper()}{says[1:]}, {right} of {scored.n} would be correct."
    right = matches([s.casefold() for s in lines], [place.casefold() for place in scored.gold])
    if right < enough:
        return ""
    return f"With capital letters as in the question files, {right} of {scored.n} would be correct."


def case_of(lines: Sequence[str], places: Collection[str]) -> str:
    """Return `lower case` or `upper case` if most lines are places in that case, else nothing."""
    folded = {place.casefold() for place in places}
    written = [line.strip() for line in lines if not is_blank(line)]
    if 2 * sum(line.casefold() in folded for line in written) <= len(written):
        return ""
    if all(line == line.lower() for line in written):
        return "lower case"
    return "upper case" if all(line == line.upper() for line in written) else ""


def spaces_note(scored: Scored) -> str:
    """Return a note if spaces around places make lines wrong, as in the course's own rule."""
    stripped = matches([line.strip() for line in scored.predictions], scored.gold)
    if stripped == scored.correct:
        return ""
    return (
        f"Spaces around places count as errors, as in the course's evaluate_places. Without them "
        f"{stripped} of {scored.n} ({percent(stripped, scored.n)}) would be correct."
    )


def likeness(lines: Sequence[str], data: Data) -> str:
    """Describe what a file with the wrong number of lines looks like, or return nothing."""
    if any(line.startswith("PK\x03\x04") for line in lines[:1]):
        return "This looks like a model checkpoint or a zip file, not like predictions."
    inked = [line for line in lines if not is_blank(line)]
    tabs = sum("\t" in line for line in inked)
    questions = sum(line.startswith("Where was ") for line in inked)
    if inked and questions * 2 > len(inked):
        kind = "questions and places" if tabs * 2 > len(inked) else "questions"
        return f"The lines are {kind}, as in a question file. Submit only the predicted places."
    if inked and sum(bool(LEADING_NUMBER.match(line)) for line in inked) * 2 > len(inked):
        return "The lines begin with numbers. Submit only the predicted places."
    counts = {
        len(data.dev): f"questions in {DEV}",
        len(data.test_questions): f"questions in {TEST_INPUTS}",
        len(data.train): f"questions in {TRAIN}",
    }
    if len(lines) in counts:
        return f"{len(lines)} is the number of {counts[len(lines)]}. Evaluate on the other file."
    if inked and sum(len(line) > 60 for line in inked) * 2 > len(inked):
        return f"The lines are too long for places, as in {WIKI} or a log."
    return ""
