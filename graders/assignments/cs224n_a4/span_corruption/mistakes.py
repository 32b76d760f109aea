"""Known mistakes of span corruption, each with a predicate that recognizes it.

Mistakes in x, y and the layout of sequences come first, then those in the parts and in the index,
then those in lengths. A mistake is named only if no other one explains the draws: `named` returns
None if two do.
"""

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import pairwise, product
from typing import TypeVar

import numpy as np

from graders.checks.mistakes import Mistake
from reference.data.edition import SHORTEST, Edition
from reference.data.vocabulary import MASK, PAD

from .draws import PAD_ID, STANDARD, Draw, Order, Reading, known_to_the_end, shifted, swapped
from .lengths import Lengths, content_pairs, content_varies
from .located import ORDERS, gap, restores

Seen = TypeVar("Seen")
Recognizers = Mapping[Mistake, Callable[[Reading], bool]]
SEQUENCE = f"the sequence is prefix {MASK} suffix {MASK} content {PAD} {PAD} …"
layout = partial(Mistake, equation=SEQUENCE)
SHIFT = "y[i] = x[i + 1]: x = sequence[:-1], y = sequence[1:]"
shift = partial(Mistake, equation=SHIFT)


def named(recognizers: Mapping[Mistake, Callable[[Seen], bool]], *evidence: Seen) -> Mistake | None:
    """Return the only one of these mistakes that explains all the evidence, or None."""
    mistakes = [
        mistake for mistake, explains in recognizers.items() if all(map(explains, evidence))
    ]
    return mistakes[0] if len(mistakes) == 1 else None


# ---------------------------------------------------------------- x and y


def _equally_long(reading: Reading) -> bool:
    return bool((reading.x_lengths == reading.y_lengths).all())


def _same_rows(reading: Reading, left: int) -> bool:
    """Return whether x[left:] and y agree in every row, up to the shorter length."""
    x, y = reading.x[:, left:], reading.y
    columns = min(x.shape[1], y.shape[1])
    inside = np.arange(columns) < (reading.x_lengths - left)[:, None]
    same = bool(columns and ((x[:, :columns] == y[:, :columns]) | ~inside).all())
    return same and _equally_long(reading)


def _swapped(reading: Reading) -> bool:
    return _equally_long(reading) and swapped(reading.x, reading.y, reading.x_lengths)


def _backward(reading: Reading) -> bool:
    moved = _equally_long(reading) and shifted(reading.y, reading.x, reading.x_lengths).all()
    return bool(moved) and not swapped(reading.x, reading.y, reading.x_lengths)


def _targets_hidden(reading: Reading) -> bool:
    """Return whether y is one constant number wherever it is not x shifted."""
    if reading.x.shape != reading.y.shape or not _equally_long(reading):
        return False
    inside = np.arange(reading.x.shape[1] - 1) < reading.x_lengths[:, None] - 1
    wrong = inside & (reading.x[:, 1:] != reading.y[:, :-1])
    values = np.unique(reading.y[:, :-1][wrong])
    return len(values) == 1 and values[0] in (0, -1, -100)


def _rolled(reading: Reading) -> bool:
    """Return whether y is x rolled by one: it ends with x's first id although x ends with a PAD."""
    if reading.x.shape != reading.y.shape or len(set(reading.x_lengths.tolist())) != 1:
        return False
    padded = reading.x[:, -1] == PAD_ID
    return bool(padded.any() and (np.roll(reading.x, -1, axis=1) == reading.y).all())


SHIFT_MISTAKES: Recognizers = {
    shift("no-shift", "y is the same as x"): lambda r: _same_rows(r, 0),
    shift("swapped", "x and y are swapped: x is one position ahead of y"): _swapped,
    shift("shifted-backward", "y is shifted in the wrong direction: y[i] = x[i - 1]"): _backward,
    shift("rolled", "y is x rolled around (torch.roll): its last id is x's first id"): _rolled,
    shift("shifted-by-two", "y is shifted by two: y[i] = x[i + 2]"): lambda r: (
        _same_rows(r, 2) and not _same_rows(r, 0)
    ),
    shift(
        "targets-hidden",
        "some targets in y are overwritten; the loss already ignores PAD, and the model must "
        "predict every other character",
    ): _targets_hidden,
}

