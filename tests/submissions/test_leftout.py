import pytest

from submissions.leftout import is_left_out


@pytest.mark.parametrize(
    "path",
    [
        "__MACOSX/a4/._dataset.py",
        "a4/.DS_Store",
        "a4/._dataset.py",
        "a4/Icon\r",
        "a4/Thumbs.db",
        "a4/.git/config",
        "a4/src/__pycache__/dataset.cpython-311.pyc",
        "a4/src/dataset.pyc",
        "a4/src/.ipynb_checkpoints/dataset.py",
        "venv/lib/x.py",
        ".venv/lib/x.py",
        "a4-venv/x.py",
        "my_venv3.11/x.py",
        "env/bin/python",
        "conda/lib/python3.11/site-packages/torch/nn.py",
    ],
)
def test_what_nobody_wrote_is_left_out(path):
    assert is_left_out(path.split("/"), folder=False)


@pytest.mark.parametrize(
    "path",
    ["src/dataset.py", "event/x.py", "inventory/x.py", "environment/x.py", "venv", ".gitignore"],
)
def test_work_is_not_left_out(path):
    assert not is_left_out(path.split("/"), folder=False)


def test_a_left_out_folder_counts_itself():
    assert is_left_out(["a4", "venv"], folder=True)
