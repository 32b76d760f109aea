"""Every way in which a file of weights can be wrong, and its message."""

import pickle

import numpy as np
import pytest
import torch

from graders.assignments.cs224n_a4.hidden.checkpoints.weights import Finding, weights_of
from graders.data.birthplaces import read_data
from graders.errors import (
    BadReply,
    StudentOutOfMemory,
    StudentRaised,
    StudentSignalled,
    StudentTimedOut,
)
from reference.data.world import write_world
from reference.models.gpt import GPT, GPTConfig
from tests.graders.assignments.answering import Answering

MODEL, FINETUNE, ROPE = "vanilla.model.params", "vanilla.finetune.params", "rope.finetune.params"


class Ends(Answering):
    """A sandbox that a file ends."""

    def __init__(self, fault):
        self.fault = fault

    def answer(self, function, /, **values):
        raise self.fault


def without(state, *words):
    return {name: tensor for name, tensor in state.items() if not any(w in name for w in words)}


def prefixed(state, prefix):
    return {f"{prefix}{name}": tensor for name, tensor in state.items()}


def tables(state, change):
    return {
        name: change(tensor) if "rope_cache" in name else tensor for name, tensor in state.items()
    }


OTHER_BUFFERS = {
    "blocks.0.attn.freqs_cis": torch.ones(128, 16, dtype=torch.complex64),
    "blocks.0.attn.cos_cached": torch.ones(128, 32),
    "blocks.0.attn.bias": torch.ones(1, 1, 128, 128),
}
ACCEPTED = {  # and what is noted
    "as the course saves it": (lambda s: s, ""),
    "DataParallel": (lambda s: prefixed(s, "module."), "`module.`"),
    "compiled": (lambda s: prefixed(s, "_orig_mod.module."), "`_orig_mod.`"),
    "no buffers": (lambda s: without(s, ".mask", ".rope_cache"), "handout's table was used"),
    "other buffers": (lambda s: {**without(s, ".rope_cache"), **OTHER_BUFFERS}, ""),
    "complex table": (lambda s: tables(s, torch.view_as_complex), ""),
    "long table": (lambda s: tables(s, lambda table: torch.cat([table, table])), ""),
    "half": (lambda s: {name: tensor.half() for name, tensor in s.items()}, ""),
    "bfloat16 table": (lambda s: tables(s, torch.Tensor.bfloat16), ""),
    "double": (lambda s: {name: tensor.double() for name, tensor in s.items()}, ""),
    "in a wrapper": (
        lambda s: {"epoch": 10, "model_state_dict": s, "optimizer": {"lr": 1e-3}},
        "'model_state_dict'",
    ),
    "parameters": (lambda s: {name: torch.nn.Parameter(tensor) for name, tensor in s.items()}, ""),
}


@pytest.mark.parametrize(("change", "noted"), ACCEPTED.values(), ids=list(ACCEPTED))
def test_usual_ways_of_saving_are_read(change, noted, judge, right_files, states, saved):
    files = {**right_files, ROPE: saved(change(states[ROPE]))}
    results = [judge(f"rope_finetune_{kind}", files) for kind in ("weights", "predictions")]
    assert [result.status for result in results] == ["passed", "passed"]
    assert noted in results[0].message + results[1].message


def changed(state, name, tensor):
    return {**state, name: tensor}


WRONG = {
    "a parameter lacks": (lambda s: without(s, "ln_f.bias"), "has no `ln_f.bias`"),
    "a layer lacks": (lambda s: without(s, "blocks.2."), "16 parameters are missing"),
    "another layer": (
        lambda s: changed(s, "blocks.3.ln1.weight", s["ln_f.weight"]),
        "which is not in the demo's model",
    ),
    "a shape": (lambda s: changed(s, "ln_f.bias", torch.ones(7)), "wrong shape"),
    "whole numbers": (
        lambda s: changed(s, "ln_f.bias", torch.ones(128, dtype=torch.int64)),
        "has dtype int64",
    ),
    "infinite": (lambda s: changed(s, "ln_f.bias", torch.full((128,), torch.inf)), "128 of"),
    "too large for float32": (
        lambda s: changed(s, "ln_f.bias", torch.full((128,), 1e300, dtype=torch.float64)),
        "NaN or infinite",
    ),
    "constant": (
        lambda s: changed(s, "head.weight", torch.zeros_like(s["head.weight"])),
        "are equal",
    ),
    "both positions": (
        lambda s: changed(s, "pos_emb", torch.ones(1, 128, 128)),
        "and a rotary table",
    ),
    "twice": (lambda s: {**s, **prefixed(s, "module.")}, "tensors with the same name"),
    "strange name": (lambda s: changed(s, "<b>", torch.ones(1)), "names that no module has"),
    "empty dict": (lambda s: {}, "not a dict of named tensors"),
    "a list": (lambda s: list(s.values()), "contains a `list`, not"),
    "two in a wrapper": (lambda s: {"model": s, "state_dict": s}, "not a dict of named tensors"),
    "a whole module": (lambda s: torch.nn.Linear(2, 2), "a whole pickled object"),
    "expanded": (lambda s: {"a": torch.ones(1).expand(2**30)}, "much larger than a model"),
}


