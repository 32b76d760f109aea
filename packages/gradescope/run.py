"""Run the grader in Gradescope's container: read one submission, write one results.json.

    python -m packages.gradescope.run RESULTS   grades ROOT/submission, called by run_autograder
    python -m packages.gradescope.run --ready   prints what the image offers; called by setup.sh

    ROOT/source/autograder.json ──┐
    ROOT/submission ──────────────┼── grade_submission ── RESULTS
    ROOT/submission_metadata.json ┘

A student's code never runs in this process. A failure here gives a document without a score.
"""

import json
import os
import signal
import sys
import traceback
from dataclasses import replace
from datetime import datetime
from pathlib import Path

from graders.boundary.tiers.sandbox import Tier
from graders.course.extensions import Extensions
from graders.course.release import CourseRules
from graders.errors import GraderFault
from graders.execution.isolation import choose_tier
from graders.execution.workplace import settle
from graders.grading.choices import choose_options
from graders.grading.options import Options
from graders.grading.pipeline import grade_submission
from graders.grading.secret import new_secret
from graders.model import Assignment, Submission
from graders.registry.discovery import load_assignment
from graders.storage.result_json import write_text
from packages.gradescope.metadata import Metadata, about_previous, about_time, read_metadata
from packages.gradescope.settings import Settings, read_settings, sized
from reports.gradescope.final import Json, with_final_grade
from reports.gradescope.results_json import Extras, autograder_json
from submissions.receive import identify

ROOT = Path(__file__).resolve().parents[4]
OURS = (
    "This could not be graded. That is our fault, not yours, and does not count as a zero. Your "
    "course staff must run the autograder again; its output says what went wrong."
)


def main() -> None:
    """Grade the submission, or print the sandbox tier."""
    # When its time is up, it ends its children first; run_autograder then writes the results.
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    settle()
    if sys.argv[1] == "--ready":
        settings = read_settings(ROOT / "source")
        tier = choose_tier(settings.isolation, refuse_none=False)
        print(f"{load_assignment(settings.assignment).title}: isolation here is `{tier.value}`")
    else:
        document = json.dumps(document_of(ROOT), indent=2) + "\n"
        write_text(Path(sys.argv[1]), document)


def document_of(root: Path) -> Json:
    """Return the contents of results.json for the submission in `root`.

    It has no score if grading fails.
    """
    try:
        return _graded(root)
    except Exception:  # noqa: BLE001  whatever breaks is ours, and staff read it in the output
        traceback.print_exc()
        return {
            "output": OURS,
            "output_format": "text",
            "visibility": "visible",
            "stdout_visibility": "hidden",
        }


def _graded(root: Path) -> Json:
    settings = read_settings(root / "source")
    task = sized(load_assignment(settings.assignment), settings)
    metadata = read_metadata(root / "submission_metadata.json")
    upload = _submission(root / "submission", task, metadata)
    result = grade_submission(upload, task, _options(root, task, settings))
    for note in metadata.notes:
        print(note)
    due = metadata.due or task.due
    document = autograder_json(result, _extras(settings, task, metadata, due))
    grade = CourseRules(policy=task.grading, dues=Extensions(due)).grade(result)
    return with_final_grade(document, result, grade)


def _submission(folder: Path, task: Assignment, metadata: Metadata) -> Submission:
    """Return the upload in the folder. Raises GraderFault if it is missing or empty."""
    if not folder.is_dir() or not any(folder.iterdir()):
        raise GraderFault(f"{folder} contains no files")
    return replace(
        identify(folder, task.name),
        id=f"gradescope-{metadata.id or 'submission'}",
        submitted_at=metadata.submitted_at,
    )


def _options(root: Path, task: Assignment, settings: Settings) -> Options:
    data = root / "source" / "data" if settings.data else None
    options = choose_options(task, data=data, isolation=settings.isolation)
    if options.tier is Tier.NONE and os.geteuid() != 0:
        raise GraderFault("without root and without isolation, a submission could write its grade")
    seed = int(settings.draw, 16) if settings.draw else new_secret()
    only = None if settings.only is None else frozenset(settings.only)
    return replace(options, only=only, inputs_seed=seed)


def _extras(
    settings: Settings, task: Assignment, metadata: Metadata, due: datetime | None
) -> Extras:
    return Extras(
        sentences=(*about_time(metadata, due), *about_previous(metadata, task)),
        data={
            "checks_sha256": settings.checks,
            "previous_submissions": metadata.previous,
            "best_previous_score": metadata.best,
            "due": due and due.isoformat(),
            "notes": list(metadata.notes),
        },
        leaderboard=settings.leaderboard,
    )


if __name__ == "__main__":
    main()
