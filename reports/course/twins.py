"""Find equal files in different submissions: `DIR/twins.json` and a section of the course page.

    {"schema": "softmark/twins/v1", "groups": [
        {"kind": "code" | "data", "submissions": [{"id", "student"}, ...],
         "files": [{"sha256", "names": [...]}, ...]}]}

Submissions that share the same files form one group, and equal code forms a group of its own. No
student sees it, and no grade depends on it. The hashes come from a Result's
`environment["fingerprints"]` (weights and predictions) and `environment["code"]`, which map file
names to sha256. Only contents are compared, so it does not matter how a file is named.
"""

import json
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from graders.model import Assignment, Result, Submission
from graders.storage.result_json import write_text
from submissions.escaping import split_names

SCHEMA = "softmark/twins/v1"
FILE = "twins.json"
Kind = Literal["data", "code"]
LISTED_IN: Mapping[Kind, str] = {"data": "fingerprints", "code": "code"}
# Files that more submissions have in common than a copy explains were handed out, or are equal for
# everybody: code of a quarter of them, other files of all.
FEW, SHARE = 4, 0.25


@dataclass(frozen=True, slots=True)
class Renamed:
    """Submissions that have a content under a name that is not the usual one.

    `others` are the other submissions that have it under its usual name.
    """

    name: str
    submissions: tuple[Submission, ...]
    others: int


@dataclass(frozen=True, slots=True)
class EqualFile:
    """A file content that was submitted more than once, and its names, the most usual first."""

    sha256: str
    usual: str
    renamed: tuple[Renamed, ...] = ()

    @property
    def names(self) -> tuple[str, ...]:
        """Its names, sorted."""
        return tuple(sorted((self.usual, *(each.name for each in self.renamed))))


@dataclass(frozen=True, slots=True)
class Twins:
    """Submissions that all contain the same `files`."""

    submissions: tuple[Submission, ...]
    files: tuple[EqualFile, ...]
    kind: Kind = "data"


def deterministic_files(assignment: Assignment) -> frozenset[str]:
    """Return the names of files that are expected to be equal, from the assignment's settings."""
    return split_names(str(assignment.settings.get("deterministic_files", "")))


class TwinSearch:
    """Collects the files of each Result, read once, and finds submissions with equal files.

    `expected` are names of files that are equal in unrelated submissions; they are ignored.
    """

    def __init__(self, expected: frozenset[str]) -> None:
        self._expected = expected
        self._submissions: dict[str, Submission] = {}
        self._with_files: Counter[Kind] = Counter()  # submissions
        # For every content the submissions that hold it, each with the names it has there.
        self._holders: dict[tuple[Kind, str], dict[str, list[str]]] = defaultdict(dict)

    def add(self, result: Result) -> None:
        """Record the files of a submission."""
        self._submissions[result.submission.id] = result.submission
        files = list(_fingerprints(result))
        self._with_files.update({kind for kind, _, _ in files})
        for kind, name, sha256 in files:
            if name not in self._expected:
                holders = self._holders[kind, sha256]
                holders.setdefault(result.submission.id, []).append(name)

    def twins(self) -> tuple[Twins, ...]:
        """Return groups of submissions with equal files, the smallest (most unlikely) first."""
        groups: dict[tuple[tuple[str, ...], Kind], list[EqualFile]] = defaultdict(list)
        for (kind, sha256), holders in self._holders.items():
            if len(holders) > 1 and not self._is_expected(kind, holders):
                groups[tuple(sorted(holders)), kind].append(self._equal(sha256, holders))
        ordered = sorted(groups.items(), key=lambda item: (len(item[0][0]), -len(item[1]), item[0]))
        return tuple(
            Twins(tuple(self._submissions[name] for name in ids), _by_name(files), kind)
            for (ids, kind), files in ordered
        )

    def _is_expected(self, kind: Kind, holders: Mapping[str, Sequence[str]]) -> bool:
        """Return True if so many submissions have a content that it says nothing about them.

        If everybody has it, another name still says that somebody confused two files.
        """
        if kind == "code":
            return len(holders) > max(FEW, SHARE * len(self._submissions))
        names = {name for held in holders.values() for name in held}
        return FEW < len(holders) == self._with_files[kind] and len(names) == 1

    def _equal(self, sha256: str, holders: Mapping[str, Sequence[str]]) -> EqualFile:
        by_name: dict[str, set[str]] = defaultdict(set)
        for submission, held in holders.items():
            for name in held:
                by_name[name].add(submission)
        usual, *rest = sorted(by_name, key=lambda name: (-len(by_name[name]), name))
        renamed = (
            Renamed(
                name,
                tuple(self._submissions[submission] for submission in sorted(by_name[name])),
                len(by_name[usual] - by_name[name]),
            )
            for name in rest
        )
        return EqualFile(sha256, usual, tuple(renamed))


def write_twins(twins: Sequence[Twins], out: Path) -> Path:
    """Write `out/twins.json`, even if there is nothing in it, and return its path."""
    document = {"schema": SCHEMA, "groups": [_to_json(group) for group in twins]}
    text = json.dumps(document, ensure_ascii=False, indent=1)
    # UTF-8 cannot encode half of a surrogate pair, which a name may contain.
    return write_text(out / FILE, text.encode("utf-8", "replace").decode() + "\n")


def _fingerprints(result: Result) -> Iterator[tuple[Kind, str, str]]:
    for kind, key in LISTED_IN.items():
        hashes = result.environment.get(key)
        if isinstance(hashes, Mapping):
            yield from ((kind, str(name), str(sha256)) for name, sha256 in hashes.items())


def _by_name(files: Iterable[EqualFile]) -> tuple[EqualFile, ...]:
    return tuple(sorted(files, key=lambda file: (file.names, file.sha256)))


def _to_json(group: Twins) -> dict[str, object]:
    return {
        "kind": group.kind,
        "submissions": [
            {"id": submission.id, "student": submission.student} for submission in group.submissions
        ],
        "files": [{"sha256": file.sha256, "names": list(file.names)} for file in group.files],
    }
