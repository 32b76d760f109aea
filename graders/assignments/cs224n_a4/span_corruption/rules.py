"""The handout's requirements for single items, as rules; each finds the draws that break it.

    sequence   prefix ⁇ suffix ⁇ content □ □ □     x all but its last, y all but its first

A rule looks at one reading; lengths over many draws are tested in lengths.py.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import NoReturn

import numpy as np

from graders.checks.compare import fail
from reference.data.edition import SHORTEST
from reference.data.vocabulary import MASK, PAD

from .draws import NEARLY_ALL, PAD_ID, Draw, Reading, is_piece, known_to_the_end, shifted
from .located import Located, is_all_there, located_cuts, order_of_parts

MANY = 100  # draws; with one MASK per character, some have three parts by chance
MOST_SHOWN = 160  # characters of a document or a sequence
SHAPE = f"prefix {MASK} suffix {MASK} content"
# Fraction of draws without three parts that look incomplete by chance, due to blanks at their ends.
UNSURE = 0.15
SLACK = 2  # error in characters of a length if characters are lost or duplicated


@dataclass(frozen=True, slots=True)
class Problem:
    """A broken rule, and the draw that shows it."""

    message: str
    expected: str
    actual: str
    draw: Draw | None = None

    def table(self, reading: Reading) -> dict[str, str]:
        """Return the counterexample that the student reads."""
        rows = {"block size": str(reading.request.block_size)}
        if self.draw is not None:
            rows = {"document": shown(self.draw.document), **rows}
            rows["actual"] = shown(self.draw.sequence)
        return {**rows, "expected": self.expected}

    def fail(self, reading: Reading, hint: str) -> NoReturn:
        """Fail the check with this problem, which the reading shows."""
        fail(
            self.message,
            hint=hint,
            expected=self.expected,
            actual=self.actual,
            counterexample=self.table(reading),
        )


Rule = Callable[[Reading], Iterator[Problem]]


def first(rule: Rule, reading: Reading) -> Problem | None:
    """Return the first problem that a rule finds, or None."""
    return next(rule(reading), None)


def shown(text: str) -> str:
    """Return a text short enough for a table."""
    return text if len(text) <= MOST_SHOWN else f"{text[:MOST_SHOWN]}… ({len(text)} characters)"


def unreadable(reading: Reading) -> Iterator[Problem]:
    """Find items that are not a pair of int64 vectors."""
    expected = "a pair (x, y) of int64 tensors with one dimension"
    for kind in reading.kinds:
        if kind == "raised":
            count = f"{reading.kinds[kind]} of {reading.request.readings} readings"
            where = f" ({reading.raised.where})" if reading.raised and reading.raised.where else ""
            yield Problem(
                f"`__getitem__` raised an exception in {count}.",
                expected,
                f"{reading.raised}{where}",
            )
        elif kind not in ACCEPTED:
            text = shown(kind.removeprefix(NO_PAIR))
            text = "None" if text == "NoneType" else text
            yield Problem("`__getitem__` does not return a pair of int64 tensors.", expected, text)


NO_PAIR = "no pair: "  # and the type of the item, as the student side says it
TENSOR, ARRAY = "torch.Tensor int64 1-D", "numpy.ndarray int64 1-D"
# Arrays become tensors in a DataLoader, so they are accepted with a note.
ACCEPTED = {f"pair: {x}, {y}" for x in (TENSOR, ARRAY) for y in (TENSOR, ARRAY)}


def wrong_length(reading: Reading) -> Iterator[Problem]:
    """Find x and y with a length that the block size does not allow.

    A longer row without PADs has too long a document or too many MASKs; other rules report that.
    """
    expected = reading.edition.example_length(reading.request.block_size)
    for name, table, lengths in (
        ("x", reading.x, reading.x_lengths),
        ("y", reading.y, reading.y_lengths),
    ):
        overfull = (lengths > expected) & (table != PAD_ID).all(axis=1)
        for length in lengths[(lengths >= 0) & (lengths != expected) & ~overfull].tolist():
            yield Problem(
                f"{name} has the wrong length at block size {reading.request.block_size}.",
                f"{expected} ids in x and in y, for every document",
                f"{length} ids in {name}",
            )


def not_shifted(reading: Reading) -> Iterator[Problem]:
    """Find draws in which y is not x shifted by one."""
    # Compare the common part; another rule reports different lengths.
    lengths = np.minimum(reading.x_lengths, reading.y_lengths + 1)
    good = shifted(reading.x, reading.y, lengths)
    wrong = ~good & (reading.x_lengths >= 0) & (reading.y_lengths >= 0)
    for row in np.flatnonzero(wrong).tolist():
        x = reading.x[row, : reading.x_lengths[row]].tolist()
        y = reading.y[row, : reading.y_lengths[row]].tolist()
        yield Problem(
            "y is not x shifted by one.",
            "y[i] = x[i + 1]",
            f"x = {shown(str(x))}\ny = {shown(str(y))}",
        )


def wrong_layout(reading: Reading) -> Iterator[Problem]:
    """Find sequences without the edition's MASKs, or with PADs before other characters."""
    marker = reading.edition.end_marker
    end = {"none": "", "optional": f" (and perhaps {MASK})", "required": f" {MASK}"}
    expected = f"{SHAPE}{end[marker]} {PAD} {PAD} …"
    for draw in known_to_the_end(reading.written):
        plain = len(draw.slots) == 3 and marker != "required"
        marked = len(draw.slots) == 4 and not draw.slots[3] and marker != "none"
        if reading.padding:
            actual = f"padded with {reading.padding!r}"
        elif PAD in draw.body:
            actual = f"{PAD} before other characters"
        elif not (plain or marked):
            actual = f"{draw.body.count(MASK)} {MASK}"
        else:
            continue
        yield Problem(f"A sequence is not {expected}.", expected, actual, draw)


