"""Missing, unimplemented or faked code of the homework costs its own criterion.

Mistakes with their points and hints are planted in examples.toml.
"""

import functools

import pytest

from graders.boundary.tiers.sandbox import best_tier
from graders.grading.pipeline import Options, grade_submission
from graders.registry.discovery import ASSIGNMENTS, load_assignment
from submissions.receive import identify

pytestmark = pytest.mark.slow
SOLUTION = ASSIGNMENTS / "jhu_hw6" / "solution"
BASE, PEFT = "base_classification.py", "classification.py"
CODE = frozenset(
    ("boolq-data", "evaluation", "training", "full-tuning", "head-tuning", "prefix-tuning")
)


@functools.cache
def solution(name):
    return (SOLUTION / name).read_text(encoding="utf-8")


def changed(name, *changes):
    text = solution(name)
    for old, new in changes:
        assert old in text, old
        text = text.replace(old, new)
    return text


@pytest.fixture
def grade(tmp_path):
    """Grades files given as texts, on these criteria: points lost, and all that is said."""

    def run(files, *only):
        folder = tmp_path / "handed-in"
        folder.mkdir()
        for name, text in files.items():
            (folder / name).write_text(text, encoding="utf-8")
        options = Options(best_tier(), only=frozenset(only) or CODE)
        result = grade_submission(identify(folder, "jhu-hw6"), load_assignment("jhu-hw6"), options)
        assert result.status == "graded", result.environment
        lost = {
            each.criterion.id: each.criterion.points - each.points
            for each in result.criteria
            if each.points != each.criterion.points
        }
        checks = [check for each in result.criteria for check in each.checks]
        return lost, " ".join(f"{check.message} {check.hint}" for check in checks)

    return run


def test_prefix_for_each_text_is_named(grade):
    shape = ("torch.randn(prefix_length, size)", "torch.randn(3, prefix_length, size)")
    used = ("self.prefix.unsqueeze(0).expand(len(words), -1, -1)", "self.prefix[: len(words)]")
    lost, said = grade({BASE: solution(BASE), PEFT: changed(PEFT, shape, used)}, "prefix-tuning")
    assert lost == {"prefix-tuning": 3}
    assert "Each text of the batch has its own prefix" in said


def test_constant_accuracy_earns_nothing(grade):
    head, _, rest = solution(BASE).partition("    metric = evaluate.load")
    text = head + '    return {"accuracy": 0.7}\n\n\n' + rest[rest.index("def train(") :]
    lost, said = grade({BASE: text}, "evaluation")
    assert lost == {"evaluation": 5}
    assert "does not call the model" in said


def test_prefix_that_is_not_used_earns_nothing(grade):
    lost, said = grade(
        {BASE: solution(BASE), PEFT: changed(PEFT, ('if self.type == "prefix":', "if False:"))},
        "prefix-tuning",
    )
    assert lost == {"prefix-tuning": 8}
    assert "The logits don't depend on the prefix" in said or "Your code raised" in said


def test_weights_changed_without_training_earn_nothing(grade):
    head, _, rest = solution(BASE).partition("    optimizer = torch.optim")
    text = head + "    for p in mymodel.parameters():\n        p.data += lr\n\n\n"
    lost, _ = grade({BASE: text + rest[rest.index("def pre_process") :]}, "training")
    assert lost == {"training": 8}


def test_each_of_two_files_has_its_share(grade):
    broken = changed(
        PEFT, ("            optimizer.zero_grad()\n            mymodel.zero_grad()", "")
    )
    lost, said = grade({BASE: solution(BASE), PEFT: broken}, "training")
    assert lost == {"training": 1}
    assert "`train` in `classification.py`, line" in said


def test_wrong_pooling_costs_full_tuning_alone(grade):
    lost, _ = grade({PEFT: changed(PEFT, ("mean(dim=1)", "select(1, 0)")), BASE: solution(BASE)})
    assert lost == {"full-tuning": 2}


def test_unwritten_starter_earns_nothing(grade):
    head, _, _ = solution(BASE).partition("def evaluate_model")
    unwritten = head + "\n\n".join(
        f"def {name}(*arguments):\n    raise NotImplementedError\n"
        for name in ("evaluate_model", "train")
    )
    lost, said = grade({BASE: unwritten})
    assert lost == {name: load_points()[name] for name in CODE}
    assert "counts only together with code of your own" in said


def test_missing_names_cost_their_own_checks(grade):
    lost, said = grade({BASE: solution(BASE)})
    assert lost == {"full-tuning": 4, "head-tuning": 4, "prefix-tuning": 8}
    assert "No file defines `CustomModelforSequenceClassification`" in said


def load_points():
    return {each.id: each.points for each in load_assignment("jhu-hw6").rubric}
