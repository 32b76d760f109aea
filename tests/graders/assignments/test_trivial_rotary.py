"""An unimplemented table, rotation or module earns nothing; a wrong one keeps its points."""

import textwrap

import pytest

from tests.graders.assignments.conftest import cases
from tests.planted import plain_source

POINTS = 4.0
TABLE = """theta = 10000.0 ** (-torch.arange(0, dim, 2).float() / dim)
angles = torch.outer(torch.arange(max_positions).float(), theta)
return torch.stack((torch.cos(angles), torch.sin(angles)), dim=-1)"""
ROTATE = """T = x.size(2)
pairs = torch.view_as_complex(x.float().reshape(*x.shape[:-1], -1, 2))
turns = torch.view_as_complex(rope_cache[:T].contiguous())
return torch.view_as_real(pairs * turns).flatten(-2).type_as(x)"""
MODULE = """q = apply_rotary_emb(q, self.rope_cache)
k = apply_rotary_emb(k, self.rope_cache)"""
WRITTEN = {"table": (TABLE, 4 * " "), "rotate": (ROTATE, 4 * " "), "module": (MODULE, 12 * " ")}
ONES = "return torch.ones(max_positions, dim // 2, 2)"
IDENTITY = """one = torch.ones(max_positions, dim // 2)
return torch.stack((one, 0 * one), dim=-1)"""

UNROTATED = {
    "not implemented": "raise NotImplementedError",
    "pass": "pass",
    "none": "return None",
    "x": "return x",
    "a copy": "return x.clone()",
    "x plus zero": "return x + 0 * rope_cache.sum()",
    "x times one": "return x * rope_cache[0, 0, 0]",
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
    "the first row for all": (
        "pairs = torch.view_as_complex(x.float().reshape(*x.shape[:-1], -1, 2))\n"
        "turn = torch.view_as_complex(rope_cache[:1].contiguous())\n"
        "return torch.view_as_real(pairs * turn).flatten(-2).type_as(x)"
    ),
}
UNTABLED = {
    "not implemented": "raise NotImplementedError",
    "pass": "pass",
    "ones": ONES,
    "zeros": "return torch.zeros(max_positions, dim // 2, 2)",
    "identity": IDENTITY,
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


@pytest.fixture
def grade(grade_file):
    """The criterion's result of an attention.py of these parts."""

    def run(**parts):
        text = (plain_source() / "attention.py").read_text(encoding="utf-8")
        for name, part in parts.items():
            right, depth = WRITTEN[name]
            assert textwrap.indent(right, depth) in text
            text = text.replace(textwrap.indent(right, depth), textwrap.indent(part, depth))
        return grade_file("rotary", "attention.py", text)

    return run


def earned(result):
    """The checks with points that passed."""
    return {check.id for check in result.checks if check.weight and check.fraction}


@pytest.mark.parametrize("name", ["not implemented", "rounded", "a quarter turn"])
def test_code_that_rotates_nothing_earns_nearly_nothing(grade, name):
    assert grade(table=ONES, rotate=UNROTATED[name]).points <= POINTS / 10


@pytest.mark.parametrize("rotate", cases(UNROTATED))
def test_a_right_table_is_all_that_counts_beside_no_rotation(grade, rotate):
    assert earned(grade(rotate=rotate)) == {"table-shape", "table-values"}


@pytest.mark.parametrize("table", cases(UNTABLED))
def test_a_table_without_positions_earns_nothing(grade, table):
    assert grade(table=table, rotate="return x", module="pass").points == 0


@pytest.mark.parametrize("module", cases(UNUSED))
def test_a_module_that_does_not_rotate_earns_nothing(grade, module):
    of_module = {"queries-and-keys-rotated", "gradients-flow", "vanilla-as-it-was"}
    assert earned(grade(module=module)).isdisjoint({*of_module, "no-learned-positions"})


def test_wrong_rotation_keeps_its_points(grade):
    """Other mistakes are planted in examples.toml."""
    rotate = ROTATE.replace("pairs * turns", "2 * pairs * turns")
    assert grade(rotate=rotate).points == pytest.approx(3.3)


def test_right_rotation_earns_everything_and_an_unwritten_table_costs_the_table(grade):
    assert grade().points == POINTS
    assert earned(grade()) - earned(grade(table=ONES)) == {"table-shape", "table-values"}


def test_student_reads_why_nothing_is_counted(grade):
    checks = {check.id: check for check in grade(rotate=UNROTATED["x"]).checks}
    gate, skipped = checks["rotation-is-written"], checks["length-kept"]
    assert gate.message.startswith("apply_rotary_emb returns x unchanged, so nothing is rotated.")
    assert "skipped until then" in gate.hint
    assert (skipped.status, skipped.outcome) == ("skipped", "blocked")
    assert "the rotation depends on position" in skipped.message