@pytest.mark.parametrize(("change", "words"), WRONG.values(), ids=list(WRONG))
def test_unfit_weights_are_explained(change, words, judge, states, saved):
    result = judge("rope_finetune_weights", {ROPE: saved(change(states[ROPE]))})
    assert result.status == "needs_review"
    assert words in result.message


@pytest.mark.parametrize(
    ("raw", "words"),
    [
        (b"", "is empty"),
        (b"\0" * 5000, "only zeros"),
        (b"version https://git-lfs.github.com/spec/v1\noid sha256:1\n", "Git LFS pointer"),
        (b"\n<!DOCTYPE html><title>Google Drive</title>", "web page"),
        (b"\x1f\x8b\x08 and so on", "gzip"),
        (b"\x20\0\0\0\0\0\0\0" + b'{"head.weight": {"dtype": "F32"}}', "safetensors"),
        (b"PK\x03\x04 and then the connection broke", "truncated"),
        (b"London\nParis\n", "damaged or not a checkpoint"),
        (pickle.dumps(print), "was not loaded"),
        (pickle.dumps([1, 2]), "damaged or not a checkpoint"),
    ],
)  # fmt: skip
def test_file_of_another_kind_is_named(raw, words, judge):
    result = judge("vanilla_model_weights", {MODEL: raw})
    assert result.status == "needs_review"
    assert words in result.message
    assert "torch.save(model.state_dict()" in result.hint


def test_too_large_file_is_named(judge):
    result = judge("vanilla_model_weights", {MODEL: bytes(64 * 2**20)})
    assert "larger than 63 MB" in result.message


@pytest.mark.parametrize("protocol", [2, 4])
def test_bare_pickle_names_what_it_would_call(protocol, judge):
    class Evil:
        def __reduce__(self):
            return print, ("harm",)

    result = judge("rope_finetune_weights", {ROPE: pickle.dumps(Evil(), protocol)})
    assert "print`" in result.message
    assert "was not loaded" in result.message


@pytest.mark.parametrize(
    ("fault", "words"),
    [
        (StudentTimedOut("x"), "timed out"),
        (StudentOutOfMemory("x"), "ran out of memory"),
        (StudentSignalled("x"), "crashed the process"),
        (StudentRaised("x"), "unsupported type"),
        (BadReply("x"), "unsupported type"),
    ],
)
def test_file_that_ends_its_reader_is_reported(fault, words, judge):
    result = judge("rope_finetune_weights", {ROPE: b"x" * 99}, Ends(fault))
    assert result.status == "needs_review"
    assert words in result.message


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
    finding = weights_of(ROPE, reply)
    assert isinstance(finding, Finding)
    assert "\x1b" not in finding.reason


@pytest.mark.parametrize(
    ("check", "name", "other"),
    [("vanilla_finetune_weights", FINETUNE, ROPE), ("rope_finetune_weights", ROPE, MODEL)],
)
def test_wrong_variant_is_named(check, name, other, judge, right_files):
    result = judge(check, {name: right_files[other]})
    assert result.status == "needs_review"
    assert f"contains a {other.split('.')[0]} model" in result.message


@pytest.mark.parametrize("half", [False, True])
def test_untrained_model_is_named(half, judge, states, saved):
    tokens = len(states[MODEL]["tok_emb.weight"])
    state = GPT(GPTConfig(tokens, 128, 3, 4, 128)).state_dict()
    state = {name: tensor.half() for name, tensor in state.items()} if half else state
    result = judge("vanilla_model_weights", {MODEL: saved(state)})
    assert "is an untrained model" in result.message


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
    characters = (chr(0x3041 + i) for i in range(254 - len(set(text))))
    wiki.write_text(text + "".join(characters), encoding="utf-8")
    state = GPT(GPTConfig(256, 128, rope=rope)).state_dict()
    state["ln_f.bias"] += 1
    check, name = ("rope_finetune", ROPE) if rope else ("vanilla_model", MODEL)
    result = judge(f"{check}_weights", {name: saved(state)}, data=read_data(tmp_path / "data"))
    assert count in result.message


def test_course_checkpoint_is_not_judged_by_the_embedded_world(judge, saved):
    result = judge("vanilla_model_weights", {MODEL: saved(GPT(GPTConfig(256, 128)).state_dict())})
    assert result.status == "error"
    assert "--data DIR" in result.message


def test_model_of_another_corpus_is_told(judge, states, saved):
    state = changed(states[ROPE], "tok_emb.weight", torch.ones(99, 128))
    result = judge("rope_finetune_weights", {ROPE: saved(state)})
    assert "another corpus" in result.hint


def test_finetuning_without_pretraining_is_named(judge, right_files):
    result = judge("checkpoints_differ", {**right_files, FINETUNE: right_files[MODEL]})
    assert result.status == "needs_review"
    assert "--reading_params_path" in result.hint


def test_files_of_other_models_are_not_called_equal(judge, saved):
    files = {MODEL: saved({"a": torch.zeros(2)}), ROPE: saved({"b": torch.ones(2)})}
    assert judge("checkpoints_differ", files).status == "passed"


def test_one_file_is_compared_with_none(judge, right_files):
    result = judge("checkpoints_differ", {ROPE: right_files[ROPE], MODEL: b"nothing"})
    assert result.status == "skipped"
