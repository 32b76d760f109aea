"""Merge a submission under another name into its student's own, or separate the two again."""

from dataclasses import replace

from graders.course.best_attempts import ResultsFolder
from graders.course.merges import Merge, merge_into, merges_table, separate
from graders.errors import UsageError
from reports.review.commenting import find_submission
from reports.review.verdicts import NOTHING, in_one_line


def merge(folder: ResultsFolder, typed: Merge, *, seen: int | None = None) -> tuple[str, ...]:
    """Store a merge as it was typed and return sentences; without `into`, separate the submission.

    `seen` is the number of rows when the page was opened. The results folder must be locked.
    Raises UsageError if it is not possible.
    """
    resolved = replace(
        typed,
        submission=find_submission(folder.store, typed.submission),
        into=find_submission(folder.store, typed.into) if typed.into else "",
        comment=in_one_line(typed.comment),
    )
    rows = [] if seen is None else merges_table(folder.out).all_rows()[seen:]
    for row in [row for row in rows if row["submission"] == resolved.submission][-1:]:
        what = f"merged {resolved.submission} into {row['into']}"
        what = what if row["into"] else f"separated {resolved.submission} again"
        raise UsageError(
            f"{row['by'] or 'somebody'} {what} in the meantime; {NOTHING}",
            "do it again if yours should count",
        )
    act = merge_into if resolved.into else separate
    return act(folder, resolved)
