import ast
import json
import re
import sys
import zipfile
from dataclasses import replace

import pytest

from graders.errors import UsageError
from graders.registry.discovery import load_assignment
from graders.suite.model import SuiteTest
from packages.gradescope import autograder as gradescope
from packages.gradescope.autograder import write_autograder
from packages.gradescope.choices import Container, choose_settings
from packages.gradescope.settings import Settings, read_settings, sized
from reference.data.world import write_world
from tests.console import softmark

OURS = {"graders", "packages", "reference", "reports", "submissions"}
IMPORTED_AS = {"PyYAML": "yaml", "markdown-it-py": "markdown_it", "MarkupSafe": "markupsafe"}
ELSEWHERE = {"ray", "watchfiles"}  # a cluster's, and `check --watch`
TRUSTED = tuple(
    f"softmark/{path}" for path in ("packages", "reports", "submissions", "graders/c", "graders/w")
)
A4 = load_assignment("cs224n-a4")


@pytest.fixture
def packed(tmp_path):
    """`packed(assignment)`: the files in its package."""

    def pack(assignment, settings=None, data=None):
        file = tmp_path / "made.zip"
        write_autograder(assignment, file, settings or Settings(assignment.name), data)
        with zipfile.ZipFile(file) as archive:
            return {name: archive.read(name) for name in archive.namelist()}

    return pack


def test_equal_input_gives_equal_bytes_and_scripts_can_be_run(tiny, tmp_path):
    files = [write_autograder(tiny, tmp_path / n, Settings("tiny")).file for n in ("a", "b")]
    assert files[0].read_bytes() == files[1].read_bytes()
    with zipfile.ZipFile(files[0]) as archive:
        for name in ("setup.sh", "run_autograder"):
            assert archive.getinfo(name).external_attr >> 16 & 0o111 == 0o111


def test_only_this_assignment_goes_in_without_its_solution(packed, tiny, tiny_folder):
    files = packed(A4)
    assert "softmark/graders/assignments/cs224n_a4/rotary/checks_table.py" in files
    for word in ("solution/", "examples/", "jhu_hw6", "__pycache__", "training/", "data/birth_"):
        assert not [name for name in files if word in name]
    addresses = re.findall(r"https?://[^}\s]+", files["setup.sh"].decode())
    assert addresses == ["https://download.pytorch.org/whl/cpu"], "torch alone is from elsewhere"
    for folder in ("examples", "solution"):
        (tiny_folder / folder / "ada").mkdir(parents=True)
        (tiny_folder / folder / "ada" / "work.py").write_text("# SECRET")
    assert not [name for name, content in packed(tiny).items() if b"# SECRET" in content]


@pytest.mark.parametrize("name", ["cs224n-a4", "uw-a2", "jhu-hw6"])
def test_what_grading_imports_is_installed_and_pinned(packed, name):
    """A package that is forgotten here is missing in the container alone."""
    files = packed(load_assignment(name))
    listed = files["requirements.txt"].decode().split()
    pinned = {line.split("==")[0].lower() for line in files["constraints.txt"].decode().split()}
    assert {package.lower() for package in listed} <= pinned
    required = {IMPORTED_AS.get(package, package) for package in listed}
    allowed = required | ELSEWHERE | OURS | sys.stdlib_module_names
    for path, source in files.items():
        if path.endswith(".py") and path.startswith(TRUSTED):
            assert imports(source) <= allowed, path
    assert ("transformers" in required) == (name != "cs224n-a4")


def imports(source):
    """The top-level packages that a module names."""
    nodes = list(ast.walk(ast.parse(source)))
    names = {a.name.split(".")[0] for n in nodes if isinstance(n, ast.Import) for a in n.names}
    return names | {n.module.split(".")[0] for n in nodes if isinstance(n, ast.ImportFrom)}


def test_only_course_files_are_taken_from_data(packed, tiny, tmp_path):
    folder = tmp_path / "course"
    folder.mkdir()
    for name in ("birth_test.tsv", "id_rsa", ".env", "notes.md"):
        (folder / name).write_text("x")
    files = packed(tiny, data=folder)
    assert [name for name in files if name.startswith("data/")] == ["data/birth_test.tsv"]
    assert json.loads(files["autograder.json"])["data"] is True


