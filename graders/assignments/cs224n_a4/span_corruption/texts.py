"""The documents that are read: distinct characters to test order, long ones to test lengths.

Their characters, words, sizes and orders are random and depend on the grading's inputs. No corpus
has more than the 254 characters of the course's, so that ids fit into a byte.
"""

from functools import cached_property, lru_cache

import numpy as np
from hypothesis import strategies as st

from graders.checks.inputs import Inputs
from reference.data.edition import SHORTEST, Edition

from .draws import Request

# Distinct characters, so that no wrong order of parts restores a document by accident.
LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
OTHERS = "0123456789.,;:-'()!?é Öß漢ж😀"
# Scripts without common characters: the first character, and the number of characters.
SCRIPTS = (("あ", 80), ("A", 26), ("一", 9_000), ("Α", 40), ("a", 26), ("Ѐ", 80))
READ = (0, 5, 2, 2, 1, 4, 3, 0, 1, 5, 3, 4)  # back and forth, one of them twice in a row
LONG_BLOCK = 128  # the handout's block size, at which lengths are tested
# The letters of a long document all differ, so that each identifies its place; blanks separate
# words.
MANY_LETTERS = (
    LETTERS + "0123456789.," + "".join(map(chr, (*range(0xC0, 0xD7), *range(0xD8, 0xF7))))
)
MANY_LETTERS += "".join(map(chr, (*range(0xF8, 0x130), *range(0x132, 0x149), *range(0x14A, 0x178))))
LONG_SIZES = ((135, 150), (175, 195), (235, 250))
LARGE_BLOCKS = (200, 230)  # a constant 112 or 128 in the code is too short here
LONG_ROUNDS = 800
EXAMPLE_ROUNDS = 30  # of the documents that hypothesis draws
BLANK = "ሀ ሁ ሂ"  # a document that is never read, with the blank that every real corpus has
CORPUS_SIZES = (2_000, 2_900)  # documents: the course's corpus has 2,937
OWN_LETTERS = 24  # of about 240: another document contains 4 given characters with 1e-4
GAPS = (" ", "  ", "   ", "\t", " \t", "\u00a0")  # whitespace between words
MORE_ROUNDS = 2_600  # of one additional request: 7,800 draws are 16 MiB of ids


