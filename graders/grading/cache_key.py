"""Hash everything that can alter a Result: equal addresses mean equal Results (except times).

    grading code, versions, device, tier, limits, files, seeds ─┐
    check files of a criterion + what they import ──────────────┤
    student side, stand-ins, if a check uses a process ─────────┼── one key per criterion
    data, settings, if a check uses them ───────────────────────┘
    all of it + the whole folder + version, only, rerun + the upload's hash ── the address

A Result is looked up by its address. If the address has changed, the keys tell which criteria are
affected. A file that no check is known to read counts for every criterion.
"""

import hashlib
import json
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path, PurePath

import graders
import reference
import submissions
from graders.boundary.side import is_in_a_side
from graders.data.course import open_course_data
from graders.errors import GraderFault
from graders.grading.environment import environment_of
from graders.grading.options import Options, options_text
from graders.model import Assignment, Submission
from graders.registry.check_files import CheckFile, check_files, files_below
from graders.scoring import wanted_criteria
from graders.storage.store import CacheKey

# No check reads these.
LEFT_OUT = ("solution", "starter", "examples", "examples.toml", "audit.toml", "__pycache__")
# Not used from the upload to the verdict: changes here must not make a course outdated.
ELSEWHERE = {
    "graders": (
        "assignments", "audit", "audited.py",
        "course", "privacy", "progress.py", "similarity",
    ),
    "submissions": ("examples",),
    "reference": ("training",),
}  # fmt: skip
ASKS_A_PROCESS = frozenset({"student", "sandbox", "rerun"})
ASKS_FOR_DATA = frozenset({"data", "rerun"})


@dataclass(frozen=True, slots=True)
class Keys:
    """Everything that a grading with these options depends on, except the upload.

    `files` is the hash of the assignment's folder, `data` of the data, `checks` of the folder and
    the grading code, `whole` of everything.
    """

    files: str
    data: str
    checks: str
    whole: str
    options: str
    criteria: Mapping[str, str]

    def cache_key(self, submission: Submission) -> CacheKey:
        """Return what a Result of this upload is made from."""
        # The name counts, because it determines the kind of archive.
        address = _sum_of(self.whole, submission.sha256, submission.path.name)
        return CacheKey(address, self.options, self.criteria)


@dataclass(frozen=True, slots=True)
class _Sums:
    """The parts of the criteria's keys; `files` has one hash per file name."""

    common: object
    files: Mapping[str, str]
    data: str


def keys_of(assignment: Assignment, options: Options) -> Keys:
    """Return the keys of a grading; raises UsageError if a check or the data folder is wrong."""
    with open_course_data(assignment.data, options.data) as data:
        fingerprint = data.fingerprint
    code, sums = grading_code(), _file_sums(assignment.folder, LEFT_OUT)
    common, files = _common(assignment, options, code), _sum_of(sums)
    rerun = options.rerun and asdict(options.rerun)
    only = options.only and sorted(options.only)
    rubric = [asdict(criterion) for criterion in assignment.rubric]
    return Keys(
        files=files,
        data=fingerprint,
        checks=f"{files}/{code}",
        whole=_sum_of(common, files, fingerprint, assignment.name, assignment.version)
        + _sum_of(only, rerun, rubric),
        options=options_text(assignment, options),
        criteria=_criteria_keys(assignment, options, _Sums([common, rerun], sums, fingerprint)),
    )


def files_key(assignment: Assignment) -> str:
    """Return one hash of all files in an assignment's folder that grading could read."""
    return _sum_of(_file_sums(assignment.folder, LEFT_OUT))


def grading_code() -> str:
    """Return one hash of Softmark's own code, from the upload to the verdict."""
    sums = {}
    for package in (graders, submissions, reference):
        folder = Path(str(package.__file__)).parent
        sums[folder.name] = _file_sums(folder, (*ELSEWHERE[folder.name], "__pycache__"))
    return _sum_of(sums)


def _common(assignment: Assignment, options: Options, code: str) -> str:
    """Return the hash of everything that counts for all criteria."""
    environment = environment_of(assignment, options)
    del environment["platform"]  # a kernel update does not change verdicts
    limits, files = asdict(assignment.limits), asdict(assignment.files)
    return _sum_of(environment, limits, files, code)


def _criteria_keys(assignment: Assignment, options: Options, sums: _Sums) -> dict[str, str]:
    criteria = [criterion.id for criterion in wanted_criteria(assignment, options.only)]
    try:
        files = check_files(assignment)
    except GraderFault:  # it is unknown which criterion a file that does not import belongs to
        return dict.fromkeys(criteria, _sum_of(sums.files, sums.common, sums.data))
    names = {name for file in files for name in (*file.reads, *child_side(sums.files))}
    shared = set(sums.files) - names - {"assignment.toml"}
    keys = {}
    for criterion in criteria:
        judging = [file for file in files if criterion in file.criteria]
        read = shared | _read(judging, sums.files)
        asks = frozenset[str]().union(*(file.fixtures for file in judging))
        keys[criterion] = _sum_of(
            sums.common,
            {name: sums.files[name] for name in sorted(read)},
            sums.data if asks & ASKS_FOR_DATA else None,
            dict(assignment.settings) if "settings" in asks else None,
        )
    return keys


def child_side(names: Iterable[str]) -> set[str]:
    """Return the files that a child gets, including the oracle's."""
    return {name for name in names if name.startswith("standins/") or is_in_a_side(PurePath(name))}


def _read(files: Iterable[CheckFile], sums: Mapping[str, str]) -> set[str]:
    read: set[str] = set()
    for file in files:
        read |= file.reads
        if file.fixtures & ASKS_A_PROCESS:
            read |= child_side(sums)
    return read


def _file_sums(folder: Path, left_out: Iterable[str]) -> dict[str, str]:
    """Return the sha256 of every file below `folder`, by its relative path."""
    sums = {}
    for path in files_below(folder):
        parts = path.relative_to(folder).parts
        if parts[0] not in left_out:
            sums["/".join(parts)] = hashlib.sha256(path.read_bytes()).hexdigest()
    return sums


def _sum_of(*values: object) -> str:
    text = json.dumps(values, sort_keys=True, default=str)
    return hashlib.sha256(text.encode()).hexdigest()
