"""A student's bundle contains nothing hidden, and grades visible criteria as staff do."""

import json
import os
import subprocess
import sys
import tomllib
import zipfile

import numpy as np
import pytest

from graders.errors import UsageError
from graders.registry.discovery import load_assignment
from graders.written.loading import questions_in
from graders.written.question import Asked, Machine, Undecided
from graders.written.reading.answers import read_answers
from graders.written.reading.question_parts import expected_parts
from graders.written.template import answers_template, quoted
from graders.written.verifiers.parts import later
from packages.student.assignment import strip
from packages.student.bundle import bundle_files, write_bundle
from packages.student.rubric import questions_toml
from tests.conftest import append, edit, write_files
from tests.console import softmark, softmark_process
from tests.packages.marked import FILES, MARK
from tests.planted import examples_of

NEARLY = "def double(x):\n    return 2 * x or 1\n"
BUNDLED = {
    "cs224n-a4": "wrong-rotary-base",
    "uw-a2": "wrong-mini-no-scale",
    "jhu-hw6": "wrong-code-padding-is-read",
}


@pytest.fixture
def marked(tmp_path):
    return write_files(tmp_path / "marked", FILES)


def unzipped(assignment, tmp_path):
    bundle = write_bundle(load_assignment(str(assignment)), tmp_path / "check.zip")
    with zipfile.ZipFile(bundle.file) as archive:
        archive.extractall(tmp_path / "bundle")
    return tmp_path / "bundle"


def statuses(result):
    return {
        (criterion["id"], check["id"]): (check["status"], check["message"], check["expected"])
        for criterion in result["criteria"]
        for check in criterion["checks"]
    }


def in_bundle(upload, bundle, *words):
    """A process in whose sight only the bundle is."""
    environment = {"PATH": os.environ["PATH"], "PYTHONPATH": str(bundle), "OMP_NUM_THREADS": "1"}
    start = ("-m", "commands.own_work")
    return softmark_process(*words, start=start, cwd=upload, env=environment)


def of_students(upload, bundle, *words):
    """Each check's status, and the document."""
    done = in_bundle(upload, bundle, "check", upload, "--json", *words)
    assert done.returncode == 0, done.stderr
    result = json.loads(done.stdout)
    return statuses(result), result


def of_staff(upload, assignment, *words):
    done = softmark("check", upload, "--assignment", assignment, "--json", *words)
    return statuses(json.loads(done.stdout))


def test_nothing_hidden_is_in_any_file(marked, tmp_path):
    marks = [path for path in marked.rglob("*") if path.is_file() and MARK in path.read_text()]
    assert len(marks) >= 10, "else the search below would find nothing anywhere"
    bundle = unzipped(marked, tmp_path)
    for path in (file for file in bundle.rglob("*") if file.is_file()):
        content = path.read_bytes() + str(path.relative_to(bundle)).encode()
        for secret in (MARK, "37.25"):
            assert secret.encode() not in content, path


@pytest.mark.slow
@pytest.mark.parametrize(
    ("work", "doubles"),
    [
        (NEARLY, "passed"),
        pytest.param("import os\nos._exit(0)\n", "failed", marks=pytest.mark.long),
    ],
)
def test_visible_checks_end_as_for_staff_and_all_their_points_are_there(
    marked, tmp_path, hand_in, work, doubles
):
    upload = hand_in(work_py=work)
    (upload / "answers.md").write_text("## 1a\n\nchoice: A\n")
    bundle = unzipped(marked, tmp_path)
    for criterion, code in (("doubel", 2), ("double", 0), ("shown-later", 0)):
        words = (criterion, "--reason", "It is.", "-o", tmp_path / criterion)
        done = in_bundle(upload, bundle, "appeal", "ABCDE-23456", *words)
        assert (done.returncode, (tmp_path / criterion).exists()) == (code, code == 0)
        assert ("`doubel`; did you mean `double`?" in done.stderr) == (code == 2)
    checks, result = of_students(upload, bundle)
    assert result["max_score"] == 4 + 1 + 2
    assert "worth 4 points" in (bundle / "README.md").read_text(), "answers are not graded here"
    code = {key: checks[key] for key in checks if key[0] == "double"}
    assert code == of_staff(upload, marked, "--only", "code")
    assert code["double", "doubles"][0] == doubles
    assert len(code) == 2
    assert checks["1a", "1a/machine"][0] == "needs_review"
    assert checks["1b", "1b/review"][0] == "failed"