class Documents:
    """The documents of one grading, and how they are read."""

    def __init__(self, inputs: Inputs, edition: Edition) -> None:
        self._inputs = inputs
        self._edition = edition

    @cached_property
    def distinct(self) -> str:
        """Distinct characters, letters first."""
        source = self._inputs.random("distinct characters")
        letters, symbols = (source.sample(kind, len(kind)) for kind in (LETTERS, OTHERS))
        return "".join(letters + symbols)

    def long(self, rounds: int = LONG_ROUNDS) -> Request:
        """Documents longer than any limit, at block size 128."""
        return Request(self._long, LONG_BLOCK, (0, 1, 2), rounds)

    def large_block(self) -> Request:
        """A block size above the handout's: 60 draws all miss its upper third with 1e-12."""
        size = self._inputs.random("large block").randint(*LARGE_BLOCKS)
        return Request(self._long, size, (2,), 60)

    def text(self) -> Request:
        """Text with repeated letters, at block size 128."""
        size = self._inputs.random("text").randint(300, 400)
        documents = _between_others(words(size, self._inputs, 0))
        return Request(documents, LONG_BLOCK, (1,), 300)

    @cached_property
    def small_blocks(self) -> tuple[int, ...]:
        """Block sizes so small that every length occurs in a few hundred draws.

        Even the longest document leaves room for a PAD there: code that always appends one is
        correct at every realistic block size.
        """
        source, first = self._inputs.random("small blocks"), _smallest_block(self._edition)
        near = (range(first + step, first + step + 3) for step in (0, 4, 8))
        return tuple(
            source.choice([size for size in sizes if _leaves_a_pad(self._edition, size)])
            for sizes in near
        )

    def small_block(self, block_size: int, rounds: int = 200) -> Request:
        """One document of distinct characters, longer than any limit, at a small block size."""
        characters = self._inputs.random("small document").randint(38, 46)
        document = self.distinct[:characters]
        return Request(_between_others(document), block_size, (1,), rounds)

    @cached_property
    def many(self) -> Request:
        """Documents without common characters, read back and forth, including the last one."""
        source = self._inputs.random("many documents")
        codes = [source.sample(range(ord(start), ord(start) + n), 22) for start, n in SCRIPTS]
        documents = ["".join(map(chr, points)) for points in source.sample(codes, len(codes))]
        if documents == sorted(documents):  # so that code that sorts them is detected
            documents.reverse()
        documents.insert(3, BLANK)
        order = source.sample([0, 1, 2, 4, 5, 6], 6)
        return Request(tuple(documents), 24, tuple(order[i] for i in READ), 8)

    @cached_property
    def thousands(self) -> Request:
        """A corpus of the course's size, read at indices of every magnitude and at the last one.

        Each document has its own characters, so that a piece shows where it comes from.
        """
        source = self._inputs.random("thousands of documents")
        count = source.randint(*CORPUS_SIZES)
        numbers = self._inputs.generator("their letters")
        lots = numbers.random((count, len(MANY_LETTERS)), dtype=np.float32)
        chosen = numbers.permuted(lots.argpartition(OWN_LETTERS)[:, :OWN_LETTERS], axis=1)
        documents = tuple(map("".join, np.array(list(MANY_LETTERS))[chosen].tolist()))
        near = [int(count ** source.random()) - 1 for _ in range(30)]
        indices = [*near, *(source.randrange(count) for _ in range(29)), count - 1]
        unread = next(index for index in range(count) if index not in indices)
        documents = (*documents[:unread], BLANK, *documents[unread + 1 :])
        return Request(documents, LONG_BLOCK, tuple(source.sample(indices, len(indices))), 1)

    def whitespace(self) -> Request:
        """Distinct words with runs of blanks, tabs and no-break spaces between and after them."""
        source = self._inputs.random("whitespace")
        letters, text = source.sample(LETTERS + "0123456789", 62), ""
        while letters:
            word = "".join(letters.pop() for _ in range(min(len(letters), source.randint(2, 4))))
            text += word + "".join(source.sample(GAPS, source.randint(1, 2)))
        return Request(_between_others(f"{text}  "), LONG_BLOCK, (1,), 60)

    def two_letters(self) -> Request:
        """A document of two letters: a tenth of its masked contents, or more, occur in it again.

        100 draws all miss that with 3e-5.
        """
        source = self._inputs.random("two letters")
        letters = source.sample(LETTERS, 2)
        size = self._edition.longest(LONG_BLOCK) + source.randint(0, 30)
        document = "".join(source.choices(letters, k=size))
        return Request(_between_others(document), LONG_BLOCK, (1,), 100)

    @cached_property
    def short(self) -> tuple[str, ...]:
        """Documents shorter than most limits; the last one is longer than many."""
        source = self._inputs.random("short documents")
        sizes = (SHORTEST, source.randint(5, 7), source.randint(8, 14), source.randint(48, 70))
        characters = self.distinct.replace(" ", "")  # a blank at an end might be stripped
        return tuple("".join(source.sample(characters, size)) for size in sizes)

    @staticmethod
    def short_document(document: str, rounds: int = 60) -> Request:
        """A document that is shorter than most limits."""
        return Request(_between_others(document), LONG_BLOCK, (1,), rounds)

    def tiny(self) -> Request:
        """Documents under 4 characters, which the handout does not mention."""
        c = self.distinct
        return Request(("", c[0], c[1:3], c[3:6], BLANK), LONG_BLOCK, (0, 1, 2, 3), 30)

    def distinct_requests(self) -> st.SearchStrategy[Request]:
        """A document of distinct characters, at least as long as the limit."""
        return _distinct_requests(self.distinct, self._edition)

    def any_requests(self) -> st.SearchStrategy[Request]:
        """A document of repeated letters, blanks and other scripts, as long as the limit."""
        source = self._inputs.random("arbitrary characters")
        letters, rare = source.sample(LETTERS, 3), source.sample("éñöÖß漢字ж😀", 3)
        return _any_requests("".join([*letters[:2], " ", letters[2], ".", *rare]), self._edition)

    @cached_property
    def _long(self) -> tuple[str, ...]:
        source = self._inputs.random("long documents")
        sizes = [source.randint(*bounds) for bounds in LONG_SIZES]
        documents = [distinct_words(size, self._inputs, n) for n, size in enumerate(sizes)]
        return (*documents, _mixed(documents[-1]))


