"""Known mistakes in x, y and the layout of sequences, each with a predicate that recognizes it.

A mistake is named only where it alone explains the draws: `named` returns None when two do.
Mistakes in the parts are in a4_part_mistakes.py, those in lengths in a4_length_mistakes.py.
"""

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TypeVar

import numpy as np
from a4_draws import PAD_ID, Draw, Reading, known_to_the_end, shifted, swapped

from graders.checks.mistakes import Mistake
from reference.vocabulary import MASK, PAD

Seen = TypeVar("Seen")
Known = Mapping[Mistake, Callable[[Reading], bool]]
SEQUENCE = f"the sequence is prefix {MASK} suffix {MASK} content {PAD} {PAD} …"
SHIFT = "y[i] = x[i + 1]: x = sequence[:-1], y = sequence[1:]"


def named(known: Mapping[Mistake, Callable[[Seen], bool]], *evidence: Seen) -> Mistake | None:
    """The one mistake of these that explains all the evidence."""
    found = [mistake for mistake, explains in known.items() if all(map(explains, evidence))]
    return found[0] if len(found) == 1 else None


# ---------------------------------------------------------------- x and y


def _same_rows(reading: Reading, left: int, right: int) -> bool:
    """Whether x[left:] and y[right:] agree as far as both go, in every row."""
    x, y = reading.x[:, left:], reading.y[:, right:]
    columns = min(x.shape[1], y.shape[1])
    equal = bool((reading.x_lengths == reading.y_lengths).all())
    inside = np.arange(columns) < (reading.x_lengths - max(left, right))[:, None]
    return bool(equal and columns and ((x[:, :columns] == y[:, :columns]) | ~inside).all())


def _swapped(reading: Reading) -> bool:
    equal = bool((reading.x_lengths == reading.y_lengths).all())
    return equal and swapped(reading.x, reading.y, reading.x_lengths)


def _backward(reading: Reading) -> bool:
    equal = bool((reading.x_lengths == reading.y_lengths).all())
    moved = equal and bool(shifted(reading.y, reading.x, reading.x_lengths).all())
    return moved and not swapped(reading.x, reading.y, reading.x_lengths)


def _targets_hidden(reading: Reading) -> bool:
    """Where y is not x shifted, it always holds one and the same number."""
    if reading.x.shape != reading.y.shape or not (reading.x_lengths == reading.y_lengths).all():
        return False
    inside = np.arange(reading.x.shape[1] - 1) < reading.x_lengths[:, None] - 1
    wrong = inside & (reading.x[:, 1:] != reading.y[:, :-1])
    values = np.unique(reading.y[:, :-1][wrong])
    return len(values) == 1 and values[0] in (0, -1, -100)


def _rolled(reading: Reading) -> bool:
    """y is x rolled by one: its last id is x's first one, though x ends with a PAD."""
    if reading.x.shape != reading.y.shape or len(set(reading.x_lengths.tolist())) != 1:
        return False
    padded = reading.x[:, -1] == PAD_ID
    around = np.concatenate([reading.x[:, 1:], reading.x[:, :1]], axis=1)
    return bool(padded.any() and (around == reading.y).all())


SHIFT_MISTAKES: Known = {
    Mistake("no-shift", "y is the same as x", SHIFT): lambda r: _same_rows(r, 0, 0),
    Mistake("swapped", "x and y are swapped: x is one position ahead of y", SHIFT): _swapped,
    Mistake("shifted-backward", "y is shifted the wrong way: y[i] = x[i - 1]", SHIFT): _backward,
    Mistake("rolled", "y is x rolled around: its last id is x's first one", SHIFT): _rolled,
    Mistake("shifted-by-two", "y is shifted by two: y[i] = x[i + 2]", SHIFT): lambda r: (
        _same_rows(r, 2, 0) and not _same_rows(r, 0, 0)
    ),
    Mistake(
        "targets-hidden",
        "some targets in y are overwritten; the loss already ignores PAD, and the model has to "
        "predict every other character",
        SHIFT,
    ): _targets_hidden,
}

# ---------------------------------------------------------------- lengths of x and y


def _no_padding(reading: Reading) -> bool:
    asked = reading.edition.example_length(reading.request.block_size)
    bare = not any(PAD in draw.sequence for draw in reading.draws)
    return bare and len(reading.draws) > 0 and bool((reading.x_lengths < asked).any())


def _always(reading: Reading, length: int) -> bool:
    """Whether x and y have this length wherever PADs fill them up, and it is not the asked one."""
    padded = (reading.x == PAD_ID).any(axis=1)
    sizes = {*reading.x_lengths[padded].tolist(), *reading.y_lengths[padded].tolist()}
    return sizes == {length} and length != reading.edition.example_length(
        reading.request.block_size
    )


LENGTH = "x and y are one shorter than the padded sequence"
LENGTH_MISTAKES: Known = {
    Mistake(
        "no-padding", f"sequences are not padded with {PAD}, so their lengths differ", LENGTH
    ): _no_padding,
    Mistake(
        "hard-coded-block",
        "the length of x is that of block size 128, whatever block_size is",
        f"{LENGTH}, which follows self.block_size",
    ): lambda r: _always(r, r.edition.example_length(128)),
    Mistake("one-too-long", "x and y have one id too many", LENGTH): lambda r: _always(
        r, r.edition.example_length(r.request.block_size) + 1
    ),
    Mistake("one-too-short", "x and y have one id too few", LENGTH): lambda r: _always(
        r, r.edition.example_length(r.request.block_size) - 1
    ),
}

# ---------------------------------------------------------------- MASKs and PADs


