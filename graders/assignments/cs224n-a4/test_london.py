"""The London baseline: one number in a small file, recomputed from the dev places."""

from fractions import Fraction

import pytest
from a4_london import Baseline, Claim, read_statement
from a4_text import decode, is_blank

from graders.checks.compare import fail
from graders.errors import GraderFault
from graders.figures import Accuracy

FILE = "london_baseline_accuracy.txt"
LONDON = "London"
LONGEST = 2000  # characters: a number, a sentence, perhaps what the script printed
EXPECTED = f"the percentage of dev places that are {LONDON}, such as 12.3 or 12.3%"


@pytest.mark.criterion("london-baseline")
def test_london_baseline(submitted, data, settings, score):
    """The file holds the accuracy of answering London to every dev question."""
    text, _ = decode(submitted.bytes(FILE))
    if len(text) > LONGEST:
        fail(f"`{FILE}` has {len(text)} characters; expected one number.", expected=EXPECTED)
    if is_blank(text):
        fail(f"`{FILE}` is empty.", expected=EXPECTED)
    statement = read_statement(text)
    baseline = Baseline(data.dev.count(LONDON), len(data.dev))
    _refuse_wrong_world(statement, data, int(settings["course_dev_lines"]))
    score.show(Accuracy(f"{LONDON} for everybody, on dev", baseline.right, baseline.n))
    false = baseline.false_claims(statement)
    if false or not baseline.is_stated(statement):
        _fail(text, false, statement, baseline, data)
    score.note(f"Recomputed: {_recomputed(baseline)}.")


def _refuse_wrong_world(statement, data, course_lines):
    """A count of the course's questions cannot be judged with the embedded world's."""
    counts = [b for _, b in statement.ratios] + [claim.value for claim in statement.claims]
    if data.embedded and course_lines in counts:
        raise GraderFault(
            "this baseline is about the course's questions, but no course files were given: "
            "grade with --data DIR"
        )


def _fail(text, false, statement, baseline, data):
    shown = " ".join(text.split())[:80]
    if len(statement.claims) + len(statement.ratios) > 1 and false:
        problem = f"not all of its numbers are the baseline's: {', '.join(false[:3])}"
    elif statement.claims or statement.ratios:
        problem = "this is not the accuracy of the baseline"
    else:
        problem = "there is no number in it"
    fail(
        f"`{FILE}` says {shown!r}: {problem}. Recomputed: {_recomputed(baseline)}.",
        hint=_hint(statement.claims, baseline, data),
        expected=EXPECTED,
        actual=repr(shown),
    )


def _recomputed(baseline):
    percentage = float(baseline.percentage)
    return f"{baseline.right} of {baseline.n} dev places are {LONDON}, {percentage:.4g} %"


def _hint(claims, baseline, data):
    for claim in claims:
        if not claim.says(baseline.percentage):
            for slip, says in _slips(claim, baseline, data):
                if slip:
                    return says
    return ""


def _slips(claim: Claim, baseline, data):
    """Known ways to get a wrong number, the likeliest first."""
    share = baseline.percentage
    yield (
        claim.is_percentage and claim.value * 100 == share,
        ("The number is a fraction of one, but a percent sign follows it."),
    )
    yield (
        claim.value == baseline.right,
        ("This is the number of places that are London, not their percentage."),
    )
    yield claim.value == baseline.n, "This is the number of places."
    yield claim.says(100 - share), "This is the percentage of wrong answers: 100% - the accuracy."
    yield (
        claim.value == 0,
        (
            "No answer was counted as right. The predictions must be a list with one `London` per "
            "question, without line ends."
        ),
    )
    for places, what in ((data.train, "training"), (data.test or (), "test")):
        share = _share(sum(place == LONDON for place in places), len(places))
        yield claim.says(share), f"This is the percentage of London in the {what} file, not in dev."
    inside = _share(sum(LONDON in place for place in data.dev), len(data.dev))
    yield (
        claim.says(inside),
        ("This also counts places that merely contain the word London; compare whole places."),
    )


def _share(k, n):
    return Fraction(100 * k, n) if n else Fraction(-1)
