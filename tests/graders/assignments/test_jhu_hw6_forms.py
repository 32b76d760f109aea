"""The homework's code gets equal grades as a module, as a notebook, and in unusual styles."""

import json

import pytest

from graders.boundary.tiers.sandbox import best_tier
from graders.grading.pipeline import Options, grade_submission
from graders.registry.discovery import ASSIGNMENTS, load_assignment
from submissions.receive import identify

pytestmark = pytest.mark.slow
SOLUTION = ASSIGNMENTS / "jhu_hw6" / "solution"
BASE = (SOLUTION / "base_classification.py").read_text(encoding="utf-8")
PEFT = (SOLUTION / "classification.py").read_text(encoding="utf-8")
CODE = frozenset(("evaluation", "training", "full-tuning", "head-tuning", "prefix-tuning"))
WRONG = PEFT.replace("            optimizer.step()\n", "").replace("mean(dim=1)", "sum(dim=1)")


def results(tmp_path, name, text, *only):
    """Status, fraction and hint of every check of one file."""
    folder = tmp_path / name.replace(".", "-")
    folder.mkdir()
    (folder / name).write_text(text, encoding="utf-8")
    options = Options(best_tier(), only=frozenset(only) or CODE)
    result = grade_submission(identify(folder, "jhu-hw6"), load_assignment("jhu-hw6"), options)
    checks = [check for each in result.criteria for check in each.checks]
    return {each.check.id: (each.status, each.fraction, each.hint) for each in checks}


def notebook(text):
    """A cell for each top-level part of the text, and what notebooks have besides."""
    cells = [
        {
            "cell_type": "code",
            "source": part,
            "outputs": [],
            "execution_count": None,
            "metadata": {},
        }
        for part in ("!pip install evaluate", "%matplotlib inline", *text.split("\n\n\n"))
    ]
    return json.dumps({"cells": cells, "metadata": {}, "nbformat": 4, "nbformat_minor": 5})


@pytest.mark.long
@pytest.mark.parametrize("text", [PEFT, WRONG], ids=["right", "wrong"])
def test_notebook_and_module_get_the_same(tmp_path, text):
    module = results(tmp_path, "classification.py", text)
    assert results(tmp_path, "classification.ipynb", notebook(text)) == module
    assert any(fraction < 1 for _, fraction, _ in module.values()) == (text is WRONG)


RIGHT_LOOPS = {
    "cleared-first": ("            loss.backward()", "            mymodel.zero_grad()\n"
                      "            loss.backward()"),
    "loss-of-the-model": ('loss = criterion(output.logits, batch["labels"].to(device))',
                          "loss = mymodel(**batch).loss"),
    "halved-loss": ("loss.backward()", "(loss / 2).backward()"),
    "sgd": ("AdamW(mymodel.parameters(), lr=lr)", "SGD(mymodel.parameters(), lr=lr, momentum=0.9)"),
    "no-schedule": ("            scheduler.step()\n", ""),
    "clipped": ("            optimizer.step()", "            torch.nn.utils.clip_grad_norm_("
                "mymodel.parameters(), 0.01)\n            optimizer.step()"),
    "mode-in-the-loop": ("        for batch in train_dataloader:\n",
                         "        for batch in train_dataloader:\n            mymodel.train()\n"),
    "looked-at-first": ("    history = []", "    history = []\n    mymodel(**next(iter("
                        "train_dataloader)))"),
    "other-evaluation": ('history.append(accuracy["accuracy"])', "history.append(accuracy)"),
}  # fmt: skip


@pytest.mark.parametrize("name", RIGHT_LOOPS)
def test_right_loops_keep_their_points(tmp_path, name):
    old, new = RIGHT_LOOPS[name]
    assert old in BASE
    came = results(tmp_path, "base_classification.py", BASE.replace(old, new), "training")
    assert {id: each for id, each in came.items() if each[0] != "passed"} == {}


RIGHT_EVALUATIONS = {
    "number-alone": ("return metric.compute()", 'return metric.compute()["accuracy"]'),
    "tensor": ("return metric.compute()",
               'return {"accuracy": torch.tensor(metric.compute()["accuracy"])}'),
    "more-metrics": ("return metric.compute()", 'return {**metric.compute(), "loss": 0.1}'),
    "mode-restored": ("    return metric.compute()",
                      "    model.train()\n    return metric.compute()"),
    "gradients-kept": ("with torch.no_grad():", "if True:"),
}  # fmt: skip


@pytest.mark.parametrize("name", RIGHT_EVALUATIONS)
def test_right_evaluations_keep_their_points(tmp_path, name):
    old, new = RIGHT_EVALUATIONS[name]
    assert old in BASE
    came = results(tmp_path, "base_classification.py", BASE.replace(old, new), "evaluation")
    assert {id: each for id, each in came.items() if each[0] != "passed"} == {}
