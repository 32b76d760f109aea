"""Show that an assignment's checks do what its rubric says, before they grade a student.

(a) the reference, with the same student side and sandbox, earns full marks
(b) every planted example loses exactly the expected points
(c) every check has a criterion and every criterion a check

An example without an answers file is graded without the written part, and one with `only` is graded
only on those criteria. Whatever needs manual grading is undecided and loses no points here.
"""

import shutil
import tempfile
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import reference
from graders.audit.examples import Expected, expectation, write_examples
from graders.boundary.side import Side
from graders.checks.verdict import fault_line
from graders.errors import GraderFault, UsageError, did_you_mean
from graders.execution.executors import JobExecutor
from graders.grading.batch import grade_all
from graders.grading.choices import choose_criteria
from graders.grading.options import Options
from graders.model import (
    Assignment,
    CheckResult,
    CriterionResult,
    Finding,
    Result,
    Submission,
)
from graders.registry.check_files import collected
from graders.scoring import certain_loss
from graders.written.loading import ANSWERS
from submissions.receive import identify

ASK_IN_WRITING = ": a checks file has to ask the written questions (docs/written.md)"


def validate(
    assignment: Assignment,
    options: Options,
    executor: JobExecutor,
    *,
    names: Collection[str] | None = None,
) -> Iterator[Finding]:
    """Yield findings for the reference and the planted examples, all or `names`, as graded.

    Raises UsageError where a file of the assignment does not compile or import.
    """
    refuse_broken_files(assignment)
    with tempfile.TemporaryDirectory(prefix="softmark-validate-") as work:
        solution = build_solution(assignment, Path(work) / "reference")
        expected = {solution.name: Expected(why="the reference earns full marks")}
        uploads = [solution]
        for folder in write_examples(assignment, Path(work) / "examples"):
            if names is not None and folder.name not in names:
                continue
            expected[folder.name] = expectation(folder, assignment)
            uploads.append(folder)
        for only, part in _by_criteria(uploads, expected, assignment).items():
            submitted = [identify(path, assignment.name) for path in part]
            chosen = replace(options, only=only)
            for result in grade_all(submitted, assignment, chosen, executor):
                yield _finding(result, expected[_name(result.submission)])


def refuse_broken_files(assignment: Assignment) -> None:
    """Raise UsageError where a file of the assignment does not compile or import."""
    folder = assignment.folder
    try:
        for side in (Side(folder), Side(folder, "oracle")):
            for path in side.files.values():
                compile(path.read_text(encoding="utf-8"), str(path), "exec")
        collected(assignment)
    except (SyntaxError, ValueError, GraderFault) as error:
        raise UsageError(f"{folder}: {fault_line(error, folder)}", "correct that file") from error


def holds_answers(folder: Path) -> bool:
    """Return whether a submission's folder contains an answers file."""
    return any(path.name.casefold() in ANSWERS for path in folder.rglob("*"))


@dataclass(frozen=True, slots=True)
class Part:
    """Planted examples that are graded together on these criteria; None means all."""

    name: str
    only: frozenset[str] | None
    folders: Sequence[Path]


def examples_by_part(assignment: Assignment, folders: Sequence[Path]) -> Iterator[Part]:
    """Yield the planted examples of code, and separately those with written answers."""
    rest = _without_written(assignment)
    if rest is None:
        yield Part("", None, folders)
        return
    written = frozenset(criterion.id for criterion in assignment.rubric) - rest
    restrictions = {path: expectation(path, assignment).only for path in folders}
    chosen = {
        path: choose_criteria(assignment, only) or rest for path, only in restrictions.items()
    }
    yield Part("", rest, [path for path in folders if chosen[path] & rest])
    answering = [path for path in folders if holds_answers(path)]
    if answering:
        yield Part("written", written, answering)


def _by_criteria(
    uploads: Sequence[Path], expected: Mapping[str, Expected], assignment: Assignment
) -> Mapping[frozenset[str] | None, Sequence[Path]]:
    """Group the uploads by the criteria on which they are graded; None means all."""
    groups: dict[frozenset[str] | None, list[Path]] = {}
    for path in uploads:
        only = choose_criteria(assignment, expected[path.name].only)
        if only is None and path is not uploads[0] and not holds_answers(path):
            only = _without_written(assignment)
        groups.setdefault(only, []).append(path)
    return groups


def _without_written(assignment: Assignment) -> frozenset[str] | None:
    rest = frozenset(criterion.id for criterion in assignment.rubric if criterion.kind != "written")
    return rest if rest and len(rest) < len(assignment.rubric) else None


