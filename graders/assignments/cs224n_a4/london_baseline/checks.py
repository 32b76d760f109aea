"""The London baseline: one number in a small file, recomputed from the dev places."""

from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction

import pytest

from graders.checks.compare import fail
from graders.checks.score import Score
from graders.checks.submitted import SubmittedFiles
from graders.data.birthplaces import Data
from graders.errors import GraderFault
from graders.figures import Accuracy
from graders.model import Setting

from ..text import decode, is_blank
from .expected import Baseline, Claim, Statement, read_statement

FILE = "london_baseline_accuracy.txt"
LONDON = "London"
LONGEST = 2000  # characters: a number, a sentence, perhaps what the script printed
EXPECTED = f"the percentage of dev places that are {LONDON}, such as 12.3 or 12.3%"


@pytest.mark.criterion("london-baseline")
def test_london_baseline(
    submitted: SubmittedFiles, data: Data, settings: Mapping[str, Setting], score: Score
) -> None:
    """The file contains the accuracy of answering London to every dev question."""
    text, _ = decode(submitted.bytes(FILE))
    if len(text) > LONGEST:
        fail(f"`{FILE}` has {len(text)} characters; expected one number.", expected=EXPECTED)
    if is_blank(text):
        fail(f"`{FILE}` is empty.", expected=EXPECTED)
    statement = read_statement(text)
    baseline = Baseline(data.dev.count(LONDON), len(data.dev))
    _refuse_wrong_world(statement, data, int(settings["course_dev_lines"]))
    score.show(Accuracy(f"{LONDON} baseline, on dev", baseline.right, baseline.n))
    false = baseline.false_claims(statement)
    if false or not baseline.is_stated(statement):
        _fail(text, false, statement, baseline, data)
    score.note(f"Recomputed: {_recomputed(baseline)}.")


def _refuse_wrong_world(statement: Statement, data: Data, course_lines: int) -> None:
    """Raise if the built-in sample dataset would grade a number about the course's questions."""
    counts = [b for _, b in statement.ratios] + [claim.value for claim in statement.claims]
    if data.embedded and course_lines in counts:
        raise GraderFault(
            "this baseline is about the course's questions, but no course files were given. "
            "Grade with --data DIR"
        )


def _fail(
    text: str, false: Sequence[str], statement: Statement, baseline: Baseline, data: Data
) -> None:
    shown = " ".join(text.split())[:80]
    if len(statement.claims) + len(statement.ratios) > 1 and false:
        problem = f"these numbers do not match the baseline: {', '.join(false[:3])}"
    elif statement.claims or statement.ratios:
        problem = "this is not the accuracy of the baseline"
    else:
        problem = "it contains no number"
    fail(
        f"`{FILE}` says {shown!r}: {problem}. Recomputed: {_recomputed(baseline)}.",
        hint=_hint(statement.claims, baseline, data),
        expected=EXPECTED,
        actual=repr(shown),
    )


def _recomputed(baseline: Baseline) -> str:
    percentage = float(baseline.percentage)
    return f"{baseline.right} of {baseline.n} dev places are {LONDON}, {percentage:.4g}%"


def _hint(claims: Sequence[Claim], baseline: Baseline, data: Data) -> str:
    for claim in claims:
        if not claim.says(baseline.percentage):
            for slip, says in _slips(claim, baseline, data):
                if slip:
                    return says
    return ""


def _slips(claim: Claim, baseline: Baseline, data: Data) -> Iterator[tuple[bool, str]]:
    """Yield known ways to get a wrong number, most likely first."""
    share = baseline.percentage
    yield (
        claim.is_percentage and claim.value * 100 == share,
        ("The number is a fraction between 0 and 1, but it is followed by a percent sign."),
    )
    yield (
        claim.value == baseline.right,
        ("This is the number of places that are London, not their percentage."),
    )
    yield claim.value == baseline.n, "This is the number of places."
    yield (
        claim.says(100 - share),
        "This is the percentage of wrong answers: 100% minus the accuracy.",
    )
    yield (
        claim.value == 0,
        (
            "No answer was counted as correct. The predictions must be a list with one `London` "
            "per question, without line ends."
        ),
    )
    for places, what in ((data.train, "training"), (data.test or (), "test")):
        share = _share(sum(place == LONDON for place in places), len(places))
        yield claim.says(share), f"This is the percentage of London in the {what} file, not in dev."
    inside = _share(sum(LONDON in place for place in data.dev), len(data.dev))
    yield (
        claim.says(inside),
        ("This also counts places that only contain the word London. Compare whole places."),
    )


def _share(k: int, n: int) -> Fraction:
    return Fraction(100 * k, n) if n else Fraction(-1)
