"""What the handout asks of every single draw, as rules: each finds a draw that breaks it.

    sequence   prefix ⁇ suffix ⁇ content □ □ □     x all but its last, y all but its first

A rule looks at one reading and says nothing about lengths over many draws (a4_lengths.py).
"""

from collections.abc import Callable
from dataclasses import dataclass
from itertools import permutations

import numpy as np
from a4_draws import PAD_ID, STANDARD, Draw, Order, Reading, Request, shifted

from reference.edition import SHORTEST
from reference.vocabulary import MASK, PAD

MANY = 100  # draws; code that writes a MASK a character has three parts in some of them
MOST_SHOWN = 160  # characters of a document or a sequence
SHAPE = f"prefix {MASK} suffix {MASK} content"
PART_NAMES = ("prefix", "content", "suffix")
ORDERS: tuple[Order, ...] = (
    STANDARD,
    *((p, c, s) for p, c, s in permutations(range(3)) if (p, c, s) != STANDARD),
)


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
            rows["what came"] = shown(self.draw.sequence)
        return {**rows, "the handout asks": self.expected}


Rule = Callable[[Reading], Problem | None]


def shown(text: str) -> str:
    """A text short enough for a table."""
    return text if len(text) <= MOST_SHOWN else f"{text[:MOST_SHOWN]}… ({len(text)} characters)"


def unreadable(reading: Reading) -> Problem | None:
    """Every reading gives a pair of int64 vectors."""
    asked = "a pair (x, y) of int64 tensors with one dimension"
    for kind in reading.kinds:
        if kind == "raised":
            count = f"{reading.kinds[kind]} of {reading.request.readings} readings"
            where = f" ({shown(reading.where)})" if reading.where else ""
            text = f"{count} raised {shown(reading.raised)}{where}"
            return Problem("Reading an item raised an exception.", asked, text)
        if kind not in ACCEPTED:
            return Problem("An item is not what the handout asks for.", asked, shown(kind))
    return None


TENSOR, ARRAY = "torch.Tensor int64 1-D", "numpy.ndarray int64 1-D"
# Arrays become tensors in a DataLoader, so they are taken, with a note.
ACCEPTED = {f"pair: {x}, {y}" for x in (TENSOR, ARRAY) for y in (TENSOR, ARRAY)}


def wrong_length(reading: Reading) -> Problem | None:
    """x and y have the length that the block size asks for.

    A longer row without PADs holds too long a cut or too many MASKs, which other rules say.
    """
    asked = reading.edition.example_length(reading.request.block_size)
    for name, table, lengths in (
        ("x", reading.x, reading.x_lengths),
        ("y", reading.y, reading.y_lengths),
    ):
        overfull = (lengths > asked) & (table != PAD_ID).all(axis=1)
        wrong = lengths[(lengths >= 0) & (lengths != asked) & ~overfull]
        if len(wrong):
            return Problem(
                f"{name} has the wrong length at block size {reading.request.block_size}.",
                f"{asked} ids in x and in y, for every document",
                f"{int(wrong[0])} ids in {name}",
            )
    return None


def not_shifted(reading: Reading) -> Problem | None:
    """y is x, one position on."""
    equal = reading.x_lengths == reading.y_lengths
    good = equal & shifted(reading.x, reading.y, reading.x_lengths)
    wrong = np.flatnonzero(~good & (reading.x_lengths >= 0) & (reading.y_lengths >= 0))
    if not len(wrong):
        return None
    x, y = (
        table[wrong[0], : lengths[wrong[0]]].tolist()
        for table, lengths in (
            (reading.x, reading.x_lengths),
            (reading.y, reading.y_lengths),
        )
    )
    return Problem(
        "y is not x shifted by one.",
        "y[i] = x[i + 1]",
        f"x = {shown(str(x))}\ny = {shown(str(y))}",
    )


