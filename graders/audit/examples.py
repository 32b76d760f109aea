"""Read planted examples: submissions with known verdicts, written as edits of another one.

    examples.toml + solution/ + examples/ID/ -> write_examples -> DIR/ID/, each with expected.toml

`examples.toml` is in the same folder as `assignment.toml`. Files that TOML cannot express
(notebooks, other encodings) are in `examples/ID/`. A folder there with neither an `expected.toml`
nor an entry in `examples.toml` is not an example itself, but other examples can be based on it.
"""

import json
import re
import shutil
import tempfile
from collections.abc import Mapping
from pathlib import Path, PurePosixPath
from typing import Any

from pydantic import BaseModel

from graders.errors import UsageError, did_you_mean
from graders.model import Assignment, Result
from graders.scoring import certain_loss
from graders.tables import parse_table, read_table
from submissions.listing import list_files
from submissions.receive import open_upload
from submissions.submission import Rejected

EXPECTED, PLANTED = "expected.toml", "examples.toml"
SOLUTION = "solution"
NAME = re.compile(r"[a-z0-9]+(-[a-z0-9]+)*")
SHAPE = "docs/assignments.md describes its format"


class Expected(BaseModel, extra="forbid"):
    """The expected result of an example; `mistakes` are the IDs that hints may name."""

    why: str
    lost: dict[str, float] = {}
    hint: dict[str, str] = {}
    check: dict[str, float] = {}
    mistakes: list[str] | None = None
    only: str = ""


class Edit(BaseModel, extra="forbid"):
    """A text that occurs exactly once in a file, and its replacement."""

    file: str
    old: str
    new: str


class Planted(Expected):
    """An example based `of` the solution, another example or folder, or nothing ("").

    The files in `without` are removed, then `edits` are applied in order and `files` are written.
    """

    name: str
    of: str = SOLUTION
    without: list[str] = []
    edits: list[Edit] = []
    files: dict[str, str] = {}


class _Examples(BaseModel, extra="forbid"):
    example: list[Planted] = []


def example_names(assignment: Assignment) -> list[str]:
    """Return the names of all planted examples, sorted."""
    return _names(assignment, _planted(assignment))


def _names(assignment: Assignment, planted: Mapping[str, Planted]) -> list[str]:
    folders = (file.parent.name for file in (assignment.folder / "examples").glob(f"*/{EXPECTED}"))
    return sorted({*folders, *planted})


def write_examples(assignment: Assignment, folder: Path) -> list[Path]:
    """Write every planted example below the folder; return their folders, sorted by name.

    Raises UsageError if examples.toml is malformed, or an edit's text does not occur exactly once.
    """
    planted = _planted(assignment)
    names = _names(assignment, planted)
    for name in names:
        if name in planted:
            for file, content in _contents(assignment, planted, name).items():
                path = folder / name / file
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_bytes(content)
            (folder / name / EXPECTED).write_text(_expected_toml(planted[name]), encoding="utf-8")
        else:
            shutil.copytree(assignment.folder / "examples" / name, folder / name)
    return [folder / name for name in names]


def plant(assignment: Assignment, name: str, result: Result, why: str) -> Path:
    """Copy a submission into the assignment as an example that loses what it loses in `result`.

    Returns its folder, which has all of its files or does not exist. Raises UsageError if the name
    cannot be used or the submission cannot be read.
    """
    place = assignment.folder / "examples" / name
    taken = place.exists() or name in example_names(assignment)
    if taken or not NAME.fullmatch(name):
        problem = f"`{name}` is {'taken' if taken else 'not a valid name of an example'}"
        raise UsageError(problem, "use another one in lowercase letters, such as `right-sparse`")
    lost = {graded.criterion.id: round(certain_loss(graded), 2) for graded in result.criteria}
    planted = Planted(
        name=name, why=why, lost={key: points for key, points in lost.items() if points}
    )
    try:
        place.parent.mkdir(exist_ok=True)
        with (
            tempfile.TemporaryDirectory(prefix=".", dir=place.parent) as work,
            open_upload(result.submission.path, Path(work)) as folder,
        ):
            example = Path(work) / "example"
            for file in list_files(folder).files:
                (example / file).parent.mkdir(parents=True, exist_ok=True)
                shutil.copyfile(folder / file, example / file)
            (example / EXPECTED).write_text(_expected_toml(planted), encoding="utf-8")
            example.rename(place)
    except OSError as error:
        problem = f"{error.filename}: {error.strerror}"
        raise UsageError(
            problem, "make both folders readable, and the assignment's writable"
        ) from error
    except Rejected as error:
        problem = f"{result.submission.id}: {error}"
        raise UsageError(problem, "put the upload back where it was") from error
    return place


