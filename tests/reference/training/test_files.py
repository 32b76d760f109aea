"""A run's files survive a full disk and a power cut."""

import pytest
import torch

from graders.errors import StorageError
from reference.training.files import load_tensors, save_tensors, write_text
from tests.graders.storage.test_files import full_disk, synced  # noqa: F401  a fixture


def test_full_disk_keeps_the_older_state(tmp_path):
    """From it the same command goes on; without it, it would begin again."""
    path = tmp_path / "rope.pretrain.params"
    save_tensors(path, {"step": torch.tensor(5)})
    with (
        full_disk(),
        pytest.raises(StorageError, match=r"pretrain\.params: cannot be written") as error,
    ):
        save_tensors(path, {"step": torch.tensor(6)})
    assert "resumes where it stopped" in error.value.hint
    assert load_tensors(path) == {"step": torch.tensor(5)}


def test_texts_and_tensors_reach_the_disk(tmp_path, synced):  # noqa: F811
    write_text(tmp_path / "plan.json", "{}")
    save_tensors(tmp_path / "a.params", {})
    assert synced[0] == (".tmp", b"{}")
    assert len(synced) == 2


def test_file_in_place_of_the_folder_is_one_sentence(tmp_path):
    (tmp_path / "out").write_text("not a folder")
    with pytest.raises(StorageError, match=r"plan\.json: cannot be written"):
        write_text(tmp_path / "out" / "plan.json", "{}")
