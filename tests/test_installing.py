"""What installs Softmark, a Python that lacks its packages, and what an import loads."""

import re
import subprocess
import sys

import pytest

from tests.console import ROOT

DOCKERFILE = (ROOT / "Dockerfile").read_text(encoding="utf-8")
CPU = "--index-url https://download.pytorch.org/whl/cpu"


def joined(text):
    return text.replace("\\\n", " ").splitlines()


def test_dockerfile_copies_what_exists():
    copied = [line.split()[1:-1] for line in joined(DOCKERFILE) if line.startswith("COPY ")]
    assert len(copied) > 5
    assert [name for names in copied for name in names if not (ROOT / name).exists()] == []


def test_dockerfile_copies_every_package():
    project = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
    packages = {path.parent.name for path in ROOT.glob("*/__init__.py")} - {"tests", "benchmarks"}
    assert packages
    for name in packages:
        assert name in project
        assert f"COPY {name} {name}" in DOCKERFILE


def test_dockerfile_installs_the_constraints():
    pips = [line for line in joined(DOCKERFILE) if "pip install" in line]
    assert len(pips) == 2
    assert all("--constraint constraints.txt" in line for line in pips)
    assert CPU in pips[0]


@pytest.mark.parametrize(
    "page",
    [
        "README.md", "docs/guides/student.md", "docs/platforms.md",
        "packages/student/bundle.py",
    ],
)  # fmt: skip
def test_pages_that_install_name_the_cpu_build(page):
    assert CPU in (ROOT / page).read_text(encoding="utf-8")


def test_bare_python_says_what_to_run():
    words = [sys.executable, "-I", "-S", str(ROOT / "grade.py"), "doctor"]
    done = subprocess.run(words, capture_output=True, text=True)
    assert done.returncode == 2
    assert "is not installed for" in done.stderr
    assert "source .venv/bin/activate" in done.stderr
    assert "Traceback" not in done.stderr


def test_actions_are_pinned_by_hash():
    for name in ("action.yml", "docs/ci.md"):
        text = (ROOT / name).read_text(encoding="utf-8")
        used = re.findall(r"uses: actions/[\w-]+@(\S+)", text)
        assert used
        assert all(re.fullmatch(r"[0-9a-f]{40}", commit) for commit in used), name


def test_make_demo_shows_progress():
    text = (ROOT / "Makefile").read_text(encoding="utf-8")
    recipe = re.search(r"^\$\(VENV\)/installed:.*\n((?:\t.*\n)+)", text, re.MULTILINE)
    assert "--quiet" not in recipe[1]
    assert "minutes" in recipe[1]


@pytest.mark.parametrize(
    ("loaded", "unwanted"),
    [
        ("grade", {"torch"}),  # which costs 1.4 CPU seconds: only a student's process pays them
        ("commands.own_work, commands.deciding, commands.course", {"starlette", "torch"}),
        ("reports.pipelines.page", {"altair", "vl_convert", "torch"}),
        ("reports.drawing.figures, reports.student.page", {"altair", "vl_convert"}),
    ],
)
def test_an_import_does_not_load_what_it_may_not_need(loaded, unwanted):
    code = f"import sys, {loaded}; sys.exit(bool({unwanted} & set(sys.modules)))"
    assert subprocess.run([sys.executable, "-c", code], cwd=ROOT).returncode == 0


def test_help_imports_none_of_the_libraries_that_grade():
    command = [sys.executable, "-X", "importtime", "grade.py", "--help"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
    imported = {line.rpartition("|")[2].strip() for line in done.stderr.splitlines()}
    assert "typer" in imported
    heavy = {"torch", "numpy", "pandas", "pydantic", "pytest", "hypothesis", "reports"}
    assert imported & heavy == set()
    assert "Grade one or more submissions" in done.stdout
