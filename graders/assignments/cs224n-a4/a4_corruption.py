"""What the handout asks of every single draw, as rules: each finds the draws that break it.

    sequence   prefix ⁇ suffix ⁇ content □ □ □     x all but its last, y all but its first

A rule looks at one reading and says nothing about lengths over many draws (a4_lengths.py).
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np
from a4_draws import (
    NEARLY_ALL,
    PAD_ID,
    Draw,
    Reading,
    is_piece,
    known_to_the_end,
    shifted,
)
from a4_located import Located, is_all_there, located_cuts, order_of_parts

from reference.edition import SHORTEST
from reference.vocabulary import MASK, PAD

MANY = 100  # draws; code that writes one MASK per character has three parts in some of them
MOST_SHOWN = 160  # characters of a document or a sequence
SHAPE = f"prefix {MASK} suffix {MASK} content"
UNSURE = (
    0.15  # of the draws without three parts look incomplete by chance, for blanks at their ends
)
SLACK = 2  # characters by which a cut is mismeasured where characters are lost or doubled


@dataclass(frozen=True, slots=True)
class Problem:
    """A rule that is broken, and the draw that shows it."""

    message: str
    expected: str
    actual: str
    draw: Draw | None = None

    def table(self, reading: Reading) -> dict[str, str]:
        """The counterexample as a student reads it."""
        rows = {"block size": str(reading.request.block_size)}
        if self.draw is not None:
            rows = {"document": shown(self.draw.document), **rows}
            rows["actual"] = shown(self.draw.sequence)
        return {**rows, "expected": self.expected}


Rule = Callable[[Reading], Iterator[Problem]]


def first(rule: Rule, reading: Reading) -> Problem | None:
    """The first problem that a rule finds, or None."""
    return next(rule(reading), None)


def shown(text: str) -> str:
    """A text short enough for a table."""
    return text if len(text) <= MOST_SHOWN else f"{text[:MOST_SHOWN]}… ({len(text)} characters)"


def unreadable(reading: Reading) -> Iterator[Problem]:
    """Every reading gives a pair of int64 vectors."""
    asked = "a pair (x, y) of int64 tensors with one dimension"
    for kind in reading.kinds:
        if kind == "raised":
            count = f"{reading.kinds[kind]} of {reading.request.readings} readings"
            where = f" ({shown(reading.where)})" if reading.where else ""
            text = f"{count} raised {shown(reading.raised)}{where}"
            yield Problem("`__getitem__` raised an exception.", asked, text)
        elif kind not in ACCEPTED:
            text = "None" if kind == "no pair: NoneType" else shown(kind)
            yield Problem("`__getitem__` does not return a pair of int64 tensors.", asked, text)


TENSOR, ARRAY = "torch.Tensor int64 1-D", "numpy.ndarray int64 1-D"
# Arrays become tensors in a DataLoader, so they are taken, with a note.
ACCEPTED = {f"pair: {x}, {y}" for x in (TENSOR, ARRAY) for y in (TENSOR, ARRAY)}


def wrong_length(reading: Reading) -> Iterator[Problem]:
    """x and y have the length that the block size asks for.

    A longer row without PADs holds too long a cut or too many MASKs, which other rules say.
    """
    asked = reading.edition.example_length(reading.request.block_size)
    for name, table, lengths in (
        ("x", reading.x, reading.x_lengths),
        ("y", reading.y, reading.y_lengths),
    ):
        overfull = (lengths > asked) & (table != PAD_ID).all(axis=1)
        for length in lengths[(lengths >= 0) & (lengths != asked) & ~overfull].tolist():
            yield Problem(
                f"{name} has the wrong length at block size {reading.request.block_size}.",
                f"{asked} ids in x and in y, for every document",
                f"{length} ids in {name}",
            )


def not_shifted(reading: Reading) -> Iterator[Problem]:
    """y is x, one position on."""
    # As far as both go: that one is longer is another rule's.
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
    """Each sequence has the edition's MASKs, and PADs only behind everything else."""
    asked = _asked_layout(reading)
    for draw in known_to_the_end(reading.written):
        if PAD in draw.body:
            actual = f"{PAD} before other characters"
        elif not _marks_allowed(draw, reading):
            actual = f"{draw.body.count(MASK)} {MASK}"
        else:
            continue
        yield Problem(f"A sequence is not {asked}.", asked, actual, draw)