def test_files_of_the_authors_own_are_taken_whatever_their_names(packed, tiny, tmp_path):
    folder = tmp_path / "course"
    folder.mkdir()
    for name in ("gold.csv", ".env"):
        (folder / name).write_text("x")
    files = packed(replace(tiny, data="files"), data=folder)
    assert [name for name in files if name.startswith("data/")] == ["data/gold.csv"]


def test_what_is_not_the_courses_or_too_large_is_refused(tiny, tmp_path, monkeypatch):
    (tmp_path / "empty").mkdir()
    with pytest.raises(UsageError, match="none of the course's files"):
        write_autograder(tiny, tmp_path / "a.zip", Settings("tiny"), tmp_path / "empty")
    monkeypatch.setattr(gradescope, "LARGEST", 10_000)
    with pytest.raises(UsageError, match="and Gradescope takes"):
        write_autograder(tiny, tmp_path / "a.zip", Settings("tiny"))
    assert not (tmp_path / "a.zip").exists()
    (tmp_path / "autograder.json").write_text('{"assignment": 3}')
    with pytest.raises(UsageError, match=r"autograder\.json"):
        read_settings(tmp_path)


def test_warns_of_what_its_maker_may_not_see(tmp_path):
    write_world(tmp_path)
    settings = Settings("cs224n-a4", isolation="none", minutes=5)
    warnings = write_autograder(A4, tmp_path / "a.zip", settings, tmp_path).warnings
    for words in (
        "no score on Gradescope",
        "has them",
        "checks, answers and grades",
        "takes up to 8 minutes",
    ):
        assert any(words in warning for warning in warnings)


def test_a_test_of_a_suite_that_never_ends_is_waited_for_once(tmp_path):
    rubric = tuple(SuiteTest("test_a", "A", f"test_{n}", "x").criterion for n in range(6))
    task, limits = (
        replace(A4, rubric=rubric),
        replace(A4.limits, wall_seconds=60, total_seconds=900),
    )
    settings = Settings("cs224n-a4", minutes=2)
    warnings = write_autograder(replace(task, limits=limits), tmp_path / "a.zip", settings).warnings
    assert any("takes up to 12 minutes" in warning for warning in warnings)


def test_settings_say_the_container_and_a_shared_secret(tiny, tmp_path):
    secret = tmp_path / "secret"
    secret.write_text("0123456789abcdef0123456789abcdef")
    secret.chmod(0o600)
    settings = [
        choose_settings(tiny, None, container=Container("1", 20), isolation="auto", inputs=inputs)
        for inputs in (str(secret), str(secret), "secret", "public")
    ]
    assert settings[0] == settings[1]
    assert [setting.draw for setting in settings[2:]] == ["", "0"]
    assert int(settings[0].draw, 16) > 2**64
    assert (settings[0].cpus, settings[0].memory_mb, settings[0].minutes) == (1.0, 1536, 20)


@pytest.mark.parametrize(
    ("container", "isolation", "words"),
    [
        (Container("1", 50), "auto", "no container"),
        (Container("1", 10), "walls", "no isolation `walls`"),
    ],
)
def test_what_is_not_offered_is_refused(tiny, container, isolation, words):
    with pytest.raises(UsageError, match=words):
        choose_settings(tiny, None, container=container, isolation=isolation, inputs="")


@pytest.mark.parametrize(("cpus", "wall"), [(0.5, 20), (1.0, 10), (4.0, 10)])
def test_share_of_a_processor_costs_no_time(tiny, cpus, wall):
    limits = sized(tiny, Settings("tiny", cpus=cpus, memory_mb=768)).limits
    assert limits.wall_seconds == wall
    assert limits.memory_bytes == 768 * 2**20


def test_command_says_the_file_alone_on_stdout(tmp_path):
    archive = tmp_path / "autograder.zip"
    done = softmark("package", "gradescope", "cs224n-a4", "-o", archive)
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith(f"{archive}  ")
    assert len(done.stdout.splitlines()) == 1
    assert "note: without --data" in done.stderr
    assert zipfile.is_zipfile(archive)
