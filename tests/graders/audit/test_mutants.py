"""Mutants have one small mistake each, and their ids survive edits elsewhere."""

from itertools import islice

import pytest

from graders.audit.changes.change import Base, bytecode
from graders.audit.changes.mutants import generate_mutants, sites_of
from graders.audit.changes.operators import OPERATORS


def mutants_of(text, seed=0, **others):
    bases = [Base("solution", {"work.py": text.encode()}, ("work.py",))]
    bases += [Base(name, {"work.py": code.encode()}, ("work.py",)) for name, code in others.items()]
    return list(generate_mutants(sites_of(bases), seed))


def changed_lines(text):
    """The added lines of each mutant of these statements, by operator."""
    by_operator = {}
    for mutant in mutants_of(text):
        lines = [line[1:].strip() for line in mutant.change.diff.splitlines() if line[0] == "+"]
        by_operator.setdefault(mutant.change.operator, []).append(" ".join(lines))
    return by_operator


PLANTED = {
    "arithmetic": ("x = a * b", "x = (a + b)"),
    "operands": ("x = a - b", "x = b - a"),
    "comparison": ("x = a < b", "x = a <= b"),
    "logic": ("x = not a", "x = a"),
    "off-by-one": ("x = a[3]", "x = a[4]"),
    "scaled": ("x = 0.5 * a", "x = 5.0 * a"),
    "string": ('x = f(reduction="mean", y=1)', 'x = f(reduction="sum", y=1)'),
    "condition": ("x = a if b else c", "x = a if not b else c"),
    "mask": ("x = a.masked_fill(m, 0)", "x = a.masked_fill(~m, 0)"),
    "dim": ("x = a.sum(dim=1)", "x = a.sum(dim=-2)"),
    "arguments": ("x = f(a, b)", "x = f(b, a)"),
    "call-removed": ("x = a.transpose(1, 2) @ b", "x = a @ b"),
    "detached": ("x = q @ k", "x = (q @ k).detach()"),
    "function": ("x = torch.sin(a)", "x = torch.cos(a)"),
    "mode": ("model.eval()", "model.train()"),
    "reduction": ("x = a.mean()", "x = a.sum()"),
    "dtype": ("x = a.long()", "x = a.int()"),
    "in-place": ("x = x + a", "x += a"),
    "slice": ("x = a[1:n]", "x = a[1:n - 1]"),
    "dropped": ("def f():\n    opt.step()", "pass"),
    "reordered": ("def f():\n    loss.backward()\n    opt.step()", "opt.step()"),
    "loop": ("for a in b:\n    f(a)", "break"),
    "unwrapped": ("with torch.no_grad():\n    x = a", "if True:"),
    "return": ("def f():\n    return a, b", "return b, a"),
}


@pytest.mark.parametrize("operator", [operator.name for operator in OPERATORS])
def test_every_operator_makes_its_mistake(operator):
    text, mistake = PLANTED[operator]
    assert mistake in changed_lines(text + "\n")[operator]


def test_what_has_no_effect_is_not_mutated():
    text = "import os\nmanual_seed(42)\nprint(1 + 2)\n"
    text += 'def f(x: int = a):\n    """Add 1."""\n    raise E(1)\n'
    assert mutants_of(text + 'if __name__ == "__main__":\n    f(1)\n') == []


def test_a_mutant_with_the_same_bytecode_is_dropped():
    assert bytecode('"""A."""\nx = 1 \n') == bytecode('"""B."""\n\nx = (1)\n')
    assert bytecode("x = 1") != bytecode("x = 1.0")
    assert changed_lines("x = f(a, a)\n") == {"arguments": ["x = f(a)"]}


def test_the_same_seed_makes_the_same_mutants():
    text = PLANTED["scaled"][0] + "\nx = a.sum(dim=1) - b\n"
    first, again, other = (
        [mutant.change.id for mutant in mutants_of(text, seed)] for seed in (1, 1, 2)
    )
    assert first == again != other
    assert sorted(first) == sorted(other)


def test_an_id_depends_on_the_changed_lines_alone():
    before, after = (
        {mutant.change.id for mutant in mutants_of(text)}
        for text in ("x = a - b\n", "y = c\n\nx = a - b\n")
    )
    assert before
    assert before <= after


def test_equal_lines_have_different_ids():
    mutants = mutants_of("x = a < b\nx = a < b\n")
    assert len({mutant.change.id for mutant in mutants}) == len(mutants) == 4


def test_every_second_mutant_is_of_the_solution():
    mutants = mutants_of("x = a - b\n", right="def f(y):\n    return y * 3 + y / 2 - y[1:]\n")
    names = [mutant.change.base for mutant in islice(mutants, 4)]
    assert names == ["solution", "right"] * 2
    assert len(mutants) > 12


def test_a_line_that_two_submissions_share_is_mutated_once():
    shared = "x = a - b\n"
    alone = {mutant.change.id for mutant in mutants_of(shared)}
    changes = [mutant.change for mutant in mutants_of(shared, right=f"y = c < d\n\n{shared}")]
    assert {change.base for change in changes} == {"solution", "right"}
    assert sum(change.id in alone for change in changes) == len(alone)
    assert all("a - b" not in change.diff for change in changes if change.id not in alone)