# ---------------------------------------------------------------- lengths of x and y


def _no_padding(reading: Reading) -> bool:
    bare = not any(PAD in draw.sequence for draw in reading.draws)
    return (
        bare
        and len(reading.draws) > 0
        and bool((reading.x_lengths < _requested_length(reading)).any())
    )


def _always(reading: Reading, length: int) -> bool:
    """Return whether x and y always have this wrong length if they are padded."""
    padded = (reading.x == PAD_ID).any(axis=1)
    sizes = {*reading.x_lengths[padded].tolist(), *reading.y_lengths[padded].tolist()}
    return sizes == {length} and length != _requested_length(reading)


def _requested_length(reading: Reading) -> int:
    return reading.edition.example_length(reading.request.block_size)


LENGTH = "x and y are one id shorter than the padded sequence"
length = partial(Mistake, equation=LENGTH)
LENGTH_MISTAKES: Recognizers = {
    length(
        "no-padding", f"sequences are not padded with {PAD}, so their lengths differ"
    ): _no_padding,
    Mistake(
        "hard-coded-block",
        "x always has the length for block size 128, whatever block_size is",
        f"{LENGTH}, whose length depends on self.block_size",
    ): lambda r: _always(r, r.edition.example_length(128)),
    length("one-too-long", "x and y have one id too many"): lambda r: _always(
        r, _requested_length(r) + 1
    ),
    length("one-too-short", "x and y have one id too few"): lambda r: _always(
        r, _requested_length(r) - 1
    ),
}

# ---------------------------------------------------------------- MASKs and PADs


def _written(
    explains: Callable[[Draw], bool], some: Callable[[Draw], bool] = bool
) -> Callable[[Reading], bool]:
    """Return a test: is this true for every draw with the student's own marks, and `some` for one?

    Every draw is true itself, so by default there must only be one.
    """

    def holds(reading: Reading) -> bool:
        draws = known_to_the_end(reading.written)
        return all(map(explains, draws)) and any(map(some, reading.written))

    return holds


def _has_pad(draw: Draw) -> bool:
    return PAD in draw.body


def _has_masks(draw: Draw) -> bool:
    return MASK * 3 in draw.body


def _parts_of(draw: Draw, sequence: str) -> bool:
    """Return whether this text has the handout's layout for the draw's document."""
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


def _one_mask_a_character(draw: Draw) -> bool:
    """Return whether the MASKs after the prefix are as many as the content or gap is long."""
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
    # Where suffix or content is empty, the marks around it are not padding.
    return PAD not in draw.sequence and any(_parts_of(draw, body + n * MASK) for n in range(3))


def _pads_inside(draw: Draw) -> bool:
    return PAD not in draw.body or (
        not draw.body.startswith(PAD) and _parts_of(draw, draw.body.replace(PAD, ""))
    )


def _other_mark(reading: Reading) -> bool:
    """Return whether the sequences have no MASK, but something else in its place.

    With few draws, this may not be visible.
    """
    possible = reading.written != reading.draws or len(reading.draws) < FEW
    return possible and not any(MASK in draw.sequence for draw in reading.written)


