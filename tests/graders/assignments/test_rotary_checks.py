"""The rotary checks on code in files, called in this process with the same student side."""

from collections import Counter
from functools import partial

import numpy as np
import pytest

from graders.assignments.cs224n_a4.rotary import (
    checks_application,
    checks_module,
    checks_properties,
    checks_table,
)
from graders.checks.compare import CheckFailed
from graders.checks.mistakes import mistake_named
from graders.errors import BadReply, StudentRaised
from tests.graders.assignments.answering import Replies, ask, passing
from tests.planted import plain_source

FILES = (checks_application, checks_module, checks_properties, checks_table)
CHECKS = {
    name.removeprefix("test_"): check
    for file in FILES
    for name, check in vars(file).items()
    if name.startswith("test_")
}
pytestmark = pytest.mark.usefixtures("few_examples")
ROTATE = "apply_rotary_emb({0}, self.rope_cache)"


def failures(student):
    """The checks that fail, with what they say."""
    failed = {}
    for name, check in CHECKS.items():
        try:
            ask(check, student=student)
        except (CheckFailed, StudentRaised) as problem:
            failed[name] = problem
    return failed


def problem(name, student):
    """How one check fails."""
    with pytest.raises((CheckFailed, StudentRaised)) as failed:
        ask(CHECKS[name], student=student)
    return failed.value


@pytest.mark.parametrize(
    ("rotated", "name"), [("v", "value-only"), ("qv", "query-and-value"), ("kv", "key-and-value")]
)
def test_what_a_module_rotates_is_named(hand_in_attention, rotated, name):
    lines = "".join(f"            {part} = {ROTATE.format(part)}\n" for part in rotated)
    both = "".join(f"            {part} = {ROTATE.format(part)}\n" for part in "qk")
    student = hand_in_attention((both, lines))
    assert mistake_named(problem("queries_and_keys_rotated", student).hint) == name


PAIRS = "torch.stack((torch.cos(angles), torch.sin(angles)), dim=-1)"
TURNS = "torch.view_as_complex(rope_cache[:T].contiguous())"
COMPLEX = ((PAIRS, "torch.exp(1j * angles)"), (TURNS, "rope_cache[:T]"))
LAYOUTS = {
    "two tensors": (
        (PAIRS, "(torch.cos(angles), torch.sin(angles))"),
        (TURNS, "torch.complex(rope_cache[0][:T], rope_cache[1][:T])"),
        ('self.register_buffer("rope_cache", table)', "self.rope_cache = table"),
    ),
    "first axis": (
        (PAIRS, "torch.stack((torch.cos(angles), torch.sin(angles)))"),
        (TURNS, "torch.complex(rope_cache[0, :T], rope_cache[1, :T])"),
    ),
    "last axis": (  # with axes of length one before the others
        (PAIRS, f"{PAIRS}[None, None]"),
        (TURNS, "torch.view_as_complex(rope_cache[:, :, :T].contiguous())"),
    ),
    "unknown layout": (
        (PAIRS, "{'all': angles}"),
        (TURNS, "torch.exp(1j * rope_cache['all'][:T])"),
        ('self.register_buffer("rope_cache", table)', "self.rope_cache = table"),
    ),
    "more rows than max_positions": (("arange(max_positions)", "arange(max_positions + 1)"),),
}


def test_table_may_not_ignore_the_number_of_rows(hand_in_attention):
    student = hand_in_attention(("arange(max_positions)", "arange(128)"))
    assert set(failures(student)) == {"table_shape", "table_values"}


def test_wrong_sequences_of_a_batch_are_not_called_memory(hand_in_attention):
    result = "torch.view_as_real(pairs * turns).flatten(-2).type_as(x)"
    student = hand_in_attention((result, f"torch.cat(({result}[:1], x[1:]))"))
    failed = set(failures(student))
    assert {"rotation_values", "vectors_do_not_mix"} <= failed
    assert "earlier_calls_forgotten" not in failed


def test_layout_that_the_rotation_does_not_take_is_wrong(hand_in_attention):
    student = hand_in_attention(COMPLEX[0])
    assert "complex" in problem("table_shape", student).hint
    assert problem("table_values", student)


