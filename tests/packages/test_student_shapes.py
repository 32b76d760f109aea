"""Assignments of unusual shapes: their bundles tell nothing hidden, or are refused."""

import tomllib

import numpy as np
import pytest

from graders.discovery import load_assignment
from graders.errors import Misuse
from graders.written.answers import read_answers
from graders.written.judgement import Asked, Undecided
from graders.written.loading import questions_in
from graders.written.question import Machine
from graders.written.template import answers_template, quoted
from graders.written.verifiers.later import later
from graders.written.wanted import wanted_of
from packages.student import bundle_files
from packages.student_assignment import strip
from packages.student_module import ModuleText
from packages.student_rubric import questions_toml
from tests.packages.marked import FILES, MARK, write_marked

TOP = "import pytest\nfrom graders.checks.compare import fail\n"
SEEN = '@pytest.mark.criterion("double")\ndef test_seen(student):\n    """Seen."""\n'
UNSEEN = '@pytest.mark.criterion("CANARY-id")\ndef test_unseen(student):\n    """Unseen."""\n'
CALL = '    student.call("double", x=1)\n'
HIDDEN_CALL = '    student.call("large_CANARY", x=1)\n'


def taken_apart(folder, files):
    """What students get, by file, of the marked assignment with these check files alone."""
    write_marked(folder)
    for name in FILES:
        if name.startswith("test_"):
            (folder / name).unlink()
    (folder / "written.toml").unlink()
    for name, text in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text, encoding="utf-8")
    return load_assignment(str(folder))


def stripped(folder, files):
    return {name: text.decode() for name, text in strip(taken_apart(folder, files)).files.items()}


def test_a_remark_beside_or_inside_a_check_is_left_out(tmp_path):
    remarks = f'"""{MARK} of the module"""\n{TOP}X = 1\n"""{MARK} of X"""\n'
    inside = f'{SEEN}    "{MARK} inside"\n    if X:\n        "{MARK} deeper"\n{CALL}'
    files = stripped(tmp_path / "own", {"test_a.py": remarks + inside + UNSEEN + HIDDEN_CALL})
    assert not [name for name, text in files.items() if MARK in text]
    assert '"""Seen."""' in files["test_a.py"]


def test_a_function_with_remarks_alone_stays_one():
    text = "def helper():\n    'one'\n    'two'\n"
    assert ModuleText(text).written({"helper"}, anew=True) == "def helper():\n    pass\n"


def test_the_mark_of_a_module_that_is_only_imported_is_left_out(tmp_path):
    hidden = f'{TOP}pytestmark = pytest.mark.criterion("CANARY-id")\nFACT = 2\n'
    unseen = f'def test_unseen(student):\n    """Unseen."""\n{HIDDEN_CALL}'
    seen = f"{TOP}from test_h import FACT\n{SEEN}    assert FACT\n{CALL}"
    files = stripped(tmp_path / "own", {"test_h.py": hidden + unseen, "test_a.py": seen})
    assert files["test_h.py"] == "FACT = 2\n"


def test_a_data_file_that_hidden_checks_name_does_not_come_by_its_stem(tmp_path):
    opened = f'    open("double.txt")\n{HIDDEN_CALL}'
    both = TOP + SEEN + '    open("seen.toml")\n' + CALL + UNSEEN + opened
    beside = {"double.txt": MARK, "seen.toml": "x = 1\n"}
    files = stripped(tmp_path / "own", {"test_a.py": both, **beside})
    assert "double.txt" not in files
    assert files["seen.toml"] == "x = 1\n"


@pytest.mark.parametrize(
    "fixture",
    [
        'pytest.fixture(name="given")\ndef _given():\n    return 2\n',
        "pytest.fixture\ndef given():\n    return 2\n",
    ],
)
def test_a_fixture_comes_however_it_is_named_and_asked_for(tmp_path, fixture):
    seen = SEEN.replace("student)", "student, *, given)") + CALL
    files = stripped(
        tmp_path / "own", {"test_a.py": f"{TOP}@{fixture}\n{seen}{UNSEEN}{HIDDEN_CALL}"}
    )
    assert "return 2" in files["test_a.py"]


