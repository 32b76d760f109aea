"""Every way in which a file of weights differs from what it should be, and what is said of it."""

import pickle

import adapters_checkpoint
import numpy as np
import pytest
import test_checkpoints as checks
import torch
from a4_checkpoint_file import Unfit, Weights, weights_of
from a4_checkpoint_prints import predictions_print, weights_print
from a4_checkpoint_submission import Checkpoints

from graders.checks.score import Score
from graders.checks.submitted import SubmittedFiles
from graders.checks.verdict import verdict
from graders.data import DEV, read_data
from graders.discovery import load_assignment
from graders.errors import (
    BadReply,
    StudentOutOfMemory,
    StudentRaised,
    StudentSignalled,
    StudentTimedOut,
)
from graders.model import Check
from reference.gpt import GPT, GPTConfig
from reference.prediction import predict_places, read_prompts
from reference.world import write_world

MODEL, FINETUNE, ROPE = "vanilla.model.params", "vanilla.finetune.params", "rope.finetune.params"


class InProcess:
    """A sandbox without walls, for files that this test made."""

    def call(self, function, /, **values):
        reply = getattr(adapters_checkpoint, function)(**values)
        if "tensors" in reply:
            reply["tensors"] = {name: each.numpy() for name, each in reply["tensors"].items()}
        return reply


class Ends:
    """A sandbox that a file ends."""

    def __init__(self, fault):
        self.fault = fault

    def call(self, function, /, **values):
        raise self.fault


@pytest.fixture
def judge(tmp_path, world):
    """Runs one check on these files and gives its result."""
    assigned = load_assignment("cs224n-a4").settings

    def run(check, files, sandbox=None, data=world, **changes):
        settings = {**assigned, **changes}
        for name, content in files.items():
            (tmp_path / name).write_bytes(content)
        submitted = SubmittedFiles({name: tmp_path / name for name in files})
        bundle = Checkpoints(sandbox or InProcess(), submitted, data, settings)
        score, problem = Score(), None
        arguments = (bundle, {}, score) if check.endswith("_weights") else (bundle, score)
        try:
            getattr(checks, f"test_{check}")(*arguments)
        except Exception as error:  # noqa: BLE001  a check may end in any way
            problem = error
        return verdict(Check(check, "", ""), problem, score)

    return run


def without(state, *words):
    return {name: each for name, each in state.items() if not any(w in name for w in words)}


def prefixed(state, prefix):
    return {f"{prefix}{name}": each for name, each in state.items()}


ACCEPTED = {
    "as the course saves it": lambda s: s,
    "DataParallel": lambda s: prefixed(s, "module."),
    "compiled": lambda s: prefixed(s, "_orig_mod.module."),
    "no buffers": lambda s: without(s, ".mask", ".rope_cache"),
    "no mask": lambda s: without(s, ".mask"),
    "other buffers": lambda s: {
        **without(s, ".rope_cache"),
        "blocks.0.attn.freqs_cis": torch.ones(128, 16, dtype=torch.complex64),
        "blocks.0.attn.cos_cached": torch.ones(128, 32),
        "blocks.0.attn.bias": torch.ones(1, 1, 128, 128),
    },
    "complex table": lambda s: {
        name: torch.view_as_complex(each) if "rope_cache" in name else each
        for name, each in s.items()
    },
    "long table": lambda s: {
        name: torch.cat([each, each]) if "rope_cache" in name else each for name, each in s.items()
    },
    "half": lambda s: {name: each.half() for name, each in s.items()},
    "bfloat16 table": lambda s: {
        name: each.bfloat16() if "rope_cache" in name else each for name, each in s.items()
    },
    "double": lambda s: {name: each.double() for name, each in s.items()},
    "in a wrapper": lambda s: {"epoch": 10, "model_state_dict": s, "optimizer": {"lr": 1e-3}},
    "parameters": lambda s: {name: torch.nn.Parameter(each) for name, each in s.items()},
}