FEW = 100
SWAPPED_IDS = str.maketrans(PAD + MASK, MASK + PAD)
MARKS = "two MASKs: prefix MASK suffix MASK content"
marks = partial(Mistake, equation=MARKS)
LAYOUT_MISTAKES: Recognizers = {
    marks("second-mask-missing", "the MASK between suffix and content is missing"): (
        lambda r: _written(_lacks_second)(r) and not _written(_lacks_first)(r)
    ),
    marks("first-mask-missing", "there is no MASK where the content was removed"): (
        lambda r: _written(_lacks_first)(r) and not _written(_lacks_second)(r)
    ),
    marks(
        "end-mask", "there is an extra MASK after the content (only in other handout editions)"
    ): lambda r: (
        r.edition.end_marker == "none"
        and _written(lambda d: d.body.endswith(MASK) and _parts_of(d, d.body.removesuffix(MASK)))(r)
    ),
    Mistake(
        "end-mask-missing", "the MASK after the content is missing", SEQUENCE + " with MASK"
    ): lambda r: r.edition.end_marker == "required" and _written(lambda d: _parts_of(d, d.body))(r),
    marks("pad-for-mask", f"the parts are separated by {PAD} (id 0), not by {MASK}"): lambda r: (
        _other_mark(r) and all(map(_has_pad, r.written))
    ),
    Mistake(
        "other-mask", f"the parts are separated by an id other than that of {MASK}", "MASK has id 1"
    ): lambda r: _other_mark(r) and not any(map(_has_pad, r.written)),
    marks("mask-a-character", "every masked character is replaced by its own MASK"): (
        _written(_one_mask_a_character, _has_masks)
    ),
    Mistake("pads-in-front", "the PADs come first", "PADs are added at the end of the sequence"): (
        _written(_pads_in_front, _has_pad)
    ),
    Mistake(
        "other-pad", f"sequences are padded with an id other than that of {PAD}", "PAD has id 0"
    ): lambda r: bool(r.padding),
    Mistake("padded-with-masks", "sequences are padded with MASK", "pad with PAD, id 0"): (
        _written(_padded_with_masks, _has_masks)
    ),
    Mistake(
        "pads-inside",
        "a short document is padded before it is split into parts",
        "a short document is used whole, and PADs come only at the end of the sequence",
    ): _written(_pads_inside, _has_pad),
    Mistake("ids-swapped", "PAD and MASK are swapped", "PAD (padding) has id 0; MASK has id 1"): (
        _written(lambda d: _parts_of(d, d.sequence.translate(SWAPPED_IDS)))
    ),
}


PARTS = ("prefix", "content", "suffix")

# ---------------------------------------------------------------- prefix, content, suffix


def _parts(explains: Callable[[str, str, str, str], bool]) -> Callable[[Reading], bool]:
    """Return a test: is this true for the three slots and the document in every draw?

    Most draws must have three slots and be complete.
    """

    def holds(reading: Reading) -> bool:
        parted = reading.parted
        enough = parted and 2 * len(parted) >= len(reading.draws) and all(d.whole for d in parted)
        return bool(enough) and all(
            explains(draw.slots[0], draw.slots[1], draw.slots[2], draw.document) for draw in parted
        )

    return holds


def _in_order(reading: Reading, order: Order) -> bool:
    """Return whether only this order of the parts restores a piece in every draw."""
    return bool(reading.parted) and [o for o in ORDERS if restores(reading, o)] == [order]


def _shuffled(a: str, b: str, c: str, document: str) -> bool:
    content = gap(a, b, len(c), document)
    return content is not None and sorted(content) == sorted(c)


def _reversed(a: str, b: str, c: str, document: str) -> bool:
    return a + c[::-1] + b in document


def _dropped(reading: Reading) -> bool:
    """Return whether a character is missing before or after the content in some draws."""
    matches = []
    for draw in reading.parted:
        a, b, c = map(re.escape, draw.slots[:3])
        matches.append(re.search(f"{a}(.?){c}(.?){b}", draw.document, re.DOTALL))
    lost = any(match is not None and any(match.groups()) for match in matches)
    return lost and all(matches) and all(draw.whole for draw in reading.parted)


def _doubled(a: str, b: str, c: str, document: str) -> bool:
    return any(piece in document for piece in (a[:-1] + c + b, a + c[:-1] + b, a + c + b[1:]))


def _is_piece(a: str, b: str, c: str, document: str) -> bool:
    return a + c + b in document


def _same_but_for_whitespace(a: str, b: str, c: str, document: str) -> bool:
    return "".join((a + c + b).split()) in "".join(document.split())


def _loses_whitespace(reading: Reading) -> bool:
    changed = _parts(_same_but_for_whitespace)(reading) and not _parts(_is_piece)(reading)
    return changed and not _adds_blanks(reading)


def _adds_blanks(reading: Reading) -> bool:
    """Return whether the parts form a piece without a blank at some of their ends."""
    return _parts(_is_piece_inside_blanks)(reading) and not _parts(_is_piece)(reading)


def _is_piece_inside_blanks(a: str, b: str, c: str, document: str) -> bool:
    pieces = map("".join, product(*map(_inside_blanks, (a, c, b))))
    return any(piece in document for piece in pieces)


def _inside_blanks(part: str) -> set[str]:
    """Return the part, also without a blank at either end or at both."""
    starts = {part, part.removeprefix(" ")}
    return starts | {start.removesuffix(" ") for start in starts}