def test_what_a_library_gives_by_a_star_stays(tmp_path):
    files = stripped(
        tmp_path / "own", {"test_a.py": f"{TOP}from math import *\n{SEEN}    tau\n{CALL}"}
    )
    assert "from math import *" in files["test_a.py"]


WRITTEN = """
@pytest.mark.parametrize("answer", [
    pytest.param("A", marks=pytest.mark.criterion("essay")),
    pytest.param("CANARY answer", marks=pytest.mark.criterion("CANARY-essay")),
])
def test_answers(answer, submitted):
    "Answers."
"""
ESSAYS = """
[[criterion]]
id = "essay"
title = "Essay"
points = 1
kind = "written"
[[criterion]]
id = "CANARY-essay"
title = "Essay"
points = 1
kind = "written"
visibility = "hidden"
"""
REFUSED = {
    "checks of both kinds": {
        "test_a.py": TOP + WRITTEN,
        "assignment.toml": FILES["assignment.toml"] + ESSAYS,
    },
    "names `CANARY-id`": {
        "test_a.py": f'{TOP}pytestmark = pytest.mark.criterion("CANARY-id")\n{SEEN}{CALL}',
    },
    "makes up the name": {
        "test_a.py": f'{TOP}{SEEN}    student.call("dou" + str("ble"), x=1)\n',
    },
    "`facts.FACT`": {
        "test_a.py": f"{TOP}from facts import FACT\n{SEEN}    assert FACT\n{CALL}",
        "facts/__init__.py": "FACT = 1\n",
    },
    r"`from cases import \*`": {
        "test_a.py": f"{TOP}from cases import *\n{SEEN}    assert cases()\n{CALL}",
    },
}


@pytest.mark.parametrize("why", REFUSED)
def test_what_cannot_be_taken_apart_is_refused(why, tmp_path):
    shown = r"test_answers.*`CANARY-essay`" if why == "checks of both kinds" else why
    with pytest.raises(Misuse, match=shown):
        stripped(tmp_path / "own", REFUSED[why])


def test_a_file_that_is_not_utf_8_is_refused(tmp_path):
    folder = tmp_path / "own"
    taken_apart(folder, {"test_a.py": TOP + SEEN + CALL})
    (folder / "notes.py").write_bytes("# é".encode("latin-1"))
    with pytest.raises(Misuse, match=r"notes\.py"):
        strip(load_assignment(str(folder)))


def test_any_title_and_name_make_a_bundle_that_can_be_read(tmp_path):
    toml = FILES["assignment.toml"].replace('"marked"', '"CS 1/A 2_é"').replace("Double", "𝑥 😀")
    files = {"test_a.py": TOP + SEEN + CALL, "assignment.toml": toml}
    assignment = taken_apart(tmp_path / "own", files)
    made = bundle_files(assignment, strip(assignment))
    read = tomllib.loads(made["graders/assignments/CS-1-A-2_/assignment.toml"].decode())
    assert read["title"].startswith("𝑥 😀")
    project = tomllib.loads(made["pyproject.toml"].decode())["project"]
    assert project["version"].endswith("+CS.1.A.2")


def test_an_empty_answers_file_is_read_as_empty_in_a_bundle(tmp_path):
    """As it is by staff: whatever parts a question has, each is looked for by its name."""
    for name in ("cs224n-a4", "uw-a2"):
        questions = questions_in(load_assignment(name).folder)
        shown = questions_toml(questions, [each.id for each in questions])
        (tmp_path / name).mkdir()
        (tmp_path / name / "written.toml").write_bytes(shown["written.toml"])
        handed_out = questions_in(tmp_path / name)
        template = answers_template("Answers", questions)
        assert answers_template("Answers", handed_out) == template
        wanted = tuple(wanted_of(each, quoted(each)) for each in handed_out)
        answers = read_answers({"answers.md": template.encode()}, wanted)
        assert not [each.id for each in questions if answers.of(each.id).parts]


def test_a_bundle_says_which_part_of_an_answer_is_missing():
    machine = Machine(1.0, "vector", ("q1", "q2"), "later", {}, (), "", "")
    asked = Asked(machine, {"q1": "a"}, {}, np.random.default_rng(0))
    with pytest.raises(Undecided, match="Not answered: `q2`"):
        later(asked)