def not_a_piece(reading: Reading) -> Iterator[Problem]:
    """Find draws whose prefix + content + suffix is not a contiguous piece of a document.

    If most draws do not have three parts because a MASK is missing, the whole piece must at least
    be present. Among few draws it may be missing by chance.
    """
    expected = f"{SHAPE}, where prefix + content + suffix is a contiguous piece of the document"
    if reading.vocabulary:
        yield from _strange_ids(reading)
        return
    for draw in reading.parted:
        if not is_piece(draw.restored(), reading.request.corpus):
            names = zip(("prefix", "suffix", "content"), draw.slots, strict=False)
            yield Problem(
                "prefix + content + suffix is not a contiguous piece of the document.",
                expected,
                "read in this order: " + ", ".join(f"{name} {part!r}" for name, part in names),
                draw,
            )
    unparted = [draw for draw in reading.judged if not draw.has_parts]
    lacking = [draw for draw in unparted if not is_all_there(draw, reading.request.corpus)]
    if len(reading.judged) >= MANY and len(lacking) > UNSURE * len(reading.judged):
        for draw in lacking:
            yield Problem(
                "A sequence does not have three parts that form a piece of the document.",
                expected,
                shown(draw.body),
                draw,
            )


def _strange_ids(reading: Reading) -> Iterator[Problem]:
    places = {name: reading.vocabulary.find(name) for name in (PAD, MASK)}
    for draw in reading.draws:
        yield Problem(
            "The ids differ from the handout's vocabulary.",
            f"{PAD} has id 0 and {MASK} id 1; the characters of the corpus follow in sorted order",
            f"in your itos, {PAD} has id {places[PAD]} and {MASK} id {places[MASK]}; "
            f"ids 2, 3, 4 are {', '.join(map(repr, reading.vocabulary[2:5]))}",
            draw,
        )


def wrong_document(reading: Reading) -> Iterator[Problem]:
    """Find draws with characters that are not in the requested document.

    An added blank is from no other document; another rule reports it.
    """
    for draw in reading.judged:
        strange = set(draw.body) - {MASK, PAD, " "} - set(draw.document)
        if strange:
            yield Problem(
                f"Reading index {draw.index} did not give a piece of document {draw.index}.",
                f"data[{draw.index}]",
                f"characters that are not in this document: {shown(''.join(sorted(strange)))}",
                draw,
            )


def wrong_cut(reading: Reading) -> Iterator[Problem]:
    """Find truncated documents outside of 4 characters to the limit (or the whole document).

    If nearly all draws have parts that form a piece, these are measured. Otherwise the length is
    estimated from the characters' places in the document, and many must be clearly outside.
    """
    cuts = located_cuts(reading)
    if order_of_parts(reading) is not None:
        yield from _outside(reading, cuts, 0)
    else:
        problems = list(_outside(reading, cuts, SLACK))
        yield from problems if len(problems) > (1 - NEARLY_ALL) * len(cuts) else ()


def _outside(reading: Reading, cuts: list[Located], slack: int) -> Iterator[Problem]:
    longest = reading.longest
    for cut in cuts:
        whole = len(cut.draw.document)
        least, most = min(SHORTEST, whole), min(longest, whole)
        if cut.exact is (slack == 0) and not least - slack <= cut.cut <= most + slack:
            yield Problem(
                f"A document of {whole} characters is truncated to {cut.cut} characters "
                f"at block size {reading.request.block_size}.",
                f"{least} to {most} characters",
                f"{cut.cut} characters",
                cut.draw,
            )
