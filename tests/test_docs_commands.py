"""Every command in the README and the docs works: it is run as written, or at least parsed."""

import re
import shlex
import shutil
import tomllib

import pytest
import typer

import grade
from tests.console import ROOT, blocks_of, say, typed_in, with_softmark_on_the_path, write_file
from tests.docs_commands import NOT_RUN, PAGES, commands_in, why_not_run, words_for_softmark
from tests.docs_course import write_course

USAGE_ERROR = typer.BadParameter.__base__  # of whichever click typer brings
TUTORIAL = ROOT / "docs" / "tutorial.md"
NAMED = [named for page in PAGES for named in commands_in(page)]
RUN = [
    page
    for page in PAGES
    if any(named.typed and not why_not_run(named.command) for named in commands_in(page))
    and page != TUTORIAL  # which has a test of its own
]
GRADED = "softmark batch cs224n-a4 uploads --data birthplaces --out out --roster roster.csv"
INSIDE = ("softmark check .",)  # what a student types in the folder of their work


def complaint(words):
    """What the command line says against these words; None where it understands them."""
    command = typer.main.get_command(grade.app)
    context = command.make_context("grade.py", list(words[:1]))
    try:
        while hasattr(command, "resolve_command"):
            name, command, words = command.resolve_command(context, list(words))
            start = words[:1] if hasattr(command, "resolve_command") else words
            context = command.make_context(name, list(start), parent=context)
    except USAGE_ERROR as error:
        return error
    return None


@pytest.mark.parametrize("named", NAMED, ids=str)
def test_a_named_command_exists(named):
    words = words_for_softmark(named.command)
    if words is None:
        assert_others_exist(*shlex.split(named.command))
    else:
        error = complaint(words)
        alone = not named.typed and type(error).__name__ == "MissingParameter"
        assert error is None or alone, error  # a sentence may name a command alone


def assert_others_exist(program, *words):
    """A target of the Makefile, a script of ours with its options, an extra of the package."""
    if program == "make":
        assert f"\n{words[0]}:" in (ROOT / "Makefile").read_text()
    elif program == "python" and "benchmarks" in " ".join(words):
        name = re.search(r"benchmarks[./]([\w/.]+?)(?:\.py\b| |$)", " ".join(words))[1]
        text = (ROOT / "benchmarks" / f"{name}.py").read_text()
        assert all(word in text for word in words if word.startswith("--"))
    elif program == "pip":
        project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
        for extra in re.findall(r"softmark\[(\w+)\]", " ".join(words)):
            assert extra in project["optional-dependencies"]


def test_an_unknown_option_is_noticed():
    assert "--colour" in str(complaint(["run", "cs224n-a4", "ada", "--colour"]))
    assert complaint(["run", "cs224n-a4", "ada", "--force"]) is None


def test_no_exception_is_stale():
    for key in NOT_RUN:
        assert any(why_not_run(named.command) == key for named in NAMED), key


@pytest.fixture(scope="module")
def course(tmp_path_factory):
    """The course that the pages speak of, graded once."""
    place = tmp_path_factory.mktemp("course")
    write_course(place)
    done = say(GRADED, cwd=place, env=with_softmark_on_the_path(place / "bin"))
    assert done.returncode == 0, done.stdout
    return place


@pytest.fixture
def workplace(course, tmp_path):
    """A copy of the course for one page, where `grade.py` is at hand."""
    shutil.copytree(course, tmp_path, dirs_exist_ok=True)
    for name in ("grade.py", "benchmarks", "docs", "submissions"):
        (tmp_path / name).symlink_to(ROOT / name)
    return tmp_path


@pytest.mark.long
@pytest.mark.parametrize("page", RUN, ids=lambda page: page.relative_to(ROOT).as_posix())
def test_the_commands_of_a_page_run(page, workplace, tmp_path):
    """As written, in the order of the page, in one folder."""
    env = with_softmark_on_the_path(tmp_path / "paths")
    for block in blocks_of(page.read_text(encoding="utf-8")):
        if block.title:
            (workplace / block.title).parent.mkdir(parents=True, exist_ok=True)
            write_file(block, workplace)
    for command in [named.command for named in commands_in(page) if named.typed]:
        if not why_not_run(command):
            cwd = workplace / "uploads" / "ada" if command.startswith(INSIDE) else workplace
            done = say(command, cwd=cwd, env=env)
            assert done.returncode == 0, f"{command}\n{done.stdout}"


def words_of(text):
    return re.sub(r"\s+", " ", text)


@pytest.mark.long
def test_the_tutorial_does_what_it_shows(tmp_path):
    env, place = with_softmark_on_the_path(tmp_path / "bin"), tmp_path / "empty"
    place.mkdir()
    typed = 0
    for block in blocks_of(TUTORIAL.read_text(encoding="utf-8")):
        if block.title:
            write_file(block, place)
        for entry in typed_in(block):
            typed += 1
            done = say(entry.command, cwd=place, env=env)
            code = int("# exits with 1" in entry.command)
            assert done.returncode == code, f"{entry.command}\n{done.stdout}"
            for line in entry.shown:
                assert words_of(line).strip() in words_of(done.stdout), entry.command
    assert typed >= 6
    assert "Subtract the largest value" in (place / "out" / "reports" / "bob.html").read_text()
    assert "bob" in (place / "out" / "index.html").read_text()
