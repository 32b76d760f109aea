"""Arguments and options that several commands share."""

import os
from pathlib import Path
from typing import Annotated

import typer

from graders.errors import UsageError

NO_SANDBOX = "`--isolation none` runs the submitted code without a sandbox, as you"


def warn_of_none(isolation: str) -> str:
    """Warn on stderr about the tier `none`."""
    if isolation == "none":
        from reports.terminal.results import show_warning  # slow, and rarely needed here

        show_warning(NO_SANDBOX)
    return isolation


Name = Annotated[str, typer.Argument(metavar="ASSIGNMENT", help="such as cs224n-a4")]
Folder = Annotated[Path, typer.Argument(help="A results folder.", metavar="DIR")]
Reviewer = Annotated[str, typer.Option(help="The name to record.", show_default="your login")]
Out = Annotated[Path, typer.Option(help="Folder for results, reports and grades.")]
Data = Annotated[
    Path | None,
    typer.Option(
        help="Folder with the course's data files.", show_default="the built-in sample dataset"
    ),
]
Only = Annotated[str, typer.Option(metavar="ID,ID", help="Criteria, or kinds: code,metric.")]
Device = Annotated[str, typer.Option(help="For --rerun: auto, cpu or cuda. Checks use the CPU.")]
TIERS = "auto, bubblewrap, landlock or none."
Isolation = Annotated[str, typer.Option(help=TIERS, callback=warn_of_none)]
OwnIsolation = Annotated[str, typer.Option(help=TIERS)]  # for code that the user wrote
Jobs = Annotated[
    int, typer.Option(help="Submissions to grade at once.", show_default="one per core")
]
ExecutorName = Annotated[str, typer.Option("--executor", help="serial, processes or ray.")]
Inputs = Annotated[str, typer.Option(help="secret, public, or a file with a secret to share.")]
Json = Annotated[bool, typer.Option("--json", help="Print results as JSON lines.")]
Layout = Annotated[str, typer.Option("--from", help="auto, folders, gradescope, canvas or git.")]
Roster = Annotated[
    Path | None,
    typer.Option(
        help="CSV of all students: submission, name, email, student_id, section, status.",
        show_default="DIR/roster.csv, if it exists",
    ),
]
Attempts = Annotated[str, typer.Option(help="A student's submissions: last, best or all.")]
AllowMissing = Annotated[
    bool, typer.Option("--allow-missing", help="Count what nobody submitted as zero.")
]
DryRun = Annotated[
    bool, typer.Option("--dry-run", help="List the submissions and their files; grade nothing.")
]
Force = Annotated[bool, typer.Option("--force", help="Regrade everything, ignoring saved results.")]
Rerun = Annotated[bool, typer.Option("--rerun", help="Also retrain with the student's run.py.")]
RerunWall = Annotated[float, typer.Option(metavar="MINUTES", help="Time limit for training.")]

JOBS = os.cpu_count() or 1


def existing(path: Path, kind: str = "a folder or an archive") -> Path:
    """Return the path of an upload, or of `kind`; raises UsageError if it does not exist."""
    if not path.exists():
        raise UsageError(f"{path} does not exist", f"give {kind}")
    return path
