"""Advice on the code of experiments: functions found by name, and their messages."""

from dataclasses import replace
from functools import partial

import numpy as np
import pytest

from graders.assignments.uw_a2.experiments import checks as EXPERIMENTS
from graders.assignments.uw_a2.experiments import expected as POSITIONS
from graders.boundary.tiers.sandbox import best_tier
from graders.checks.compare import CheckFailed, CheckSkipped
from graders.errors import StudentFault
from graders.grading.options import Options
from graders.grading.pipeline import grade_submission
from graders.registry.discovery import load_assignment
from submissions.receive import identify
from tests.graders.assignments.answering import Replies, ask, passing

TABLES = ("sinusoidal_values", "sinusoidal_norm", "sinusoidal_shift")
FUSIONS = ("fusion_is_repeatable", "fusion_treats_items_alone", "fusion_changes_the_model")
HEADER = "import math\nimport torch\nfrom torch import nn\n"
LEARNED = """
class PositionalEmbedding(nn.Module):
    def __init__(self, block_size, n_embd):
        super().__init__()
        self.pos_emb = nn.Parameter(torch.randn(1, block_size, n_embd))
    def forward(self, x):
        return x + self.pos_emb
"""
SWAPPED = """
def pos_encoding(d_model, seq_len):
    angles = torch.arange(seq_len)[:, None] / 10000 ** (torch.arange(0, d_model, 2) / d_model)
    return torch.stack((angles.sin(), angles.cos()), -1).flatten(1)
"""


def run(name, value):
    """The notes of one check on a student with this table, or whose answer is this value."""

    def tables(values):
        return [{"name": "pe", "table": value(values["n_tok"], values["n_embd"])}]

    student = Replies(tables if callable(value) else value)
    return ask(getattr(EXPERIMENTS, f"test_{name}"), student=student).notes


@pytest.fixture(scope="module")
def advise(tmp_path_factory):
    """Status and message of each check of the experiments, for a text as A2S2.py."""
    assignment = replace(load_assignment("uw-a2"), preload=())  # transformers is not asked for
    options = Options(tier=best_tier(), only=frozenset({"experiments"}))

    def graded(text):
        folder = tmp_path_factory.mktemp("uploads") / "one"
        folder.mkdir()
        (folder / "A2S2.py").write_text(HEADER + text)
        result = grade_submission(identify(folder, "uw-a2"), assignment, options)
        return {check.id: check for check in result.criteria[0].checks}

    return graded


@pytest.mark.parametrize("name", TABLES)
@pytest.mark.parametrize("table", [POSITIONS.sinusoidal, POSITIONS.half_split])
def test_both_orders_of_columns_are_right(name, table):
    assert EXPERIMENTS.ADVICE in run(name, table)


@pytest.mark.parametrize("mistake", POSITIONS.MISTAKES, ids=lambda mistake: mistake.id)
def test_wrong_table_is_named(mistake):
    with pytest.raises(CheckFailed) as failed:
        run("sinusoidal_values", POSITIONS.MISTAKES[mistake])
    assert mistake.says.lower() in failed.value.hint.lower()


@pytest.mark.parametrize("name", ["sinusoidal_norm", "sinusoidal_shift"])
def test_mispaired_columns_lose_norm_and_shift(name):
    with pytest.raises(CheckFailed):
        run(name, POSITIONS.mispaired)


def test_no_two_mistakes_give_one_table():
    tables = [POSITIONS.sinusoidal, *POSITIONS.MISTAKES.values()]
    values = [table(23, 10) for table in tables]
    for i, one in enumerate(values):
        assert not any(np.allclose(one, other, atol=1e-3) for other in values[:i])


def test_nothing_found_is_nothing_to_judge():
    for name in (*TABLES, *FUSIONS):
        with pytest.raises(CheckSkipped):
            run(name, [])


@pytest.mark.parametrize(
    "value",
    [None, 3, {}, [3], [{"name": 3, "table": "x", "whole": np.zeros(3)}], [{"whole": np.ones(2)}]],
)
def test_hostile_reply_is_the_student_s_fault(value):
    calls = {name: partial(run, name, value) for name in (*TABLES, *FUSIONS)}
    assert passing((CheckFailed, CheckSkipped, StudentFault), calls) == []


def test_sizes_in_the_other_order_are_found(advise):
    assert advise(SWAPPED)["sinusoidal-values"].status == "passed"


def test_learned_positions_are_left_alone(advise):
    assert advise(LEARNED)["sinusoidal-values"].status == "skipped"


@pytest.mark.parametrize("name", ["shuffle_tokens", "shuffle_batches"])
def test_shuffled_data_is_no_variant_of_merging(advise, name):
    text = f"def {name}(y):\n    return y[torch.randperm(len(y))]\n"
    assert advise(text)["fusion-is-repeatable"].status == "skipped"


@pytest.mark.parametrize("answer", ["y.sum()", "y[:0]", "y.flatten()", "[y]"])
def test_variant_that_gives_no_matrix_for_each_item_is_left_alone(advise, answer):
    checks = advise(f"def shift_heads(y):\n    return {answer}\n")
    assert {checks[name.replace("_", "-")].status for name in FUSIONS} == {"skipped"}


def test_variant_of_a_module_on_a_gpu_is_asked(advise):
    text = "W = torch.ones(1).cuda()\ndef shift_heads(y):\n    return W * y.roll(1, 1)\n"
    assert advise(text)["fusion-is-repeatable"].status == "passed"
