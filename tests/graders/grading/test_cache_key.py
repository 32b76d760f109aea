"""Equal keys give equal Results; a criterion's key changes only with what can affect it."""

from collections import Counter
from dataclasses import replace
from pathlib import Path

import pytest

from graders.boundary.tiers.sandbox import Tier
from graders.errors import UsageError
from graders.grading import cache_key as module
from graders.grading.cache_key import child_side, grading_code, keys_of
from graders.grading.options import Options
from graders.grading.rerun import RerunPlan
from graders.registry.check_files import check_files
from graders.registry.discovery import load_assignment
from reference.data.world import write_world
from submissions.receive import identify
from tests.conftest import edit, write_files

OPTIONS = Options(Tier.LANDLOCK)
ONE = '''
import pytest
from tiny_text import WORD
@pytest.fixture
def answer(submitted):
    return submitted
@pytest.mark.criterion("answer")
def test_word(answer, data):
    """It is so."""
'''
LINKED = '''
import pytest
@pytest.mark.criterion("answer", depends_on=("doubles",))
def test_linked(submitted):
    """It is so."""
'''


def keys(folder, options=OPTIONS):
    return keys_of(load_assignment(str(folder)), options)


@pytest.fixture
def apart(tiny_folder):
    """The tiny assignment with a file of its own for each criterion."""
    edit(tiny_folder / "checks.py", '"answer"', '"double"')
    (tiny_folder / "checks_word.py").write_text(ONE)
    (tiny_folder / "tiny_text.py").write_text("from tiny_deep import *\n")
    (tiny_folder / "tiny_deep.py").write_text("WORD = 1\n")
    return tiny_folder


def touched(folder, change):
    before = keys(folder).criteria
    change(folder)
    after = keys(folder).criteria
    return {name for name in after if before.get(name) != after[name]}


@pytest.mark.parametrize(
    ("change", "expected"),
    [
        (lambda f: edit(f / "checks_word.py", "It is", "Is it"), {"answer"}),
        (lambda f: edit(f / "tiny_deep.py", "1", "2"), {"answer"}),
        (lambda f: edit(f / "checks.py", "Times two", "Twice"), {"double"}),
        (lambda f: edit(f / "student_side.py", "work.double(x)", "work.double(x) + 0"), {"double"}),
        (lambda f: edit(f / "assignment.toml", "factor = 2", "factor = 3"), {"double"}),
        (lambda f: edit(f / "assignment.toml", "points = 2", "points = 3"), set()),
        (lambda f: edit(f / "assignment.toml", "version = 3", "version = 4"), set()),
        (lambda f: edit(f / "assignment.toml", "seed = 7", "seed = 8"), {"double", "answer"}),
        (lambda f: edit(f / "assignment.toml", '"answer.txt"', '"a.txt"'), {"double", "answer"}),
        (lambda f: (f / "table.json").write_text("{}"), {"double", "answer"}),
        (lambda f: (f / "checks_word.py").write_text("import nothing\n"), {"double", "answer"}),
        (lambda f: ((f / "solution").mkdir(), (f / "solution" / "a.py").touch()), set()),
    ],
)
def test_a_change_touches_what_reads_it(apart, change, expected):
    assert touched(apart, change) == expected


def test_a_check_that_builds_on_another_goes_with_it(apart):
    (apart / "checks_linked.py").write_text(LINKED)
    assert touched(apart, lambda f: edit(f / "checks.py", "Times two", "Twice")) == {
        "double",
        "answer",
    }


def test_data_counts_where_a_check_asks_for_it(apart, tmp_path):
    write_world(tmp_path / "data")
    options = replace(OPTIONS, data=tmp_path / "data")
    before = keys(apart, options)
    edit(tmp_path / "data" / "birth_dev.tsv", "London", "Londen")
    after = keys(apart, options)
    assert before.whole != after.whole
    assert {n for n in after.criteria if before.criteria[n] != after.criteria[n]} == {"answer"}


@pytest.mark.parametrize(
    "options",
    [
        replace(OPTIONS, tier=Tier.NONE),
        replace(OPTIONS, only=frozenset({"answer"})),
        replace(OPTIONS, rerun=RerunPlan(60.0)),
    ],
)
def test_every_option_has_addresses_of_its_own(tiny_folder, hand_in, options):
    submission = identify(hand_in(answer_txt="42"), "tiny")
    plain, other = keys(tiny_folder), keys(tiny_folder, options)
    assert plain.cache_key(submission).address != other.cache_key(submission).address


@pytest.mark.parametrize("package", ["torch", "numpy", "softmark"])
def test_another_version_is_another_address(tiny_folder, monkeypatch, package):
    before = keys(tiny_folder)
    environment = module.environment_of

    def newer(*words):
        facts = environment(*words)
        return facts | {"versions": {**facts["versions"], package: "99"}}

    monkeypatch.setattr(module, "environment_of", newer)
    assert keys(tiny_folder).whole != before.whole
    assert set(keys(tiny_folder).criteria.values()).isdisjoint(before.criteria.values())


def test_our_own_code_counts_and_examples_do_not(tmp_path, monkeypatch):
    names = ("model.py", "assignments/a/checks.py", "__pycache__/model.pyc")
    write_files(tmp_path / "graders", dict.fromkeys(names, ""))
    monkeypatch.setattr(module.graders, "__file__", str(tmp_path / "graders" / "__init__.py"))
    before = grading_code()
    (tmp_path / "graders" / "assignments" / "a" / "checks.py").write_text("1")
    (tmp_path / "graders" / "__pycache__" / "model.pyc").write_text("1")
    assert grading_code() == before
    (tmp_path / "graders" / "model.py").write_text("1")
    assert grading_code() != before


def test_name_and_content_of_an_upload_count_and_its_place_does_not(tiny_folder, tmp_path):
    def address(place, content="42"):
        (tmp_path / place).mkdir(parents=True)
        (tmp_path / place / "answer.txt").write_text(content)
        return keys(tiny_folder).cache_key(identify(tmp_path / place, "tiny")).address

    assert address("here/ada") == address("there/ada")
    assert len({address("a/ada"), address("a/ada.tar"), address("b/ada", "41")}) == 3


def test_no_file_is_summed_twice(tiny_folder, monkeypatch):
    read, real = Counter(), Path.read_bytes

    def counting(path):
        read[path] += 1
        return real(path)

    monkeypatch.setattr(Path, "read_bytes", counting)
    keys(tiny_folder)
    assert (read[Path(module.__file__)], read[tiny_folder / "student_side.py"]) == (1, 1)


def test_a_check_without_criterion_is_a_misuse(tiny_folder):
    edit(tiny_folder / "checks.py", '@pytest.mark.criterion("answer")\n', "")
    with pytest.raises(UsageError, match="has no criterion"):
        keys(tiny_folder)


def test_every_file_of_the_bundled_assignment_is_known_to_a_check():
    """Otherwise every edit of it would grade everything again."""
    task = load_assignment("cs224n-a4")
    read = frozenset().union(*(file.reads for file in check_files(task)))
    files = {path.relative_to(task.folder) for path in task.folder.rglob("*.py")}
    names = {str(path) for path in files if not {"solution", "examples"} & {*path.parts}}
    unknown = names - read - child_side(names)
    assert {Path(name).name for name in unknown} == {"__init__.py"}