def every(draws: Sequence[Draw], explains: Callable[[Draw], bool]) -> bool:
    """Whether something holds for every draw, and at least for one."""
    return bool(draws) and all(map(explains, draws))


def _written(reading: Reading) -> list[Draw]:
    """The draws with their marks as the student wrote them."""
    return known_to_the_end(reading.written)


def _parts_of(draw: Draw, sequence: str) -> bool:
    """Whether this text has the handout's layout, on the draw's document."""
    body = sequence.rstrip(PAD)
    slots = body.split(MASK)
    return PAD not in body and len(slots) == 3 and slots[0] + slots[2] + slots[1] in draw.document


def splits(text: str) -> Iterable[tuple[str, str]]:
    return ((text[:i], text[i:]) for i in range(len(text) + 1))


def _lacks_second(draw: Draw) -> bool:
    slots = draw.slots
    return len(slots) == 2 and any(
        slots[0] + content + suffix in draw.document for suffix, content in splits(slots[1])
    )


def _lacks_first(draw: Draw) -> bool:
    slots = draw.slots
    return len(slots) == 2 and any(
        prefix + slots[1] + suffix in draw.document for prefix, suffix in splits(slots[0])
    )


def _has_end_mark(draw: Draw) -> bool:
    return draw.body.endswith(MASK) and _parts_of(draw, draw.body.removesuffix(MASK))


def _one_mask_a_character(draw: Draw) -> bool:
    """The run of MASKs behind the prefix is as long as the content, or as the gap it leaves."""
    parts = re.split(f"{MASK}+", draw.body)
    runs = [len(run) for run in re.findall(f"{MASK}+", draw.body)]
    if len(parts) == 3:
        prefix, suffix, content = parts
        return len(content) == runs[0] and prefix + content + suffix in draw.document
    if len(parts) != 2:
        return False
    no_suffix = len(parts[1]) + 1 == runs[0] and "".join(parts) in draw.document
    gap = f"{re.escape(parts[0])}.{{{runs[0]}}}{re.escape(parts[1])}"
    return no_suffix or re.search(gap, draw.document, re.DOTALL) is not None


def _pads_in_front(draw: Draw) -> bool:
    return draw.body.count(PAD) == len(draw.sequence) - len(draw.sequence.lstrip(PAD)) and (
        _parts_of(draw, draw.sequence.lstrip(PAD))
    )


def _padded_with_masks(draw: Draw) -> bool:
    body = draw.sequence.rstrip(MASK)
    return PAD not in draw.sequence and (_parts_of(draw, body) or _parts_of(draw, body + MASK))


def _pads_inside(draw: Draw) -> bool:
    return PAD not in draw.body or (
        not draw.body.startswith(PAD) and _parts_of(draw, draw.body.replace(PAD, ""))
    )


def _other_mark(reading: Reading) -> bool:
    """Whether the sequences hold no MASK, but something else in its place.

    Few draws may not show what it is.
    """
    known = reading.written != reading.draws or len(reading.draws) < FEW
    return known and not any(MASK in draw.sequence for draw in reading.written)


def _ids_swapped(draw: Draw) -> bool:
    return _parts_of(draw, draw.sequence.translate(str.maketrans(PAD + MASK, MASK + PAD)))


FEW = 100
MARKS = "prefix MASK suffix MASK content: two MASKs"
LAYOUT_MISTAKES: Known = {
    Mistake("second-mask-missing", "the MASK between suffix and content is missing", MARKS): (
        lambda r: every(_written(r), _lacks_second) and not every(_written(r), _lacks_first)
    ),
    Mistake("first-mask-missing", "there is no MASK where the content was taken out", MARKS): (
        lambda r: every(_written(r), _lacks_first) and not every(_written(r), _lacks_second)
    ),
    Mistake(
        "end-mask", "there is a third MASK after the content, as only other editions ask for", MARKS
    ): lambda r: r.edition.end_marker == "none" and every(_written(r), _has_end_mark),
    Mistake(
        "end-mask-missing", "the MASK after the content is missing", SEQUENCE + " with MASK"
    ): lambda r: (
        r.edition.end_marker == "required"
        and every(_written(r), lambda draw: _parts_of(draw, draw.body))
    ),
    Mistake(
        "pad-for-mask", f"the parts are separated by {PAD} (id 0), not by {MASK}", MARKS
    ): lambda r: _other_mark(r) and all(PAD in draw.body for draw in r.written),
    Mistake(
        "other-mask", f"another id than that of {MASK} separates the parts", "MASK has id 1"
    ): lambda r: _other_mark(r) and not any(PAD in draw.body for draw in r.written),
    Mistake("mask-a-character", "every masked character has a MASK of its own", MARKS): lambda r: (
        every(_written(r), _one_mask_a_character) and any(MASK * 3 in d.body for d in r.written)
    ),
    Mistake(
        "pads-in-front", "the PADs come first", "PADs fill the sequence up at its end"
    ): lambda r: every(_written(r), _pads_in_front) and any(PAD in draw.body for draw in r.written),
    Mistake(
        "padded-with-masks", "sequences are padded with MASK", "pad with PAD, id 0"
    ): lambda r: (
        every(_written(r), _padded_with_masks) and any(MASK * 3 in draw.body for draw in r.written)
    ),
    Mistake(
        "pads-inside",
        "a short document is padded before it is split into parts",
        "a short document is used whole, and PADs come only at the end of the sequence",
    ): lambda r: every(_written(r), _pads_inside) and any(PAD in draw.body for draw in r.written),
    Mistake(
        "ids-swapped", "PAD and MASK are mixed up", "PAD has id 0 and pads; MASK has id 1"
    ): lambda r: every(_written(r), _ids_swapped),
}