def _loses_characters(reading: Reading) -> bool:
    """Return whether the parts form a piece without the characters that never occur."""
    seen = {character for draw in reading.draws for character in draw.body}

    def explains(a: str, b: str, c: str, document: str) -> bool:
        return a + c + b in "".join(character for character in document if character in seen)

    lost = _parts(explains)(reading) and not _parts(_is_piece)(reading)
    return lost and not _loses_whitespace(reading)


def _loses_case(reading: Reading) -> bool:
    """Return whether the parts form a piece of the document in lower case."""
    lower = _parts(lambda a, b, c, document: a + c + b in document.lower())
    return lower(reading) and not _parts(_is_piece)(reading)


def _marks_together(a: str, b: str, c: str, document: str) -> bool:
    return not b and any(p + c + s in document for p, s in splits(a))


def _mask_first(a: str, b: str, c: str, document: str) -> bool:
    return not a and any(p + c + s in document for p, s in splits(b))


def _order_mistake(order: Order) -> Mistake:
    """Return the mistake of writing the parts as, say, `content ⁇ prefix ⁇ suffix`."""
    names = [PARTS[order.index(slot)] for slot in range(3)]
    written = f"the parts are written as {f' {MASK} '.join(names)}"
    return layout(f"order-{'-'.join(names)}", written)


VOCABULARY = Mistake(
    "vocabulary",
    "your dataset's vocabulary has different ids",
    "PAD has id 0, MASK id 1; the characters of the corpus follow in sorted order",
).hint
JOINED = "document = prefix + content + suffix, so each part starts where the previous one ends"
PIECE_MISTAKES: Recognizers = {
    **{
        _order_mistake(order): partial(_in_order, order=order)
        for order in ORDERS
        if order != STANDARD
    },
    layout(
        "content-kept", "the masked content also remains at its original place, before the suffix"
    ): _parts(lambda a, b, c, document: b.startswith(c) and a + b in document),
    layout("content-reversed", "the masked content is written backwards"): (_parts(_reversed)),
    layout("content-shuffled", "the masked content is shuffled"): lambda r: (
        _parts(_shuffled)(r) and not _parts(_reversed)(r)
    ),
    layout("content-lost", "nothing follows the second MASK: the masked content is lost"): _parts(
        lambda a, b, c, document: not c and a in document and b in document
    ),
    # If only blanks are lost, also between two parts, it is the whitespace that is changed.
    Mistake("character-dropped", "characters between two parts are lost", JOINED): lambda r: (
        _dropped(r)
        and not _parts(lambda a, b, c, document: not c)(r)
        and not _loses_whitespace(r)
        and not _loses_characters(r)
    ),
    Mistake("character-doubled", "a character is in two parts", JOINED): lambda r: (
        _parts(_doubled)(r) and not _adds_blanks(r) and not _loses_characters(r)
    ),
    layout("blanks-added", "blanks are added next to the MASKs"): _adds_blanks,
    Mistake(
        "characters-changed",
        "characters of the document are lost or replaced, such as blanks, capital letters or all "
        "outside ASCII",
        "use self.data[idx] unchanged, without split(), replace() or lower()",
    ): lambda r: _loses_whitespace(r) or _loses_characters(r) or _loses_case(r),
    layout("marks-together", "the two MASKs are adjacent, after the suffix"): (
        _parts(_marks_together)
    ),
    layout("mask-first", "the first MASK comes before the prefix"): _parts(_mask_first),
}

# ---------------------------------------------------------------- the document


def _comes_from(draw: Draw, document: str) -> bool:
    return set(draw.body) - {MASK, PAD} <= set(document)


def _reads(source: Callable[[int], int]) -> Callable[[Reading], bool]:
    """Return a test: does every draw for an index come from the document at `source(index)`?"""

    def holds(reading: Reading) -> bool:
        documents, draws = reading.request.documents, reading.judged
        places = (source(draw.index) % len(documents) for draw in draws)
        return bool(draws) and all(
            _comes_from(draw, documents[place]) for draw, place in zip(draws, places, strict=True)
        )

    return holds


