"""The rotary checks on code in files, called in this process over the same adapters."""

import copy
import importlib
import inspect
import sys
from pathlib import Path

import adapters_rotary
import numpy as np
import pytest
import test_rotary_application
import test_rotary_module
import test_rotary_properties
import test_rotary_table
import torch
from a4_rotary_modules import MODULES
from hypothesis import Phase, settings

import submissions
from graders.checks.compare import CheckFailed
from graders.checks.inputs import Inputs
from graders.checks.score import Score
from graders.discovery import ASSIGNMENTS
from graders.errors import BadReply, StudentRaised

PLAIN = Path(submissions.__file__).parent / "examples" / "cs224n-a4" / "correct-plain" / "src"
STANDINS = ASSIGNMENTS / "cs224n-a4" / "standins"
FILES = (
    test_rotary_application,
    test_rotary_module,
    test_rotary_properties,
    test_rotary_table,
)
CHECKS = {
    name.removeprefix("test_"): check
    for file in FILES
    for name, check in vars(file).items()
    if name.startswith("test_")
}
OWN = ("attention", "models", "src", "submission")
ROTATE = "apply_rotary_emb({0}, self.rope_cache)"


class InProcess:
    """A student whose attention.py is imported here."""

    def call(self, function, /, **values):
        torch.manual_seed(0)
        try:
            return plain(getattr(adapters_rotary, function)(**copy.deepcopy(values)))
        except Exception as error:  # noqa: BLE001  as the worker does
            raise StudentRaised(str(error), kind=type(error).__name__) from None


class Replies:
    """A student who answers the same to every question."""

    def __init__(self, value):
        self.value = value

    def call(self, function, /, **values):
        return self.value


def plain(value):
    if isinstance(value, torch.Tensor):
        return value.detach().numpy()
    if isinstance(value, dict):
        return {key: plain(each) for key, each in value.items()}
    return [plain(each) for each in value] if isinstance(value, list) else value


@pytest.fixture(autouse=True)
def as_the_plugin_runs_checks():
    """Few examples and one failure a check; one thread, which small tensors are fastest on."""
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    before = settings.get_current_profile_name()
    settings.register_profile(
        "few",
        derandomize=True,
        database=None,
        deadline=None,
        max_examples=8,
        report_multiple_bugs=False,
        phases=(Phase.generate, Phase.shrink),
    )
    settings.load_profile("few")
    yield
    settings.load_profile(before)
    torch.set_num_threads(threads)


@pytest.fixture
def forget():
    """No module of a student's stays behind."""
    yield
    for name in [each for each in sys.modules if each.split(".")[0] in OWN]:
        del sys.modules[name]


@pytest.fixture
def hand_in_attention(tmp_path, monkeypatch, forget):
    """Writes the plain attention.py with these replacements, and gives the student."""

    def write(*changes, **files):
        code = (PLAIN / "attention.py").read_text(encoding="utf-8")
        for old, new in changes:
            assert old in code
            code = code.replace(old, new)
        for name, text in {"attention": code, **files}.items():
            (tmp_path / f"{name}.py").write_text(text, encoding="utf-8")
        monkeypatch.setattr(sys, "path", [str(tmp_path), *sys.path, str(STANDINS)])
        importlib.invalidate_caches()
        return InProcess()

    return write


def run(check, student, score=None):
    known = {"student": student, "inputs": Inputs(), "score": score or Score()}
    check(**{name: known[name] for name in inspect.signature(check).parameters})


def failures(student):
    """The checks that fail, with what they say."""
    failed = {}
    for name, check in CHECKS.items():
        try:
            run(check, student)
        except (CheckFailed, StudentRaised) as problem:
            failed[name] = problem
    return failed


def test_plain_solution_passes_everything(hand_in_attention):
    assert failures(hand_in_attention()) == {}


def test_checks_share_forty_tenths_of_a_point():
    marks = [check.pytestmark[0] for check in CHECKS.values()]
    assert sum(mark.kwargs["weight"] for mark in marks) == 40


@pytest.mark.parametrize(
    ("rotated", "name"),
    [
        ("", "module-unrotated"),
        ("q", "query-only"),
        ("k", "key-only"),
        ("v", "value-only"),
        ("qv", "query-and-value"),
        ("kv", "key-and-value"),
        ("qkv", "value-too"),
    ],
)
def test_what_a_module_rotates_is_named(hand_in_attention, rotated, name):
    lines = "".join(f"            {part} = {ROTATE.format(part)}\n" for part in rotated)
    both = "".join(f"            {part} = {ROTATE.format(part)}\n" for part in "qk")
    student = hand_in_attention((both, lines or "            pass\n"))
    failed = failures(student)
    unwritten = set() if rotated else {"module_is_written"}
    assert set(failed) == {"queries_and_keys_rotated", *unwritten}
    assert failed["queries_and_keys_rotated"].hint == next(
        mistake.hint for mistake in MODULES if mistake.id == name
    )


def test_reordered_output_loses_one_check(hand_in_attention):
    failed = failures(hand_in_attention((".flatten(-2)", ".mT.flatten(-2)")))
    assert set(failed) == {"rotation_values"}
    assert "Every dot product" in failed["rotation_values"].message
    assert "all first features" in failed["rotation_values"].hint


def test_wrong_table_costs_the_table_only(hand_in_attention):
    failed = failures(hand_in_attention(("10000.0 ** (-torch", "10000.0 ** (torch")))
    assert set(failed) == {"table_values"}


