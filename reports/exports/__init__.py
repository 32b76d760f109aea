"""Export Results as files for other systems, by the name of the format.

A writer is a function from a `Course` to an `Export`, and one line in FORMATS.
"""

from collections.abc import Mapping

from reports.exports.canvas import canvas_csv
from reports.exports.classroom50 import classroom50_export
from reports.exports.export import Course, Export, Writer
from reports.exports.github_summary import github_export
from reports.exports.gradescope_csv import gradescope_csv
from reports.exports.junit import junit_export
from reports.exports.nbgrader import nbgrader_csv

__all__ = ["FORMATS", "Course", "Export", "Writer"]

FORMATS: Mapping[str, Writer] = {
    "gradescope-csv": gradescope_csv,
    "canvas": canvas_csv,
    "nbgrader": nbgrader_csv,
    "junit": junit_export,
    "github": github_export,
    "classroom50": classroom50_export,
}
