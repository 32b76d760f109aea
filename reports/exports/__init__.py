"""Export results as files of other systems, by the name of the format.

A writer is a function from a `Course` to an `Export`, and one line in FORMATS.
"""

from collections.abc import Mapping

from reports.exports.canvas import canvas_csv
from reports.exports.classroom50 import classroom50_export
from reports.exports.export import Course, Export, Writer
from reports.exports.github import github_export
from reports.exports.junit import junit_export
from reports.exports.pages import pages_export
from reports.exports.research import research_export
from reports.exports.tables import gradescope_csv, moodle_csv, nbgrader_csv, plain_csv

__all__ = ["FORMATS", "Course", "Export", "Writer"]

FORMATS: Mapping[str, Writer] = {
    "gradescope-csv": gradescope_csv,
    "canvas": canvas_csv,
    "nbgrader": nbgrader_csv,
    "moodle": moodle_csv,
    "csv": plain_csv,
    "pages": pages_export,
    "research": research_export,
    "junit": junit_export,
    "github": github_export,
    "classroom50": classroom50_export,
}