def build_solution(assignment: Assignment, folder: Path) -> Path:
    """Create a submission from the assignment's `solution/` and the reference package."""
    solution = assignment.folder / "solution"
    if not solution.is_dir():
        raise UsageError(
            f"{assignment.folder} has no folder `solution`",
            "put the reference's submission there",
        )
    shutil.copytree(solution, folder, ignore=shutil.ignore_patterns("__pycache__"))
    if not assignment.files.code:
        return folder
    code = next(folder.rglob(assignment.files.code[0])).parent
    package = Path(str(reference.__file__)).parent
    shutil.copytree(
        package, code / "reference", ignore=shutil.ignore_patterns("__pycache__", "training")
    )
    return folder


def _name(submission: Submission) -> str:
    return submission.path.name


def _finding(result: Result, expected: Expected) -> Finding:
    problems = [
        problem for criterion in result.criteria for problem in _problems(criterion, expected)
    ]
    problems += _check_problems(result, expected.check)
    problems += _hint_problems(result, expected.mistakes)
    if result.status in ("rejected", "incomplete"):
        problems = [f"the result is {result.status}", *_faults(result), *problems]
    lost = {graded.criterion.id: round(certain_loss(graded), 2) for graded in result.criteria}
    lost = {name: points for name, points in lost.items() if points > 0}
    verdicts = {check.id: _verdict(check) for check in checks_of(result)}
    return Finding(_name(result.submission), expected.why, lost, tuple(problems), verdicts)


def _faults(result: Result) -> Iterator[str]:
    """Say which criteria could not be graded, and the errors of ours that are to blame."""
    errors = [check.check.criterion for check in checks_of(result) if check.status == "error"]
    broken = list(dict.fromkeys(errors))
    if broken:
        yield f"could not grade {', '.join(f'`{name}`' for name in broken)}"
    yield from dict.fromkeys(result.faults)


def _verdict(result: CheckResult) -> Mapping[str, str | float]:
    return {
        "status": result.status,
        "fraction": round(result.fraction, 4),
        "outcome": result.outcome,
        "hint": result.hint,
    }


def _check_problems(result: Result, expected: Mapping[str, float]) -> Iterator[str]:
    """Yield the checks that do not earn the fraction expected in [check]."""
    checks = {check.id: check for check in checks_of(result)}
    for name, fraction in expected.items():
        if name not in checks:
            yield f"there is no check `{name}`{did_you_mean(name, checks)}"
        elif checks[name].status == "needs_review" and not checks[name].fraction:
            yield f"`{name}` needs manual grading, expected {fraction:.2f}"
        elif abs(checks[name].fraction - fraction) > 0.005:
            graded = checks[name]
            yield f"`{name}` earns {graded.fraction:.2f}, expected {fraction:.2f}: {graded.message}"


def _hint_problems(result: Result, planted: Sequence[str] | None) -> Iterator[str]:
    """Yield hints that name a known mistake that the example does not declare."""
    for check in checks_of(result):
        if planted is not None and not _names_planted(check, planted):
            yield f"`{check.id}` names the mistake `{check.mistake}`, which is not planted"


def checks_of(result: Result) -> Iterator[CheckResult]:
    """Yield the results of all checks of a Result."""
    return (check for graded in result.criteria for check in graded.checks)


def _names_planted(result: CheckResult, planted: Sequence[str]) -> bool:
    """Return whether a hint names no mistake, or only planted ones; `a+b` names two."""
    return not result.mistake or {*result.mistake.split("+")} <= {*planted}


def _problems(result: CriterionResult, expected: Expected) -> Iterator[str]:
    name = result.criterion.id
    if not result.checks:
        written = result.criterion.kind == "written"
        yield f"`{name}` has no check{ASK_IN_WRITING if written else ''}"
        return
    if any(check.status == "error" for check in result.checks):
        return  # the faults say why
    should_lose = expected.lost.get(name, 0.0)
    loses = certain_loss(result)
    if abs(loses - should_lose) > 0.005:
        yield f"`{name}` loses {loses:.2f}, expected {should_lose:.2f}: {_reasons(result)}"
    words = expected.hint.get(name)
    text = " ".join(f"{c.message} {c.hint}" for c in result.checks)
    if words is not None and words not in text:
        yield f"`{name}` does not say {words!r}; it says: {_reasons(result)}"


def _reasons(result: CriterionResult) -> str:
    texts: Sequence[str] = [
        f"{c.id}: {c.hint or c.message}" for c in result.checks if c.fraction < 1.0
    ]
    return "; ".join(texts) or "nothing"
