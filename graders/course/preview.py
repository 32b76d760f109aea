"""List the files of uploads before anything is graded; no student code runs.

uploads ── previews ── survey ──┬── nobody has files of a kind      batch refuses, run adds a note
                                └── predictions are for other data  both refuse
"""

import tempfile
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path, PurePosixPath

from graders.data.course import sizes_of_parts
from graders.errors import UsageError
from graders.grading.batch import is_finished, refuse_other_criteria, refuse_other_policy
from graders.grading.cache_key import keys_of
from graders.grading.options import GradingRequest
from graders.model import Assignment, CriterionKind, Submission
from graders.registry.contents import missing_files
from graders.scoring import wanted_criteria
from graders.storage.store import FILE, read_store
from graders.written.loading import ANSWERS
from submissions.escaping import listed
from submissions.finding import find, is_named
from submissions.folder import CODE
from submissions.listing import list_files
from submissions.receive import open_upload

LARGEST = 4 * 2**20  # bytes of a file whose lines are counted
WORDS: Mapping[CriterionKind, str] = {
    "code": "code",
    "metric": "files for metrics",
    "written": "written answers",
}


@dataclass(frozen=True, slots=True)
class Preview:
    """The files of one upload: code, artifacts, and what is missing.

    `artifacts` counts the lines of each file; the count is 0 for answers and optional files.
    `rejected` says why the upload cannot be opened; otherwise it is empty.
    """

    submission: Submission
    code: tuple[str, ...] = ()
    artifacts: Mapping[str, int] = field(default_factory=dict)
    missing: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    rejected: str = ""

    @property
    def kinds(self) -> frozenset[CriterionKind]:
        """The kinds of criteria that the upload has files for."""
        has: dict[CriterionKind, bool] = {
            "code": bool(self.code),
            "metric": any(name not in ANSWERS for name in self.artifacts),
            "written": any(name in ANSWERS for name in self.artifacts),
        }
        return frozenset(kind for kind, there in has.items() if there)


@dataclass(frozen=True, slots=True)
class Survey:
    """The kinds that no upload has files for, and a sentence if predictions are for other data."""

    submissions: int
    missing: tuple[CriterionKind, ...]
    other_data: str

    def refuse_other_data(self) -> None:
        """Raise UsageError if the predictions are for the course's data, but --data is missing."""
        if self.other_data:
            raise UsageError(self.other_data, "pass --data DIR with the course's data files")


def previews(submissions: Iterable[Submission], request: GradingRequest) -> Iterator[Preview]:
    """Open one upload after another, and list its files."""
    task, kinds = request.assignment, _kinds(request)
    for submission in submissions:
        with tempfile.TemporaryDirectory(prefix="softmark-look-") as work:
            try:
                with open_upload(submission.path, Path(work)) as folder:
                    preview = _preview(submission, folder, task, kinds)
            except Exception as error:  # noqa: BLE001  grading says the same, and stops for none
                preview = Preview(submission, rejected=str(error) or type(error).__name__)
        yield preview


def survey(
    uploads: Iterable[Preview], request: GradingRequest, *, allow_missing: bool = False
) -> Survey:
    """Find kinds without files, and predictions for other data.

    Stop early: one upload with files of a kind, or with predictions that fit the data, is enough.
    """
    missing = set() if allow_missing else set(_kinds(request))
    declared = _declared_rows(request)
    fitting = sizes_of_parts(request.assignment.data, None) if declared else frozenset[int]()
    seen, fits, other = 0, not declared, ""
    if missing or not fits:
        for preview in (upload for upload in uploads if not upload.rejected):
            seen += 1
            missing -= preview.kinds
            fits = fits or not fitting.isdisjoint(preview.artifacts.values())
            other = other or _of_other_data(preview, declared)
            if fits and not missing:
                break
    return Survey(seen, tuple(k for k in WORDS if seen and k in missing), "" if fits else other)


def refuse_missing(overview: Survey, request: GradingRequest) -> None:
    """Raise UsageError if nobody submitted files of some kind."""
    if overview.missing:
        way = _left_out(overview, request) or "check that this is the folder of the submissions"
        raise UsageError(
            _nobody_has(overview, request), f"{way}; `--allow-missing` counts that as zero"
        )


def notes_on_missing(overview: Survey, request: GradingRequest) -> list[str]:
    """Return a sentence for staff if nobody submitted files of some kind."""
    if not overview.missing:
        return []
    ways = (_nobody_has(overview, request), "that counts as zero", _left_out(overview, request))
    return ["; ".join(filter(None, ways))]


def stored_in(
    out: Path, submissions: Iterable[Submission], request: GradingRequest
) -> frozenset[str]:
    """Return the submissions whose stored Results a batch into `out` would reuse."""
    if not (out / FILE).is_file():
        return frozenset()
    with read_store(out) as store:
        seed = store.inputs_seed()
        if seed is None:
            return frozenset()
        options = replace(request.options, inputs_seed=seed)
        keys = keys_of(request.assignment, options)
        return frozenset(
            submission.id for submission in submissions if is_finished(store, submission, keys)
        )


