"""Copies share passages whatever is renamed, moved or added; independent work does not."""

import json
import time
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from graders.similarity.pairs import LINKED, compare
from graders.similarity.passages import CODE, fingerprints
from graders.similarity.tokens import Tokens
from graders.similarity.uploads import MOST_TOKENS, read_upload
from submissions.receive import identify_all
from tests.conftest import write_files

ORIGINAL = '''
import torch

def attention(query, key, value, mask=None):
    """Attend."""
    scores = query @ key.transpose(-2, -1) / query.size(-1) ** 0.5
    if mask is not None:
        scores = scores.masked_fill(mask == 0, float("-inf"))
    return torch.softmax(scores, dim=-1) @ value

def accuracy(model, loader):
    correct = total = 0
    for inputs, labels in loader:
        with torch.no_grad():
            guesses = model(inputs).argmax(dim=-1)
        correct += (guesses == labels).sum().item()
        total += labels.numel()
    return correct / total
'''
COPY = """
def measure(net: object, batches: list) -> float:
    hits = seen = 0
    unused = 5
    for x, y in batches:
        with torch.no_grad():
            pass
            out = net(x).argmax(dim=-1)  # the best class
        print(out)
        hits += (out == y).sum().item()
        seen += y.numel()
    return hits / seen

import torch
def attend(q, k, v, hidden=None):
    s = q @ k.transpose(-2, -1) / q.size(-1) ** 0.25
    if False:
        s = s + 1
    if hidden is not None:
        s = s.masked_fill(hidden == 1, float("inf"))
    return torch.softmax(s, dim=-1) @ v
"""
OWN = """
import torch.nn.functional as F

def attention(q, k, v, mask=None):
    d = q.shape[-1]
    weights = torch.einsum("bqd,bkd->bqk", q, k).div(math.sqrt(d))
    weights = weights if mask is None else torch.where(mask.bool(), weights, -torch.inf)
    return torch.einsum("bqk,bkd->bqd", F.softmax(weights, -1), v)

@torch.no_grad()
def accuracy(model, loader):
    results = [model(batch["x"]).max(-1).indices.eq(batch["y"]) for batch in loader]
    return torch.cat(results).float().mean()
"""


@pytest.fixture
def read(tmp_path):
    """`read(name={file: content}, ...)` are the uploads with these files."""

    def make(**students):
        folders = [write_files(tmp_path / name, files) for name, files in students.items()]
        return [read_upload(submission) for submission in identify_all(folders, "")]

    return make


def shares(similarity):
    return {(pair.one, pair.other): pair.code.larger for pair in similarity.ranked}


def notebook(*cells):
    entries = [{"cell_type": "code", "source": cell} for cell in cells]
    return json.dumps({"cells": entries, "nbformat": 4, "metadata": {}})


@pytest.mark.parametrize(
    "copy",
    [
        {"other.py": COPY},
        {"work.ipynb": notebook("# Work", f"%matplotlib inline\n!pip install torch\n{COPY}")},
        {"broken.py": ORIGINAL + "\nreturn return ((\n"},
    ],
    ids=["renamed, reordered, dead code", "notebook", "does not parse"],
)
def test_a_copy_is_at_the_top_and_independent_work_is_not(read, copy):
    similarity = compare(read(ada={"a.py": ORIGINAL}, bob={"a.py": OWN}, eve=copy))
    assert (similarity.ranked[0].one, similarity.ranked[0].other) == ("ada", "eve")
    assert similarity.ranked[0].code.larger > 0.8
    assert all(share < LINKED / 2 for pair, share in shares(similarity).items() if "bob" in pair)
    assert similarity.groups == (("ada", "eve"),)
    assert sum(similarity.distributions["code"]) == similarity.pairs == 3


def test_of_equal_shares_the_pair_that_shares_most_comes_first(read):
    files = {"ada": ORIGINAL, "bob": ORIGINAL, "cy": OWN, "dee": OWN}  # the longer one
    similarity = compare(read(**{name: {"a.py": text} for name, text in files.items()}))
    assert [pair.code.larger for pair in similarity.ranked[:2]] == [1, 1]
    assert [pair.one for pair in similarity.ranked[:2]] == ["cy", "ada"]


def test_passages_name_the_lines_of_both_files(read):
    pair = compare(read(ada={"a.py": ORIGINAL}, eve={"b.py": COPY})).ranked[0]
    places = {(p.one.first, p.one.last, p.other.first, p.other.last) for p in pair.passages}
    assert (4, 9, 15, 21) in places, "the function that was moved"
    excerpt = next(p.one for p in pair.passages if p.one.first == 4)
    assert excerpt.lines == tuple(ORIGINAL.split("\n")[3:9])


def test_passages_do_not_overlap(read):
    repeated = ORIGINAL * 3  # two functions
    similarity = compare(read(ada={"a.py": repeated}, eve={"b.py": repeated}))
    assert similarity.ranked[0].found == 6


def test_starter_code_does_not_count(read):
    pairs = {"ada": {"a.py": ORIGINAL}, "bob": {"a.py": ORIGINAL + OWN}}
    *uploads, starter = read(**pairs, starter={"a.py": COPY})
    assert compare(uploads).ranked
    assert not compare(uploads, starter=[starter]).ranked


@pytest.mark.parametrize(("holders", "linked"), [(4, 6), (5, 0)])
def test_what_many_have_does_not_count(read, holders, linked):
    uploads = read(**{f"s{n}": {"a.py": ORIGINAL} for n in range(holders)})
    assert compare(uploads).linked == linked


