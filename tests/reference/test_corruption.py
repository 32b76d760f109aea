"""Span corruption, compared with a regular expression for its format and laws of its draws.

All draws are seeded; the rates next to the tests say how often other seeds would fail.
"""

import random
import re
from collections import Counter

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from reference.data.corruption import CharCorruptionDataset, content_length, cut
from reference.data.edition import STANFORD_2021, STANFORD_2024, XCS224N, Edition

EDITIONS = [STANFORD_2024, STANFORD_2021, XCS224N, Edition(end_marker="optional")]
FORMAT = re.compile("([^□⁇]*)⁇([^□⁇]*)⁇([^□⁇]*)(⁇?)(□*)")
DOCUMENT = "".join(chr(0x4E00 + i) for i in range(200))  # no character occurs twice


@pytest.fixture(autouse=True)
def _seeded():
    random.seed(224)


def draw(dataset, index=0):
    """One example as the padded sequence it was cut from."""
    x, y = dataset[index]
    assert torch.equal(x[1:], y[:-1])
    return "".join(dataset.itos[i] for i in [*x.tolist(), int(y[-1])])


def parts(sequence):
    """Prefix, suffix, content, end marker and padding."""
    match = FORMAT.fullmatch(sequence)
    assert match is not None, sequence
    prefix, suffix, content, marker, padding = match.groups()
    return prefix, suffix, content, marker, padding


@given(
    st.text("ab cé", max_size=150),
    st.sampled_from(EDITIONS),
    st.integers(9, 140),
    st.integers(0, 2**32),
)
def test_example_is_the_document_rearranged(document, edition, block_size, seed):
    random.seed(seed)
    sequence = draw(CharCorruptionDataset(document, block_size, edition))
    prefix, suffix, content, marker, _ = parts(sequence)
    text = prefix + content + suffix
    assert document.startswith(text)
    assert min(len(document), 4) <= len(text) <= min(len(document), edition.longest(block_size))
    assert bool(marker) == (edition.end_marker == "required")
    assert len(sequence) == block_size + (edition.sequence_length == "block+1")
    assert bool(content) == bool(text)


@pytest.mark.parametrize(("edition", "length"), [(e, e.example_length(128)) for e in EDITIONS])
def test_examples_are_int64_of_one_length(edition, length):
    for tensor in CharCorruptionDataset(DOCUMENT, 128, edition)[0]:
        assert tensor.dtype == torch.int64
        assert tensor.shape == (length,)


def test_draws_differ_a_seed_repeats_them_and_a_known_one_is_spelled_out():
    """A 4-character document is never cut, and only one of its characters is masked."""
    dataset = CharCorruptionDataset(DOCUMENT, 128)
    draws = [draw(dataset) for _ in range(20)]
    assert len(set(draws)) == 20  # 10^5 draws and more are possible
    random.seed(224)
    assert draw(dataset) == draws[0]
    sequences = {draw(CharCorruptionDataset("abcd", 8)) for _ in range(300)}
    assert sequences == {"⁇bcd⁇a□□□", "a⁇cd⁇b□□□", "ab⁇d⁇c□□□", "abc⁇⁇d□□□"}


@pytest.mark.parametrize(("longest", "draws"), [(7, 400), (14, 1000), (112, 20_000)])
def test_cut_lengths_are_uniform_to_both_ends(longest, draws):
    """Fails for one seed in 10,000, by a chi-squared test; a length left out always fails."""
    lengths = Counter(len(cut(DOCUMENT, longest)) for _ in range(draws))
    assert sorted(lengths) == list(range(4, longest + 1))
    assert stats.chisquare(list(lengths.values())).pvalue > 1e-4


@pytest.mark.parametrize("n", [4, 5, 6, 7, 8, 15, 16, 43, 111, 112])
def test_content_is_a_quarter_on_average(n):
    """Six standard errors: fails for one seed in 10^8."""
    draws = [content_length(n) for _ in range(4000)]
    standard_error = (n / 2) / 12**0.5 / len(draws) ** 0.5  # of the widest range there is
    assert abs(sum(draws) / len(draws) - n / 4) < 6 * standard_error
    assert min(draws) == 1
    assert max(draws) == (n + 1) // 2 - 1


def test_content_lengths_are_uniform():
    """Fails for one seed in 10,000, by a chi-squared test."""
    lengths = Counter(content_length(112) for _ in range(20_000))
    assert sorted(lengths) == list(range(1, 56))
    assert stats.chisquare(list(lengths.values())).pvalue > 1e-4


def test_content_lies_anywhere():
    """Relative positions of the span are uniform: fails for one seed in 10,000."""
    dataset = CharCorruptionDataset(DOCUMENT, 128)
    places = []
    for _ in range(2000):
        prefix, suffix, _, _, _ = parts(draw(dataset))
        # A position among p + s + 1 equal ones, spread evenly over its share of [0, 1).
        places.append((len(prefix) + random.random()) / (len(prefix) + len(suffix) + 1))
    assert stats.kstest(places, "uniform").pvalue > 1e-4


@pytest.mark.parametrize("document", ["", "a", "ab", "abc"])
@pytest.mark.parametrize("edition", EDITIONS)
def test_tiny_documents_are_used_whole(document, edition):
    for _ in range(50):
        prefix, suffix, content, _, _ = parts(draw(CharCorruptionDataset(document, 16, edition)))
        assert prefix + content + suffix == document
        assert len(content) == min(len(document), 1)


def test_reading_changes_no_data_and_only_newlines_part_it():
    dataset = CharCorruptionDataset("first\nsecond\nthird", 16)
    for index in range(3):
        x, y = dataset[index]
        before = y.clone()
        x.zero_()
        assert torch.equal(y, before)
    assert dataset.data == ["first", "second", "third"]
    dataset = CharCorruptionDataset("one\u2028still one\x85\n\ntwo\n", 16)
    assert dataset.data == ["one\u2028still one\x85", "", "two", ""]
    assert len(dataset) == 4
    dataset = CharCorruptionDataset("ab", 16)
    assert (dataset.PAD_CHAR, dataset.MASK_CHAR) == ("\u25a1", "\u2047")
    assert dataset.stoi == {"\u25a1": 0, "\u2047": 1, "a": 2, "b": 3}
    assert dataset.itos == {0: "\u25a1", 1: "\u2047", 2: "a", 3: "b"}
    assert (dataset.vocab_size, dataset.block_size) == (4, 16)


@pytest.mark.parametrize(("edition", "block_size"), [(STANFORD_2024, 4), (STANFORD_2021, 8)])
def test_block_without_room_is_refused(edition, block_size):
    with pytest.raises(ValueError, match=f"block_size {block_size} is too small"):
        CharCorruptionDataset("abc", block_size, edition)


@pytest.mark.data
def test_course_corpus_reads(course):
    dataset = CharCorruptionDataset((course / "wiki.txt").read_text(encoding="utf-8"), 128)
    assert (len(dataset), dataset.vocab_size) == (2937, 256)
    for index in range(0, 2937, 50):
        prefix, suffix, content, _, _ = parts(draw(dataset, index))
        assert dataset.data[index].startswith(prefix + content + suffix)
