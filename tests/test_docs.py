"""The docs are true: every command, setting and link in them exists."""

import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from graders.checks.compare import TOLERANCES

ROOT = Path(__file__).parent.parent
PAGES = sorted([*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")])


def test_the_command_reference_is_up_to_date(tmp_path):
    made = tmp_path / "reference.md"
    command = [sys.executable, "-m", "typer", "grade.py", "utils", "docs"]
    command += ["--name", "python grade.py", "--title", "Commands", "--output", str(made)]
    subprocess.run(command, cwd=ROOT, check=True, capture_output=True)
    assert (ROOT / "docs" / "reference.md").read_text() == made.read_text()


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.relative_to(ROOT).as_posix())
def test_every_link_leads_somewhere(page):
    for target in re.findall(r"\]\(([^)#]+)", page.read_text(encoding="utf-8")):
        if "://" not in target:
            assert (page.parent / target).exists(), f"{page.name} links to {target}"


def test_every_dependency_has_its_reason():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    reasons = (ROOT / "docs" / "dependencies.md").read_text()
    for requirement in project["dependencies"]:
        name = re.split(r"[<>=]", requirement)[0]
        assert f"| {name} |" in reasons


def test_every_dependency_is_pinned_for_ci():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    pinned = (ROOT / "constraints.txt").read_text().lower()
    for requirement in [*project["dependencies"], *project["optional-dependencies"]["dev"]]:
        name = re.split(r"[<>=]", requirement)[0].lower()
        assert f"\n{name}==" in f"\n{pinned}"


def test_the_readme_fits_on_a_few_screens():
    assert len((ROOT / "README.md").read_text().splitlines()) <= 150


def test_every_tolerance_is_in_the_table():
    table = (ROOT / "docs" / "assignments.md").read_text()
    for name, row in TOLERANCES.items():
        assert f"| `{name}` | {row.absolute:g} | {row.relative:g} | {row.reason} |" in table