def test_wrong_values_in_another_layout_cost_the_values(hand_in_attention):
    student = hand_in_attention(*COMPLEX, ("10000.0 ** (-torch", "10000.0 ** (torch"))
    failed = failures(student)
    assert set(failed) == {"table_values"}
    assert mistake_named(failed["table_values"].hint) == "exponent-sign"


def test_wrong_rotation_of_another_layout_costs_the_rotation(hand_in_attention):
    failed = failures(hand_in_attention(*COMPLEX, ("pairs * turns", "pairs * turns.conj()")))
    assert set(failed) == {"rotation_values", "rotation_scores"}


def test_table_that_the_rotation_ignores_is_judged(hand_in_attention):
    student = hand_in_attention(
        ("10000.0 ** (-torch", "10000.0 ** (torch"),
        (TURNS, "torch.exp(1j * torch.outer(torch.arange(T).float(), "
         "10000.0 ** (-torch.arange(0, x.size(-1), 2).float() / x.size(-1))))"),
    )  # fmt: skip
    assert set(failures(student)) == {"table_values"}


ROWS = ("    T = x.size(2)\n", "    T = x.size(1)\n")
EACH_HEAD = (
    "torch.stack([apply_rotary_emb(each, self.rope_cache) for each in {0}.unbind(1)], dim=1)"
)
FORMS = {
    "(B, T, head size)": (ROWS, ((), EACH_HEAD)),
    "(B * n_head, T, head size)": (
        ROWS, ((), "apply_rotary_emb({0}.flatten(0, 1), self.rope_cache).view({0}.shape)"),
    ),
    "(B, T, n_head, head size)": (
        ROWS,
        (TURNS, f"{TURNS}[:, None]"),
        ((), "apply_rotary_emb({0}.transpose(1, 2), self.rope_cache).transpose(1, 2)"),
    ),
    "(T, head size)": (
        ("x.size(2)", "x.size(0)"),
        ((), "torch.stack([torch.stack([apply_rotary_emb(h, self.rope_cache) for h in b]) "
             "for b in {0}])"),
    ),
    "(B, n_head, T, head size)": (
        ("apply_rotary_emb(x, rope_cache)", "apply_rotary_emb(rope_cache, x)"),
        ((), "apply_rotary_emb(self.rope_cache, {0})"),
    ),
    "2 other arguments": (
        ("apply_rotary_emb(x, rope_cache)", "apply_rotary_emb(x, cos, sin)"),
        (TURNS, "torch.complex(cos[:T], sin[:T])"),
        ((), "apply_rotary_emb({0}, self.rope_cache[..., 0], self.rope_cache[..., 1])"),
    ),
}  # fmt: skip


def called(form):
    """The replacements that let the module call apply_rotary_emb in another form."""
    changes = [change for change in form if change[0]]
    (call,) = (new for old, new in form if not old)
    return [*changes, *((ROTATE.format(part), call.format(part)) for part in "qk")]


@pytest.mark.parametrize(
    ("check", "words", "changes"),
    [
        *(("table_shape", words, changes) for words, changes in LAYOUTS.items()),
        *(("rotation_values", words, called(form)) for words, form in FORMS.items()),
    ],
)
def test_form_that_all_parts_agree_on_costs_nothing_and_is_noted(
    hand_in_attention, check, words, changes
):
    student = hand_in_attention(*changes)
    assert failures(student) == {}
    assert words in ask(CHECKS[check], student=student).notes[0]


def test_function_called_in_a_shape_it_does_not_take_is_wrong(hand_in_attention):
    """It takes (B, T, head size), and the module gives it all heads at once."""
    failed = failures(hand_in_attention(ROWS))
    assert {"rotation_values", "queries_and_keys_rotated"} <= set(failed)


@pytest.mark.parametrize("form", ["(B, T, head size)", "(B, T, n_head, head size)"])
def test_wrong_sign_in_another_shape_costs_the_rotation(hand_in_attention, form):
    failed = failures(
        hand_in_attention(*called(FORMS[form]), ("pairs * turns", "pairs * turns.conj()"))
    )
    assert set(failed) == {"rotation_values", "rotation_scores"}
    assert mistake_named(failed["rotation_values"].hint) == "reversed"