def wrong_layout(reading: Reading) -> Problem | None:
    """Each sequence has the edition's MASKs, and PADs only behind everything else."""
    for draw in reading.judged:
        marks = draw.body.count(MASK)
        if PAD in draw.body:
            actual = f"{PAD} stands before other characters"
        elif not _marks_allowed(draw, reading):
            actual = f"{marks} {MASK}"
        else:
            continue
        asked = _asked_layout(reading)
        return Problem(f"A sequence is not built as {asked}.", asked, actual, draw)
    return None


def not_a_piece(reading: Reading) -> Problem | None:
    """Prefix, content and suffix together are a contiguous piece of a document.

    That no draw has three parts may be chance where there are few.
    """
    if not reading.parted:
        if len(reading.judged) < MANY:
            return None
        return Problem(
            "No sequence has three parts, so they cannot be compared with the document.",
            SHAPE,
            "",
            reading.judged[0],
        )
    for draw in reading.parted:
        if not _is_piece(draw.restored(), reading.request):
            names = zip(("prefix", "suffix", "content"), draw.slots, strict=False)
            return Problem(
                "prefix + content + suffix is not a piece of the document.",
                f"{SHAPE}, where prefix + content + suffix is a piece of the document",
                ", ".join(f"{name} {part!r}" for name, part in names),
                draw,
            )
    return None


def wrong_document(reading: Reading) -> Problem | None:
    """What came consists of characters of the document that was asked for."""
    for draw in reading.judged:
        strange = set(draw.body) - {MASK, PAD} - set(draw.document)
        if strange:
            return Problem(
                f"Reading index {draw.index} did not give a piece of document {draw.index}.",
                f"data[{draw.index}]",
                f"characters that this document lacks: {shown(''.join(sorted(strange)))}",
                draw,
            )
    return None


def wrong_cut(reading: Reading) -> Problem | None:
    """A cut document has 4 characters to the limit, and at most all of the document."""
    longest = reading.longest
    for draw in reading.judged:
        cut, whole = draw.cut, len(draw.document)
        least, most = min(SHORTEST, whole), min(longest, whole)
        if not least <= cut <= most:
            return Problem(
                f"A document of {whole} characters is cut to {cut} characters "
                f"at block size {reading.request.block_size}.",
                f"from {least} to {most} characters",
                f"{cut} characters",
                draw,
            )
    return None


def complete(reading: Reading) -> bool:
    """Whether each draw of a document of distinct characters holds all of one piece of it.

    In whatever order: otherwise the number of characters says nothing about the cut.
    """
    for draw in reading.judged:
        characters = draw.body.replace(MASK, "").replace(PAD, "")
        places = sorted(map(draw.document.find, characters))
        first = places[0] if places else -1
        if first < 0 or places != list(range(first, first + len(places))):
            return False
    return True


def order_of_parts(reading: Reading) -> Order | None:
    """The slots of prefix, content and suffix that restore a piece in every draw.

    The handout's order goes first. None where no order does it.
    """
    return next((order for order in ORDERS if restores(reading, order)), None)


def restores(reading: Reading, order: Order) -> bool:
    """Whether parts in this order make a piece of one of the documents in every draw."""
    return all(_is_piece(draw.restored(order), reading.request) for draw in reading.parted)


def _is_piece(piece: str, request: Request) -> bool:
    return piece in request.corpus and "\n" not in piece


def _marks_allowed(draw: Draw, reading: Reading) -> bool:
    """Two MASKs, then the content, then the end marker that the edition wants or lets pass."""
    ends = len(draw.slots) == 4 and not draw.slots[3]
    plain = len(draw.slots) == 3
    marker = reading.edition.end_marker
    return (plain and marker != "required") or (ends and marker != "none")


def _asked_layout(reading: Reading) -> str:
    end = {"none": "", "optional": f" (and perhaps {MASK})", "required": f" {MASK}"}
    return f"{SHAPE}{end[reading.edition.end_marker]} {PAD} {PAD} …"
