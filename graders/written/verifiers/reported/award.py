"""Award points for reported numbers, one award per requirement, and combine them."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from graders.written.audits.finding import Finding, by_severity
from graders.written.question import Judgement
from submissions.escaping import first_few

MOST_ROWS = 12  # numbers shown in the counterexample
MOST_NOTES = 12
MOST_NAMES = 8


@dataclass(frozen=True, slots=True)
class Award:
    """The fraction earned for one requirement, with a sentence if it is not all of it."""

    share: float
    why: str = ""


def judgement_of(earned: Sequence[tuple[float, Award]], findings: Iterable[Finding]) -> Judgement:
    """Return the judgement of all awards with their points; other findings cost no points."""
    total = sum(points for points, _ in earned)
    fraction = sum(points * award.share for points, award in earned) / total
    remarks = [finding for finding in by_severity(findings) if finding.severity != "fine"]
    grouped = _grouped(remarks)
    lost = [award.why for _, award in earned if award.share < 1]
    full = [next((note for note in grouped if why and note.startswith(why)), why) for why in lost]
    message = " ".join(dict.fromkeys(why for why in full if why))
    notes = [note for note in grouped if note not in message]
    rows = dict(row for finding in remarks for row in finding.numbers)
    return Judgement(
        min(max(fraction, 0.0), 1.0),
        message,
        counterexample=tuple(rows.items())[:MOST_ROWS] if lost else (),
        notes=tuple(notes[:MOST_NOTES]),
    )


def _grouped(findings: Sequence[Finding]) -> list[str]:
    """Return one sentence per kind of finding, which names all numbers that it applies to."""
    kinds: dict[str, list[Finding]] = {}
    for finding in findings:
        kinds.setdefault(finding.id, []).append(finding)
    return [_sentence(several) for several in kinds.values()]


def _sentence(findings: Sequence[Finding]) -> str:
    first, *following = findings
    names = [name for finding in following for name, _ in finding.numbers[:1]]
    if not names:
        return " ".join([first.sentence, *(finding.sentence for finding in following[:3])])
    return f"{first.sentence} The same applies to {first_few(names, MOST_NAMES)}."