def expectation(folder: Path, assignment: Assignment) -> Expected:
    """Return the expected result of an example; raises UsageError if it is malformed."""
    text, source = (folder / EXPECTED).read_text(encoding="utf-8"), _source(assignment, folder.name)
    expected = parse_table(text, Expected, source, SHAPE)
    criteria = {criterion.id for criterion in assignment.rubric}
    unknown = sorted({*expected.lost, *expected.hint} - criteria)
    if unknown:
        near = did_you_mean(unknown[0], criteria)
        raise UsageError(
            f"{source}: `{folder.name}`: there is no criterion `{unknown[0]}`{near}", SHAPE
        )
    return expected


def _source(assignment: Assignment, name: str) -> str:
    """Return the file that contains the expected result of an example."""
    file = assignment.folder / "examples" / name / EXPECTED
    return str(file if file.is_file() else assignment.folder / PLANTED)


def _planted(assignment: Assignment) -> dict[str, Planted]:
    """Return the entries of examples.toml, by name."""
    file = assignment.folder / PLANTED
    if not file.is_file():
        return {}
    entries = read_table(file, _Examples, SHAPE).example
    named = {entry.name: entry for entry in entries}
    for name in named:
        if PurePosixPath(name).name != name or [entry.name for entry in entries].count(name) > 1:
            raise UsageError(f"{file}: `{name}` is not a unique name without a slash", SHAPE)
    return named


def _contents(
    assignment: Assignment, planted: Mapping[str, Planted], name: str, above: tuple[str, ...] = ()
) -> dict[str, bytes]:
    """Return the files of an example, of a folder in `examples/`, or of the solution."""
    if name in above:
        raise UsageError(f"{assignment.folder / PLANTED}: `{name}` is based on itself", SHAPE)
    if name not in planted:
        return _base(assignment, name)
    example = planted[name]
    files = _contents(assignment, planted, example.of, (*above, name))
    for left in example.without:
        if files.pop(left, None) is None:
            raise _wrong(assignment, name, f"`{example.of}` has no file `{left}`")
    for edit in example.edits:
        text = files.get(edit.file, b"").decode("utf-8")
        if text.count(edit.old) != 1:
            count = text.count(edit.old)
            problem = f"{edit.old!r} occurs {count} times in {edit.file}; expected once"
            raise _wrong(assignment, name, problem)
        files[edit.file] = text.replace(edit.old, edit.new).encode("utf-8")
    files |= {file: text.encode("utf-8") for file, text in example.files.items()}
    return files | read_files(assignment.folder / "examples" / name)


def _base(assignment: Assignment, name: str) -> dict[str, bytes]:
    if not name:
        return {}
    inside = assignment.folder if name == SOLUTION else assignment.folder / "examples"
    if not (inside / name).is_dir():
        near = did_you_mean(name, [SOLUTION, *example_names(assignment)])
        problem = f"{assignment.folder / PLANTED}: there is no example `{name}`{near}"
        raise UsageError(problem, SHAPE)
    return read_files(inside / name)


def read_files(folder: Path) -> dict[str, bytes]:
    """Return the contents of a submission's files by relative path."""
    return {
        path.relative_to(folder).as_posix(): path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.is_file() and "__pycache__" not in path.parts and path.name != EXPECTED
    }


def _wrong(assignment: Assignment, name: str, problem: str) -> UsageError:
    return UsageError(f"{assignment.folder / PLANTED}: `{name}`: {problem}", SHAPE)


def _expected_toml(example: Planted) -> str:
    """Return an example's expected result as TOML, with strings and lists written as JSON."""
    fields = example.model_dump(include=set(Expected.model_fields), exclude_defaults=True)
    return "".join(f"{key} = {_toml(value)}\n" for key, value in fields.items())


def _toml(value: Any) -> str:
    if isinstance(value, dict):
        return "{" + ", ".join(f"{json.dumps(key)} = {_toml(value[key])}" for key in value) + "}"
    return json.dumps(value, ensure_ascii=False)
