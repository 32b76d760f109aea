"""Which files an upload lacks, and which of its code files a copy would have in common with it."""

from dataclasses import replace

import pytest

from graders.grading.uploaded_files import code_checksums, missing_files
from graders.model import FileSpec
from submissions.submission import CleanFolder
from tests.conftest import write_files

OWN = "def double(x):\n" + "".join(f"    x = x + {n} - {n}  # step {n}\n" for n in range(30))


@pytest.fixture
def clean(tmp_path):
    """`clean(files, *artifacts)` is an upload of these files."""

    def write(files, *artifacts, name="upload"):
        root = write_files(tmp_path / name, files)
        return CleanFolder(root, root, {artifact: root / artifact for artifact in artifacts}, ())

    return write


def prints(task, folder):
    return set(code_checksums(task, folder).values())


def test_equal_code_has_equal_sums_wherever_it_lies(tiny, clean):
    there = clean({"src/work.py": OWN.replace("\n", "  \r\n")}, name="other")
    assert prints(tiny, clean({"work.py": OWN})) == prints(tiny, there) != set()
    assert prints(tiny, clean({"work.py": OWN + "# mine\nx = 1\n"})).isdisjoint(prints(tiny, there))


@pytest.mark.parametrize(
    "files",
    [
        {"work.py": "def double(x):\n    return 2 * x\n" + "# a comment\n" * 100},
        {"work.py": f"{OWN}\ndef later():\n    raise NotImplementedError\n"},
        {"helper.py": OWN},
        {"notes.txt": OWN},
    ],
    ids=["tiny", "unfinished", "not asked for", "no code"],
)
def test_what_is_equal_without_a_copy_has_no_sum(tiny, clean, files):
    assert code_checksums(tiny, clean(files)) == {}


@pytest.mark.parametrize("given", ["starter", "solution"])
def test_the_assignments_own_files_are_no_copies(tiny, clean, given):
    (tiny.folder / given).mkdir()
    (tiny.folder / given / "work.py").write_text(OWN)
    assert code_checksums(tiny, clean({"work.py": OWN})) == {}


def test_files_that_the_criteria_need_are_missing_and_one_of_a_pattern_is_enough(tiny, clean):
    code, metric = tiny.rubric
    missing = missing_files(tiny, tiny.rubric, clean({"notes.py": ""}))
    assert [*missing] == ["work.py", "answer.txt"]
    assert not missing_files(tiny, [code], clean({"src/work.py": ""}))
    assert not missing_files(tiny, [metric], clean({"answer.txt": ""}, "answer.txt"))
    optional = replace(tiny, files=replace(tiny.files, optional=("answer.txt",)))
    assert not missing_files(optional, [metric], clean({}))
    task = replace(tiny, files=FileSpec(("*.py", "*.ipynb"), ()))
    assert not missing_files(task, tiny.rubric[:1], clean({"a.py": ""}))
    assert [*missing_files(task, tiny.rubric[:1], clean({}, name="none"))] == ["*.py or *.ipynb"]
    written = [replace(tiny.rubric[0], kind="written")]
    assert [*missing_files(tiny, written, clean({}))] == ["answers.md"]
    assert not missing_files(tiny, written, clean({"answers.yml": ""}, "answers.yml"))


def test_blank_lines_take_no_time(tiny, clean, cpu_seconds):
    with cpu_seconds(20):
        assert len(code_checksums(tiny, clean({"work.py": OWN + "\n" * 2**22}))) == 1
