"""Group failures by what was observed, and give each group the hint that an instructor wrote.

`hints.toml` in an assignment's folder:

    [[hint]]
    check = "doubles"
    observed = "The product is #."
    says = "You add the factor instead of multiplying by it."
"""

import json
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from pydantic import BaseModel, ConfigDict

from graders.errors import UsageError
from graders.model import REVIEW, CheckResult, Result, Submission
from graders.tables import read_table

FILE = "hints.toml"
RAISED = "Your code raised "
NUMBER = re.compile(r"(?<![A-Za-z_])[-−+]?\d+(?:[.,]\d+)*(?:e[-+]?\d+)?")
QUOTED = re.compile(r"`[^`]*`|\"[^\"]*\"|(?<!\w)'[^']*'")
LONGEST = 200  # characters
FAILED = ("failed", "partial")


def observed(result: CheckResult) -> str:
    """Return a failure's message without the parts that differ between students: numbers, code.

    Of an exception, it is its type and message, not where it was raised.
    """
    first = (result.message or result.actual).partition("\n")[0]
    _, raised, exception = first.partition(RAISED)
    return NUMBER.sub("#", QUOTED.sub("…", raised + exception or first))[:LONGEST]


def message_of(result: CheckResult) -> str:
    """Return a check's message; what cost points comes before why the others need a person."""
    first, *rest = result.message.split("\n")
    lost = result.status == "needs_review" and 0 < result.fraction < 1
    return "\n".join((*rest[:1], first, *rest[1:])) if lost else result.message


class Hint(BaseModel):
    """A hint for a check's failures in which the same was observed."""

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True)

    check: str
    observed: str
    says: str


class _File(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True, frozen=True)

    hint: list[Hint] = []


def read_hints(folder: Path) -> tuple[Hint, ...]:
    """Return the hints in an assignment's folder; raises UsageError if the file is wrong."""
    file = folder / FILE
    if not file.is_file():
        return ()
    return tuple(read_table(file, _File, "each [[hint]] has check, observed, says").hint)


def add_hint(folder: Path, hint: Hint) -> Path:
    """Add a hint to an assignment's file; raises UsageError if there is one for these failures."""
    file = folder / FILE
    if any(
        (each.check, each.observed) == (hint.check, hint.observed) for each in read_hints(folder)
    ):
        raise UsageError(f"{file} has a hint for these failures", "edit it there")
    before = file.read_text(encoding="utf-8").rstrip("\n") + "\n\n" if file.is_file() else ""
    lines = (f"{key} = {json.dumps(text, ensure_ascii=False)}" for key, text in hint)
    try:
        file.write_text(f"{before}[[hint]]\n" + "\n".join(lines) + "\n", encoding="utf-8")
    except OSError as error:
        raise UsageError(
            f"{file}: cannot be written: {error.strerror}", "copy the folder"
        ) from error
    return file


def with_hints(checks: Sequence[CheckResult], hints: Sequence[Hint]) -> list[CheckResult]:
    """Return the checks, with these hints where a failure names no known mistake."""
    says = {(hint.check, hint.observed): hint.says for hint in hints}
    return [
        replace(found, hint=says.get((found.id, observed(found)), found.hint))
        if says and found.status in FAILED and not found.mistake
        else found
        for found in checks
    ]


@dataclass(slots=True)
class Cluster:
    """Submissions that fail a check in the same way, with the same hint.

    In those of `alone`, no other check for points fails. `sample` is the failure of the `first` by
    name of these, or of all if there is none.
    """

    observed: str
    sample: CheckResult
    first: str
    submissions: list[Submission] = field(default_factory=list)
    alone: list[Submission] = field(default_factory=list)


@dataclass(slots=True)
class Failures:
    """The failures of a course, collected Result by Result."""

    _found: dict[tuple[str, ...], Cluster] = field(default_factory=dict)

    def add(self, result: Result) -> None:
        """Count the failures of a Result, which may be let go then."""
        failed = [
            (graded.criterion.points > 0, check)
            for graded in result.criteria
            for check in graded.checks
            if check.status in FAILED
        ]
        costly, given = sum(counts for counts, _ in failed), result.submission
        for counts, each in failed:
            kind, sample = observed(each), replace(each, figures=())
            key = (each.check.criterion, each.id, kind, each.hint)
            cluster = self._found.setdefault(key, Cluster(kind, sample, given.id))
            cluster.submissions.append(given)
            only = counts and costly == 1
            if (not only, given.id) < (not cluster.alone, cluster.first):
                cluster.first, cluster.sample = given.id, sample
            if only:
                cluster.alone.append(given)

    def find(self, submission: str, check: str) -> Cluster:
        """Return the cluster of a submission's failed check; raises UsageError if none failed."""
        own = {
            each.sample.id: each
            for each in self._found.values()
            if any(given.id == submission for given in each.submissions)
        }
        if check not in own:
            failed = f"failing checks: {', '.join(sorted(own)) or 'none'}"
            raise UsageError(f"`{check}` does not fail for `{submission}`", failed)
        if own[check].sample.hint and not own[check].sample.outcome:
            problem = f"`{check}` gives these failures a hint: {own[check].sample.hint}"
            raise UsageError(problem, "change it in the check")
        return own[check]

    def unnamed(self) -> list[Cluster]:
        """Return what failed without a hint that explains the value, the most common first."""
        return _sorted(
            each
            for each in self._found.values()
            if (each.sample.outcome or not each.sample.hint) and not _read_by_people(each)
        )

    def alone(self) -> list[Cluster]:
        """Return what at least two submissions, and most that have it, fail and nothing else."""
        return _sorted(
            each
            for each in self._found.values()
            if len(each.alone) > 1
            and 2 * len(each.alone) > len(each.submissions)
            and not _read_by_people(each)
        )


def _read_by_people(cluster: Cluster) -> bool:
    """Whether people graded it: how many points they gave says nothing about the mistake."""
    return cluster.sample.id.endswith(REVIEW)


def _sorted(clusters: Iterable[Cluster]) -> list[Cluster]:
    for cluster in (listed := list(clusters)):
        cluster.submissions.sort(key=lambda submission: submission.id)
        cluster.alone.sort(key=lambda submission: submission.id)
    return sorted(
        listed,
        key=lambda cluster: (-len(cluster.submissions), cluster.sample.id, cluster.observed),
    )
