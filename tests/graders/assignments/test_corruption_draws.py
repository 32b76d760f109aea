import re

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from graders.assignments.cs224n_a4.span_corruption.draws import STANDARD, UNKNOWN, Request, parse
from graders.assignments.cs224n_a4.span_corruption.located import (
    cut_lengths,
    located,
    order_of_parts,
)
from graders.assignments.cs224n_a4.span_corruption.mistakes import (
    INDEX_MISTAKES,
    LAYOUT_MISTAKES,
    LENGTH_MISTAKES,
    PIECE_MISTAKES,
    SHIFT_MISTAKES,
    named,
)
from graders.assignments.cs224n_a4.span_corruption.rules import (
    first,
    not_a_piece,
    not_shifted,
    wrong_cut,
    wrong_document,
    wrong_layout,
    wrong_length,
)
from graders.boundary.outcome import read_reply
from graders.errors import BadReply
from reference.data.edition import STANFORD_2024, XCS224N
from reference.data.vocabulary import MASK, PAD, Vocabulary

DOCUMENT = "ABCDEFGHIJ"
LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
SPLITS = st.tuples(st.integers(4, 8), st.integers(0, 3), st.integers(1, 4))  # cut, start and size
RULES = (wrong_length, not_shifted, wrong_layout, not_a_piece, wrong_document, wrong_cut)


def request_of(*documents, block_size=16, rounds=1):
    return Request(documents, block_size, tuple(range(len(documents))), rounds)


def reply_of(request, sequences):
    """What the student side sends for these sequences, filled up with PADs to the asked length."""
    vocabulary = Vocabulary(request.corpus)
    rows = [vocabulary.encode(s.ljust(request.block_size + 1, PAD)) for s in sequences]
    ids = np.array(rows, dtype=np.int64)
    lengths = np.full(len(rows), request.block_size)
    return {
        "x": ids[:, :-1],
        "y": ids[:, 1:],
        "x_lengths": lengths,
        "y_lengths": lengths.copy(),
        "kinds": ["pair"],
        "counts": [len(rows)],
        "raised": "",
        "where": "",
        "characters": "",
        "length": len(request.documents),
        "before": list(request.documents),
        "after": list(request.documents),
    }


def reading_of(*sequences, edition=STANFORD_2024, document=DOCUMENT):
    request = request_of(document, rounds=len(sequences))
    return parse(reply_of(request, sequences), request, edition)


@given(
    document=st.text("ab cé漢", min_size=4, max_size=12),
    start=st.integers(0, 12),
    size=st.integers(0),
)
def test_parts_come_back(document, start, size):
    content = document[start : start + size % 4]
    prefix, suffix = document[:start], document[start + len(content) :]
    (draw,) = reading_of(prefix + MASK + suffix + MASK + content, document=document).draws
    assert draw.slots == (prefix, suffix, content)
    assert (draw.restored(), draw.cut) == (document, len(document))


@given(document=st.text("ab cé", min_size=8, max_size=12), splits=st.lists(SPLITS, min_size=4))
def test_blanks_as_padding_leave_the_truncated_length(document, splits):
    document += " a"
    sequences = []
    for cut, start, size in splits:
        piece, content = document[:cut], slice(start, min(start + size, cut))
        parts = piece[:start], piece[content.stop :], piece[content]
        sequences.append(MASK.join(parts).ljust(17))
    reading = reading_of(*sequences, document=document)
    assert first(wrong_layout, reading) is not None
    assert first(wrong_cut, reading) is None


def test_right_sequence_breaks_no_rule():
    reading = reading_of(f"AB{MASK}EF{MASK}CD", f"{MASK}{MASK}ABCD", f"ABCD{MASK}{MASK}")
    assert [first(rule, reading) for rule in RULES] == [None] * len(RULES)


@pytest.mark.parametrize(
    ("rule", "sequence"),
    [
        (wrong_layout, f"AB{MASK}EF{MASK}CD{MASK}"),
        (wrong_layout, f"AB{MASK}EFCD"),
        (wrong_layout, f"AB{PAD}{MASK}EF{MASK}CD"),
        (wrong_layout, f"{PAD}AB{MASK}EF{MASK}CD"),
        (not_a_piece, f"AB{MASK}CD{MASK}EF"),
        (not_a_piece, f"AB{MASK}EF{MASK}DC"),
        (not_a_piece, f"AB{MASK}EF{MASK}C"),
        (wrong_cut, f"A{MASK}C{MASK}B"),
    ],
)
def test_rule_finds_wrong_sequence(rule, sequence):
    problem = first(rule, reading_of(f"AB{MASK}EF{MASK}CD", sequence))
    assert problem.draw.sequence.rstrip(PAD) == sequence
    assert problem.table(reading_of(sequence))["document"] == DOCUMENT


