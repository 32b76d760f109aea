"""The dependency rule of docs/concepts.md, read from the imports themselves."""

import ast
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
OURS = (
    *("grade", "commands", "packages", "reports", "graders", "submissions", "reference"),
    "training",
    *("benchmarks", "tests"),
)
CHILD_SIDE = ("adapters", "adapting", "oracle", "standins", "solution")

ALLOWED = {
    "reference": (),
    "submissions": (),
    "graders/boundary/wire.py": (),
    "graders/boundary/worker.py": ("graders.boundary.wire",),
    "graders/boundary": ("graders.boundary", "graders.model", "graders.errors"),
    "graders": ("graders", "submissions", "reference"),
    "training": (
        *("training", "reference"),
        *("graders.data", "graders.errors", "graders.files", "graders.intervals"),
        *("graders.labelled", "graders.written.audits", "graders.written.similarity"),
    ),
    "reports": (
        *("reports", "training.metrics", "training.classification.metrics"),
        *("graders.model", "graders.store", "graders.results"),
        *("graders.figures", "graders.intervals", "graders.written.decisions"),
        *("graders.final_grades", "graders.extensions", "graders.release", "submissions.people"),
        "graders.csv_cells",
    ),
    "reports/exports": (
        *("reports", "submissions.people"),
        *("graders.model", "graders.store", "graders.errors"),
        *("graders.final_grades", "graders.extensions", "graders.csv_cells"),
    ),
    "packages": ("packages", "graders", "reports", "submissions"),
    "commands": ("commands", "packages", "graders", "reports", "submissions", "training"),
    "reports/review": (
        *("reports", "graders.model", "graders.errors"),
        *("graders.review", "graders.decisions", "graders.written", "graders.csv_cells"),
    ),
    "grade.py": ("commands", "graders", "reports"),
}


def source_files():
    rooms = ("commands", "packages", "reference", "training", "submissions", "graders", "reports")
    for room in rooms:
        for path in sorted((ROOT / room).rglob("*.py")):
            parts = path.relative_to(ROOT).parts
            if "examples" not in parts and not any(p.startswith(CHILD_SIDE) for p in parts):
                yield path.relative_to(ROOT)
    yield Path("grade.py")


def rule_for(path):
    """The longest row of the table that holds this file."""
    rows = [row for row in ALLOWED if str(path) == row or str(path).startswith(f"{row}/")]
    return ALLOWED[max(rows, key=len)]


def imports_of(path):
    for node in ast.walk(ast.parse((ROOT / path).read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path} imports relatively"
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


@pytest.mark.parametrize("path", list(source_files()), ids=str)
def test_imports_go_one_way(path):
    own = (
        (path.parts[0].removesuffix(".py"),)
        if path.parts[0] in ("reference", "submissions")
        else ()
    )
    allowed = (*rule_for(path), *own)
    for name in imports_of(path):
        if name.split(".")[0] in OURS:
            assert any(name == each or name.startswith(f"{each}.") for each in allowed), (
                f"{path} imports {name}"
            )


def test_grading_needs_no_torch_on_the_trusted_side():
    """Importing torch costs 1.4 CPU seconds; only the student's process pays them."""
    code = "import sys, grade; sys.exit('torch' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], cwd=ROOT).returncode == 0