def not_a_piece(reading: Reading) -> Iterator[Problem]:
    """Prefix, content and suffix together are a contiguous piece of a document, in its ids.

    Where most draws do not have three parts, because a MASK is missing, all of a piece must at
    least be there. Among few draws it may be chance.
    """
    asked = f"{SHAPE}, where prefix + content + suffix is a contiguous piece of the document"
    if reading.vocabulary:
        yield from _strange_ids(reading)
        return
    for draw in reading.parted:
        if not is_piece(draw.restored(), reading.request.corpus):
            names = zip(("prefix", "suffix", "content"), draw.slots, strict=False)
            yield Problem(
                "prefix + content + suffix is not a contiguous piece of the document.",
                asked,
                ", ".join(f"{name} {part!r}" for name, part in names),
                draw,
            )
    others = [draw for draw in reading.judged if not draw.has_parts]
    lacking = [draw for draw in others if not is_all_there(draw, reading.request.corpus)]
    if len(reading.judged) >= MANY and len(lacking) > UNSURE * len(reading.judged):
        for draw in lacking:
            yield Problem(
                "A sequence does not have three parts that make up a piece of the document.",
                asked,
                shown(draw.body),
                draw,
            )


def _strange_ids(reading: Reading) -> Iterator[Problem]:
    places = {name: reading.vocabulary.find(name) for name in (PAD, MASK)}
    for draw in reading.draws:
        yield Problem(
            "The ids are not those of the handout's vocabulary.",
            f"{PAD} has id 0 and {MASK} id 1; the corpus's characters follow in sorted order",
            f"in your itos, {PAD} has id {places[PAD]} and {MASK} id {places[MASK]}; "
            f"ids 2, 3, 4 are {', '.join(map(repr, reading.vocabulary[2:5]))}",
            draw,
        )


def wrong_document(reading: Reading) -> Iterator[Problem]:
    """Every character belongs to the document that was asked for."""
    for draw in reading.judged:
        strange = set(draw.body) - {MASK, PAD} - set(draw.document)
        if strange:
            yield Problem(
                f"Reading index {draw.index} did not give a piece of document {draw.index}.",
                f"data[{draw.index}]",
                f"characters that are not in this document: {shown(''.join(sorted(strange)))}",
                draw,
            )


def wrong_cut(reading: Reading) -> Iterator[Problem]:
    """A cut document has 4 characters to the limit, and at most all of the document.

    Where nearly all draws have parts that make up a piece, these are judged. Otherwise the cut is
    measured by the characters' places in the document, and many must be clearly outside.
    """
    cuts = located_cuts(reading)
    if order_of_parts(reading) is not None:
        yield from _outside(reading, cuts, 0)
    else:
        problems = list(_outside(reading, cuts, SLACK))
        yield from problems if len(problems) > (1 - NEARLY_ALL) * len(cuts) else ()


def _outside(reading: Reading, cuts: list[Located], slack: int) -> Iterator[Problem]:
    for each in cuts:
        whole = len(each.draw.document)
        least, most = min(SHORTEST, whole), min(reading.longest, whole)
        if each.exact is (slack == 0) and not least - slack <= each.cut <= most + slack:
            yield Problem(
                f"A document of {whole} characters is cut to {each.cut} characters "
                f"at block size {reading.request.block_size}.",
                f"{least} to {most} characters",
                f"{each.cut} characters",
                each.draw,
            )


def _marks_allowed(draw: Draw, reading: Reading) -> bool:
    """Two MASKs, then the content, then the end marker that the edition wants or lets pass."""
    ends = len(draw.slots) == 4 and not draw.slots[3]
    plain = len(draw.slots) == 3
    marker = reading.edition.end_marker
    return (plain and marker != "required") or (ends and marker != "none")


def _asked_layout(reading: Reading) -> str:
    end = {"none": "", "optional": f" (and perhaps {MASK})", "required": f" {MASK}"}
    return f"{SHAPE}{end[reading.edition.end_marker]} {PAD} {PAD} …"
