"""Build the autograder.zip that Gradescope expects.

    autograder.zip
    ├── setup.sh, run_autograder   the scripts that Gradescope calls (packages/templates/)
    ├── requirements.txt           the packages that grading this assignment imports
    ├── constraints.txt            their versions
    ├── autograder.json            how to grade: Settings, with a hash of softmark/
    ├── softmark/                  the packages that grade, with only this assignment
    └── data/                      the course's files, if they were given

Equal input gives equal bytes. Solutions, examples, other assignments and pages are left out.
"""

import hashlib
import json
import zipfile
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass, replace
from io import BytesIO
from pathlib import Path

from graders.boundary.policy import MAX_FAULTS
from graders.data.declared import refuse_other_data
from graders.errors import UsageError
from graders.model import Assignment, Criterion
from graders.storage.files import write_whole
from graders.suite.model import MARK
from packages.gradescope.files import course_files, distribution, requirements, rooms
from packages.gradescope.settings import FILE, Settings, sized

TEMPLATES = Path(__file__).parents[1] / "templates"
CONSTRAINTS = Path(__file__).parents[2] / "constraints.txt"
LARGEST = 100 * 1000 * 1000  # the limit of Gradescope
TIDYING_SECONDS = 40  # of the container's time, for what runs before and after the grading
EPOCH = (1980, 1, 1, 0, 0, 0)  # the earliest time that a zip can contain


@dataclass(frozen=True, slots=True)
class Package:
    """A package that was written, with its size and warnings for the person who made it."""

    file: Path
    size: int
    warnings: tuple[str, ...]


def write_autograder(
    assignment: Assignment, output: Path, settings: Settings, data: Path | None = None
) -> Package:
    """Write an assignment's autograder. Raises UsageError if Gradescope would not accept it."""
    files = autograder_files(assignment, settings, data)
    content = zipped(files)
    if len(content) > LARGEST:
        raise UsageError(
            f"{output}: {len(content) / 1e6:.0f} MB, and Gradescope takes {LARGEST // 10**6}",
            "leave out of --data what is not one of the course's files",
        )
    write_whole(output, content, remedy="give another file as -o")
    return Package(output, len(content), tuple(_warnings(assignment, settings, files)))


def autograder_files(
    assignment: Assignment, settings: Settings, data: Path | None
) -> dict[str, bytes]:
    """Return the contents of the zip by path."""
    softmark = {f"softmark/{name}": content for name, content in rooms(assignment).items()}
    refuse_other_data(assignment, data)
    data_files = course_files(data, assignment) if data is not None else {}
    settings = replace(settings, data=bool(data_files), checks=_sum(softmark))
    return (
        {f"data/{name}": content for name, content in data_files.items()}
        | distribution()
        | softmark
        | {
            "requirements.txt": requirements(assignment).encode(),
            "constraints.txt": _constraints(),
            FILE: (json.dumps(asdict(settings), indent=1) + "\n").encode(),
            "setup.sh": (TEMPLATES / "setup.sh").read_bytes(),
            "run_autograder": _run_autograder(settings),
        }
    )


def zipped(files: Mapping[str, bytes]) -> bytes:
    """Return the files as a zip whose bytes depend on nothing else."""
    buffer = BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as archive:
        for name, content in sorted(files.items()):
            entry = zipfile.ZipInfo(name, EPOCH)
            entry.create_system = 3  # Unix on every machine, because only Unix has modes
            runs = name in ("setup.sh", "run_autograder")
            entry.external_attr = (0o100755 if runs else 0o100644) << 16
            entry.compress_type = zipfile.ZIP_DEFLATED
            archive.writestr(entry, content)
    return buffer.getvalue()


def _sum(files: Mapping[str, bytes]) -> str:
    """Return one hash of the names and contents."""
    lines = (f"{name} {hashlib.sha256(files[name]).hexdigest()}\n" for name in sorted(files))
    return hashlib.sha256("".join(lines).encode()).hexdigest()


def _constraints() -> bytes:
    if not CONSTRAINTS.is_file():
        raise UsageError(
            f"{CONSTRAINTS}: the file with the pinned versions is missing",
            "make the package from a clone of Softmark's repository",
        )
    return CONSTRAINTS.read_bytes()


def _run_autograder(settings: Settings) -> bytes:
    seconds = _seconds(settings)
    text = (TEMPLATES / "run_autograder").read_text(encoding="utf-8")
    return text.replace("@SECONDS@", str(seconds)).encode()


def _seconds(settings: Settings) -> int:
    """Return how long a grading may take, in seconds."""
    return settings.minutes * 60 - TIDYING_SECONDS


def _tries(criterion: Criterion) -> int:
    """Return how often code that never ends can use up its time limit in this criterion.

    Every test of a suite is a criterion and runs once.
    """
    if criterion.kind != "code":
        return 0
    return 1 if criterion.title.endswith(MARK) else MAX_FAULTS


def _warnings(
    assignment: Assignment, settings: Settings, files: Mapping[str, bytes]
) -> Iterator[str]:
    criteria = [c for c in assignment.rubric if settings.only is None or c.id in settings.only]
    tries = sum(_tries(criterion) for criterion in criteria)
    limits = sized(assignment, settings).limits
    longest = min(tries * limits.wall_seconds, limits.total_seconds)
    if longest > _seconds(settings):
        yield (
            f"code that never ends takes up to {longest / 60:.0f} minutes; a submission that takes "
            "longer than the container allows has no score: raise the limit there and --minutes"
        )
    if any(criterion.kind == "written" and criterion.points for criterion in criteria):
        yield (
            "a submission has no score on Gradescope until a person has graded its written "
            "answers: `--only code,metric` leaves the written part out"
        )
    if any(name.startswith("data/") for name in files):
        yield (
            "the zip contains the files of --data, including any answers: anyone who can "
            "download the autograder, or read files in its container, has them"
        )
    elif any(criterion.kind == "metric" for criterion in criteria):
        yield (
            "without --data predictions are graded with the built-in sample dataset, "
            "not with the course's files"
        )
    if settings.isolation == "none":
        yield (
            "`--isolation none`: in a container, where it is root, Softmark runs students' code as "
            "another user; anywhere else, nothing protects checks, answers and grades from it"
        )