def test_complex_table_costs_the_table_only(hand_in_attention):
    student = hand_in_attention(
        ("torch.stack((torch.cos(angles), torch.sin(angles)), dim=-1)", "torch.exp(1j * angles)"),
        ("torch.view_as_complex(rope_cache[:T].contiguous())", "rope_cache[:T]"),
    )
    assert set(failures(student)) == {"table_shape", "table_values"}


def test_half_split_pairs_fail_values_and_scores(hand_in_attention):
    student = hand_in_attention(
        ("x.float().reshape(*x.shape[:-1], -1, 2)", "x.unflatten(-1, (2, -1)).mT.contiguous()"),
        (".flatten(-2)", ".mT.flatten(-2)"),
    )
    assert set(failures(student)) == {"rotation_values", "rotation_scores"}


@pytest.mark.parametrize(
    ("change", "check"),
    [
        (("rope_cache[:T]", "rope_cache[-T:]"), "first_rows_used"),
        (("    T = x.size(2)\n", "    T = x.size(2)\n    x[:] = x * 2\n"), "arguments_untouched"),
        (("x.float()", "x.detach()"), "gradients_flow"),
        ((".type_as(x)", ".double()"), "shape_and_dtype_kept"),
        (("pairs * turns", "pairs * turns * 2"), "length_kept"),
        (("pairs * turns", "pairs + turns"), "only_distance_counts"),
        (("pairs * turns", "pairs * turns + pairs.mean(1, True)"), "vectors_do_not_mix"),
        (("self.rope = config.rope", "self.rope = True"), "vanilla_as_it_was"),
    ],
)
def test_broken_property_is_seen(hand_in_attention, change, check):
    assert check in failures(hand_in_attention(change))


def test_table_kept_from_earlier_calls_is_seen(hand_in_attention):
    student = hand_in_attention(
        ("def apply_rotary_emb", "KEPT = []\n\n\ndef apply_rotary_emb"),
        ("    T = x.size(2)\n", "    T = x.size(2)\n    KEPT.append(0)\n    x = x * len(KEPT)\n"),
    )
    assert "earlier_calls_forgotten" in failures(student)


def test_learned_positions_beside_rotation_are_seen(hand_in_attention):
    models = (PLAIN / "models.py").read_text(encoding="utf-8")
    student = hand_in_attention(models=models.replace("if not config.rope", "if True").replace(
        "if not self.config.rope", "if True"
    ))  # fmt: skip
    assert set(failures(student)) == {"no_learned_positions"}


def test_vanilla_without_positions_is_seen(hand_in_attention):
    models = (PLAIN / "models.py").read_text(encoding="utf-8")
    student = hand_in_attention(models=models.replace("x + self.pos_emb[:, :T, :]", "x"))
    assert set(failures(student)) == {"vanilla_as_it_was"}


def test_table_cut_by_the_module_is_noted(hand_in_attention):
    student = hand_in_attention(
        ("rope_cache[:T]", "rope_cache"),
        ("self.rope_cache)", "self.rope_cache[:T])"),
    )
    score = Score()
    run(CHECKS["first_rows_used"], student, score)
    assert "cuts the table" in score.notes[0]


def test_table_never_cut_says_so(hand_in_attention):
    failed = failures(hand_in_attention(("rope_cache[:T]", "rope_cache")))
    assert "rope_cache[:T]" in failed["first_rows_used"].hint


def test_table_as_parameter_is_named(hand_in_attention):
    student = hand_in_attention(
        ('self.register_buffer("rope_cache", table)', "self.rope_cache = nn.Parameter(table)")
    )
    assert "as a buffer" in failures(student)["queries_and_keys_rotated"].hint


def test_unwritten_functions_earn_nothing(hand_in_attention):
    rotated = "".join(f"            {part} = {ROTATE.format(part)}\n" for part in "qk")
    student = hand_in_attention(
        (rotated, ""),
        ("        if self.rope:\n        att", "        att"),
        ("    T = x.size(2)\n", "    return None\n"),
        ("    theta = ", "    return None\n    theta = "),
    )
    kept = set(CHECKS) - set(failures(student))
    blocked = {name for name in kept if "depends_on" in CHECKS[name].pytestmark[0].kwargs}
    assert kept == blocked


def test_models_with_relative_imports_are_found(hand_in_attention):
    models = (PLAIN / "models.py").read_text(encoding="utf-8")
    assert (
        failures(hand_in_attention(models=models.replace("import att", "from . import att"))) == {}
    )


HOSTILE = [
    None, 1, "text", [], {}, [1], {"own": 1}, {"own": []}, {"given": [None]}, [None] * 8,
    [np.full((1, 1, 2), np.nan)] * 8, [{"outputs": 1, "parameters": {}, "gradients": {}}],
    {"own": [{"result": np.ones(3), "x_after": 1, "table_before": None, "table_after": 0}]},
    [{"outputs": [np.ones(2), "x"], "parameters": {"query.weight": 3}, "gradients": {}}],
    {"logits": np.full((1, 127, 3), np.inf), "names": [None]}, {"logits": "x", "names": []},
    [np.zeros((0, 2, 2), np.complex64)] * 8, [{"type": object}] * 8,
]  # fmt: skip


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@pytest.mark.parametrize("value", HOSTILE)
@pytest.mark.parametrize("name", CHECKS)
def test_hostile_reply_is_the_student_s_fault(name, value):
    with pytest.raises((CheckFailed, BadReply)):
        run(CHECKS[name], Replies(value))
