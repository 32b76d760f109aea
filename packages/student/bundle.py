"""Build a bundle with which students check their own work: only the visible criteria.

    NAME-check.zip
    ├── README.md         how to install and use it, and what it does not check
    ├── pyproject.toml    `pip install NAME-check.zip` makes the command `softmark`
    ├── commands/ reports/ submissions/ reference/
    └── graders/          the modules that a check imports
        └── assignments/NAME/   the assignment without hidden criteria and answers

It contains the modules of Softmark that a check imports, so that a module that is added later is
not included by accident. It contains the parts of the assignment that are not in a folder named
`hidden`.
"""

import re
import tomllib
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from pathlib import Path

from graders.errors import UsageError
from graders.model import Assignment
from graders.registry.packages import packages_of
from graders.storage.files import write_whole
from graders.written.loading import questions_in
from graders.written.template import answers_template
from packages.gradescope.autograder import zipped
from packages.student.assignment import Stripped, strip
from packages.student.modules import ROOT, needed_modules

COMMAND = "commands.own_work"
README = Path(__file__).parents[1] / "templates" / "student_readme.md"
# Distributions whose name differs from the name of their module.
CALLED = {"yaml": "PyYAML", "markdown_it": "markdown-it-py", "markupsafe": "MarkupSafe"}
TORCH = (
    "$ pip install torch --index-url https://download.pytorch.org/whl/cpu"
    "    # Linux: the CPU build; the default is 5 GB for GPUs\n"
)


@dataclass(frozen=True, slots=True)
class Bundle:
    """A bundle that was written.

    `packed` are the assignment's files in it, `staff_only` the visible criteria that it cannot
    judge; `left_out` and `warnings` are as in Stripped.
    """

    file: Path
    size: int
    packed: tuple[str, ...]
    staff_only: tuple[str, ...]
    left_out: tuple[str, ...]
    warnings: tuple[str, ...]


def write_bundle(assignment: Assignment, output: Path) -> Bundle:
    """Write the bundle of an assignment. Raises UsageError if students may see none of it."""
    stripped = strip(assignment)
    if not any(Path(name).name.startswith("checks") for name in stripped.files):
        raise UsageError(f"{assignment.folder}: there is no visible criterion to check")
    content = zipped(bundle_files(assignment, stripped))
    write_whole(output, content, remedy="give another file as -o")
    packed = tuple(sorted(stripped.files))
    kept_back, warnings = stripped.left_out, stripped.warnings
    return Bundle(output, len(content), packed, stripped.staff_only, kept_back, warnings)


def bundle_files(assignment: Assignment, stripped: Stripped) -> dict[str, bytes]:
    """Return the contents of the zip by path."""
    modules = needed_modules([COMMAND, *stripped.imported])
    folder = f"graders/assignments/{_folder(assignment.name)}"
    files = modules | {f"{folder}/{name}": text for name, text in stripped.files.items()}
    questions = [
        question
        for question in questions_in(assignment.folder)
        if _is_visible(assignment, question.id)
    ]
    files["graders/assignments/__init__.py"] = b""
    if questions:
        files["answers.md"] = answers_template(assignment.title, questions).encode()
    files["README.md"] = _readme(assignment, stripped).encode()
    files["pyproject.toml"] = _pyproject(assignment, _requirements(assignment, files)).encode()
    return files


def _folder(name: str) -> str:
    """Return an assignment's name as a package name; discovery.py turns it back into the name."""
    words = "_".join(re.findall("[A-Za-z0-9_]+", name))
    return words if words.isidentifier() else f"own_{words}"


def _is_visible(assignment: Assignment, criterion: str) -> bool:
    return any(c.id == criterion and c.visibility == "visible" for c in assignment.rubric)


def _runs_code(assignment: Assignment) -> bool:
    """Return whether a check starts the student's process, which is all that imports torch."""
    return any(c.kind != "written" and c.visibility == "visible" for c in assignment.rubric)


def _readme(assignment: Assignment, stripped: Stripped) -> str:
    text = README.read_text(encoding="utf-8")
    graded = [
        criterion
        for criterion in assignment.rubric
        if criterion.visibility == "visible" and criterion.title not in stripped.staff_only
    ]
    points = sum(criterion.points for criterion in graded if criterion.kind != "written")
    written = sum(criterion.points for criterion in graded if criterion.kind == "written")
    left = "".join(f"- {title}\n" for title in stripped.staff_only)
    left = f"\nYour course grades these; this bundle does not:\n\n{left}" if left else ""
    more = f"; the written answers, which also count in its total, {written:g}" if written else ""
    worth = (
        f"What it grades is worth {points:g} points{more}. A criterion that needs your\n"
        "course's data files is graded, and counts in the total, only with `--data DIR`.\n"
    )
    facts = {"TITLE": assignment.title, "NAME": assignment.name, "WORTH": worth if points else ""}
    torch = TORCH if _runs_code(assignment) else ""
    for key, value in {**facts, "LEFT": left, "TORCH": torch}.items():
        text = text.replace(f"@{key}@", value)
    return text


def _requirements(assignment: Assignment, files: Mapping[str, bytes]) -> list[str]:
    """Return Softmark's requirements that these files import or the assignment preloads."""
    file = ROOT / "pyproject.toml"
    if not file.is_file():
        raise UsageError(
            f"{file}: the file with the requirements is missing",
            "make the bundle from a clone of Softmark's repository",
        )
    project = tomllib.loads(file.read_text(encoding="utf-8"))["project"]
    text = "\n".join(content.decode("utf-8", "replace") for content in files.values())
    imported = [
        package for package in project["dependencies"] if _is_imported(_plain(package), text)
    ]
    if not _runs_code(assignment):
        imported = [package for package in imported if _plain(package) != "torch"]
    extra, preloaded = project["optional-dependencies"]["courses"], packages_of(assignment)
    return imported + [package for package in extra if _plain(package) in preloaded]


def _plain(requirement: str) -> str:
    return requirement.split(">")[0].split("=")[0].split("[")[0].strip()


def _is_imported(distribution: str, text: str) -> bool:
    modules = [module for module, name in CALLED.items() if name == distribution]
    name = modules[0] if modules else distribution
    return f"import {name}" in text or f"from {name}" in text


def _pyproject(assignment: Assignment, requirements: Collection[str]) -> str:
    version = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]["version"]
    local = ".".join(re.findall("[A-Za-z0-9]+", assignment.name)) or "own"
    lines = "".join(f'    "{requirement}",\n' for requirement in requirements)
    return PYPROJECT.format(version=f"{version}+{local}", wanted=lines)


PYPROJECT = """[build-system]
requires = ["setuptools>=77"]
build-backend = "setuptools.build_meta"

[project]
name = "softmark"
version = "{version}"
description = "Check your own work before you submit it."
requires-python = ">=3.11"
dependencies = [
{wanted}]

[project.scripts]
softmark = "commands.own_work:main"

[tool.setuptools]
include-package-data = false

[tool.setuptools.packages.find]
include = ["commands*", "reference*", "submissions*", "graders*", "reports*"]

[tool.setuptools.package-data]
graders = ["checks/pytest.ini", "written/formula/*.lark", "adapting/**/*", "assignments/**/*"]
"""
