"""Find assignments and read their assignment.toml."""

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

from pydantic import BaseModel, Field

from graders.boundary.side import check_paths
from graders.data.declared import DeclaredFile
from graders.errors import UsageError, did_you_mean
from graders.model import (
    TOTAL_SECONDS,
    Assignment,
    Criterion,
    CriterionKind,
    DataKind,
    FileSpec,
    Limits,
    Setting,
    Visibility,
)
from graders.registry.grading_table import Due, GradingTable, refuse_wrong_drops
from graders.suite.reading import suite_tests
from graders.tables import read_table
from graders.written.loading import ANSWERS, ID, ID_WORDS, written_criteria

PLAIN = "a number, a string, true or false"
ASSIGNMENTS = Path(__file__).parents[1] / "assignments"


class _Limits(BaseModel, extra="forbid"):
    wall_seconds: float = Field(gt=0)
    cpu_seconds: int = Field(gt=0)
    memory_bytes: int = Field(ge=2**28)
    output_bytes: int = Field(gt=0)
    processes: int = Field(gt=0)
    gpus: float = Field(default=1.0, gt=0, le=1)
    total_seconds: float = Field(default=TOTAL_SECONDS, gt=0)


class _Files(BaseModel, extra="forbid"):
    code: tuple[str, ...]
    artifacts: tuple[str, ...] = ()
    optional: tuple[str, ...] = ()
    names: tuple[str, ...] = ()
    whole: bool = False
    public: tuple[str, ...] = ()


class _Suite(BaseModel, extra="forbid"):
    folder: str = Field(
        pattern=r"^[A-Za-z_][A-Za-z0-9_]*$", description="the name of a folder that can be imported"
    )


class _Criterion(BaseModel, extra="forbid"):
    id: str = Field(pattern=ID, description=ID_WORDS)
    title: str
    points: float = Field(ge=0)
    kind: CriterionKind
    visibility: Visibility = "visible"
    extra_credit: bool = False


class _AssignmentFile(BaseModel, extra="forbid"):
    name: str
    title: str
    version: int = Field(ge=1)
    seed: int
    due: Due | None = None
    limits: _Limits
    files: _Files
    preload: tuple[str, ...] = ()
    data: DataKind = "birthplaces"
    data_files: dict[str, DeclaredFile] = {}
    settings: dict[str, Annotated[Setting, Field(description=PLAIN)]] = {}
    suite: _Suite | None = None
    grading: GradingTable = GradingTable()
    criterion: tuple[_Criterion, ...] = ()


def assignment_names() -> list[str]:
    """Return the names of the installed assignments."""
    return sorted(name_of(path.parent) for path in ASSIGNMENTS.glob("*/assignment.toml"))


def load_assignment(name: str) -> Assignment:
    """Return the assignment of this name, or in the folder of this path; raises UsageError."""
    folder = ASSIGNMENTS / name.replace("-", "_")
    if not (folder / "assignment.toml").is_file():
        folder = Path(name).resolve()
    file = folder / "assignment.toml"
    if not file.is_file():
        near = did_you_mean(name, assignment_names())
        problem = f"there is no assignment `{name}`{near}"
        raise UsageError(problem, "or give the folder of an assignment.toml")
    _refuse_names(folder)
    return _assignment(read_table(file, _AssignmentFile, "see docs/assignments.md"), folder)


def name_of(folder: Path) -> str:
    """Return the name of an installed assignment from its folder: `cs224n-a4` for `cs224n_a4`."""
    return folder.name.replace("_", "-")


def _refuse_names(folder: Path) -> None:
    """Raise UsageError if the folder cannot be imported, or a file has a name of earlier versions.

    Only a folder with an `__init__.py` is imported.
    """
    if (folder / "__init__.py").is_file() and not folder.name.isidentifier():
        raise UsageError(
            f"{folder}: its modules cannot be imported, because of the folder's name",
            "use only letters, digits and `_` in it, such as `our_a4`",
        )
    old = [*folder.glob("adapters.py"), *folder.glob("adapters_*.py")]
    old += () if check_paths(folder) else folder.glob("test_*.py")
    if old:
        raise UsageError(
            f"{sorted(old)[0]}: Softmark no longer looks for a file of this name",
            "rename `test_NAME.py` to `checks_NAME.py`, `adapters.py` to `student_side.py`, and "
            "`adapters_NAME.py` to `student_NAME.py`; see docs/assignments.md",
        )


def _assignment(file: _AssignmentFile, folder: Path) -> Assignment:
    written = written_criteria(folder)
    suite = file.suite.folder if file.suite is not None else ""
    own = (Criterion(**criterion.model_dump()) for criterion in file.criterion)
    tests = suite_tests(folder / suite) if suite else ()
    rubric = (*own, *(test.criterion for test in tests), *written)
    _refuse_wrong_rubric([criterion.id for criterion in rubric], folder)
    policy, toml = file.grading.policy(), str(folder / "assignment.toml")
    counted = {criterion.id: criterion.points for criterion in rubric if not criterion.extra_credit}
    refuse_wrong_drops(policy.drops, counted, file=toml)
    return Assignment(
        name=file.name,
        title=file.title,
        version=file.version,
        due=file.due,
        rubric=rubric,
        files=FileSpec(**file.files.model_dump() | {"artifacts": _artifacts(file, written)}),
        limits=Limits(**file.limits.model_dump()),
        seed=file.seed,
        folder=folder,
        preload=file.preload,
        data=file.data,
        data_files={name: each.plain() for name, each in file.data_files.items()},
        settings=file.settings,
        suite=suite,
        grading=policy,
    )


def _artifacts(file: _AssignmentFile, written: Sequence[Criterion]) -> tuple[str, ...]:
    """Return the declared artifacts, plus the answers file if there are written questions."""
    answers = [name for name in ANSWERS if written and name not in file.files.artifacts]
    return (*file.files.artifacts, *answers)


def _refuse_wrong_rubric(ids: Sequence[str], folder: Path) -> None:
    file = folder / "assignment.toml"
    twice = sorted({each for each in ids if ids.count(each) > 1})
    if twice:
        raise UsageError(f"{file}: duplicate criterion id `{twice[0]}`")
    if not ids:
        raise UsageError(f"{file}: `criterion`: there is none", "see docs/assignments.md")