def _any_document(reading: Reading) -> bool:
    """Return whether readings of one index gave pieces of several documents."""
    documents = reading.request.documents
    sources: dict[int, set[int]] = {}
    for draw in reading.judged:
        origins = {i for i, document in enumerate(documents) if _comes_from(draw, document)}
        if len(origins) != 1:
            return False
        sources.setdefault(draw.index, set()).update(origins)
    return all(len(origins) > 2 for origins in sources.values())


def _previous_reading(reading: Reading) -> bool:
    """Return whether every reading but the first gives the previously requested document."""
    documents, draws = reading.request.documents, reading.draws
    return len(draws) == reading.request.readings and all(
        _comes_from(draw, documents[before.index]) for before, draw in pairwise(draws)
    )


def _first_documents(reading: Reading) -> bool:
    """Return whether all pieces come from the first few of very many documents."""
    few = reading.request.documents[: len(reading.request.documents) // FEW_OF]
    sources = {
        next((at for at, document in enumerate(few) if _comes_from(draw, document)), None)
        for draw in reading.judged
    }
    return len(few) > 1 and None not in sources and len(sources) > 1


def _over_line_ends(reading: Reading) -> bool:
    pieces = [draw.restored() for draw in reading.parted]
    joined = all(piece in reading.request.corpus for piece in pieces)
    return joined and any("\n" in piece for piece in pieces)


FEW_OF = 2  # only reading the first half can't be chance: 30 indices are anywhere
INDEX = "the document is self.data[idx]"
index = partial(Mistake, equation=INDEX)
INDEX_MISTAKES: Recognizers = {
    index("always-first", "every index gives the first document"): _reads(lambda i: 0),
    index("next-document", "index i gives document i + 1"): _reads(lambda i: i + 1),
    index("previous-document", "index i gives document i - 1"): _reads(lambda i: i - 1),
    index(
        "first-documents", "large indices also give documents from the start of the corpus"
    ): _first_documents,
    index("random-document", "`idx` is not used: a random document is read"): _any_document,
    index(
        "whole-corpus", "the piece continues past the end of a line into the next document"
    ): _over_line_ends,
    index(
        "previous-reading", "an access returns the previously requested document"
    ): _previous_reading,
}


HANDOUTS = 128  # up to this block size, the draws show both ends of the lengths
LONGEST = (
    "sample from 4 to the handout's fraction of the block size, rounded down, both ends "
    "included, as random.randint does"
)
limit = partial(Mistake, equation=LONGEST)


@dataclass(frozen=True, slots=True)
class Cuts:
    """The shortest and the longest truncated length of long documents at one block size."""

    edition: Edition
    size: int
    shortest: int
    longest: int

    @property
    def limit(self) -> int:
        """The longest correct length."""
        return self.edition.longest(self.size)


Explains = Callable[[Sequence[Cuts]], bool]


def _every(explains: Callable[[Cuts], bool]) -> Explains:
    """Return a test: is this true at every block size up to the handout's?"""

    def holds(cuts: Sequence[Cuts]) -> bool:
        seen = [cut for cut in cuts if cut.size <= HANDOUTS]
        return bool(seen) and all(map(explains, seen))

    return holds


def _limit_is(limit: Callable[[int], int]) -> Explains:
    """Return a test: do the longest lengths follow this limit but not the handout's?"""
    follows = _every(lambda cut: cut.longest == limit(cut.size))
    alike = _every(lambda cut: limit(cut.size) in (cut.limit, cut.limit - 1))
    return lambda cuts: follows(cuts) and not alike(cuts)


def _hard_coded(cuts: Sequence[Cuts]) -> bool:
    """Return whether the handout's longest length is also used at larger block sizes."""
    usual = next((cut for cut in cuts if cut.size == HANDOUTS), None)
    large = max(cuts, key=lambda cut: cut.size, default=None)
    if usual is None or large is None or large.size == HANDOUTS:
        return False
    return usual.longest == usual.limit >= large.longest


def _rounded_up(cuts: Sequence[Cuts]) -> bool:
    """Return whether the limit is off by one, and only if it is not a whole number."""

    def at_most_one(cut: Cuts) -> bool:
        whole = cut.size % int(cut.edition.length_limit[-1]) == 0
        return cut.limit <= cut.longest <= cut.limit + (not whole)

    return _every(at_most_one)(cuts) and not _every(lambda cut: cut.longest <= cut.limit)(cuts)


def _moved(by: int) -> Explains:
    """Return a test: are both ends of the lengths wrong by this much?"""
    return _every(lambda cut: (cut.shortest, cut.longest) == (SHORTEST + by, cut.limit + by))


ONE_SHORTER = limit(
    "one-shorter",
    f"the lengths are {SHORTEST - 1} … limit - 1: each truncated document lacks a character",
)
ONE_LONGER = limit(
    "one-longer",
    f"the lengths are {SHORTEST + 1} … limit + 1: each truncated document has a character too many",
)
HARD_CODED = limit(
    "limit-hard-coded", "the longest truncation length does not depend on block_size"
)
UNREACHED: Mapping[Mistake, Explains] = {
    limit("never-longest", "the longest length never occurs: the upper bound is excluded"): _every(
        lambda cut: cut.longest == cut.limit - 1 and cut.shortest >= SHORTEST
    ),
    limit(
        "never-shortest", f"a length of {SHORTEST} characters never occurs: lengths start at 5"
    ): _every(lambda cut: cut.shortest == SHORTEST + 1 <= cut.longest <= cut.limit),
    ONE_SHORTER: _moved(-1),
    ONE_LONGER: _moved(1),
    limit("fixed-cut", "every document is truncated to the same length: it is not random"): _every(
        lambda cut: cut.shortest == cut.longest <= cut.limit
    ),
    limit(
        "limit-three-quarters", "the longest length is 3/4 of the block size, not 7/8"
    ): _limit_is(lambda size: size * 3 // 4),
    limit("limit-half", "the longest length is half of the block size, not the limit"): (
        _limit_is(lambda size: size // 2)
    ),
    HARD_CODED: _hard_coded,
}
OUTSIDE: Mapping[Mistake, Explains] = {
    limit("too-short", f"some truncated documents have fewer than {SHORTEST} characters"): _every(
        lambda cut: (
            cut.shortest < SHORTEST
            and cut.longest <= cut.limit
            and (cut.shortest, cut.longest) != (SHORTEST - 1, cut.limit - 1)
        )
    ),
    ONE_SHORTER: _moved(-1),
    ONE_LONGER: _moved(1),
    limit("never-cut", "documents are not truncated"): _every(
        lambda cut: (
            cut.shortest > cut.limit and (cut.shortest == cut.longest or cut.size == HANDOUTS)
        )
    ),
    HARD_CODED: _hard_coded,
    limit("limit-rounded-up", "the limit is rounded up if it is not a whole number"): _rounded_up,
    limit(
        "limit-is-block", "documents are truncated to the block size, above the limit"
    ): _limit_is(lambda size: size),
    limit("limit-nearly-block", "truncated documents are nearly as long as the block"): (
        _limit_is(lambda size: size - 1)
    ),
}

# ---------------------------------------------------------------- the content

QUARTER = "the masked content is 1/4 of the truncated document on average"


def _follows_nothing(lengths: Lengths) -> bool:
    """Return whether contents are no longer in documents that are twice as long."""
    top = lengths.cut.max(initial=0)
    long, middle = lengths.cut > 0.75 * top, (lengths.cut > 0.4 * top) & (lengths.cut < 0.55 * top)
    if long.sum() < 100 or middle.sum() < 100:
        return False
    return bool(np.mean(lengths.content[long]) < 1.12 * np.mean(lengths.content[middle]))


def _repeats(lengths: Lengths, *, nearly: bool) -> bool:
    """Return whether the truncated length determines the content's, in (nearly) every draw."""
    differs = content_pairs(lengths)[1] > 0
    return not content_varies(lengths) and not _follows_nothing(lengths) and differs is nearly


CONTENT_MISTAKES: Mapping[Mistake, Callable[[Lengths], bool]] = {
    Mistake(
        "content-ignores-cut",
        "the masked content does not grow with the truncated document",
        QUARTER,
    ): _follows_nothing,
    Mistake(
        "content-fixed",
        "the length of the masked content is not random: the truncated length determines it",
        "sample it at random, for example from 1 … truncated length / 2",
    ): lambda lengths: _repeats(lengths, nearly=False),
    Mistake(
        "content-nearly-fixed",
        "truncated documents of equal length nearly always have masked content of equal length",
        "sample it at random each time, for example from 1 … truncated length / 2",
    ): lambda lengths: _repeats(lengths, nearly=True),
}
