"""The documents that are read: generic where order must show, long where lengths are judged."""

import random

from a4_draws import Request
from hypothesis import strategies as st

from reference.edition import SHORTEST, Edition

# Characters that all differ, so that no wrong order of parts restores a document by accident.
DISTINCT = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789.,;:-'()!?é Öß漢ж😀"
# What hypothesis writes arbitrary documents with: letters that recur, blanks, other scripts.
ANY = "ab c.Zé漢😀"
LONG_BLOCK = 128  # the handout's block size, at which lengths are judged
LARGE_BLOCK = 200  # a constant 112 or 128 in the code is too short here
LONG_ROUNDS = 800
MORE_ROUNDS = 2_600  # of one further request: 7,800 draws are 16 MiB of ids


def words(characters: int, seed: int) -> str:
    """Text of this many characters, like a biography's: words and single blanks between them."""
    source = random.Random(seed)  # noqa: S311  the same text every time
    text = ""
    while len(text) < characters:
        letters = source.choices("etaoinshrdlucmfEAOBNSLK0129,.éñö漢", k=source.randint(2, 9))
        text += "".join(letters) + " "
    return text[: characters - 1].rstrip().ljust(characters, "x")


LONG_DOCUMENTS = tuple(words(characters, seed=characters) for characters in (150, 260, 400))


def long_documents(rounds: int = LONG_ROUNDS) -> Request:
    """Documents that are longer than any cut, at block size 128."""
    return Request(LONG_DOCUMENTS, LONG_BLOCK, (0, 1, 2), rounds)


def large_block() -> Request:
    """A block size above the handout's: 60 draws all miss the upper third of it with 1e-12."""
    return Request(LONG_DOCUMENTS, LARGE_BLOCK, (1, 2), 30)


def small_blocks(edition: Edition) -> tuple[int, ...]:
    """Block sizes so small that every cut length comes up in a few hundred draws.

    Even the longest cut leaves a PAD there: code that always appends one is right at every block
    size that anybody trains with.
    """
    first = next(size for size in range(8, LONG_BLOCK) if _leaves_a_pad(edition, size))
    return (first, first + 4, first + 8)


def _leaves_a_pad(edition: Edition, block_size: int) -> bool:
    used = edition.longest(block_size) + edition.marks
    return edition.fits(block_size) and used < edition.sequence_characters(block_size)


def small_block(block_size: int, rounds: int = 200) -> Request:
    """One document of distinct characters, longer than any cut, at a small block size."""
    return Request((DISTINCT[:40],), block_size, (0,), rounds)


def many_documents() -> Request:
    """Documents that have no character in common, read to and fro, the last one too."""
    starts = ("あ", "A", "一", "Α", "a", "Ѐ")  # in no order: documents may not be sorted
    documents = tuple("".join(chr(ord(start) + i) for i in range(22)) for start in starts)
    return Request(documents, 24, (0, 5, 2, 2, 1, 4, 3, 0, 1, 5, 3, 4), 8)


SHORT_DOCUMENTS = (DISTINCT[:4], DISTINCT[4:9], DISTINCT[10:20], DISTINCT[:60])


def short_document(document: str, rounds: int = 60) -> Request:
    """A document that is shorter than most cuts, in a corpus of its own."""
    return Request((document,), LONG_BLOCK, (0,), rounds)


def tiny_documents() -> Request:
    """Documents under 4 characters, of which the handout says nothing."""
    return Request(("", "a", "bc", "def", DISTINCT[:20]), LONG_BLOCK, (0, 1, 2, 3), 30)


@st.composite
def distinct_requests(draw: st.DrawFn, edition: Edition, rounds: int = 30) -> Request:
    """A document of distinct characters, not shorter than the longest cut."""
    block_size = draw(block_sizes(edition))
    first = draw(st.integers(0, len(DISTINCT) - 1))
    characters = edition.longest(block_size) + draw(st.integers(0, 9))
    document = (DISTINCT[first:] + DISTINCT[:first])[: max(SHORTEST, characters)]
    return Request((document,), block_size, (0,), rounds)


@st.composite
def any_requests(draw: st.DrawFn, edition: Edition, rounds: int = 30) -> Request:
    """Arbitrary documents, not shorter than the longest cut, and one of them to be read."""
    block_size = draw(block_sizes(edition))
    least = edition.longest(block_size)
    texts = st.text(ANY, min_size=least, max_size=least + 9)
    documents = draw(st.lists(texts, min_size=1, max_size=2))
    index = draw(st.integers(0, len(documents) - 1))
    return Request(tuple(documents), block_size, (index,), rounds)


def block_sizes(edition: Edition) -> st.SearchStrategy[int]:
    """Block sizes other than the handout's, multiples of 8 or not."""
    return st.integers(small_blocks(edition)[0], 60)