@pytest.mark.parametrize("change", ACCEPTED.values(), ids=list(ACCEPTED))
def test_usual_ways_of_saving_are_read(change, judge, right_files, states, saved):
    files = {**right_files, ROPE: saved(change(states[ROPE]))}
    assert judge("rope_finetune_weights", files).status == "passed"
    assert judge("rope_finetune_predictions", files).status == "passed"


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("DataParallel", "`module.`"),
        ("compiled", "`_orig_mod.`"),
        ("in a wrapper", "'model_state_dict'"),
    ],
)
def test_detour_is_noted(name, words, judge, states, saved):
    files = {ROPE: saved(ACCEPTED[name](states[ROPE]))}
    assert words in judge("rope_finetune_weights", files).message


def test_missing_rotary_table_is_noted(judge, right_files, states, saved):
    files = {**right_files, ROPE: saved(ACCEPTED["no buffers"](states[ROPE]))}
    assert "handout's table was used" in judge("rope_finetune_predictions", files).message


def changed(state, name, tensor):
    return {**state, name: tensor}


WRONG = {
    "a parameter lacks": (lambda s: without(s, "ln_f.bias"), "lacks `ln_f.bias`"),
    "a layer lacks": (lambda s: without(s, "blocks.2."), "16 parameters are missing"),
    "another layer": (
        lambda s: changed(s, "blocks.3.ln1.weight", s["ln_f.weight"]),
        "which the demo's model lacks",
    ),
    "a shape": (lambda s: changed(s, "ln_f.bias", torch.ones(7)), "wrong shape"),
    "whole numbers": (
        lambda s: changed(s, "ln_f.bias", torch.ones(128, dtype=torch.int64)),
        "holds int64",
    ),
    "infinite": (lambda s: changed(s, "ln_f.bias", torch.full((128,), torch.inf)), "128 of"),
    "too large for float32": (
        lambda s: changed(s, "ln_f.bias", torch.full((128,), 1e300, dtype=torch.float64)),
        "NaN or infinite",
    ),
    "constant": (
        lambda s: changed(s, "head.weight", torch.zeros_like(s["head.weight"])),
        "one number everywhere",
    ),
    "both positions": (
        lambda s: changed(s, "pos_emb", torch.ones(1, 128, 128)),
        "beside a rotary table",
    ),
    "twice": (lambda s: {**s, **prefixed(s, "module.")}, "several tensors of one name"),
    "strange name": (lambda s: changed(s, "<b>", torch.ones(1)), "names that no module has"),
    "empty dict": (lambda s: {}, "no dict of named tensors"),
    "a list": (lambda s: list(s.values()), "a `list` of something else"),
    "two in a wrapper": (lambda s: {"model": s, "state_dict": s}, "no dict of named tensors"),
    "a whole module": (lambda s: torch.nn.Linear(2, 2), "a whole pickled object"),
    "expanded": (lambda s: {"a": torch.ones(1).expand(2**30)}, "far more than a model"),
}


@pytest.mark.parametrize(("change", "words"), WRONG.values(), ids=list(WRONG))
def test_unfit_weights_are_explained(change, words, judge, states, saved):
    found = judge("rope_finetune_weights", {ROPE: saved(change(states[ROPE]))})
    assert found.status == "needs_review"
    assert words in found.message


@pytest.mark.parametrize(
    ("raw", "words"),
    [
        (b"", "is empty"),
        (b"\0" * 5000, "nothing but zeros"),
        (b"version https://git-lfs.github.com/spec/v1\noid sha256:1\n", "Git LFS pointer"),
        (b"\n<!DOCTYPE html><title>Google Drive</title>", "web page"),
        (b"\x1f\x8b\x08 and so on", "gzip"),
        (b"\x20\0\0\0\0\0\0\0" + b'{"head.weight": {"dtype": "F32"}}', "safetensors"),
        (b"PK\x03\x04 and then the connection broke", "cut off"),
        (b"London\nParis\n", "damaged or of another kind"),
        (pickle.dumps(print), "refused"),
        (pickle.dumps([1, 2]), "damaged or of another kind"),
    ],
)  # fmt: skip
def test_file_of_another_kind_is_named(raw, words, judge):
    found = judge("vanilla_model_weights", {MODEL: raw})
    assert found.status == "needs_review"
    assert words in found.message
    assert "torch.save(model.state_dict()" in found.hint