def refuse_losses_in(out: Path, submissions: Sequence[Submission], request: GradingRequest) -> None:
    """Raise UsageError if a batch into `out` would lose published grades or the late policy."""
    if (out / FILE).is_file():
        with read_store(out) as store:
            refuse_other_criteria(store, submissions, request, alone=True)
            refuse_other_policy(store, request.assignment, alone=True)


def _nobody_has(overview: Survey, request: GradingRequest) -> str:
    names, count = _names(request.assignment), overview.submissions
    words = " or ".join(f"{WORDS[kind]} ({listed([*names[kind]])})" for kind in overview.missing)
    who = "the submission has no" if count == 1 else f"none of the {count} submissions has"
    return f"{who} {words}"


def _left_out(overview: Survey, request: GradingRequest) -> str:
    """Suggest an `--only` that leaves out what nobody submitted; "" if no points would be left."""
    task = request.assignment
    criteria = wanted_criteria(task, request.options.only)
    present = [criterion for criterion in criteria if criterion.kind not in overview.missing]
    kinds = [kind for kind in WORDS if any(criterion.kind == kind for criterion in present)]
    whole = [criterion for criterion in task.rubric if criterion.kind in kinds] == present
    names: Sequence[str] = kinds if whole else [criterion.id for criterion in present]
    points = any(criterion.points for criterion in present)
    return f"`--only {','.join(names)}` leaves that out" if points else ""


def _kinds(request: GradingRequest) -> frozenset[CriterionKind]:
    """Return the kinds with points that are graded from files of the upload."""
    task, options = request.assignment, request.options
    graded = {
        criterion.kind for criterion in wanted_criteria(task, options.only) if criterion.points
    }
    trained = {"metric"} if options.rerun is not None else set()
    names = _names(task)
    return frozenset(kind for kind in graded - trained if names[kind])


def _names(task: Assignment) -> Mapping[CriterionKind, tuple[str, ...]]:
    """Return the files that each kind of criteria is graded from."""
    written = any(criterion.kind == "written" for criterion in task.rubric)
    return {
        "code": task.files.code,
        "metric": tuple(name for name in task.files.artifacts if name not in ANSWERS),
        "written": ANSWERS if written else (),
    }


def _preview(
    submission: Submission, folder: Path, task: Assignment, kinds: frozenset[CriterionKind]
) -> Preview:
    files = list_files(folder).files
    layout = find(files, task.files.code, task.files.artifacts, whole=task.files.whole)
    code = _code(files, layout.code, task.files.code)
    if task.files.whole:
        code = _used(code, find(files, task.files.code, ()).code)
    other = (*ANSWERS, *task.files.optional)
    lines = {n: 0 if n in other else _lines(folder / p[0]) for n, p in layout.files.items()}
    names = [PurePosixPath(module).name for module in code]
    missing = tuple(missing_files(task.files, kinds, names, lines))
    return Preview(submission, code, lines, missing, layout.notes)


def _code(
    files: Iterable[PurePosixPath], top: PurePosixPath | None, modules: Sequence[str]
) -> tuple[str, ...]:
    """Return the wanted modules in the code folder, or any other code in it."""
    inside = [] if top is None else [file for file in files if file.is_relative_to(top)]
    named = [file for file in inside if is_named(file.name, modules)]
    return tuple(str(file) for file in named or inside if file.suffix in CODE)


def _used(code: Sequence[str], best: PurePosixPath | None) -> tuple[str, ...]:
    """Return the modules in the best folder, and from other folders those that it lacks."""
    inside = [module for module in code if PurePosixPath(module).parent == best]
    names = {PurePosixPath(module).name for module in inside}
    return (*inside, *(module for module in code if PurePosixPath(module).name not in names))


def _lines(file: Path) -> int:
    """Return the number of lines of a text file; 0 if it is too large to be predictions."""
    if file.stat().st_size > LARGEST:
        return 0
    content = file.read_bytes().rstrip(b"\r\n")
    return content.count(b"\n") + 1 if content else 0


def _declared_rows(request: GradingRequest) -> Mapping[int, str]:
    """Return the declared data files by their rows; none if --data is given."""
    if request.options.data is not None or "metric" not in _kinds(request):
        return {}
    files = [*request.assignment.data_files.items()][::-1]  # if rows are equal, the first wins
    return {file.rows: name for name, file in files if file.rows}


def _of_other_data(upload: Preview, declared: Mapping[int, str]) -> str:
    for name, lines in upload.artifacts.items():
        if lines in declared:
            return (
                f"{upload.submission.id}: `{name}` has {lines} lines, as many as the course's "
                f"`{declared[lines]}`, but --data was not given"
            )
    return ""
