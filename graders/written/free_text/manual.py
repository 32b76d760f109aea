"""Build the rubric for answers that could not be read automatically.

The automatic part of a question has no rubric of its own: here it gets one item for each value that
it requires, or for each part of a table that earns points.
"""

from collections.abc import Iterator

from graders.model import MACHINE, CheckResult, CriterionResult
from graders.written.decisions import decided_as
from graders.written.question import Machine, Question, Review, RubricItem

ANSWER = "The answer is correct"
ACCEPT = "Accept: what the check earned counts; in full where it could not say"
# The meaning of the awards of reported numbers, see verifiers/reported/settings.py.
AWARDS = {
    "agree": "No loss contradicts its perplexity",
    "columns": "Each column asked for is there for every epoch",
    "complete": "The perplexities asked for are there",
    "dev_epoch": "The best epoch on the dev set is the curve's",
    "distinct": "No two runs have identical numbers",
    "final": "The last training accuracy is high enough",
    "learned": "The accuracy is above the majority class",
    "length": "The curve has the number of epochs asked for",
    "overfits": "The run overfits",
    "possible": "The accuracies are possible for the size of their split",
    "reached": "The accuracies reach their thresholds",
    "runs": "The runs asked for are there",
    "selection": "A run is chosen by its dev accuracy",
    "stated": "The settings asked for are stated",
    "test": "The chosen run has a test accuracy",
    "train_epoch": "The best epoch on the training set is the curve's",
    "variants": "The variants asked for are there",
}


def by_hand(question: Question) -> Question | None:
    """Return the question with a rubric for its automatic part, or None if it has none."""
    machine = question.machine
    if machine is None:
        return None
    name = decided_as(f"{question.id}{MACHINE}")
    title = f"{question.title} ({', '.join(machine.parts)})"
    return Question(name, title, question.prompt, machine, _rubric(machine))


def confirmation(graded: CriterionResult, result: CheckResult) -> Question:
    """Return the question that a waiting check of code or predictions asks a person.

    It has one item to tick, which is worth the points of the check.
    """
    total = sum(check.weight for check in graded.checks)
    points = round(graded.criterion.points * result.weight / total, 4) if total else 0.0
    rubric = Review(points, "", (RubricItem(points, ACCEPT, (), ()),))
    return Question(result.id, graded.criterion.title, result.check.description, None, rubric)


def is_confirmation(question: Question) -> bool:
    """Return True if this is the question of a check of code or predictions, not a written one."""
    review = question.review
    return review is not None and [item.text for item in review.items] == [ACCEPT]


def _rubric(machine: Machine) -> Review:
    lines = list(_lines(machine))
    unit = machine.points / sum(weight for weight, _ in lines)
    items = [RubricItem(round(weight * unit, 4), text, (), ()) for weight, text in lines]
    rest = machine.points - sum(item.points for item in items[:-1])
    items[-1] = RubricItem(round(rest, 4), items[-1].text, (), ())
    return Review(machine.points, machine.parts[0], tuple(items))


def _lines(machine: Machine) -> Iterator[tuple[float, str]]:
    """Yield the rubric's items, each with its weight."""
    awards = machine.settings.get("points")
    if machine.kind == "table" and isinstance(awards, dict):
        yield from ((float(points), AWARDS.get(name, str(name))) for name, points in awards.items())
    elif len(machine.parts) == 1:
        expected = " ".join(machine.expected.split())
        yield 1.0, (f"{ANSWER}: {expected}" if expected else ANSWER)
    else:
        weights = machine.settings.get("weights", {})
        shares = weights if isinstance(weights, dict) else {}
        yield from (
            (float(shares.get(part, 1.0)), f"`{part}` is correct") for part in machine.parts
        )
