"""The file that each module of an upload comes from, if Python's own imports read it."""

import importlib
import sys

import pytest

from graders.adapting.modules import Modules
from tests.conftest import write_files

WANTED = {"dataset_under_test": ("Data",), "attention_under_test": ("rotate", "table")}
DATA = "class Data:\n    size = 1\n"
ROTATE = "def rotate():\n    return 1\ndef table():\n    return 2\n"
STARTER = "def rotate():\n    raise NotImplementedError\ndef table():\n    pass\n"


@pytest.fixture
def modules(tmp_path, monkeypatch):
    """The modules of an upload with these files; all imports are forgotten afterwards."""
    monkeypatch.setattr(sys, "path", list(sys.path))
    monkeypatch.setattr(sys, "meta_path", list(sys.meta_path))

    def write(**files):
        write_files(tmp_path, {f"{n.replace('__', '/')}.py": text for n, text in files.items()})
        upload = Modules(tmp_path, WANTED, lambda outline, name: outline.is_written(name))
        upload.install()
        return upload

    yield write
    for name in WANTED:
        sys.modules.pop(name, None)


@pytest.mark.parametrize(
    ("files", "taken"),
    [
        ({"src__attention_under_test": ROTATE, "attention_under_test": STARTER}, "src"),
        ({"attention_under_test": ROTATE, "old__attention_under_test": ROTATE + "x = 1\n"}, ""),
        ({"a__attention_under_test": STARTER, "b__my_rotary": ROTATE}, "b"),
        ({"a__attention_under_test": ROTATE, "b__my_rotary": ROTATE + "x = 1\n"}, "a"),
    ],
)
def test_written_file_is_taken(modules, files, taken):
    place = modules(**files).place("attention_under_test")
    assert place.rpartition("/")[0] == taken


def test_notes_say_what_is_used_and_what_is_ignored(modules):
    files = {f"{folder}__attention_under_test": ROTATE for folder in "abcdef"}
    (note,) = modules(**files).notes
    ignored = ", ".join(f"`{folder}/attention_under_test.py`" for folder in "bcde")
    assert note == f"Using `a`; ignored {ignored} and 1 more"


def test_imports_find_the_file_that_was_taken(modules):
    modules(src__attention_under_test=STARTER, my_rotary=ROTATE)
    assert importlib.import_module("attention_under_test").rotate() == 1


def test_imports_of_renamed_modules_and_scripts_beside_them_are_found(modules):
    upload = modules(
        src__my_rotary=f"from beside_under_test import ONE\n{ROTATE}",
        src__beside_under_test="ONE = 1\n",
    )
    assert importlib.import_module("attention_under_test").ONE == 1
    assert upload.main.name == "src"
    assert upload.notes == ["Using `src/my_rotary.py` as `attention_under_test.py`"]


def test_module_that_raises_after_its_definitions_counts(modules):
    upload = modules(dataset_under_test=DATA + "open('/nowhere/names.txt')\n")
    assert importlib.import_module("dataset_under_test").Data.size == 1
    assert "raised FileNotFoundError" in upload.notes[0]
    assert "line 3" in upload.notes[0]


@pytest.mark.parametrize(
    "line",
    [
        "open('/nowhere/names.txt')",
        "import torch\nassert torch.cuda.is_available()",
        "import sys\nif len(sys.argv) < 99:\n    sys.exit('usage')",
        "from google.colab import drive",
    ],
)
def test_module_that_raises_before_its_definitions_counts_without_that(modules, line):
    upload = modules(dataset_under_test=f"{line}\n{DATA}")
    assert importlib.import_module("dataset_under_test").Data.size == 1
    assert "can be defined without that" in upload.notes[0]


@pytest.mark.parametrize(
    "line", ["names = open('/nowhere/names.txt')", "from no_such_package import names"]
)
def test_module_whose_definitions_need_what_raises_fails(modules, line):
    modules(dataset_under_test=f"{line}\n{DATA}    def first(self):\n        return names[0]\n")
    with pytest.raises((FileNotFoundError, ModuleNotFoundError)):
        importlib.import_module("dataset_under_test")


def test_files_of_one_name_are_rivals(modules):
    upload = modules(
        a__dataset_under_test=DATA,
        b__dataset_under_test=DATA + "x = 1\n",
        old__dataset_under_test=DATA + "y = 1\n",
        exp=DATA + "z = 1\n",
    )
    assert upload.rivals() == {"a/dataset_under_test.py": ["b/dataset_under_test.py"]}