def test_order_of_parts_is_found():
    assert order_of_parts(reading_of(f"AB{MASK}EF{MASK}CD")) == STANDARD
    assert order_of_parts(reading_of(f"AB{MASK}CD{MASK}EF")) == (0, 1, 2)
    assert order_of_parts(reading_of(f"AB{MASK}EF{MASK}DC")) is None


@pytest.mark.parametrize(
    ("sequence", "cut", "content"),
    [
        (f"ABC{MASK}EF{MASK}CD", 6, 2),  # a character doubled
        (f"AB{MASK}F{MASK}CD", 6, 2),  # one lost
        (f"AB{MASK}EF{MASK}", 6, 0),  # the content lost
        (f"AB{MASK}CDEF{MASK}CD", 6, 2),  # the content kept
        (f"AB{MASK}EF{MASK}DC", 6, 2),  # the content backwards
        (f"ABEF{MASK}CD", 6, 2),
        (f"AB{MASK}EFCD", 6, 2),
        (f"AB{MASK}{MASK}EF{MASK}CD", 6, 2),
        (f"ABCD{MASK}EF", 6, 2),
        (f"{MASK}{MASK}", 0, 0),
    ],
)
def test_lengths_are_told_from_places(sequence, cut, content):
    lengths = located(reading_of(sequence).draws[0], DOCUMENT)
    assert (lengths.cut, lengths.content) == (cut, content)


def test_characters_from_everywhere_have_no_length():
    assert located(reading_of(f"A{MASK}J{MASK}").draws[0], DOCUMENT) is None


@pytest.mark.parametrize("number", [0, 9, 99, -1])
def test_another_id_is_read_as_mask(number):
    reply = reply_of(request_of(DOCUMENT), [f"AB{MASK}EF{MASK}CD"])
    for side in ("x", "y"):
        reply[side][reply[side] == 1] = number
    reading = parse(reply, request_of(DOCUMENT), STANFORD_2024)
    assert reading.draws[0].slots == ("AB", "EF", "CD")
    assert first(wrong_layout, reading) is not None


def test_own_vocabulary_costs_the_ids_alone():
    reply = reply_of(request_of(DOCUMENT), [f"AB{MASK}EF{MASK}CD"])
    for side in ("x", "y"):
        reply[side] = np.where(reply[side] > 1, 13 - reply[side], reply[side])
    reply["characters"] = PAD + MASK + DOCUMENT[::-1]
    reading = parse(reply, request_of(DOCUMENT), STANFORD_2024)
    assert [first(rule, reading) is None for rule in RULES] == [True, True, True, False, True, True]


def test_other_document_is_found():
    request = request_of("ABCDEF", "GHIJKL")
    sequences = [f"GH{MASK}KL{MASK}IJ", f"AB{MASK}EF{MASK}CD"]
    reading = parse(reply_of(request, sequences), request, STANFORD_2024)
    assert first(not_a_piece, reading) is None
    assert first(wrong_document, reading).expected == "data[0]"


def test_unknown_ids_are_no_characters():
    request = request_of(DOCUMENT)
    reply = reply_of(request, [f"AB{MASK}EF{MASK}CD"])
    reply["x"][0, 0], reply["x"][0, 1] = -7, 10**12
    (draw,) = parse(reply, request, STANFORD_2024).draws
    assert draw.slots[0] == UNKNOWN * 2


def test_overfull_row_is_the_fault_of_cut_or_marks():
    document = DOCUMENT + "KLMNOPQRST"
    row = f"{document[:12]}{MASK}{document[14:]}{MASK}MN"
    assert first(wrong_length, reading_of(row, document=document)) is None
    assert first(wrong_cut, reading_of(row, document=document)) is not None


@pytest.mark.parametrize("direction", ["swapped", "same"])
def test_sequence_is_judged_without_shift(direction):
    request = request_of(DOCUMENT)
    reply = reply_of(request, [f"AB{MASK}EF{MASK}CD"])
    x, y = reply["x"], reply["y"]
    reply["x"], reply["y"] = (y, x) if direction == "swapped" else (x, x.copy())
    reading = parse(reply, request, STANFORD_2024)
    assert first(not_shifted, reading) is not None
    assert first(not_a_piece, reading) is None
    assert reading.draws[0].cut == 6