@pytest.mark.slow
def test_a_bundle_is_installed_by_pip_alone(marked, tmp_path):
    bundle = unzipped(marked, tmp_path)
    target = tmp_path / "site"
    words = ("install", "--no-deps", "--no-index", "--no-build-isolation", "--target", target)
    command = [sys.executable, "-m", "pip", *map(str, words), str(tmp_path / "check.zip")]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    packed = {path.relative_to(bundle) for path in bundle.glob("graders/**/*") if path.is_file()}
    assert all((target / path).is_file() for path in packed)
    assert (target / "bin" / "softmark").is_file()


REFUSED = {
    "a check of a hidden criterion outside": (
        "checks.py", 'criterion("double", weight=3)', 'criterion("later")',
        r"checks\.py: `test_doubles` judges `later`",
    ),
    "a visible criterion inside and outside": (
        "hidden/checks.py", 'criterion("later")', 'criterion("double")',
        "some checks of `double`",
    ),
    "ground that is hidden": (
        "checks.py", 'depends_on=("doubles",)', 'depends_on=("large",)',
        "`doubles-zero`.*depends on one",
    ),
    "an import of what is hidden": (
        "shared.py", "from pathlib", "from hidden.secrets import LARGE\nfrom pathlib",
        r"shared\.py, line 2: it imports from `hidden`",
    ),
    "a solution": (
        "shared.py", "from pathlib", "from reference.models.gpt import GPT\nfrom pathlib",
        r"shared\.py: it imports `reference\.models\.gpt\.GPT`",
    ),
    "the name of a hidden criterion": (
        "shared.py", "from pathlib", 'WEIGHTS = {"CANARY-id": 2}\nfrom pathlib',
        r"shared\.py: it names `CANARY-id`",
    ),
    "no such public file": ("assignment.toml", '"cases.txt"', '"none.txt"', r"no file `none\.txt`"),
    "a hidden public file": (
        "assignment.toml", '"cases.txt"', '"hidden/secrets.py"',
        r"no file `hidden/secrets\.py`",
    ),
    "a file that is not Python": ("shared.py", "def cases", "def :", r"shared\.py"),
}  # fmt: skip


@pytest.mark.parametrize("why", REFUSED)
def test_what_would_tell_or_not_work_is_refused(marked, tmp_path, why):
    name, old, new, message = REFUSED[why]
    edit(marked / name, old, new)
    with pytest.raises(UsageError, match=message):
        write_bundle(load_assignment(str(marked)), tmp_path / "check.zip")
    assert not (tmp_path / "check.zip").exists()


def test_what_is_packed_and_what_may_be_missing_is_said(marked, tmp_path):
    bundle = write_bundle(load_assignment(str(marked)), tmp_path / "check.zip")
    assert "cases.txt" in bundle.packed
    assert bundle.left_out == ("gold.txt", "table.txt")
    assert bundle.warnings == ()


def test_a_check_that_reads_what_is_not_packed_is_warned_of(marked, tmp_path):
    reading = (
        ("checks.py", "gold = (Path(__file__).parent / 'gold.txt').read_text()", "gold.txt"),
        ("oracle.py", "gold = open('data/gold.txt')", "gold.txt"),
        ("shared.py", "NAME = 'table.txt'", "table.txt"),
    )
    for module, line, _ in reading:
        append(marked / module, f"\ndef read_it():\n    {line}\n")
    (marked / "key.py").write_text('"""Labels."""\nGOLD = [1, 2, 3]\n')
    bundle = write_bundle(load_assignment(str(marked)), tmp_path / "check.zip")
    for module, _, file in reading:
        assert file not in bundle.packed
        sentence = f"{module} names `{file}`, which is not packed"
        assert [warning for warning in bundle.warnings if warning.startswith(sentence)]
    assert [
        warning for warning in bundle.warnings if warning.startswith("key.py contains only values")
    ]
    assert len(bundle.warnings) == 4


def test_a_setting_of_hidden_checks_alone_is_not_packed(marked, tmp_path):
    edit(marked / "assignment.toml", 'visibility = "hidden"', "")
    edit(marked / "assignment.toml", 'visibility = "after_due_date"', "")
    edit(marked / "written.toml", 'visibility = "hidden"', "")
    toml = next(unzipped(marked, tmp_path).glob("graders/assignments/*/assignment.toml"))
    assert "factor" in toml.read_text()
    assert "CANARY_setting" not in toml.read_text()