def test_too_large_file_is_named(judge):
    found = judge("vanilla_model_weights", {MODEL: bytes(64 * 2**20)})
    assert "larger than 63 MB" in found.message


@pytest.mark.parametrize("protocol", [2, 4])
def test_bare_pickle_names_what_it_would_call(protocol, judge):
    class Evil:
        def __reduce__(self):
            return print, ("harm",)

    found = judge("rope_finetune_weights", {ROPE: pickle.dumps(Evil(), protocol)})
    assert "print`" in found.message
    assert "It was not run" in found.message


@pytest.mark.parametrize(
    ("fault", "words"),
    [
        (StudentTimedOut("x"), "took too long"),
        (StudentOutOfMemory("x"), "too much memory"),
        (StudentSignalled("x"), "ended the process"),
        (StudentRaised("x"), "cannot be used here"),
        (BadReply("x"), "cannot be used here"),
    ],
)
def test_file_that_ends_its_reader_is_reported(fault, words, judge):
    found = judge("rope_finetune_weights", {ROPE: b"x" * 99}, Ends(fault))
    assert found.status == "needs_review"
    assert words in found.message


@pytest.mark.parametrize(
    "reply",
    [
        None,
        [],
        {},
        {"tensors": {}},
        {"tensors": [1]},
        {"tensors": {"a": 1}},
        {"tensors": {"a/../b": np.ones(1)}},
        {"tensors": {f"a{i}": np.ones(1) for i in range(501)}},
        {"problem": "refused", "detail": "\x1b[31m" * 99},
        {"problem": ["?"], "detail": {}},
    ],
)
def test_hostile_reply_gives_no_weights(reply):
    found = weights_of(ROPE, reply)
    assert isinstance(found, Unfit)
    assert "\x1b" not in found.reason


@pytest.mark.parametrize(
    ("check", "name", "other"),
    [("vanilla_finetune_weights", FINETUNE, ROPE), ("rope_finetune_weights", ROPE, MODEL)],
)
def test_wrong_variant_is_named(check, name, other, judge, right_files):
    found = judge(check, {name: right_files[other]})
    assert found.status == "needs_review"
    assert f"holds a {other.split('.')[0]} model" in found.message


@pytest.mark.parametrize("half", [False, True])
def test_untrained_model_is_named(half, judge, states, saved):
    tokens = len(states[MODEL]["tok_emb.weight"])
    state = GPT(GPTConfig(tokens, 128, 3, 4, 128)).state_dict()
    state = {name: each.half() for name, each in state.items()} if half else state
    found = judge("vanilla_model_weights", {MODEL: saved(state)})
    assert "holds an untrained model" in found.message


@pytest.mark.parametrize("rope", [False, True])
def test_course_size_is_accepted_beside_the_demos(rope, judge, states, saved):
    tokens = len(states[MODEL]["tok_emb.weight"])
    state = GPT(GPTConfig(tokens, 128, rope=rope)).state_dict()
    state["ln_f.bias"] += 1
    check, name = ("rope_finetune", ROPE) if rope else ("vanilla_model", MODEL)
    assert judge(f"{check}_weights", {name: saved(state)}).status == "passed"


@pytest.mark.parametrize(("rope", "count"), [(False, "3,323,392"), (True, "3,290,624")])
def test_course_model_has_the_courses_count(rope, count, judge, saved, tmp_path):
    write_world(tmp_path / "data")
    wiki = tmp_path / "data" / "wiki.txt"
    text = wiki.read_text(encoding="utf-8")
    others = (chr(0x3041 + i) for i in range(254 - len(set(text))))
    wiki.write_text(text + "".join(others), encoding="utf-8")
    state = GPT(GPTConfig(256, 128, rope=rope)).state_dict()
    state["ln_f.bias"] += 1
    check, name = ("rope_finetune", ROPE) if rope else ("vanilla_model", MODEL)
    found = judge(f"{check}_weights", {name: saved(state)}, data=read_data(tmp_path / "data"))
    assert count in found.message


