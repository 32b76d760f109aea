"""Checks of part (e): span corruption, each on draws from documents the student never saw."""

from collections.abc import Iterable, Mapping
from itertools import islice

import pytest
from a4_content import content_lengths, mean_is_a_quarter
from a4_corruption import (
    ARRAY,
    not_a_piece,
    not_shifted,
    shown,
    unreadable,
    wrong_cut,
    wrong_document,
    wrong_layout,
    wrong_length,
)
from a4_corruption_mistakes import LAYOUT_MISTAKES, LENGTH_MISTAKES, SHIFT_MISTAKES, named
from a4_corruption_unwritten import require_corruption, require_cuts
from a4_cuts import cuts_of, never_cut, never_whole, unreached
from a4_length_mistakes import CONTENT_MISTAKES, LONGEST, OUTSIDE, QUARTER, UNREACHED
from a4_lengths import Lengths, content_of_short_cuts, content_share, content_varies
from a4_part_mistakes import INDEX_MISTAKES, PIECE_MISTAKES
from a4_reader import Kept, Reader

from graders.boundary.student import Student
from graders.checks.compare import fail
from graders.checks.inputs import Inputs
from graders.checks.score import Score
from graders.errors import StudentFault
from graders.model import Setting

SHORT_RULES = (unreadable, wrong_length, not_shifted, wrong_layout, not_a_piece, wrong_cut)
WRITTEN = ("documents-are-corrupted",)
DIFFERENT = 30  # of 100 draws; with nothing but a random cut length about 65 differ


@pytest.fixture(scope="module")
def kept() -> Kept:
    """Draws of this submission that several checks judge."""
    return {}


@pytest.fixture
def reader(student: Student, settings: Mapping[str, Setting], inputs: Inputs, kept: Kept) -> Reader:
    """The student's dataset."""
    return Reader(student, settings, inputs, kept)


@pytest.mark.criterion("span-corruption", weight=0)
def test_documents_are_corrupted(reader: Reader) -> None:
    """Something was masked or moved; what holds of any code that does neither is not counted."""
    require_corruption(reader)


@pytest.mark.criterion("span-corruption", weight=1, depends_on=WRITTEN)
def test_items_are_int64_tensors(reader: Reader, score: Score) -> None:
    """Reading a document gives a pair (x, y) of int64 tensors, every time."""
    documents = reader.documents
    first = documents.small_block(documents.small_blocks[0])
    for request in (first, documents.long(), documents.many, documents.large_block()):
        reading = reader.attempt(request)
        problem = unreadable(reading)
        if problem is not None:
            fail(
                problem.message,
                hint="Every document of 4 characters or more gives an item in every reading."
                if reading.raised
                else "torch.tensor(ids, dtype=torch.long) makes such a tensor from a list.",
                expected=problem.expected,
                actual=problem.actual,
                counterexample=problem.table(reading),
            )
        if any(ARRAY in kind for kind in reading.kinds):
            score.note("x or y is a numpy array; the handout asks for tensors.")


@pytest.mark.criterion("span-corruption", weight=0.5, depends_on=WRITTEN)
def test_items_have_block_length(reader: Reader) -> None:
    """x and y are as long as the block size asks, for block sizes other than 128, too."""
    hint = "Does the padding follow self.block_size?"
    reader.judge(wrong_length, LENGTH_MISTAKES, hint, reader.documents.any_requests())


@pytest.mark.criterion("span-corruption", weight=1, depends_on=WRITTEN)
def test_targets_are_shifted(reader: Reader) -> None:
    """y is x shifted by one: y[i] = x[i + 1]."""
    hint = "Take x and y from one and the same sequence."
    reader.judge(not_shifted, SHIFT_MISTAKES, hint, reader.documents.distinct_requests())


@pytest.mark.criterion("span-corruption", weight=1, depends_on=WRITTEN)
def test_masks_then_pads(reader: Reader) -> None:
    """A sequence is prefix, MASK, suffix, MASK, content, and then only PADs."""
    hint = "There are exactly two MASKs, and PADs only behind everything else."
    reader.judge(wrong_layout, LAYOUT_MISTAKES, hint, reader.documents.distinct_requests())