@pytest.mark.slow
def test_no_solution_of_the_reference_is_handed_out(tmp_path):
    bundle = unzipped("cs224n-a4", tmp_path)
    assert {path.stem for path in (bundle / "reference").rglob("*.py")} == {
        "__init__", "edition", "sentiment", "vocabulary", "world",
    }  # fmt: skip
    folder = bundle / "graders" / "assignments" / "cs224n_a4"
    assert not [
        path for path in folder.rglob("*") if path.name in ("solution", "hidden", "examples")
    ]
    assert {path.name for path in folder.parent.iterdir()} == {"__init__.py", "cs224n_a4"}
    staff = ("attacks", "batch", "regrade", "review", "results", "validate")
    assert not [name for name in staff if [*(bundle / "graders").rglob(f"{name}.py")]]


@pytest.mark.long
@pytest.mark.parametrize("assignment", BUNDLED)
def test_a_bundled_assignment_judges_as_for_staff(assignment, tmp_path):
    upload = examples_of(assignment) / BUNDLED[assignment]
    bundle = unzipped(assignment, tmp_path)
    checks = of_students(upload, bundle, "--only", "code")[0]
    assert checks == of_staff(upload, assignment, "--only", "code")
    assert any(status == "failed" for status, _, _ in checks.values())


@pytest.mark.parametrize(
    ("assignment", "torch", "said"),
    [
        # `check` shows 42 without the data files, which the two points of the baseline need.
        (
            "cs224n-a4",
            True,
            "worth 16 points; the written answers, which also count in its total, 28.",
        ),
        ("cs224n-a5", False, "Write written answers into"),
    ],
)
def test_a_sheet_without_code_needs_no_torch_and_its_points_are_said(
    tmp_path, assignment, torch, said
):
    bundle = unzipped(assignment, tmp_path)
    readme = (bundle / "README.md").read_text()
    assert said in readme
    assert ("pip install torch" in readme) == torch
    project = tomllib.loads((bundle / "pyproject.toml").read_text())["project"]
    assert any(package.startswith("torch") for package in project["dependencies"]) == torch


def test_a_sheet_is_checked_where_torch_is_missing(tmp_path):
    bundle = unzipped("cs224n-a5", tmp_path)
    write_files(bundle, {"torch/__init__.py": "raise ImportError('there is no torch here')"})
    upload = write_files(tmp_path / "ada", {"answers.md": "# 1a\n\nA copy.\n"})
    of_students(upload, bundle, "--assignment", "cs224n-a5")


def test_any_title_and_name_make_a_bundle_that_can_be_read(tmp_path):
    toml = FILES["assignment.toml"].replace('"marked"', '"1 CS/A-2_é"').replace("Double", "𝑥 😀")
    folder = write_files(tmp_path / "own", FILES)
    (folder / "assignment.toml").write_text(toml, encoding="utf-8")
    assignment = load_assignment(str(folder))
    files = bundle_files(assignment, strip(assignment))
    read = tomllib.loads(files["graders/assignments/own_1_CS_A_2_/assignment.toml"].decode())
    assert read["title"].startswith("𝑥 😀")
    project = tomllib.loads(files["pyproject.toml"].decode())["project"]
    assert project["version"].endswith("+1.CS.A.2")


def test_an_empty_answers_file_is_read_as_empty_and_a_missing_part_is_named(tmp_path):
    """As it is by staff: whatever parts a question has, each is looked for by its name."""
    for name in ("cs224n-a4", "uw-a2"):
        questions = questions_in(load_assignment(name).folder)
        shown = questions_toml(questions, [question.id for question in questions])
        (tmp_path / name).mkdir()
        (tmp_path / name / "written.toml").write_bytes(shown["written.toml"])
        handed_out = questions_in(tmp_path / name)
        template = answers_template("Answers", questions)
        assert answers_template("Answers", handed_out) == template
        expected = tuple(expected_parts(question, quoted(question)) for question in handed_out)
        answers = read_answers({"answers.md": template.encode()}, expected)
        assert not [question.id for question in questions if answers.of(question.id).parts]
    machine = Machine(1.0, "vector", ("q1", "q2"), "later", {}, (), "", "")
    answer = Asked(machine, {"q1": "a"}, {}, np.random.default_rng(0))
    with pytest.raises(Undecided, match="Not answered: `q2`"):
        later(answer)