def test_course_checkpoint_is_not_judged_by_the_embedded_world(judge, saved):
    found = judge("vanilla_model_weights", {MODEL: saved(GPT(GPTConfig(256, 128)).state_dict())})
    assert found.status == "error"
    assert "--data DIR" in found.message


def test_model_of_another_corpus_is_told(judge, states, saved):
    state = changed(states[ROPE], "tok_emb.weight", torch.ones(99, 128))
    found = judge("rope_finetune_weights", {ROPE: saved(state)})
    assert "another corpus" in found.hint


def test_finetuning_without_pretraining_is_named(judge, right_files):
    found = judge("checkpoints_differ", {**right_files, FINETUNE: right_files[MODEL]})
    assert found.status == "needs_review"
    assert "--reading_params_path" in found.hint


def test_files_of_other_models_are_not_called_equal(judge, saved):
    files = {MODEL: saved({"a": torch.zeros(2)}), ROPE: saved({"b": torch.ones(2)})}
    assert judge("checkpoints_differ", files).status == "passed"


def test_different_weights_pass(judge, right_files):
    assert judge("checkpoints_differ", right_files).status == "passed"


def test_one_file_is_compared_with_none(judge, right_files):
    found = judge("checkpoints_differ", {ROPE: right_files[ROPE], MODEL: b"nothing"})
    assert found.status == "skipped"


def altered(raw, count):
    lines = raw.decode().splitlines()
    return "".join(f"{line}x\n" if i < count else f"{line}\n" for i, line in enumerate(lines))


@pytest.mark.parametrize(("count", "status"), [(1, "passed"), (2, "needs_review")])
def test_98_percent_must_agree(count, status, judge, right_files):
    name = "rope.pretrain.dev.predictions"
    files = {**right_files, name: altered(right_files[name], count).encode()}
    found = judge("rope_finetune_predictions", files)
    assert found.status == status
    assert f"{60 - count} of 60 rows of `{name}`" in found.message


def test_rows_that_differ_are_shown(judge, right_files):
    name = "vanilla.pretrain.test.predictions"
    files = {**right_files, name: altered(right_files[name], 7).encode()}
    found = judge("vanilla_finetune_predictions", files)
    (label, said), *others = found.counterexample
    assert label.startswith("test 1: Where was ")
    assert said.count("x'") == 1
    assert len(others) == 4
    assert "53 of 60" in found.actual


def test_swapped_files_are_named(judge, right_files):
    files = {**right_files, MODEL: right_files[FINETUNE], FINETUNE: right_files[MODEL]}
    found = judge("vanilla_model_predictions", files)
    assert found.status == "needs_review"
    assert "agree with `vanilla.pretrain.dev.predictions` instead" in found.message


def test_one_answer_for_everybody_points_to_no_swapped_files(
    judge, right_files, states, saved, vocabulary
):
    state = changed(states[ROPE], "ln_f.weight", torch.zeros(128))  # nothing but the bias is left
    state["ln_f.bias"] = 100 * state["head.weight"][20]
    always = f"{vocabulary.itos[20] * 32}\n".encode() * 60
    files = {**right_files, ROPE: saved(state), "vanilla.pretrain.dev.predictions": always}
    found = judge("rope_finetune_predictions", files)
    assert found.status == "needs_review"
    assert vocabulary.itos[20] * 32 in dict(found.counterexample).popitem()[1]
    assert "swapped" not in found.message


def test_other_rotation_is_named_as_a_cause(judge, right_files, states, saved):
    state = {
        name: each.flip(0) if "rope_cache" in name else each for name, each in states[ROPE].items()
    }
    found = judge("rope_finetune_predictions", {**right_files, ROPE: saved(state)})
    assert found.status == "needs_review"
    assert "another rotation" in found.hint
    assert "not the handout's table" in found.message


