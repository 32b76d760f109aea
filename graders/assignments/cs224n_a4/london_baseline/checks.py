"""The London baseline: one number in a small file, recomputed from the dev places.

    5.0    0.05    5.0%    5,0 %    Correct: 25.0 out of 500.0: 5.0%    25/500 = 0.05

Any words may be around it. Every number in the file must be correct, so that listing many numbers
does not help.
"""

import re
import unicodedata
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
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

FILE = "london_baseline_accuracy.txt"
LONDON = "London"
LONGEST = 2000  # characters: a number, a sentence, perhaps what the script printed
EXPECTED = f"the percentage of dev places that are {LONDON}, such as 12.3 or 12.3%"
NUMBER = (
    r"(?<![\w.,])[-+\u2212]?(?:[0-9]+(?:[.,][0-9]*)?|[.,][0-9]+)(?:[eE][-+]?[0-9]{1,2})?(?![0-9])"
)
# Matches `25 out of 500` or `25/500`.
RATIO = re.compile(
    rf"({NUMBER})\s*(?:correct\s+|right\s+)?(?:out\s+of|of|/)\s*(?:the\s+)?({NUMBER})"
)
# Digits with the characters of numbers: one number, or several separated only by commas.
RUN = r"(?<![\w.,])[-+\u2212]?[.,]*[0-9][0-9.,]*(?:[eE][-+]?[0-9]{1,2})?(?![0-9])"
CLAIM = re.compile(rf"({RUN})[^\S\n]*(%|per\s?cent|pct)?", re.IGNORECASE)  # `5.0%` or `0.05`

# Numbers that are not accuracies: dates, headings, other output of the script.
LABELS = re.compile(
    r"\b(?:assignment|part|question|problem|section|homework|hw|spring|winter|fall|autumn)"
    r"\s*[#:(]?\s*[0-9]+\b"
    r"|\b20[0-9]{2}-[0-9]{2}-[0-9]{2}\b|\b[0-9]{1,2}:[0-9]{2}(?::[0-9]{2})?\b"
    r"|[*x\u00d7\u00b7]\s*100(?:\.0*)?\b|\b100(?:\.0*)?\s*[*x\u00d7\u00b7]"
    r"|\b0\s*(?:-|to|\u2013|\.\.)\s*100\b"
    r"|\bdata has [0-9]+ characters, [0-9]+ unique|\bnumber of parameters: [0-9]+",
    re.IGNORECASE,
)

LARGEST = 10**300  # shown as a number; a float holds no number above 1.8e308
NO_NUMBER = Fraction(-1)  # neither a percentage nor a count
COARSEST = Fraction(1, 20)  # percentage points: "5" may mean 5.04, but not 5.3
FLOAT_NOISE = Fraction(1, 100_000)  # percentage points: 0.05000000074505806 is 0.05 in float32


@dataclass(frozen=True, slots=True)
class Claim:
    """One number as printed; `step` is the value of its last digit."""

    text: str
    value: Fraction
    step: Fraction
    is_percentage: bool

    def says(self, percentage: Fraction) -> bool:
        """Return whether the number is this percentage, or the same as a fraction."""
        return self._is(percentage, 1) or (not self.is_percentage and self._is(percentage, 100))

    def _is(self, percentage: Fraction, scale: int) -> bool:
        """Return whether it equals the percentage up to its last digit, rounded or truncated."""
        distance = abs(self.value * scale - percentage)
        return distance <= FLOAT_NOISE or (distance <= COARSEST and distance < self.step * scale)


@dataclass(frozen=True, slots=True)
class Statement:
    """All claims of a text: ratios such as 25/500, and single numbers."""

    ratios: tuple[tuple[Fraction, Fraction], ...]
    claims: tuple[Claim, ...]


def read_statement(text: str) -> Statement:
    """Return the numbers of a text; full-width digits and percent signs are accepted."""
    plain = LABELS.sub(" ", unicodedata.normalize("NFKC", text))
    ratios = tuple((_value(a), _value(b)) for a, b in RATIO.findall(plain))
    rest = RATIO.sub(" ; ", plain)
    return Statement(ratios, tuple(_claims(rest)))


def _claims(text: str) -> Iterator[Claim]:
    for run, unit in CLAIM.findall(text):
        run = run.rstrip(".,")  # the end of a sentence
        numbers = [run] if re.fullmatch(NUMBER, run) else run.split(",")
        for number in filter(None, numbers):
            yield _claim(number, unit)


def _claim(number: str, unit: str) -> Claim:
    if not re.fullmatch(NUMBER, number):  # such as 1.2.3: not an accuracy
        return Claim(number, NO_NUMBER, Fraction(0), bool(unit))
    digits, _, exponent = number.lower().replace(",", ".").partition("e")
    decimals = len(digits.partition(".")[2])
    step = Fraction(10) ** (int(exponent or 0) - decimals)
    return Claim(number + unit, _value(number), step, bool(unit))


def _shown(value: Fraction) -> str:
    """Return the number in a few digits, however large it is."""
    return f"{float(value):g}" if abs(value) < LARGEST else "a huge number"


def _value(number: str) -> Fraction:
    plain = number.lower().replace(",", ".").replace("\u2212", "-")
    return Fraction(plain.replace(".e", "e").rstrip("."))


@dataclass(frozen=True, slots=True)
class Baseline:
    """The recomputed baseline: `right` of `n` dev places are London."""

    right: int
    n: int

    @property
    def percentage(self) -> Fraction:
        return Fraction(100 * self.right, self.n)

    def false_claims(self, statement: Statement) -> list[str]:
        """Return the false parts of the statement, in its own words."""
        wrong = [f"{_shown(a)}/{_shown(b)}" for a, b in statement.ratios if not self._equals(a, b)]
        return wrong + [c.text for c in statement.claims if not self._is_true(c)]

    def is_stated(self, statement: Statement) -> bool:
        """Return whether the statement contains the accuracy itself."""
        return any(claim.says(self.percentage) for claim in statement.claims) or any(
            self._equals(a, b) for a, b in statement.ratios
        )

    def _is_true(self, claim: Claim) -> bool:
        counts = () if claim.is_percentage else (self.right, self.n)
        return claim.says(self.percentage) or claim.value in counts

    def _equals(self, a: Fraction, b: Fraction) -> bool:
        return b != 0 and 100 * a / b == self.percentage


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
    _require_course_data(statement, data, int(settings["course_dev_lines"]))
    score.show(Accuracy(f"{LONDON} baseline, on dev", baseline.right, baseline.n))
    false = baseline.false_claims(statement)
    if false or not baseline.is_stated(statement):
        _fail(text, false, statement, baseline, data)
    score.note(f"Recomputed: {_recomputed(baseline)}.")


def _require_course_data(statement: Statement, data: Data, course_lines: int) -> None:
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
            for is_slip, says in _slips(claim, baseline, data):
                if is_slip:
                    return says
    return ""


def _slips(claim: Claim, baseline: Baseline, data: Data) -> Iterator[tuple[bool, str]]:
    """Yield known ways to get a wrong number, most likely first."""
    right = baseline.percentage
    is_fraction = claim.is_percentage and claim.value * 100 == right
    yield (
        is_fraction,
        ("The number is a fraction between 0 and 1, but it is followed by a percent sign."),
    )
    is_count = claim.value == baseline.right
    yield is_count, "This is the number of places that are London, not their percentage."
    yield claim.value == baseline.n, "This is the number of places."
    is_complement = claim.says(100 - right)
    yield is_complement, "This is the percentage of wrong answers: 100% minus the accuracy."
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