@lru_cache(maxsize=1)
def documents_of(inputs: Inputs, edition: Edition) -> Documents:
    """Return the documents of a grading; all of its checks share them."""
    return Documents(inputs, edition)


def words(characters: int, inputs: Inputs, number: int) -> str:
    """Return text of this many characters, like a biography: words and single blanks."""
    source = inputs.random("words", number)
    text = ""
    while len(text) < characters:
        letters = source.choices("etaoinshrdlucmfEAOBNSLK0129,.éñö漢", k=source.randint(2, 9))
        text += "".join(letters) + " "
    return text[: characters - 1].rstrip().ljust(characters, "x")


def distinct_words(characters: int, inputs: Inputs, number: int) -> str:
    """Return words as above, without repeated letters."""
    source = inputs.random("distinct words", number)
    letters = source.sample(MANY_LETTERS, len(MANY_LETTERS))
    text = ""
    while len(text) < characters:
        text += "".join(letters.pop() for _ in range(source.randint(4, 9))) + " "
    text = text[:characters]
    return text[:-1] + letters.pop() if text.endswith(" ") else text


def _between_others(document: str) -> tuple[str, ...]:
    """Put the document between two others of equal length, which a wrong index would return.

    The last document contains the blank that every real corpus has.
    """
    after = _mixed(_mixed(document))
    return (_mixed(document), document, after, f"{after[:2]} {after[3:]}")


def _mixed(document: str) -> str:
    """Return its characters in an order in which no two adjacent ones are adjacent again."""
    return document[1::3] + document[::3] + document[2::3]


def _smallest_block(edition: Edition) -> int:
    return next(size for size in range(8, LONG_BLOCK) if _leaves_a_pad(edition, size))


def _leaves_a_pad(edition: Edition, block_size: int) -> bool:
    used = edition.longest(block_size) + edition.marks
    return edition.fits(block_size) and used < edition.sequence_characters(block_size)


@st.composite
def _distinct_requests(draw: st.DrawFn, distinct: str, edition: Edition) -> Request:
    block_size = draw(_block_sizes(edition))
    first = draw(st.integers(0, len(distinct) - 1))
    characters = edition.longest(block_size) + draw(st.integers(0, 9))
    document = (distinct[first:] + distinct[:first])[: max(SHORTEST, characters)]
    return Request(_between_others(document), block_size, (1,), EXAMPLE_ROUNDS)


@st.composite
def _any_requests(draw: st.DrawFn, alphabet: str, edition: Edition) -> Request:
    block_size = draw(_block_sizes(edition))
    least = edition.longest(block_size)
    texts = st.text(alphabet, min_size=least, max_size=least + 9)
    return Request(_between_others(draw(texts)), block_size, (1,), EXAMPLE_ROUNDS)


def _block_sizes(edition: Edition) -> st.SearchStrategy[int]:
    """Return block sizes other than the handout's, multiples of 8 and others."""
    return st.integers(_smallest_block(edition), 60)
