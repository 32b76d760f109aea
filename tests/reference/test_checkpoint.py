"""Checkpoint files: the course's own, and other files with such a name."""

import io
import os
import pickle
import zipfile

import pytest
import torch

from reference.models.checkpoint import load_checkpoint


def saved(path, value):
    torch.save(value, path)
    return path


@pytest.mark.parametrize("prefix", ["", "module."])
def test_saved_tensors_come_back_by_plain_names(tmp_path, prefix):
    plain = {"tok_emb.weight": torch.rand(3, 2), "ln_f.bias": torch.rand(2)}
    path = saved(tmp_path / "p", {prefix + name: tensor for name, tensor in plain.items()})
    loaded = load_checkpoint(path)
    assert list(loaded) == list(plain)
    assert all(torch.equal(loaded[name], plain[name]) for name in plain)


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