def test_past_work_is_not_compared_with_itself(read):
    new, *past = read(ada={"a.py": COPY}, old={"a.py": ORIGINAL}, older={"a.py": ORIGINAL})
    similarity = compare([new], past)
    assert {(p.one, p.other, p.past) for p in similarity.ranked} == {
        ("ada", "old", True),
        ("ada", "older", True),
    }
    assert similarity.pairs == 2
    adas = [replace(upload, students=frozenset({"ada@example.edu"})) for upload in (new, past[0])]
    similarity = compare(adas[:1], [adas[1], past[1]])
    assert shares(similarity).keys() == {("ada", "older")}, "old is ada's own"
    assert similarity.pairs == 1


def test_typed_answers_are_compared_as_words(read):
    text = "Scores grow with the width, so the softmax saturates and its gradients vanish. "
    other_text = "Without scaling, large dot products push nearly all weight onto one single key."
    answers = {"ada": text * 2, "bob": other_text * 2, "eve": f"## 1\n{text.upper()}"}
    similarity = compare(read(**{name: {"answers.md": words} for name, words in answers.items()}))
    assert [(p.one, p.other) for p in similarity.ranked if p.answers.larger] == [("ada", "eve")]


def test_equal_and_nearly_equal_files_have_their_base_rate(read):
    weights = [np.random.default_rng(n).standard_normal(500).astype("f4") for n in range(3)]
    nudged = weights[0] * np.float32(1.0001)
    files = {"a": weights[0], "b": weights[0], "c": nudged, "d": weights[1], "e": weights[2]}
    lines = "\n".join(f"town {n}" for n in range(100))
    uploads = read(
        **{n: {"m.params": w.tobytes(), "test": lines, "dev": lines} for n, w in files.items()}
    )
    few, many, other = compare(uploads).files
    assert (few.name, few.equal, few.nearly, few.pairs) == ("m.params", 1, 2, 10)
    assert few.groups == (("a", "b", "c"),)
    assert (many.name, many.equal, many.pairs) == ("dev", 10, 10)
    assert other.name == "test"
    handout = read(given={"x": lines})
    assert [file.name for file in compare(uploads, starter=handout).files] == ["m.params"]


HOSTILE = {
    "nested": "(" * 300_000,
    "chained": "a" + ".b" * 300_000,
    "negated": "-" * 300_000 + "1",
    "one line": "x=1;" * 200_000,
    "unclosed": '"""' + "a" * 900_000,
    "many tokens": "x=1\n" * 225_000,
    "periodic": "a=b+c*d-e/f%g\n" * 60_000,
    "too large": "x = 1\n" * 1_700_000,
    "binary": b"\x7fELF\0\0" * 100,
    "no Unicode": b"\xff\xfe\xfa\xfb" * 9 + b"x",
    "empty": "",
}


@pytest.mark.parametrize("content", HOSTILE.values(), ids=HOSTILE)
@pytest.mark.parametrize("file", ["bad.py", "bad.ipynb", "bad.params"])
def test_hostile_files_are_bounded_and_others_are_still_compared(read, content, file):
    start = time.process_time()
    eve = {file: content, "a.py": COPY}
    uploads = read(ada={"a.py": ORIGINAL}, mallory={file: content}, eve=eve)
    similarity = compare(uploads)
    assert ("ada", "eve") in shares(similarity)
    assert all(len(upload.code.codes) <= MOST_TOKENS for upload in uploads)
    assert time.process_time() - start < 20


@pytest.mark.parametrize(
    ("file", "content", "note"),
    [
        ("a.py", HOSTILE["too large"], "ignored `a.py` (too large)"),
        ("a.py", HOSTILE["binary"], "ignored `a.py` (not a text)"),
        ("a.py", HOSTILE["many tokens"], "only its first 100,000 tokens were compared"),
        ("a.py", "x = 1\n" * 180_000, "ignored `a.py` (too much text)"),
        ("a.ipynb", "[" * 100_000, "nested too deeply"),
        ("a.ipynb", notebook("x")[:-30] + ', {"', "ignored `the rest of a.ipynb` (it is not valid"),
    ],
)
def test_what_was_not_compared_is_noted(read, file, content, note):
    [upload] = read(ada={file: content})
    assert note in " ".join(upload.notes)


def test_a_link_is_noted_and_not_followed(read, tmp_path):
    [ada] = read(ada={"a.py": ORIGINAL})
    (tmp_path / "eve").mkdir()
    (tmp_path / "eve" / "b.py").write_text("x = 1")
    (tmp_path / "eve" / "a.py").symlink_to(tmp_path / "ada" / "a.py")
    [eve] = [read_upload(submission) for submission in identify_all([tmp_path / "eve"], "")]
    assert "a.py" in eve.notes[0]
    assert not compare([ada, eve]).ranked


def tokens(codes):
    codes, zeros = np.array(codes, np.uint64), np.zeros(len(codes), np.int32)
    return Tokens((), codes, zeros, zeros, zeros)


CODES = st.lists(st.integers(0, 3), max_size=40)


@given(CODES, CODES, CODES, CODES, st.lists(st.integers(0, 3), min_size=CODE.k + CODE.w - 1))
def test_every_passage_of_the_guaranteed_length_is_found(a, b, c, d, passage):
    one, other = (fingerprints(tokens(x + passage + y), CODE) for x, y in ((a, b), (c, d)))
    assert one.keys() & other.keys()
