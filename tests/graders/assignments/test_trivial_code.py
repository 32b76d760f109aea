"""Code that corrupts or rotates nothing earns nearly nothing; wrong code keeps its points."""

import textwrap
from functools import partial

import pytest

from graders.assignments.cs224n_a4.rotary import (
    checks_application,
    checks_module,
    checks_properties,
    checks_table,
)
from graders.assignments.cs224n_a4.span_corruption import checks, student_side
from graders.assignments.cs224n_a4.span_corruption.reader import Reader
from graders.checks.compare import CheckFailed
from graders.checks.inputs import Inputs
from graders.registry.discovery import load_assignment
from tests.conftest import replaced
from tests.graders.assignments.answering import InProcess, ask, earned
from tests.planted import plain_source

pytestmark = pytest.mark.usefixtures("few_examples")


def checks_of(*files):
    return [check for file in files for name, check in vars(file).items() if name[:5] == "test_"]


def cases(table):
    """A case a row; every fourth is quick, all run with the long tests."""
    rows = [row if isinstance(row, tuple) else (row,) for row in table.values()]
    return [
        pytest.param(*row, id=name, marks=[pytest.mark.long] if number % 4 else [])
        for number, (name, row) in enumerate(zip(table, rows, strict=True))
    ]


# ---------------------------------------------------------------- span corruption

CORRUPTION = checks_of(checks)
TEXT = "        text = prefix + self.MASK_CHAR + suffix + self.MASK_CHAR + middle\n"
INSTEAD = """        M, P, size = self.MASK_CHAR, self.PAD_CHAR, self.block_size
        limit = int(size * 7 / 8)
{body}
        text = text[: size + 1]
"""
UNCORRUPTED = {
    "not implemented": "raise NotImplementedError",
    "none": "return None",
    "two nones": "return None, None",
    "x alone": "return torch.zeros(size, dtype=torch.long)",
    "the document itself": "return document, document",
    "zeros": "return torch.zeros(size, dtype=torch.long), torch.zeros(size, dtype=torch.long)",
    "empty": "return torch.zeros(0, dtype=torch.long), torch.zeros(0, dtype=torch.long)",
    "one number": "return torch.full((size,), 2), torch.full((size,), 2)",
    "all ids in turn": "t = torch.arange(size + 1) % self.vocab_size\nreturn t[:-1], t[1:]",
    "random ids": "t = torch.randint(self.vocab_size, (size + 1,))\nreturn t[:-1], t[1:]",
    "plain text": "text = document",
    "plain text twice": (
        "text = document[:size].ljust(size, P)\n"
        "x = torch.tensor([self.stoi[ch] for ch in text])\nreturn x, x"
    ),
    "plain text, cut at the limit": "text = document[:limit]",
    "plain text, half of it": "text = document[: size // 2]",
    "plain text, anywhere": (
        "at = random.randint(0, max(0, len(document) - limit))\ntext = document[at : at + limit]"
    ),
    "plain text behind pads": "text = P * 4 + document[: size // 2]",
    "backwards": "text = document[::-1]",
    "backwards, cut at the limit": "text = document[:limit][::-1]",
    "sorted": "text = ''.join(sorted(document[:limit]))",
    "shuffled": "text = ''.join(random.sample(document[:limit], len(document[:limit])))",
    "halves swapped": "h = limit // 2\ntext = document[h:limit] + document[:h]",
    "all masked": "text = M * len(document)",
    "all masked, at the limit": "text = M * limit",
    "masks behind it": "text = document[:limit] + M + M",
    "masks before it": "text = M + M + document[:limit]",
    "masks around it": "text = M + document[:limit] + M",
    "the document twice": "text = document[: limit // 2] + M + document[: limit // 2]",
    "a mask behind each character": "text = M.join(document[: limit // 2])",
}
# What wrong code earns beside what examples.toml plants: each mistake costs its own checks.
PARTLY = {
    "one mask, content lost": (6.8, "text = prefix + M + suffix"),
    "no masks, content moved": (8.8, "text = prefix + suffix + middle"),
    "pads for masks": (8.8, "text = prefix + P + suffix + P + middle"),
    "single characters masked": (
        6.4, "text = ''.join(M if random.random() < 0.15 else ch for ch in content)",
    ),
    "one place for all": (
        7.6, "q = limit // 4\n"
        "text = document[:q] + M + document[2 * q : limit] + M + document[q : 2 * q]",
    ),
    "a third of the readings": (
        7.6, "text = prefix + M + suffix + M + middle if random.random() < 0.3 else content",
    ),
}  # fmt: skip


@pytest.fixture
def reader(importable):
    """Gives the reader of a dataset that makes its text, or item, so."""

    def write(body):
        instead = INSTEAD.format(body=textwrap.indent(body, 8 * " "))
        text = (plain_source() / "dataset.py").read_text(encoding="utf-8")
        importable(dataset=replaced(text, (TEXT, instead)))
        settings = load_assignment("cs224n-a4").settings
        return Reader(InProcess(student_side), settings, Inputs(), {})

    return write


@pytest.mark.parametrize("body", cases(UNCORRUPTED))
def test_code_that_corrupts_nothing_earns_nearly_nothing(reader, body):
    assert sum(earned(CORRUPTION, reader=reader(body)).values()) <= 1