@pytest.mark.parametrize(
    "change",
    [
        lambda reply: "text",
        lambda reply: {},
        lambda reply: {**reply, "x": reply["x"][0]},
        lambda reply: {**reply, "x": reply["x"].astype(np.float64)},
        lambda reply: {**reply, "y": reply["y"][:0]},
        lambda reply: {**reply, "x_lengths": reply["x_lengths"] + 100},
        lambda reply: {**reply, "y_lengths": reply["y_lengths"] - 100},
        lambda reply: {**reply, "x_lengths": None},
        lambda reply: {**reply, "kinds": ["pair"], "counts": [3]},
        lambda reply: {**reply, "counts": "two"},
        lambda reply: {**reply, "counts": [None]},
    ],
)
def test_malformed_reply_is_refused(change):
    request = request_of(DOCUMENT)
    changed = change(reply_of(request, [f"AB{MASK}EF{MASK}CD"]))
    with pytest.raises(BadReply):
        read_reply(lambda reply: parse(reply, request, STANFORD_2024), changed)


@given(
    value=st.one_of(st.none(), st.integers(), st.text(), st.lists(st.integers(), max_size=3)),
    name=st.sampled_from(["raised", "where", "length", "before", "after"]),
)
def test_odd_extras_do_no_harm(value, name):
    request = request_of(DOCUMENT)
    reply = reply_of(request, [f"AB{MASK}EF{MASK}CD"])
    assert len(parse({**reply, name: value}, request, XCS224N).draws) == 1


@given(
    ids=st.lists(st.lists(st.integers(-3, 20), min_size=5, max_size=5), min_size=2, max_size=2),
    lengths=st.lists(st.integers(-1, 5), min_size=4, max_size=4),
)
def test_any_ids_can_be_judged(ids, lengths):
    request = request_of(DOCUMENT, block_size=8, rounds=2)
    reply = {
        **reply_of(request, [f"A{MASK}C{MASK}B"] * 2),
        "x": np.array(ids),
        "y": np.array(ids[::-1]),
        "x_lengths": np.array(lengths[:2]),
        "y_lengths": np.array(lengths[2:]),
    }
    reading = parse(reply, request, STANFORD_2024)
    for table in (SHIFT_MISTAKES, LENGTH_MISTAKES, LAYOUT_MISTAKES, PIECE_MISTAKES, INDEX_MISTAKES):
        named(table, reading)
    for rule in RULES if reading.draws else RULES[:2]:
        first(rule, reading)
    order_of_parts(reading)


@pytest.mark.parametrize("change", [str.lower, lambda text: re.sub("[é日]", "", text)])
@given(
    document=st.text("abcdAB", min_size=4, max_size=8).map(lambda text: f"aB{text}é日ab"),
    splits=st.lists(SPLITS, min_size=4, max_size=4),
)
def test_characters_that_are_lost_or_replaced_are_named(change, document, splits):
    kept = change(document)
    sequences = [
        f"{kept[:start]}{MASK}{kept[start + size :]}{MASK}{kept[start : start + size]}"
        for _, start, size in splits
    ]
    mistake = named(PIECE_MISTAKES, reading_of(*sequences, document=document))
    assert mistake is not None
    assert mistake.id == "characters-changed"


def test_rows_longer_than_any_document_take_no_time(cpu_seconds):
    """Items of hundreds of ids, in an order that fits no document: nothing is searched for."""
    documents = tuple(map("".join, np.random.default_rng(1).permuted([list(LETTERS)] * 4, axis=1)))
    request, random = request_of(*documents, block_size=128, rounds=100), np.random.default_rng(2)
    ids = random.permuted([[2 + n % len(LETTERS) for n in range(39 * len(LETTERS))]] * 400, axis=1)
    lengths = np.full(400, ids.shape[1] - 1)
    reply = {
        **reply_of(request, [""] * 400),
        **{"x": ids[:, :-1], "y": ids[:, 1:], "x_lengths": lengths, "y_lengths": lengths.copy()},
    }
    with cpu_seconds(5):
        reading = parse(reply, request, STANFORD_2024)
        assert first(not_a_piece, reading) is not None
        assert cut_lengths(reading).size == 0
