"""Select the files of Softmark and of a course that an autograder needs."""

from collections.abc import Iterator
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from graders.data.declared import FILE as DECLARATION
from graders.errors import UsageError
from graders.grading.cache_key import LEFT_OUT
from graders.model import Assignment
from graders.registry.check_files import files_below
from graders.registry.packages import packages_of

ROOT = Path(__file__).parents[2]
# Packages to copy, each with the parts that grading an upload never reads.
ROOMS = {
    "graders": ("assignments", "audit"),
    "submissions": ("examples", "imports"),
    "reference": ("training",),
}
IN_CONTAINER = ("__init__", "run", "settings", "metadata")
SINGLE = (
    "packages/__init__.py",
    *(f"packages/gradescope/{name}.py" for name in IN_CONTAINER),
    *(
        f"reports/gradescope/{name}.py"
        for name in ("__init__", "results_json", "markdown", "final")
    ),
    "reports/provisional.py", "reports/text.py", "reports/words.py",
)  # fmt: skip
# An autograder does not contain the pages and the other modules that `reports` re-exports.
BARE = {"reports/__init__.py": b'"""Results in the form of Gradescope."""\n'}
NEEDED = (
    "torch", "numpy", "scipy", "pytest", "hypothesis", "pydantic", "safetensors",
    "lark", "markdown-it-py", "MarkupSafe", "PyYAML",
)  # fmt: skip
ON_DEMAND = ("transformers",)  # only for assignments that name it in a file or preload it
SUFFIXES = (".txt", ".tsv", ".jsonl", ".train", ".dev", ".test")


def rooms(assignment: Assignment) -> dict[str, bytes]:
    """Return the modules that grade this assignment, by path relative to Softmark's root."""
    modules = dict(BARE)
    for room, elsewhere in ROOMS.items():
        modules |= dict(_files(ROOT / room, room, (*elsewhere, *LEFT_OUT)))
    modules |= {name: (ROOT / name).read_bytes() for name in SINGLE}
    folder = f"graders/assignments/{assignment.name.replace('-', '_')}"
    modules["graders/assignments/__init__.py"] = b""
    return modules | dict(_files(assignment.folder, folder, LEFT_OUT))


def distribution() -> dict[str, bytes]:
    """Return the metadata file with which Softmark in the package knows its version."""
    try:
        number = version("softmark")
    except PackageNotFoundError:
        return {}
    words = f"Metadata-Version: 2.1\nName: softmark\nVersion: {number}\n"
    return {f"softmark/softmark-{number}.dist-info/METADATA": words.encode()}


def requirements(assignment: Assignment) -> str:
    """Return the packages that grading this assignment imports, one per line."""
    texts = [content for _, content in _files(assignment.folder, "", LEFT_OUT)]
    packages = [name for name in ON_DEMAND if any(name.encode() in text for text in texts)]
    packages += [name for name in packages_of(assignment) if name not in (*NEEDED, *packages)]
    suite = ("gradescope-utils",) if assignment.suite else ()
    return "".join(f"{name}\n" for name in (*NEEDED, *packages, *suite))


def course_files(folder: Path, assignment: Assignment) -> dict[str, bytes]:
    """Return the course's files in a staff folder, by name. Raises UsageError if there are none.

    Only `data = "files"` takes files of any kind, because only its author knows them.
    """
    every = assignment.data == "files"
    files = {
        path.name: path.read_bytes()
        for path in (sorted(folder.iterdir()) if folder.is_dir() else ())
        if path.is_file() and (every or path.suffix in SUFFIXES or path.name == DECLARATION)
        if not path.name.startswith(".")
    }
    if not files:
        raise UsageError(
            f"--data {folder}: it contains none of the course's files", "see the README"
        )
    return files


def _files(folder: Path, name: str, left_out: tuple[str, ...]) -> Iterator[tuple[str, bytes]]:
    """Yield every file in a folder, by its path in the package."""
    for path in files_below(folder):
        parts = path.relative_to(folder).parts
        if parts[0] not in left_out and path.suffix != ".pyc":
            yield "/".join((*((name,) if name else ()), *parts)), path.read_bytes()