def halves_for_neighbours(name, tensor):
    """Weights that give under a rotation of halves what these give under one of neighbours."""
    if not name.endswith(("query.weight", "query.bias", "key.weight", "key.bias")):
        return tensor
    heads = tensor.unflatten(0, (4, 16, 2))  # (n_head, pairs, 2, ...)
    return heads.transpose(1, 2).flatten(0, 2)


def test_model_trained_on_halves_is_recognised(judge, right_files, states, saved):
    state = {name: halves_for_neighbours(name, each) for name, each in states[ROPE].items()}
    found = judge("rope_finetune_predictions", {**right_files, ROPE: saved(state)})
    assert found.status == "needs_review"
    assert "i + d/2" in found.message


@pytest.mark.parametrize(
    ("factors", "words"), [((0, 0), "nothing is rotated"), ((1, -1), "the other way round")]
)
def test_model_trained_on_another_angle_is_recognised(
    factors, words, judge, right_files, models, states, world, vocabulary
):
    model = GPT(models[ROPE].config)
    state = dict(states[ROPE])
    for name in state:
        if name.endswith("rope_cache"):
            cos, sin = state[name].unbind(-1)
            cosine = cos if factors[0] else torch.ones_like(cos)
            state[name] = torch.stack([cosine, factors[1] * sin], -1)
    model.load_state_dict(state)
    said = predict_places(model.eval(), vocabulary, read_prompts(world.folder / DEV))
    lines = "".join(f"{each}\n" for each in said)
    found = judge(
        "rope_finetune_predictions",
        {**right_files, "rope.pretrain.dev.predictions": lines.encode()},
    )
    assert found.status == "needs_review"
    assert words in found.message


def test_predictions_of_another_model_fit_no_rotation(judge, right_files):
    files = {**right_files}
    files["rope.pretrain.dev.predictions"] = right_files["vanilla.pretrain.dev.predictions"]
    assert "so the model was trained" not in judge("rope_finetune_predictions", files).message


def test_some_rows_of_the_test_file_are_asked_and_all_of_dev(judge, right_files):
    found = judge("rope_finetune_predictions", right_files, checkpoint_test_rows=7)
    assert "60 of 60 rows of `rope.pretrain.dev" in found.message
    assert "7 of 7 rows of `rope.pretrain.test" in found.message


def test_sampled_rows_are_compared_with_their_own_lines(judge, right_files):
    name = "rope.pretrain.test.predictions"
    files = {**right_files, name: altered(right_files[name], 30).encode()}
    found = judge("rope_finetune_predictions", files, checkpoint_test_rows=40)
    rows = [int(label.split()[1].rstrip(":")) for label, _ in found.counterexample]
    assert found.status == "needs_review"
    assert len(rows) == 5
    assert max(rows) <= 30


def test_missing_predictions_are_said(judge, right_files):
    files = {**right_files}
    del files["rope.pretrain.dev.predictions"]
    found = judge("rope_finetune_predictions", files)
    assert found.status == "passed"
    assert "`rope.pretrain.dev.predictions` is missing" in found.message


def test_weights_without_any_predictions_are_not_compared(judge, right_files):
    found = judge("rope_finetune_predictions", {ROPE: right_files[ROPE]})
    assert found.status == "skipped"
    assert "no predictions" in found.message


def test_fingerprint_is_of_the_weights_not_of_the_file(states):
    arrays = {name: each.numpy() for name, each in states[ROPE].items()}
    bare = {name: arrays[name] for name in reversed(arrays) if "rope_cache" not in name}
    moved = {**arrays, "ln_f.bias": arrays["ln_f.bias"] + 1}
    plain, other, third = (weights_print(Weights(ROPE, each)) for each in (arrays, bare, moved))
    assert plain == other
    assert plain != third


def test_one_answer_for_everybody_has_no_fingerprint():
    assert predictions_print(["London", "London "]) is None
    assert predictions_print(["London", "Rome "]) == predictions_print(["London\r", "Rome"])