def test_table_may_be_asked_for_in_another_order(hand_in_attention):
    student = hand_in_attention(
        ("precompute_rotary_emb(dim, max_positions)", "precompute_rotary_emb(max_positions, dim)"),
        ("(config.n_embd // config.n_head, config.block_size)",
         "(config.block_size, config.n_embd // config.n_head)"),
    )  # fmt: skip
    assert failures(student) == {}


PROJECTIONS = "".join(
    f"        self.{name} = nn.Linear(config.n_embd, config.n_embd)\n"
    for name in ("key", "query", "value")
)


@pytest.mark.parametrize(
    ("made", "split"),
    [
        ("nn.Parameter(torch.zeros(config.n_embd, 3 * config.n_embd))",
         "(x @ self.all).split(C, 2)"),
        ("nn.ModuleList(nn.Linear(config.n_embd, config.n_embd // config.n_head) "
         "for _ in range(3 * config.n_head))",
         "torch.cat([each(x) for each in self.all], 2).split(C, 2)"),
    ],
)  # fmt: skip
def test_projections_may_be_joined_or_split(hand_in_attention, made, split):
    student = hand_in_attention(
        (PROJECTIONS, f"        self.all = {made}\n"),
        ("        q = self.query(x)", f"        Q, K, V = {split}\n        q = Q"),
        ("self.key(x)", "K"),
        ("self.value(x)", "V"),
    )
    assert failures(student) == {}


HEADS = """        H, C = config.n_head, config.n_embd
        self.W = nn.Parameter(torch.zeros(3, H, C, C // H))
        self.b = nn.Parameter(torch.zeros(3, H, 1, C // H))
        self.output = nn.Parameter(torch.zeros(C, C))
        self.output_bias = nn.Parameter(torch.zeros(C))
"""
PRODUCT = "torch.einsum('btc,phcd->pbhtd', x, self.W)"


@pytest.mark.parametrize(
    ("product", "rotated", "failed"),
    [
        (f"{PRODUCT} + self.b[:, None]", "q, k, v", set()),
        (PRODUCT, "torch.stack((q, k, v)) + self.b[:, None]", {"queries_and_keys_rotated"}),
    ],
)
def test_each_head_may_have_its_own_weights_and_bias(hand_in_attention, product, rotated, failed):
    view = ".view(B, T, self.n_head, C // self.n_head).transpose(1, 2)"
    student = hand_in_attention(
        (PROJECTIONS, HEADS),
        ("        self.proj = nn.Linear(config.n_embd, config.n_embd)\n", ""),
        (f"q = self.query(x){view}", f"q, k, v = {product}"),
        (f"        k = self.key(x){view}\n", ""),
        (f"        v = self.value(x){view}\n", ""),
        ("att = q @", f"q, k, v = {rotated}\n        att = q @"),
        ("self.proj(y)", "y @ self.output + self.output_bias"),
    )
    assert set(failures(student)) == failed


SOFTMAX = "self.attn_drop(F.softmax(att, dim=-1))"


@pytest.mark.parametrize(
    ("old", "new", "failed"),
    [
        ("self.resid_drop(", "(", set()),
        ("v = self.value(x)", "v = self.value(x).detach()", {"gradients_flow"}),
        ("B, T, C = x.size()", "x = x.detach()\n        B, T, C = x.size()", {"gradients_flow"}),
        (SOFTMAX, "F.dropout(F.softmax(att, dim=-1), 0.1, self.training)", set()),
    ],
)  # fmt: skip
def test_both_modes_are_judged(hand_in_attention, old, new, failed):
    assert set(failures(hand_in_attention((old, new)))) == failed


def test_known_mistakes_do_not_ask_for_the_same_rotation_again(hand_in_attention):
    student, asked = hand_in_attention((SOFTMAX, SOFTMAX.replace("-1", "-2"))), Counter()
    answer = student.answer

    def count(function, /, **values):
        if function == "rotate":
            asked.update(call["x"].tobytes() for call in values["calls"])
        return answer(function, **values)

    student.answer = count
    assert problem("queries_and_keys_rotated", student)
    assert max(asked.values()) <= 2  # the module is judged again in a new process


