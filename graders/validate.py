"""Show that an assignment's checks do what its rubric says, before a student meets them.

(a) the reference behind the same adapters and the same sandbox earns full marks
(b) every planted example loses exactly the points its expected.toml says
(c) every check has a criterion and every criterion a check
"""

import shutil
import tempfile
import tomllib
from collections.abc import Iterator, Sequence
from concurrent.futures import Executor
from pathlib import Path

from pydantic import BaseModel, ConfigDict, ValidationError

import reference
import submissions
from graders.batch import grade_all
from graders.errors import Misuse
from graders.model import Assignment, CriterionResult, Finding, Result, Submission
from graders.pipeline import Options
from submissions.receive import identify

EXPECTED = "expected.toml"


class _Expected(BaseModel):
    model_config = ConfigDict(extra="forbid")

    why: str
    lost: dict[str, float] = {}
    hint: dict[str, str] = {}


def validate(
    assignment: Assignment, options: Options, executor: Executor, *, ahead: int
) -> Iterator[Finding]:
    """Findings for the reference and every planted example, as they are graded."""
    with tempfile.TemporaryDirectory(prefix="softmark-validate-") as work:
        solution = build_solution(assignment, Path(work) / "reference")
        expected = {solution.name: _Expected(why="the reference earns full marks")}
        uploads = [solution]
        for folder in example_folders(assignment):
            expected[folder.name] = _expectation(folder, assignment)
            uploads.append(folder)
        submitted = [identify(path, assignment.name) for path in uploads]
        for result in grade_all(submitted, assignment, options, executor, ahead=ahead):
            yield _finding(result, expected[_name(result.submission)])


def build_solution(assignment: Assignment, folder: Path) -> Path:
    """The assignment's `solution/` with the reference package beside its code: a submission."""
    solution = assignment.folder / "solution"
    if not solution.is_dir():
        raise Misuse(
            f"{assignment.folder} has no folder `solution`",
            "put there what the reference would hand in",
        )
    shutil.copytree(solution, folder, ignore=shutil.ignore_patterns("__pycache__"))
    code = next(folder.rglob(assignment.files.code[0])).parent
    package = Path(str(reference.__file__)).parent
    shutil.copytree(package, code / "reference", ignore=shutil.ignore_patterns("__pycache__"))
    return folder


def example_folders(assignment: Assignment) -> list[Path]:
    """The planted examples of an assignment, right, wrong and hostile."""
    root = Path(str(submissions.__file__)).parent / "examples" / assignment.name
    return sorted(path.parent for path in root.glob(f"*/{EXPECTED}"))


def _name(submission: Submission) -> str:
    return submission.path.name


def _expectation(folder: Path, assignment: Assignment) -> _Expected:
    file = folder / EXPECTED
    try:
        expected = _Expected.model_validate(tomllib.loads(file.read_text(encoding="utf-8")))
    except (tomllib.TOMLDecodeError, ValidationError) as error:
        raise Misuse(f"{file}: {error}", "it holds `why`, [lost] and [hint]") from error
    known = {criterion.id for criterion in assignment.rubric}
    unknown = sorted({*expected.lost, *expected.hint} - known)
    if unknown:
        raise Misuse(f"{file}: criterion `{unknown[0]}` is not in the rubric")
    return expected


def _finding(result: Result, expected: _Expected) -> Finding:
    problems = [
        problem for criterion in result.criteria for problem in _problems(criterion, expected)
    ]
    if result.status in ("rejected", "incomplete"):
        problems.insert(0, f"the result is {result.status}")
    lost = {
        each.criterion.id: round(each.criterion.points - each.points, 2)
        for each in result.criteria
        if each.points is not None and each.points < each.criterion.points
    }
    return Finding(_name(result.submission), expected.why, lost, tuple(problems))


def _problems(result: CriterionResult, expected: _Expected) -> Iterator[str]:
    name = result.criterion.id
    if not result.checks:
        yield f"`{name}` has no check"
        return
    if result.points is None:
        messages = [c.message for c in result.checks if c.status == "error"]
        yield f"`{name}` could not be graded: {'; '.join(messages[:1])}"
        return
    should_lose = expected.lost.get(name, 0.0)
    loses = result.criterion.points - result.points
    if abs(loses - should_lose) > 0.005:
        yield f"`{name}` loses {loses:.2f}, expected {should_lose:.2f}: {_reasons(result)}"
    words = expected.hint.get(name)
    said = " ".join(f"{c.message} {c.hint}" for c in result.checks)
    if words is not None and words not in said:
        yield f"`{name}` does not say {words!r}; it says: {_reasons(result)}"


def _reasons(result: CriterionResult) -> str:
    texts: Sequence[str] = [
        f"{c.check.id}: {c.hint or c.message}" for c in result.checks if c.fraction < 1.0
    ]
    return "; ".join(texts) or "nothing"