@pytest.mark.parametrize(("points", "body"), cases(PARTLY))
def test_wrong_corruption_keeps_its_points(reader, points, body):
    total = sum(earned(CORRUPTION, reader=reader(body)).values())
    assert total == pytest.approx(points)


def test_cutting_alone_earns_what_cutting_is_worth(reader):
    lengths = {"draws-differ", "cut-within-limits", "every-cut-length-reached"}
    assert {*earned(CORRUPTION, reader=reader("text = content"))} == lengths


# ---------------------------------------------------------------- rotary embeddings

ROTARY = checks_of(checks_application, checks_module, checks_properties, checks_table)
OF_TABLE = {"table-shape", "table-values"}
OF_MODULE = {
    "queries-and-keys-rotated", "gradients-flow", "vanilla-as-it-was", "no-learned-positions"
}  # fmt: skip
ONES = "return torch.ones(max_positions, dim // 2, 2)"
UNROTATED = {
    "not implemented": "raise NotImplementedError",
    "none": "return None",
    "x": "return x",
    "rounded": "return x.half().type_as(x)",
    "zeros": "return torch.zeros_like(x)",
    "ones": "return torch.ones_like(x)",
    "nothing": "return x.new_zeros(0)",
    "the table": "return rope_cache",
    "the table alone": "return rope_cache[: x.size(2)].flatten(-2).expand_as(x).clone()",
    "minus x": "return -x",
    "half of x": "return x / 2",
    "features backwards": "return x.flip(-1)",
    "positions backwards": "return x.flip(-2)",
    "pairs swapped": "return x.unflatten(-1, (-1, 2)).flip(-1).flatten(-2)",
    "halves swapped": "return x.roll(x.size(-1) // 2, -1)",
    "a quarter turn": (
        "a, b = x.unflatten(-1, (-1, 2)).unbind(-1)\n"
        "return torch.stack((-b, a), dim=-1).flatten(-2)"
    ),
    "normalized": "return x / x.norm(dim=-1, keepdim=True)",
    "mean over time": "return x.mean(2, keepdim=True).expand_as(x).clone()",
    "the first row for all": "rope_cache = rope_cache[:1].expand(x.size(2), -1, -1)",
}
UNTABLED = {
    "not implemented": "raise NotImplementedError",
    "none": "return None",
    "ones": ONES,
    "zeros": "return torch.zeros(max_positions, dim // 2, 2)",
    "identity": "return torch.tensor([1.0, 0.0]).expand(max_positions, dim // 2, 2)",
    "theta at every position": (
        "theta = 10000.0 ** (-torch.arange(0, dim, 2).float() / dim)\n"
        "return torch.stack((theta, theta), dim=-1).repeat(max_positions, 1, 1)"
    ),
    "empty": "return torch.zeros(0)",
    "a number": "return 1.0",
}
UNUSED = {
    "as it came": "pass",
    "not implemented": "raise NotImplementedError",
    "x": "return x",
    "zeros": "return torch.zeros_like(x)",
    "projected": "return self.proj(x)",
    "values": "return self.proj(v.transpose(1, 2).reshape(x.shape))",
}


def before(line, body):
    """The change that runs this code before a line."""
    return line, f"{textwrap.indent(body, 4 * ' ')}\n{line}"


table, rotate = partial(before, "    theta = "), partial(before, "    T = x.size(2)\n")


def module(body):
    """The change that puts this code in place of the calls of the rotation."""
    calls = [f"            {x} = apply_rotary_emb({x}, self.rope_cache)\n" for x in "qk"]
    return "".join(calls), f"            {body}\n"


@pytest.fixture
def points(hand_in_attention):
    """What each check of an attention.py with these changes earns."""
    return lambda *changes: earned(ROTARY, student=hand_in_attention(*changes))


@pytest.mark.parametrize("body", cases(UNROTATED))
def test_a_right_table_is_all_that_counts_beside_no_rotation(points, body):
    assert {*points(rotate(body))} == OF_TABLE


@pytest.mark.parametrize("body", cases(UNTABLED))
def test_a_table_without_positions_earns_nothing(points, body):
    assert points(table(body), rotate("return x"), module("pass")) == {}


@pytest.mark.parametrize("body", cases(UNUSED))
def test_a_module_that_does_not_rotate_earns_nothing(points, body):
    assert OF_MODULE.isdisjoint(points(module(body)))


@pytest.mark.parametrize(
    ("change", "total"), [(("pairs * turns", "2 * pairs * turns"), 3.3), (table(ONES), 4 - 0.8)]
)
def test_wrong_part_costs_its_own_points(points, change, total):
    """Other mistakes are planted in examples.toml."""
    assert sum(points(change).values()) == pytest.approx(total)


def test_student_reads_why_nothing_is_counted(reader, hand_in_attention):
    student = hand_in_attention(rotate("return x"))
    for check, fixture, words in (
        (checks_application.test_rotation_is_written, {"student": student},
         "apply_rotary_emb returns x unchanged, so nothing is rotated."),
        (checks.test_documents_are_corrupted, {"reader": reader("text = document")},
         "the unchanged document"),
    ):  # fmt: skip
        with pytest.raises(CheckFailed, match=words) as failed:
            ask(check, **fixture)
        assert "skipped until then" in failed.value.hint
