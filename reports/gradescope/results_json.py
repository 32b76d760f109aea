"""Write a Result for Gradescope: `DIR/gradescope/<submission>.json`, in the format of results.json.

There is one test per criterion; its output describes the checks in Markdown. Keys, types and status
words of a test are those of gradescope-utils. Every test has a `max_score`, whatever could be
graded. Gradescope adds up the tests' scores if the file has no total, so a Result without a score
publishes no scores at all: the outputs say in words what is decided so far.

An autograder's own results.json goes further: without a score it has no tests either. Gradescope's
specification requires a score at the top or on every test, so Gradescope treats such a file as an
error of the autograder and reports it to staff; nothing reads it as a zero.
"""

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from graders.course.release import PLAIN, CourseRules
from graders.failures import message_of
from graders.figures import Accuracy, drawable
from graders.model import CheckResult, CriterionResult, Result
from graders.storage.result_json import submission_file, write_text
from reports.gradescope.final import Json, with_final_grade
from reports.gradescope.markdown import block, escaped, message_markdown, spans
from reports.provisional import provisional
from reports.text import line, number, points
from reports.words import STATUS_SENTENCES, adjusted_words, check_word, intake_notes

# Of a Result's environment: what says where a grade comes from, and nothing of an answer.
PROVENANCE = ("isolation", "device", "seeds", "inputs", "data", "python", "versions", "resources")


@dataclass(frozen=True, slots=True)
class Extras:
    """The additions of an autograder: sentences for students, data for staff, accuracies."""

    sentences: tuple[str, ...] = ()
    data: Mapping[str, object] = field(default_factory=dict)
    leaderboard: bool = False


def write_gradescope(result: Result, out: Path, rules: CourseRules = PLAIN) -> Path:
    """Write `out/gradescope/<submission>.json` and return its path."""
    path = submission_file(out, "gradescope", result.submission.id, ".json")
    return write_text(path, gradescope_text(result, rules))


def gradescope_text(result: Result, rules: CourseRules = PLAIN) -> str:
    """The document as the text of its file, with the final grade as its score."""
    document = with_final_grade(gradescope_json(result), result, rules.grade(result))
    return json.dumps(document, indent=2) + "\n"


def autograder_json(result: Result, extras: Extras) -> Json:
    """Return the document for Gradescope's container; without a score it has no tests."""
    text = "\n\n".join((*map(escaped, extras.sentences), *_about(result)))
    document = gradescope_json(result) | {"output": text}
    if extras.leaderboard:
        document["leaderboard"] = leaderboard(result)
    document["extra_data"] = {"softmark": provenance(result) | dict(extras.data)}
    if result.score is None:
        del document["tests"]
        document["output"] = "\n\n".join((text, *_visible_outputs(result)))
    return document


def gradescope_json(result: Result) -> Json:
    """Return the document that Gradescope reads as results.json."""
    document: Json = {
        "tests": [_test(i, c, result) for i, c in enumerate(result.criteria, 1)],
        "leaderboard": [],
        "visibility": "visible",
        "stdout_visibility": "hidden",
        "execution_time": f"{result.seconds:.2f}",
        "output_format": "md",
        "test_output_format": "md",
        "test_name_format": "text",
    }
    if result.score is not None:
        document["score"] = result.score
    if output := "\n\n".join(_about(result)):
        document["output"] = output
    return document


def leaderboard(result: Result) -> list[Json]:
    """Return the accuracies of visible criteria, by label, in percent."""
    rows: dict[str, float] = {}
    for graded in result.criteria:
        if graded.criterion.visibility == "visible":
            for figure in (figure for check in graded.checks for figure in check.figures):
                if isinstance(figure, Accuracy) and drawable(figure):
                    rows.setdefault(line(figure.label), round(100 * figure.correct / figure.n, 2))
    return [{"name": name, "value": value} for name, value in rows.items()]


def provenance(result: Result) -> Json:
    """Return the upload and the versions that graded it, for staff and for later submissions."""
    environment = result.environment
    return {
        "assignment": result.assignment,
        "version": result.version,
        "status": result.status,
        "submission_sha256": result.submission.sha256,
        "started_at": result.started_at.isoformat(timespec="seconds"),
    } | {key: environment[key] for key in PROVENANCE if key in environment}


def _about(result: Result) -> Iterator[str]:
    if result.status != "graded":
        yield STATUS_SENTENCES[result.status]
    yield from map(spans, intake_notes(result))


def _visible_outputs(result: Result) -> Iterator[str]:
    if result.status == "rejected":  # stated above, and the same for all criteria
        return
    for index, graded in enumerate(result.criteria, 1):
        if graded.criterion.visibility == "visible":
            yield f"**{index} {escaped(line(graded.criterion.title))}**"
            yield from _output(index, graded, result)


def _test(index: int, graded: CriterionResult, result: Result) -> Json:
    criterion = graded.criterion
    test: Json = {"name": line(criterion.title)}
    if result.score is not None and graded.points is not None:
        test["score"] = graded.points
        lost = graded.points < criterion.points or graded.status == "failed"
        test["status"] = "failed" if lost else "passed"
    return test | {
        "max_score": criterion.maximum,
        "output": "\n\n".join(_output(index, graded, result)),
        "visibility": criterion.visibility,
        "number": str(index),
    }


def _output(index: int, graded: CriterionResult, result: Result) -> Iterator[str]:
    most = points(graded.criterion.points)
    if result.status == "rejected":
        yield STATUS_SENTENCES["rejected"]
        return
    if graded.adjusted:
        comment = graded.adjusted.comment
        yield escaped(f"{adjusted_words(graded)}\nComment: {comment}")
    if graded.points is None:
        sure = provisional(graded).earned
        certain = f" So far: {number(sure)}." if sure else ""
        yield f"Not graded yet; no points deducted for that. It is worth {most}.{certain}"
    elif result.score is None:
        yield f"{number(graded.points)} of {most}, counted once everything is graded."
    for place, check in enumerate(graded.checks, 1):
        yield f"**{index}.{place} {check_word(check)}** {spans(check.check.description)}"
        yield from _details(check)


def _details(result: CheckResult) -> Iterator[str]:
    """Yield what a check reports in addition to its status: sentences, then unescaped values."""
    if result.message:
        yield message_markdown(message_of(result))
    if result.hint:
        yield f"Hint: {spans(result.hint)}"
    values = (("expected", result.expected), ("got", result.actual))
    labelled = ((line(label), value) for label, value in result.counterexample)
    if rows := [(label, text) for label, text in (*values, *labelled) if text]:
        yield block(rows)
