"""Checks of part (e): span corruption, on items from documents that the student never saw."""

from collections.abc import Iterable, Mapping
from itertools import islice

import pytest

from graders.boundary.student import Student
from graders.checks.compare import fail
from graders.checks.inputs import Inputs
from graders.checks.mistakes import sentence
from graders.checks.score import Score
from graders.errors import StudentFault
from graders.model import Setting

from . import measured, rules
from . import mistakes as known
from .lengths import Lengths, content_of_short_cuts, content_pairs, content_share, content_varies
from .located import cut_lengths
from .mistakes import LONGEST, QUARTER, named
from .reader import Reader, Readings, repeated
from .rules import NO_PAIR, first, shown, unreadable
from .unwritten import require_corruption, require_cuts

SHORT_RULES = (
    unreadable, rules.wrong_length, rules.not_shifted, rules.wrong_layout,
    rules.not_a_piece, rules.wrong_cut,
)  # fmt: skip
WRITTEN = ("documents-are-corrupted",)
REPEATED = (
    "Sample the truncation and the masked part in each call of `__getitem__`. A fixed random seed "
    "or a cache prevents it."
)
CUT_ONCE = "Sample the length in each call of `__getitem__`, not once when the dataset is made."
SHARED = (
    "All items share one tensor or list, which each reading overwrites. Create a new one in each "
    "call of `__getitem__`."
)
EDITED = (
    "Reading changes the documents in `data`, and later readings start from the changed ones. "
    "Use a local variable."
)


@pytest.fixture(scope="module")
def kept() -> Readings:
    """Items of this submission, shared by several checks."""
    return {}


@pytest.fixture
def reader(
    student: Student, settings: Mapping[str, Setting], inputs: Inputs, kept: Readings
) -> Reader:
    """Return the student's dataset."""
    return Reader(student, settings, inputs, kept)


@pytest.mark.criterion("span-corruption", weight=0)
def test_documents_are_corrupted(reader: Reader) -> None:
    """Prerequisite: the dataset actually corrupts documents."""
    require_corruption(reader)


@pytest.mark.criterion("span-corruption", weight=0.8, depends_on=WRITTEN)
def test_items_are_int64_tensors(reader: Reader, score: Score) -> None:
    """`dataset[i]` returns a pair (x, y) of int64 tensors on every call."""
    documents = reader.documents
    small = documents.small_block(documents.small_blocks[0])
    corpora = (documents.many, documents.thousands)
    for request in (small, documents.long(), *corpora, documents.large_block()):
        reading = reader.attempt(request)
        problem = first(unreadable, reading)
        if problem is not None:
            hint = "torch.tensor(ids, dtype=torch.long) makes such a tensor from a list."
            if any(kind.startswith(NO_PAIR) for kind in reading.kinds):
                hint = "End `__getitem__` with `return x, y`."
            if reading.raised:
                hint = "`__getitem__` must not raise for documents of 4 characters or more. "
                hint += reading.raised.hint
            problem.fail(reading, hint)
        if any("numpy.ndarray" in kind for kind in reading.kinds):
            score.note("x or y is a numpy array; the handout asks for tensors.")


@pytest.mark.criterion("span-corruption", weight=0.6, depends_on=WRITTEN)
def test_items_have_block_length(reader: Reader, score: Score) -> None:
    """x and y have the length required by the block size, for block sizes other than 128 too."""
    requests = reader.documents.any_requests()
    reader.judge(rules.wrong_length, known.LENGTH_MISTAKES, score, sentence(known.LENGTH), requests)


@pytest.mark.criterion("span-corruption", weight=1.4, depends_on=WRITTEN)
def test_targets_are_shifted(reader: Reader, score: Score) -> None:
    """y is x shifted by one: y[i] = x[i + 1]."""
    requests = reader.documents.distinct_requests()
    reader.judge(rules.not_shifted, known.SHIFT_MISTAKES, score, sentence(known.SHIFT), requests)


@pytest.mark.criterion("span-corruption", weight=1.2, depends_on=WRITTEN)
def test_masks_then_pads(reader: Reader, score: Score) -> None:
    """Each sequence is prefix, MASK, suffix, MASK, content, followed only by PADs."""
    hint = "A sequence has exactly two MASKs, and PADs come only at the end."
    # Only in text with repeated letters can the content occur twice in the document.
    strategies = (reader.documents.distinct_requests(), reader.documents.any_requests())
    reader.judge(rules.wrong_layout, known.LAYOUT_MISTAKES, score, hint, *strategies)