@pytest.mark.criterion("span-corruption", weight=1, depends_on=WRITTEN)
def test_parts_are_a_piece(reader: Reader) -> None:
    """Prefix + content + suffix is a piece of a document, written in the ids of the vocabulary."""
    hint = "Which slices of the document are prefix, content and suffix?"
    strategies = (reader.documents.distinct_requests(), reader.documents.any_requests())
    reader.judge(not_a_piece, PIECE_MISTAKES, hint, *strategies)


@pytest.mark.criterion("span-corruption", weight=0.5, depends_on=WRITTEN)
def test_index_respected(reader: Reader) -> None:
    """Index i gives a piece of document i, whatever was read before, also for the last one."""
    reading = reader.read(reader.documents.many)
    reader.judge_reading(reading, wrong_document, INDEX_MISTAKES, "The document is self.data[idx].")


@pytest.mark.criterion("span-corruption", weight=1)
def test_cut_within_limits(reader: Reader) -> None:
    """A cut document has 4 characters to the limit, 7/8 of the block size (some editions: 3/4)."""
    reader.require_complete()
    require_cuts(reader)
    mistake = named(OUTSIDE, cuts_of(reader))
    hint = f"Cut lengths: {LONGEST}." if mistake is None else mistake.hint
    reader.judge(wrong_cut, {}, hint, reader.documents.distinct_requests())


@pytest.mark.criterion("span-corruption", weight=0.5)
def test_draws_differ(reader: Reader) -> None:
    """Reading the same index again gives another cut and another masked part."""
    draws = reader.long().draws
    for index in sorted({draw.index for draw in draws}):
        # The last ones: a document that is edited when it is read is short by then.
        sequences = [draw.sequence for draw in draws if draw.index == index][-100:]
        if len(set(sequences)) < DIFFERENT * len(sequences) / 100:
            fail(
                f"{len(sequences)} readings of index {index} gave {len(set(sequences))} different "
                "items.",
                hint="The cut and the masked part are drawn anew whenever an item is read: no "
                "seed, no cache and no shared tensor inside __getitem__.",
                expected="another item almost every time",
                actual=shown(sequences[0]),
                counterexample={
                    "index": str(index),
                    "what came": f"{shown(sequences[0])}, again and again",
                    "the handout asks": "a random cut and a random masked part",
                },
            )


@pytest.mark.criterion("span-corruption", weight=1, depends_on=("draws-differ",))
def test_every_cut_length_reached(reader: Reader) -> None:
    """Every cut length from 4 characters to the limit comes up, both ends included."""
    reader.require_complete()
    found = unreached(reader)
    if found is None:
        return
    mistake = named(UNREACHED, cuts_of(reader))
    fail(
        f"At block size {found.block_size} some cut lengths never come.",
        hint=f"Cut lengths: {LONGEST}." if mistake is None else mistake.hint,
        expected=f"every length from 4 to {found.limit}",
        actual=f"{found.seen}, but never {_some(found.missing)}",
        counterexample={
            "block size": str(found.block_size),
            "what came": f"{found.seen}, but never {_some(found.missing)}",
            "the handout asks": f"every length from 4 to {found.limit}",
        },
    )


@pytest.mark.criterion("span-corruption", weight=0.5, depends_on=("draws-differ",))
def test_content_length_varies(reader: Reader) -> None:
    """The length of the masked content is random, also for cuts of one length."""
    reader.require_complete()
    lengths = content_lengths(reader)
    if not content_varies(lengths):
        mistake = named(CONTENT_MISTAKES, lengths)
        fail(
            "Cuts of one length always have masked contents of one length.",
            hint=mistake.hint if mistake else "Draw it at random, for instance from 1 … cut / 2.",
            expected="masked contents of many lengths, 1/4 of the cut on average",
            actual=_examples(lengths),
            counterexample={
                "block size": "128",
                "what came": f"always {_examples(lengths)}",
                "the handout asks": "a random length for the masked content",
            },
        )


