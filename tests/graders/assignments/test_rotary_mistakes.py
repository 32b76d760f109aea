"""Known mistakes of the rotary functions are named, from code that makes them, for any inputs."""

import json

import pytest

from graders.assignments.cs224n_a4.rotary.checks_application import test_rotation_values as rotation
from graders.assignments.cs224n_a4.rotary.checks_table import GENERAL
from graders.assignments.cs224n_a4.rotary.checks_table import test_table_shape as shape
from graders.assignments.cs224n_a4.rotary.checks_table import test_table_values as table
from graders.assignments.cs224n_a4.rotary.mistakes import FORMULAS, TABLES, TURN
from graders.checks.compare import CheckFailed
from graders.checks.inputs import PUBLIC, Inputs
from graders.checks.mistakes import mistake_named, sentence
from graders.checks.score import Score
from graders.grading.secret import new_secret
from tests.console import ROOT
from tests.graders.assignments.answering import ask

VERDICTS = ROOT / "tests" / "verdicts" / "cs224n-a4.json"
pytestmark = pytest.mark.usefixtures("few_examples")

EXPONENT = "(-torch.arange(0, dim, 2).float() / dim)"
ENTRIES = "torch.stack((torch.cos(angles), torch.sin(angles)), dim=-1)"
TURNS = "torch.view_as_complex(rope_cache[:T].contiguous())"
THETA = "10_000 ** (torch.arange(0, x.size(-1), 2).double() / x.size(-1))"
TABLE_MISTAKES = {
    "dim-missing": (EXPONENT, "-torch.arange(0, dim, 2).float()"),
    "exponent-rounded-down": (EXPONENT, "(-torch.arange(0, dim, 2) // dim)"),
    "theta-twice": ("theta)\n", "theta.repeat_interleave(2)[: dim // 2])\n"),
    "positions-reversed": ("(max_positions)", "(max_positions).flip(0)"),
    "cos-only": ("torch.sin(", "torch.cos("),
    "sin-only": ("torch.cos(", "torch.sin("),
    "sin-negative": ("torch.sin(", "-torch.sin("),
    "angles-only": ("torch.cos(angles), torch.sin(angles)", "angles, angles"),
    "to-degrees": ("theta)\n", "theta).rad2deg()\n"),
    "full-turns": ("theta)\n", "2 * math.pi * theta)\n"),
    "no-angle": ("theta)\n", "0 * theta)\n"),
    "stack-reshaped": ("angles)), dim=-1)", "angles))).view(-1, dim // 2, 2)"),
    "base-10": ("10000.0", "10.0"),
    "base-1000": ("10000.0", "1e3"),
    "base-100000": ("10000.0", "1e5"),
    "base-1000000": ("10000.0", "1e6"),
}
ROTATION_MISTAKES = {
    "output-swapped": (".flatten(-2)", ".flip(-1).flatten(-2)"),
    "no-rotation": ("pairs * turns", "pairs"),
    "pairs-of-halves-to-neighbours": (
        "x.float().reshape(*x.shape[:-1], -1, 2)", "x.unflatten(-1, (2, -1)).mT.contiguous()",
    ),
    "neighbours-with-tiled-angles": (
        "pairs * turns", "torch.complex((pairs * turns.repeat(1, 2)[:, ::2]).real, "
        "(pairs * turns.repeat(1, 2)[:, 1::2]).imag)",
    ),
    "minus-twice": (
        "pairs * turns", "torch.complex((pairs * turns).real, (pairs * turns.conj()).imag)",
    ),
    "cos-sin-swapped": ("pairs * turns", "1j * pairs * turns.conj()"),
    "sin-part-missing": ("pairs * turns", "pairs * turns.real"),
    "cos-part-missing": ("pairs * turns", "1j * pairs * turns.imag"),
    "first-only": ("pairs * turns", "torch.complex((pairs * turns).real, pairs.imag)"),
    "second-only": ("pairs * turns", "torch.complex(pairs.real, (pairs * turns).imag)"),
    "batch-as-time": ("[:T].contiguous()", "[: len(x), None, None].contiguous()"),
    "rows-from-one": ("rope_cache[:T]", "precompute_rotary_emb(x.size(-1), T + 1)[1:]"),
    "rows-reversed": ("[:T].contiguous()", "[:T].flip(0)"),
    "exponent-sign": (TURNS, f"torch.exp(1j * torch.outer(torch.arange(T), {THETA}))"),
}  # fmt: skip
UNKNOWN = [
    (table, ("theta)\n", "theta) + 0.3\n")),
    # correct where a known one has huge angles
    (table, (EXPONENT, "(-torch.arange(0, dim, 2).float() / 32)")),
    # at six features, half of the pairs look as if θ were not divided by d
    (rotation, (TURNS, f"{TURNS}.clone()\n    turns[:, turns.size(1) // 2 :] = 1")),
]


def failed(check, student, score=None, draw=PUBLIC):
    with pytest.raises(CheckFailed) as failed:
        ask(check, student=student, inputs=Inputs(draw), score=score or Score())
    return failed.value.hint


@pytest.mark.parametrize("draw", [PUBLIC, new_secret()], ids=["public", "secret"])
@pytest.mark.parametrize(
    ("check", "name", "change"),
    [
        *((table, *row) for row in TABLE_MISTAKES.items()),
        *((rotation, *row) for row in ROTATION_MISTAKES.items()),
    ],
)
def test_mistake_is_named_and_seen_in_the_picture(hand_in_attention, check, name, change, draw):
    """The picture shows the angle over 16 positions, and some are visibly others."""
    score = Score()
    assert mistake_named(failed(check, hand_in_attention(change), score, draw)) == name, hex(draw)
    (picture,) = score.figures
    assert len(picture.expected) == len(picture.actual) == 16
    apart = [abs(a - b) for a, b in zip(picture.expected, picture.actual, strict=True)]
    assert max(apart) > 0.05


@pytest.mark.parametrize("draw", [PUBLIC, new_secret()], ids=["public", "secret"])
@pytest.mark.parametrize(("check", "change"), UNKNOWN)
def test_unknown_mistake_repeats_the_equation(hand_in_attention, check, change, draw):
    hint = GENERAL if check is table else sentence(TURN)
    assert failed(check, hand_in_attention(change), draw=draw) == hint, hex(draw)


def test_right_functions_show_no_picture(hand_in_attention):
    for check in (table, rotation):
        assert ask(check, student=hand_in_attention()).figures == []


def test_every_mistake_is_made_here_or_in_a_planted_example():
    """`validate --frozen` holds each example to its hints."""
    frozen = json.loads(VERDICTS.read_text(encoding="utf-8"))
    hints = {check["hint"] for checks in frozen.values() for check in checks.values()}
    for mistake in {**TABLES, **FORMULAS}:
        here = mistake.id in {*TABLE_MISTAKES, *ROTATION_MISTAKES}
        assert here or any(str(mistake.hint)[1:-1] in hint for hint in hints), mistake.id


@pytest.mark.parametrize(
    ("layout", "words"),
    [
        ("{}.movedim(-1, 0)", "first axis"),
        ("{}.movedim(-1, 1)", "second axis"),
        ("{}.mT.flatten(1)", "joined along the last axis"),
        ("{}.flatten(1)", "alternating along the last axis"),
        ("{}.transpose(0, 1)", "positions along the second axis"),
        ("angles", "angles"),
    ],
)
def test_layout_of_table_is_named(hand_in_attention, layout, words):
    assert words in failed(shape, hand_in_attention((ENTRIES, layout.format(ENTRIES))))