@pytest.mark.criterion("span-corruption", weight=1.2, depends_on=WRITTEN)
def test_parts_are_a_piece(reader: Reader, score: Score) -> None:
    """prefix + content + suffix is a contiguous piece of the document, in the vocabulary's ids."""
    strategies = (reader.documents.distinct_requests(), reader.documents.any_requests())
    if reader.long().vocabulary:
        # Other ids can make a small document look as if another mistake had been made.
        reader.judge(rules.not_a_piece, {}, score, known.VOCABULARY, *strategies)
        return
    hint = sentence(known.SEQUENCE)
    reader.judge(rules.not_a_piece, known.PIECE_MISTAKES, score, hint, *strategies)


@pytest.mark.criterion("span-corruption", weight=0.8, depends_on=WRITTEN)
def test_index_respected(reader: Reader, score: Score) -> None:
    """Index i gives a piece of document i, in any order of access and for the last index too."""
    reader.judge_index(rules.wrong_document, known.INDEX_MISTAKES, score, sentence(known.INDEX))


@pytest.mark.criterion("span-corruption", weight=0.8)
def test_cut_within_limits(reader: Reader, score: Score) -> None:
    """A document is truncated to 4 characters or more, up to {length_limit} of the block size."""
    _require_lengths(reader)
    require_cuts(reader)
    mistake = named(known.OUTSIDE, measured.cuts_of(reader))
    hint = f"Truncation lengths: {LONGEST}." if mistake is None else mistake.hint
    reader.judge(rules.wrong_cut, {}, score, hint, reader.documents.distinct_requests())


@pytest.mark.criterion("span-corruption", weight=0.6)
def test_draws_differ(reader: Reader) -> None:
    """Reading the same index again gives a different truncation and a different masked part."""
    reading = reader.from_one_dataset()
    if reading.shared:
        fail("An item changes when another one is read, so a batch repeats one item.", hint=SHARED)
    draws = repeated(reading)
    different = {draw.sequence for draw in draws or ()}
    if len(different) != 1 and reader.cuts_once():  # a kept item has one length, too
        fail("Each document is always truncated to the same length.", hint=CUT_ONCE)
    if draws is not None:
        edited = reading.before != reading.after
        count, index = len(different), draws[0].index
        fail(
            f"{len(draws)} readings of index {index} gave "
            f"{'the same item' if count == 1 else f'only {count} different items'}.",
            hint=EDITED if edited else REPEATED,
            expected="a different item almost every time",
            actual=shown(draws[0].sequence),
            counterexample={
                "index": str(index),
                "actual": f"{shown(draws[0].sequence)}, repeatedly",
                "expected": "a random truncation and a random masked part",
            },
        )


@pytest.mark.criterion("span-corruption", weight=0.6)
def test_every_cut_length_reached(reader: Reader) -> None:
    """Truncation lengths cover 4 to the limit, inclusive."""
    _require_lengths(reader)
    require_cuts(reader)
    unreached = measured.unreached(reader)
    if unreached is None:
        return
    mistake = named(known.UNREACHED, measured.cuts_of(reader)) if reader.is_random() else None
    expected = f"every length from 4 to {unreached.limit}"
    actual = f"{unreached.seen}, but never {_some(unreached.missing)}"
    fail(
        f"At block size {unreached.block_size}, some truncation lengths never occur.",
        hint=f"Truncation lengths: {LONGEST}." if mistake is None else mistake.hint,
        expected=expected,
        actual=actual,
        counterexample={
            "block size": str(unreached.block_size),
            "actual": actual,
            "expected": expected,
        },
    )


@pytest.mark.criterion("span-corruption", weight=0.4, depends_on=WRITTEN)
def test_content_length_varies(reader: Reader) -> None:
    """The length of the masked content is random, even for the same truncation length."""
    lengths = measured.content_lengths(reader)
    if not content_varies(lengths):
        random = reader.is_random() and lengths.content.any()
        mistake = named(known.CONTENT_MISTAKES, lengths) if random else None
        pairs, differ = content_pairs(lengths)
        often = f"nearly always, in {1 - differ / pairs:.0%} of the pairs," if differ else "always"
        fail(
            f"Documents truncated to the same length {often} have masked content of equal length.",
            hint=mistake.hint
            if mistake
            else "Sample it at random, for example from 1 … truncated length / 2.",
            expected="masked content of many lengths, 1/4 of the truncated document on average",
            actual=_examples(lengths),
            counterexample={
                "block size": "128",
                "actual": f"{'nearly ' if differ else ''}always {_examples(lengths)}",
                "expected": "a random length for the masked content",
            },
        )


