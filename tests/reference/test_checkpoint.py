"""Checkpoint files: the course's own, and other files with such a name."""

import io
import os
import pickle
import zipfile

import pytest
import torch

from reference.models.checkpoint import load_checkpoint, load_model
from reference.models.gpt import GPT, GPTConfig

SIZES = {"vocab_size": 11, "block_size": 9, "n_layer": 3, "n_head": 2, "n_embd": 8}


def saved(path, value):
    torch.save(value, path)
    return path


@pytest.mark.parametrize("prefix", ["", "module."])
@pytest.mark.parametrize("rope", [False, True])
def test_saved_model_answers_as_before(tmp_path, prefix, rope):
    model = GPT(GPTConfig(**SIZES, rope=rope)).eval()
    state = {prefix + name: tensor for name, tensor in model.state_dict().items()}
    loaded = load_model(saved(tmp_path / "rope.finetune.params", state), n_head=2)
    idx = torch.arange(9)[None]
    assert loaded.config == model.config
    assert not loaded.training
    assert torch.equal(loaded(idx)[0], model(idx)[0])


def test_course_sizes_are_the_default_and_the_stored_rotation_is_used(tmp_path):
    """A model trained with a wrong table must be run with it."""
    config = GPTConfig(vocab_size=256, block_size=128, n_layer=1)
    path = saved(tmp_path / "vanilla.model.params", GPT(config).state_dict())
    assert load_model(path).config == config
    state = GPT(GPTConfig(**SIZES, rope=True)).state_dict()
    state["blocks.1.attn.rope_cache"] = torch.full((9, 2, 2), 0.5)
    model = load_model(saved(tmp_path / "p", state), n_head=2)
    assert model.state_dict()["blocks.1.attn.rope_cache"].unique().tolist() == [0.5]


@pytest.mark.parametrize(
    "value",
    [[torch.ones(1)], {"epoch": 3, "model": {}}, {0: torch.ones(1)}, torch.ones(2), None],
)
def test_other_objects_are_refused(tmp_path, value):
    path = saved(tmp_path / "vanilla.model.params", value)
    with pytest.raises(ValueError, match=r"^vanilla\.model\.params is not a plain dict of named"):
        load_checkpoint(path)


def zipped():
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        archive.writestr("notes.txt", "no model here")
    return buffer.getvalue()


@pytest.mark.parametrize("content", [b"", b"not a model", zipped(), b"\x80\x02.", b"PK\x03\x04"])
def test_other_files_are_refused(tmp_path, content):
    path = tmp_path / "rope.finetune.params"
    path.write_bytes(content)
    with pytest.raises(ValueError, match=r"^rope\.finetune\.params is not a checkpoint"):
        load_checkpoint(path)


class Hostile:
    """Pickles as a call that makes a folder."""

    def __init__(self, folder):
        self.folder = folder

    def __reduce__(self):
        return os.mkdir, (str(self.folder),)


@pytest.mark.parametrize(
    "save", [torch.save, lambda value, path: path.write_bytes(pickle.dumps(value, protocol=2))]
)
def test_code_in_a_checkpoint_is_not_run(tmp_path, save):
    path, trace = tmp_path / "p", tmp_path / "ran"
    save({"tok_emb.weight": Hostile(trace)}, path)
    with pytest.raises(ValueError, match="not a checkpoint"):
        load_checkpoint(path)
    assert not trace.exists()


@pytest.mark.parametrize("state", [{}, {"tok_emb.weight": torch.ones(3)}, {"w": torch.ones(1)}])
def test_other_models_are_refused(tmp_path, state):
    with pytest.raises(ValueError, match=r"no table tok_emb\.weight"):
        load_model(saved(tmp_path / "p", state))
