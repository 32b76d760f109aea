"""Find equal files in different submissions: `DIR/twins.json` and a section of the course page.

    {"schema": "softmark/twins/v1", "groups": [
        {"submissions": [{"id", "student"}, ...], "files": [{"sha256", "names": [...]}, ...]}]}

Submissions that share the same files form one group. This is only a note: no student sees it and no
grade depends on it. The files in a Result's `environment["fingerprints"]`, a map from file name to
sha256, are compared only by content, so the names under which they were submitted don't matter.
"""

import json
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from graders.model import Assignment, Result, Submission
from graders.storage.store import write_text

SCHEMA = "softmark/twins/v1"
FILE = "twins.json"


@dataclass(frozen=True, slots=True)
class EqualFile:
    """A file content that was submitted more than once, and its names."""

    sha256: str
    names: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Twins:
    """Submissions that all contain the same `files`."""

    submissions: tuple[Submission, ...]
    files: tuple[EqualFile, ...]


def deterministic_files(assignment: Assignment) -> frozenset[str]:
    """Return the names of files that are expected to be equal, from the assignment's settings."""
    names = str(assignment.settings.get("deterministic_files", ""))
    return frozenset(name.strip() for name in names.split(",") if name.strip())


class TwinSearch:
    """Collects the files of each Result, read once, and finds submissions with equal files.

    `expected` are names of files that are equal in unrelated submissions; they are ignored.
    """

    def __init__(self, expected: frozenset[str]) -> None:
        self._expected = expected
        self._submissions: dict[str, Submission] = {}
        # For each content, the submissions that contain it, and the names it has there.
        self._holders: dict[str, dict[str, list[str]]] = defaultdict(dict)

    def add(self, result: Result) -> None:
        """Record the files of a submission."""
        self._submissions[result.submission.id] = result.submission
        for name, sha256 in _fingerprints(result):
            if name not in self._expected:
                self._holders[sha256].setdefault(result.submission.id, []).append(name)

    def found(self) -> tuple[Twins, ...]:
        """Return groups of submissions with equal files, smallest (and so least likely) first."""
        groups: dict[tuple[str, ...], list[EqualFile]] = defaultdict(list)
        for sha256, holders in self._holders.items():
            if len(holders) > 1:
                names = {name for held in holders.values() for name in held}
                groups[tuple(sorted(holders))].append(EqualFile(sha256, tuple(sorted(names))))
        return tuple(
            Twins(tuple(self._submissions[each] for each in ids), _by_name(groups[ids]))
            for ids in sorted(groups, key=lambda ids: (len(ids), -len(groups[ids]), ids))
        )


def find_twins(results: Iterable[Result], expected: frozenset[str]) -> tuple[Twins, ...]:
    """Return groups of submissions with equal files, ignoring files with the expected names."""
    search = TwinSearch(expected)
    for result in results:
        search.add(result)
    return search.found()


def write_twins(twins: Sequence[Twins], out: Path) -> Path:
    """Write `out/twins.json`, even if there is nothing in it, and return its path."""
    document = {"schema": SCHEMA, "groups": [_to_json(group) for group in twins]}
    text = json.dumps(document, ensure_ascii=False, indent=1)
    # UTF-8 cannot encode half of a surrogate pair, which a name may contain.
    return write_text(out / FILE, text.encode("utf-8", "replace").decode() + "\n")


def _fingerprints(result: Result) -> Iterator[tuple[str, str]]:
    found = result.environment.get("fingerprints")
    if isinstance(found, Mapping):
        yield from ((str(name), str(sha256)) for name, sha256 in found.items())


def _by_name(files: Iterable[EqualFile]) -> tuple[EqualFile, ...]:
    return tuple(sorted(files, key=lambda file: (file.names, file.sha256)))


def _to_json(group: Twins) -> dict[str, object]:
    return {
        "submissions": [{"id": each.id, "student": each.student} for each in group.submissions],
        "files": [{"sha256": file.sha256, "names": list(file.names)} for file in group.files],
    }