@pytest.mark.criterion("span-corruption", weight=1, depends_on=("draws-differ",))
def test_content_is_a_quarter(reader: Reader) -> None:
    """The masked content is a quarter of the cut document on average."""
    reader.require_complete()
    decision, lengths = mean_is_a_quarter(reader)
    share, short = content_share(lengths), content_of_short_cuts(lengths)
    if decision == "right" and short is None:
        return
    mistake = named(CONTENT_MISTAKES, lengths)
    actual = f"{share.value:.3f} of the cut in {len(lengths.cut)} draws"
    if short is not None:
        actual += f", and {short:.3f} where cuts are short"
    fail(
        "The masked content is not a quarter of the cut document on average.",
        hint=f"{QUARTER}." if mistake is None else mistake.hint,
        expected="0.25 of the cut on average; what rounding and clipping change is accepted",
        actual=actual,
        counterexample={
            "block size": "128",
            "what came": actual,
            "the handout asks": "0.25 of the cut on average",
        },
    )


@pytest.mark.criterion("span-corruption", weight=0.5, depends_on=WRITTEN)
def test_reading_changes_nothing(reader: Reader, score: Score) -> None:
    """Reading items leaves the dataset's `data` and its length as they were."""
    for request in (reader.documents.many, reader.documents.long()):
        reading = reader.attempt(request)
        if reading.before != reading.after:
            fail(
                "The documents in `data` are not the same after items were read.",
                hint="Strings stay as they are, but self.data[idx] = ... replaces a document.",
                expected=_some(reading.before or ()),
                actual=_some(reading.after or ()),
            )
        if reading.length != len(request.documents):
            fail(
                "len() is not the number of documents.",
                hint="The corpus is split at line ends, and each line is a document.",
                expected=str(len(request.documents)),
                actual=str(reading.length),
            )
        if reading.before is None:
            score.note("The dataset keeps no list `data`, so it was not looked at.")


@pytest.mark.criterion("span-corruption", weight=0.5, depends_on=("draws-differ", *WRITTEN))
def test_short_documents(reader: Reader) -> None:
    """A document shorter than the drawn length is used whole; PADs come only behind it all."""
    # What is wrong with long documents, too, is said elsewhere.
    rules = [rule for rule in SHORT_RULES if rule(reader.long()) is None]
    hint = "A short document is used as it is, and the sequence is filled up at its end."
    for document in reader.documents.short:
        reading = reader.read(reader.documents.short_document(document))
        for rule in rules:
            reader.judge_reading(reading, rule, LAYOUT_MISTAKES, hint)
    for found, wanted in ((never_whole(reader), "used whole"), (never_cut(reader), "cut")):
        if found is not None:
            fail(
                f"A document of {len(found)} characters is never {wanted} at block size 128.",
                hint="Draw the length from 4 … the limit first. Only a document that is "
                "shorter than what was drawn is used whole.",
                expected="cuts of 4 characters up to the whole document",
                counterexample={"document": found, "block size": "128"},
            )


@pytest.mark.criterion("span-corruption", weight=0)
def test_tiny_documents(reader: Reader, score: Score) -> None:
    """Advice only: documents under 4 characters can be read, too."""
    try:
        reading = reader.attempt(reader.documents.tiny())
        problem = unreadable(reading) or wrong_length(reading)
    except StudentFault as fault:
        score.note(f"With documents under 4 characters: {fault} It costs nothing.")
        return
    if problem is not None and unreadable(reader.long()) is None:
        score.note(
            "The handout says nothing of documents under 4 characters, so this costs nothing: "
            f"{problem.actual}."
        )


def _some(values: Iterable[object]) -> str:
    """The first few of many values."""
    first = [str(value) for value in islice(values, 13)]
    return ", ".join(shown(each) for each in first[:12]) + (", …" if len(first) > 12 else "")


def _examples(lengths: Lengths) -> str:
    """A few cuts and what they always give."""
    pairs = sorted(set(zip(lengths.cut.tolist(), lengths.content.tolist(), strict=True)))
    step = max(1, len(pairs) // 5)
    return ", ".join(f"cut {cut}: content {content}" for cut, content in pairs[::step][:5])
