"""Write the files in DIR again from the store, including the decisions."""

from graders.course.review import Review
from reports.course.files import write_course


def write_grades(review: Review) -> str:
    """Write all output files and return a message. Raises UsageError while DIR is in use."""
    review.refresh()
    newest, count = review.trail.newest, review.unwritten()
    task = review.assignment_now()
    with review.writing() as (store, generation):
        write_course(store, generation, task=task, out=review.folder, named=())
    review.decisions.keep_written(newest)
    whose = "1 submission" if count == 1 else f"{count} submissions"
    return f"grades written: decisions of {whose} are now in {review.folder}"
