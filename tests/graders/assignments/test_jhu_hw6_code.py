"""Right code of the homework keeps its points in every form; what is missing costs its criterion.

Mistakes with their points and hints are planted in examples.toml.
"""

import functools
import json

import pytest

from graders.boundary.tiers.sandbox import best_tier
from graders.grading.options import Options
from graders.grading.pipeline import grade_submission
from graders.registry.discovery import ASSIGNMENTS, load_assignment
from submissions.receive import identify
from tests.conftest import replaced, write_files
from tests.planted import examples_of

pytestmark = pytest.mark.slow
SOLUTION = ASSIGNMENTS / "jhu_hw6" / "solution"
BASE, PEFT = "base_classification.py", "classification.py"
PEFT_CRITERIA = ("full-tuning", "head-tuning", "prefix-tuning")
CODE = frozenset(("boolq-data", "evaluation", "training", *PEFT_CRITERIA))


@functools.cache
def solution(name):
    return (SOLUTION / name).read_text(encoding="utf-8")


def changed(name, *changes):
    return replaced(solution(name), *changes)


@pytest.fixture
def results(tmp_path):
    """Grades files given as texts, on these criteria."""

    def run(files, *only):
        folder = tmp_path / "handed-in"
        folder.mkdir(exist_ok=True)
        for path in folder.iterdir():
            path.unlink()
        write_files(folder, files)
        options = Options(best_tier(), only=frozenset(only) or CODE)
        result = grade_submission(identify(folder, "jhu-hw6"), load_assignment("jhu-hw6"), options)
        assert result.status == "graded", result.environment
        return result.criteria

    return run


@pytest.fixture
def grade(results):
    """Grades files given as texts: points lost, and all that is said."""

    def run(files, *only):
        criteria = results(files, *only)
        lost = {
            graded.criterion.id: graded.criterion.points - graded.points
            for graded in criteria
            if graded.points != graded.criterion.points
        }
        checks = [check for criterion in criteria for check in criterion.checks]
        return lost, " ".join(f"{check.message} {check.hint}" for check in checks)

    return run


def test_a_line_that_is_not_python_is_named(tmp_path):
    write_files(tmp_path, {BASE: solution(BASE) + "\ndef broken(:\n", PEFT: solution(PEFT)})
    options = Options(best_tier(), only=frozenset({"boolq-data"}))
    result = grade_submission(identify(tmp_path, "jhu-hw6"), load_assignment("jhu-hw6"), options)
    (note,) = [note for note in result.environment["intake"] if "not valid Python" in note]
    assert note.startswith(f"`{BASE}`, line {solution(BASE).count(chr(10)) + 2}")


# ---------------------------------------------------------------- right code


RIGHT = {
    "plain": [
        ("            loss.backward()", "            mymodel.zero_grad()\n"
         "            loss.backward()"),
        ('loss = criterion(output.logits, batch["labels"].to(device))',
         "loss = mymodel(**batch).loss"),
        ("            optimizer.step()", "            torch.nn.utils.clip_grad_norm_("
         "mymodel.parameters(), 0.01)\n            optimizer.step()"),
        ("    return metric.compute()",
         '    model.train()\n    return {**metric.compute(), "loss": 0.1}'),
    ],
    "halved": [
        ("loss.backward()", "(loss / 2).backward()"),
        ("AdamW(mymodel.parameters(), lr=lr)", "SGD(mymodel.parameters(), lr=lr, momentum=0.9)"),
        ("        for batch in train_dataloader:\n",
         "        for batch in train_dataloader:\n            mymodel.train()\n"),
        ("return metric.compute()", 'return metric.compute()["accuracy"]'),
        ('history.append(accuracy["accuracy"])', "history.append(accuracy)"),
    ],
    "unscheduled": [
        ("            scheduler.step()\n", ""),
        ("    history = []", "    history = []\n    mymodel(**next(iter(train_dataloader)))"),
        ("return metric.compute()",
         'return {"accuracy": torch.tensor(metric.compute()["accuracy"])}'),
        ("with torch.no_grad():", "if True:"),
    ],
}  # fmt: skip


@pytest.mark.parametrize("name", RIGHT)
def test_right_loops_and_evaluations_keep_their_points(grade, name):
    lost, messages = grade({BASE: changed(BASE, *RIGHT[name])}, "training", "evaluation")
    assert lost == {}, messages


def notebook(text):
    """A cell for each top-level part of the text, and what notebooks have besides."""
    parts = ("!pip install evaluate", "%matplotlib inline", *text.split("\n\n\n"))
    cells = [{"cell_type": "code", "source": part, "outputs": []} for part in parts]
    return json.dumps({"cells": cells, "metadata": {}, "nbformat": 4, "nbformat_minor": 5})


@pytest.mark.long
def test_wrong_notebook_and_module_get_the_same(results):
    """Of a right notebook, an example is planted."""
    text = changed(PEFT, ("            optimizer.step()\n", ""), ("mean(dim=1)", "sum(dim=1)"))
    only = CODE - {"boolq-data"}
    seen = [
        {
            check.id: (check.status, check.fraction, check.hint)
            for criterion in results(files, *only)
            for check in criterion.checks
        }
        for files in ({PEFT: text}, {"classification.ipynb": notebook(text)})
    ]
    assert seen[0] == seen[1]
    assert any(fraction < 1 for _, fraction, _ in seen[0].values())


# ---------------------------------------------------------------- missing, faked or wrong code