def test_weights_without_influence_are_not_called_cut_from_the_graph(hand_in_attention):
    student = hand_in_attention(("y = (att @ v)", "y = (att @ (v if not self.rope else 0 * v))"))
    assert problem("queries_and_keys_rotated", student)
    assert "graph is intact" in problem("gradients_flow", student).hint


def test_weights_that_are_never_used_are_named_but_not_called_cut(hand_in_attention):
    failed = failures(hand_in_attention(("self.value(x)", "self.key(x)")))
    assert set(failed) == {"queries_and_keys_rotated", "vanilla_as_it_was"}
    assert all("`value.weight` is not used" in problem.hint for problem in failed.values())


def test_weights_that_only_the_rope_module_does_not_use_are_named(hand_in_attention):
    change = ("self.value(x)", "(self.key if self.rope else self.value)(x)")
    hint = problem("gradients_flow", hand_in_attention(change)).hint
    assert hint == "`value.weight` is not used in the forward pass."


@pytest.mark.parametrize(
    "change",
    [
        ("k = apply_rotary_emb(k", "k = 2 * apply_rotary_emb(k"),
        ("apply_rotary_emb(q, self.rope_cache)", "2 * q"),
    ],
)
def test_rotation_that_was_seen_is_not_asked_for(hand_in_attention, change):
    hint = problem("queries_and_keys_rotated", hand_in_attention(change)).hint
    assert "called with the correct shape" in hint


def test_module_that_trains_the_table_is_told_so(hand_in_attention):
    change = ('self.register_buffer("rope_cache", table)', "self.rope_cache = nn.Parameter(table)")
    hint = problem("queries_and_keys_rotated", hand_in_attention(change)).hint
    assert mistake_named(hint) == "table-trained"


@pytest.mark.parametrize(
    ("change", "check"),
    [
        ((".type_as(x)", ".double()"), "shape_and_dtype_kept"),
        (("pairs * turns", "pairs * turns * 2"), "length_kept"),
        (("pairs * turns", "pairs + turns"), "only_distance_counts"),
        (("pairs * turns", "pairs * turns + pairs.mean(1, True)"), "vectors_do_not_mix"),
    ],
)
def test_broken_property_is_seen(hand_in_attention, change, check):
    assert problem(check, hand_in_attention(change))


def test_table_kept_from_earlier_calls_is_seen(hand_in_attention):
    student = hand_in_attention(
        ("def apply_rotary_emb", "KEPT = []\n\n\ndef apply_rotary_emb"),
        ("    T = x.size(2)\n", "    T = x.size(2)\n    KEPT.append(0)\n    x = x * len(KEPT)\n"),
    )
    assert problem("earlier_calls_forgotten", student)


@pytest.mark.parametrize(
    ("old", "new", "failed"),
    [
        ("x + self.pos_emb[:, :T, :]", "x", {"vanilla_as_it_was"}),
        ("import att", "from . import att", set()),
    ],
    ids=["none", "relative import"],
)
def test_positions_of_the_model_are_judged(hand_in_attention, old, new, failed):
    models = (plain_source() / "models.py").read_text(encoding="utf-8")
    assert old in models
    for text in {old, old.replace("config", "self.config")}:
        models = models.replace(text, new)
    assert set(failures(hand_in_attention(models=models))) == failed


def test_table_cut_by_the_module_is_noted(hand_in_attention):
    student = hand_in_attention(
        ("rope_cache[:T]", "rope_cache"),
        ("self.rope_cache)", "self.rope_cache[:T])"),
    )
    assert "slices the table" in ask(CHECKS["first_rows_used"], student=student).notes[0]


HOSTILE = [  # the readers take these
    [None] * 8, [np.full((1, 1, 2), np.nan)] * 8, {"logits": "x", "names": []},
    [np.zeros((0, 2, 2), np.complex64)] * 8, [{"type": object}] * 8,
    {"own": [{"result": np.ones(3), "x_after": 1, "table_before": None, "table_after": 0}]},
]  # fmt: skip


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@pytest.mark.parametrize("value", HOSTILE)
def test_hostile_reply_is_the_student_s_fault(value):
    calls = {name: partial(ask, check, student=Replies(value)) for name, check in CHECKS.items()}
    assert passing((CheckFailed, BadReply), calls) == []