@pytest.mark.criterion("span-corruption", weight=0.8, depends_on=WRITTEN)
def test_content_is_a_quarter(reader: Reader) -> None:
    """On average, the masked content is a quarter of the truncated document."""
    decision, lengths = measured.mean_is_a_quarter(reader)
    share, short = content_share(lengths), content_of_short_cuts(lengths)
    if decision == "right" and short is None:
        return
    mistake = named(known.CONTENT_MISTAKES, lengths) if lengths.content.any() else None
    actual = f"{share.value:.3f} of the truncated document in {len(lengths.cut)} samples"
    if short is not None:
        actual += f", and {short:.3f} for short ones"
    where = "On average" if decision != "right" else "In short truncated documents"
    fail(
        f"{where}, the masked content is not a quarter of the truncated document.",
        hint=sentence(QUARTER) if mistake is None else mistake.hint,
        expected="0.25 of the truncated document on average; rounding and clipping are accepted",
        actual=actual,
        counterexample={
            "block size": "128",
            "actual": actual,
            "expected": "0.25 of the truncated document on average",
        },
    )


@pytest.mark.criterion("span-corruption", weight=0.4, depends_on=WRITTEN)
def test_reading_changes_nothing(reader: Reader, score: Score) -> None:
    """Reading items leaves the dataset's `data` and its length unchanged."""
    for request in (reader.documents.many, reader.documents.long()):
        reading = reader.attempt(request)
        if reading.before != reading.after:
            fail(
                "Reading items changed the documents in `data`.",
                hint="Assigning to self.data[idx] replaces a document. Use a local variable.",
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
            score.note("The dataset has no list `data`, so it was not checked for changes.")


@pytest.mark.criterion("span-corruption", weight=0.4, depends_on=WRITTEN)
def test_short_documents(reader: Reader, score: Score) -> None:
    """A document shorter than the sampled length is used whole, masked, and padded at its end."""
    # Faults that long documents show too cost points in their own checks.
    fitting = [rule for rule in SHORT_RULES if first(rule, reader.long()) is None]
    hint = "Use a short document unchanged, and add PADs only at the end of the sequence."
    for document in reader.documents.short:
        request = reader.documents.short_document(document)
        if reader.attempt(request).raised and unreadable not in fitting:
            continue
        reading = reader.read(request)
        for rule in fitting:
            if rule is unreadable:
                reader.judge_reading(reading, rule, known.LAYOUT_MISTAKES, hint)
            else:
                reader.judge_alone(reading, rule, known.LAYOUT_MISTAKES, score, hint)
    if repeated(reader.from_one_dataset()) is not None or reader.cuts_once():
        return
    for text, treatment in (
        (measured.never_whole(reader), "used whole"),
        (measured.never_cut(reader), "truncated"),
    ):
        if text is not None:
            fail(
                f"A document of {len(text)} characters is never {treatment} at block size 128.",
                hint="First sample the length from 4 … the limit. Use a document whole only if it "
                "is shorter than that length.",
                expected="lengths from 4 characters up to the whole document",
                counterexample={"document": text, "block size": "128"},
            )
    for text, masked in (
        (measured.hardly_masked(reader), "hardly anything"),
        (measured.mostly_masked(reader), "nearly everything"),
    ):
        if text is not None:
            fail(
                f"Of a document of {len(text)} characters, {masked} is masked at block size 128.",
                hint=sentence(QUARTER),
                expected="0.25 of the truncated document on average, for every document",
                counterexample={"document": text, "block size": "128"},
            )


@pytest.mark.criterion("span-corruption", weight=0)
def test_tiny_documents(reader: Reader, score: Score) -> None:
    """Advice only: documents under 4 characters can be read as well."""
    nothing = "No points deducted, since the handout doesn't mention documents under 4 characters: "
    try:
        reading = reader.attempt(reader.documents.tiny())
        problem = first(unreadable, reading) or first(rules.wrong_length, reading)
    except StudentFault as fault:
        reader.long()  # code that cannot be run at all is told so
        score.note(sentence(f"{nothing}{fault}"))
        return
    if problem is not None and first(unreadable, reader.long()) is None:
        score.note(sentence(f"{nothing}{problem.actual}"))


def _require_lengths(reader: Reader) -> None:
    """Fail if the characters of most sequences cannot be found in the document."""
    if not len(cut_lengths(reader.long())):
        fail(
            "The sequences do not show which piece of the document was used, so its length cannot "
            "be checked.",
            hint=measured.fix_pieces(reader),
        )


def _some(values: Iterable[object]) -> str:
    """Return the first few of many values."""
    few = [str(value) for value in islice(values, 13)]
    return ", ".join(shown(value) for value in few[:12]) + (", …" if len(few) > 12 else "")


def _examples(lengths: Lengths) -> str:
    """Return a few truncation lengths and the content length that always goes with them."""
    pairs = sorted(set(zip(lengths.cut.tolist(), lengths.content.tolist(), strict=True)))
    step = max(1, len(pairs) // 5)
    return ", ".join(f"length {cut}: content {content}" for cut, content in pairs[::step][:5])