def test_prefix_for_each_text_is_named(grade):
    shape = ("torch.randn(prefix_length, size)", "torch.randn(3, prefix_length, size)")
    used = ("self.prefix.unsqueeze(0).expand(len(words), -1, -1)", "self.prefix[: len(words)]")
    lost, messages = grade(
        {BASE: solution(BASE), PEFT: changed(PEFT, shape, used)}, "prefix-tuning"
    )
    assert lost == {"prefix-tuning": 3}
    assert "Each text of the batch has its own prefix" in messages


def test_constant_accuracy_and_weights_changed_without_training_earn_nothing(grade):
    head, _, rest = solution(BASE).partition("    metric = evaluate.load")
    text = head + '    return {"accuracy": 0.7}\n\n\n' + rest[rest.index("def train(") :]
    head, _, rest = text.partition("    optimizer = torch.optim")
    text = head + "    for p in mymodel.parameters():\n        p.data += lr\n\n\n"
    all_points = {"evaluation": 5, "training": 8}
    lost, messages = grade({BASE: text + rest[rest.index("def pre_process") :]}, *all_points)
    assert lost == all_points
    assert "does not call the model" in messages


def test_prefix_that_is_not_used_earns_nothing(grade):
    unused = changed(PEFT, ('if self.type == "prefix":', "if False:"))
    lost, messages = grade({BASE: solution(BASE), PEFT: unused}, "prefix-tuning")
    assert lost == {"prefix-tuning": 8}
    assert "The logits don't depend on the prefix" in messages or "Your code raised" in messages


def test_logits_that_depend_on_nothing_in_training_mode_earn_no_points_for_training(grade):
    logits = 'return {"logits": self.classifier(output.last_hidden_state.mean(dim=1))}'
    stored = "torch.ones(len(input_ids), 2, requires_grad=True)"
    cut = f'if self.training:\n            return {{"logits": {stored}}}\n        {logits}'
    lost, messages = grade(
        {BASE: solution(BASE), PEFT: changed(PEFT, (logits, cut))}, "head-tuning"
    )
    assert lost == {"head-tuning": 3}
    assert "do not depend on the model's parameters" in messages


def test_each_of_two_files_has_its_share(grade):
    broken = changed(
        PEFT, ("            optimizer.zero_grad()\n            mymodel.zero_grad()", "")
    )
    lost, messages = grade({BASE: solution(BASE), PEFT: broken}, "training")
    assert lost == {"training": 1}
    assert "`train` in `classification.py`, line" in messages


def test_unwritten_starter_earns_nothing(grade):
    head, _, _ = solution(BASE).partition("def evaluate_model")
    unwritten = head + "\n\n".join(
        f"def {name}(*arguments):\n    raise NotImplementedError\n"
        for name in ("evaluate_model", "train")
    )
    lost, messages = grade({BASE: unwritten})
    points = {criterion.id: criterion.points for criterion in load_assignment("jhu-hw6").rubric}
    assert lost == {name: points[name] for name in CODE}
    assert "counts only together with code of your own" in messages


def test_missing_names_cost_their_own_checks(grade):
    lost, messages = grade({BASE: solution(BASE)})
    assert lost == {"full-tuning": 4, "head-tuning": 4, "prefix-tuning": 8}
    assert "No file defines `CustomModelforSequenceClassification`" in messages


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (('rows["train"].shuffle', 'rows["test"].shuffle'), "KeyError"),
        (("    return model", "    return model\n    _ = model"), "no dataloader"),
    ],
)
def test_pre_process_that_cannot_be_judged_is_noted_and_costs_nothing(grade, change, said):
    lost, says = grade({BASE: changed(BASE, change)}, "boolq-data")
    assert lost == {}
    assert "were not compared" in says
    assert said in says


def test_one_epoch_of_twenty_learns_nothing_by_luck():
    """With this secret, a rate of 0 from the second epoch on is enough for nine of ten items."""
    lucky = 0x74A7B6DAA3EA17606B9C4FE363F55BFB
    folder = examples_of("jhu-hw6") / "wrong-training-schedule-ends-after-an-epoch"
    options = Options(best_tier(), only=frozenset({"training"}), inputs_seed=lucky)
    result = grade_submission(identify(folder, "jhu-hw6"), load_assignment("jhu-hw6"), options)
    checks = {check.id: check for check in result.criteria[0].checks}
    assert checks["ten-items-are-learned"].actual == "the learning rate is 0 in most steps"


def test_a_train_that_is_not_python_costs_only_what_needs_it(grade):
    code = changed(BASE, ("def train(\n", "def train(:\n"))
    lost, said = grade({BASE: code}, "boolq-data", "evaluation", "training")
    assert lost == {"training": 8.0}
    assert f"`train` in `{BASE}`, line 52: Your code raised SyntaxError" in said


def test_a_file_that_was_downloaded_again_is_the_homework(grade):
    files = {BASE: solution(BASE), "classification (3).py": solution(PEFT)}
    assert grade(files, *PEFT_CRITERIA)[0] == {}


def test_an_early_stop_before_a_missing_file_ends(grade):
    stop = """        if epoch - history.index(max(history)) >= 4:
            break
    open("/content/nowhere/old.json")
"""
    line = '        print(f"epoch {epoch + 1}: validation {accuracy}")\n'
    assert grade({BASE: changed(BASE, (line, line + stop))}, "training")[0] == {}
