"""The classifier of uw-a2: messages, secret inputs, notebooks, and unimplemented code.

Other ways to write it, and mistakes with their points, are planted in examples.toml.
"""

import json

import pytest

from graders.boundary.tiers.sandbox import best_tier
from graders.grading.options import Options
from graders.grading.pipeline import grade_submission
from graders.registry.discovery import ASSIGNMENTS, load_assignment
from submissions.receive import identify
from tests.conftest import replaced
from tests.planted import examples_of

SOLUTION = ASSIGNMENTS / "uw_a2" / "solution" / "A2S3.py"
CRITERIA = frozenset({"sst2-data", "sst2-training", "sst2-main"})
SPY = """
import socket


def watch_network():
    def refuse(*args, **kwargs):
        raise RuntimeError(f"looked up {args[:1]}")

    socket.getaddrinfo = socket.create_connection = socket.socket.connect = refuse
"""


@pytest.fixture
def grade(tmp_path):
    """The Result of solution/A2S3.py with these changes, and of other files; none if empty."""

    def run(changes=(), *, draw=0, only=CRITERIA, **files):
        code = replaced(SOLUTION.read_text(encoding="utf-8"), *changes)
        for name, text in {"A2S3.py": code, **files}.items():
            (tmp_path / name).write_text(text, encoding="utf-8")
            if not text:
                (tmp_path / name).unlink()
        options = Options(best_tier(), only=only, inputs_seed=draw)
        return grade_submission(identify(tmp_path, "uw-a2"), load_assignment("uw-a2"), options)

    return run


def lost(result):
    """The points lost, by criterion."""
    assert result.status == "graded"
    points = {
        graded.criterion.id: graded.criterion.points - graded.points for graded in result.criteria
    }
    return {name: pytest.approx(amount) for name, amount in points.items() if amount}


def verdicts(result):
    """What was found, check by check."""
    return {check.id: (check.fraction, check.hint) for of in result.criteria for check in of.checks}


NAMES = ("initialize_datasets", "train_one_epoch", "evaluate", "compute_accuracy", "main")


def message(result, check):
    """What the student reads about a check."""
    check_result = {entry.id: entry for of in result.criteria for entry in of.checks}[check]
    return f"{check_result.message} {check_result.hint}"


@pytest.mark.long
def test_a_line_that_is_not_python_is_named(grade):
    code = SOLUTION.read_text(encoding="utf-8")
    result = grade(only=frozenset({"sst2-data"}), **{"A2S3.py": f"{code}\ndef broken(:\n"})
    (note,) = [note for note in result.environment["intake"] if "not valid Python" in note]
    assert "`A2S3.py`" in note


@pytest.mark.parametrize("draw", [3, 2**100 + 1])
def test_a_secret_draw_finds_the_same(grade, draw):
    assert lost(grade(draw=draw)) == {}
    changes = [("accuracy > best_accuracy", "accuracy >= best_accuracy")]
    assert lost(grade(changes, draw=draw)) == {"sst2-main": 2.0}


@pytest.mark.slow
def test_nothing_is_looked_up(grade):
    calls = {name: f"def {name}(*args, **kwargs):\n    watch_network()\n" for name in NAMES}
    wrappers = "\n\n".join(
        f"{call}    return _{name}(*args, **kwargs)" for name, call in calls.items()
    )
    changes = [(f"def {name}(", f"def _{name}(") for name in NAMES]
    changes.append(("\n\nif __name__", f"\n\n{SPY}\n\n{wrappers}\n\n\nif __name__"))
    line = "        self.tokenizer = tokenizer\n"
    changes.append((line, f"        watch_network()\n{line}"))
    assert lost(grade(changes)) == {}


@pytest.mark.long
def test_a_wrong_notebook_gets_the_result_of_the_same_script(grade, tmp_path):
    """Of a right notebook, an example is planted."""
    script = grade([("predictions == labels", "predictions != labels")])
    code = (tmp_path / "A2S3.py").read_text(encoding="utf-8")
    cells = [
        {"cell_type": "code", "metadata": {}, "outputs": [], "source": part.splitlines(True)}
        for part in ["!pip install transformers datasets", *code.split("\n\n\n"), "main()"]
    ]
    notebook = {"cells": cells, "metadata": {}, "nbformat": 4, "nbformat_minor": 5}
    files = {"A2S3.py": "", "A2S3.ipynb": json.dumps(notebook)}
    assert verdicts(grade(**files)) == verdicts(script)


@pytest.mark.slow
def test_an_unwritten_classifier_earns_nothing(grade):
    stubs = [f"def {name}(*args, **kwargs):\n    pass\n" for name in NAMES]
    methods = ("__init__", "__len__", "__getitem__", "__iter__", "collate_fn")
    stubs += ["class SST2Dataset:"]
    stubs += [f"    def {name}(self, *args):\n        pass\n" for name in methods]
    result = grade([(SOLUTION.read_text(encoding="utf-8"), "\n".join(stubs))])
    assert lost(result) == {"sst2-data": 8.0, "sst2-training": 8.0, "sst2-main": 6.0}
    assert "leaves every weight" in message(result, "training-is-written")


@pytest.mark.slow
def test_a_lookup_would_be_seen(grade):
    look = (
        "    watch_network()\n    import urllib.request\n    urllib.request.urlopen('http://x')\n"
    )
    changes = [
        ("\n\nif __name__", f"\n\n{SPY}\n\nif __name__"),
        ("    raw = load_dataset", f"{look}    raw = load_dataset"),
    ]
    result = grade(changes, only=frozenset({"sst2-data", "sst2-main"}))
    assert "looked up" in message(result, "three-datasets")
    assert "looked up" in message(result, "main-is-written")


@pytest.mark.slow
def test_a_name_that_is_missing_costs_its_checks_alone_and_is_told_in_one_sentence(grade):
    names = ("def compute_accuracy(", "return compute_accuracy(")
    result = grade([(name, name.replace("compute_accuracy", "accuracy_of")) for name in names])
    assert lost(result) == {"sst2-training": 1.0}
    text = message(result, "compute-accuracy")
    assert text.startswith("No file defines `compute_accuracy` (")
    assert "`A2S3.py`" in text
    assert ".." not in text


@pytest.mark.slow
@pytest.mark.parametrize(
    ("old", "new", "check", "said"),
    [
        ("return self.examples[index]", "return self.examples['x']", "items-by-index",
         "list indices must be integers"),
        ("model.train()\n", "next(iter(dataloader))['token_type_ids']\n", "training-is-written",
         "no token_type_ids"),
    ],
)  # fmt: skip
def test_a_crash_is_told_with_what_raised_it(grade, old, new, check, said):
    criterion = "sst2-data" if check == "items-by-index" else "sst2-training"
    assert said in message(grade([(old, new)], only=frozenset({criterion})), check)


@pytest.mark.slow
def test_main_with_another_model_or_float16_weights_is_told(grade):
    changes = [
        (
            "    optimizer = ",
            "    other = copy.deepcopy(model)\n    model.half()\n    optimizer = ",
        ),
        ('evaluate(model, loaders["validation"])', 'evaluate(other, loaders["validation"])'),
    ]
    result = grade(changes, only=frozenset({"sst2-main"}))
    assert "not the one that is trained" in message(result, "validated-each-epoch")
    assert "In float16, eps=1e-08 is 0" in message(result, "optimizer")
    assert lost(result) == {"sst2-main": 2}


def test_an_empty_upload_earns_nothing_and_is_told_why(grade):
    result = grade([(SOLUTION.read_text(encoding="utf-8"), "print('hello')\n")])
    assert lost(result) == {"sst2-data": 8.0, "sst2-training": 8.0, "sst2-main": 6.0}
    assert "No file defines `main`" in message(result, "main-is-written")


@pytest.mark.slow
def test_a_script_that_disagrees_with_its_notebook_is_named(grade):
    notebook = examples_of("uw-a2") / "right-sst2-notebook" / "A2S3.ipynb"
    files = {"A2S3.ipynb": notebook.read_text(encoding="utf-8")}
    result = grade(only=frozenset({"sst2-data"}), **files)
    assert lost(result) == {}
    assert "was read from `A2S3.py`" in message(result, "three-datasets")


def test_main_may_call_the_loops_of_a_class(grade):
    names = ("train_one_epoch", "evaluate")
    held = "".join(f"    {name} = staticmethod({name})\n" for name in names)
    changes = [
        ("def main() -> None:", f"class Loops:\n{held}\n\ndef main() -> None:"),
        ("loss = train_one_epoch(", "loss = Loops.train_one_epoch("),
        ("accuracy = evaluate(", "accuracy = Loops.evaluate("),
        ("{evaluate(", "{Loops.evaluate("),
    ]
    assert lost(grade(changes, only=frozenset({"sst2-main"}))) == {}


def test_main_may_use_the_datasets_and_the_model_of_other_cells(grade):
    lines = """tokenizer = AutoTokenizer.from_pretrained(MODEL)
    model = AutoModelForSequenceClassification.from_pretrained(MODEL, num_labels=2).to(DEVICE)
"""
    above = lines.replace("    ", "") + "datasets = initialize_datasets(tokenizer)\n"
    changes = [
        (f"    {lines}", ""),
        ("def main() -> None:", f"{above}\n\ndef main() -> None:"),
        ("initialize_datasets(tokenizer).items()", "datasets.items()"),
    ]
    assert lost(grade(changes)) == {}


def test_the_noted_rate_is_the_highest_of_a_one_cycle_schedule(grade):
    line = "    optimizer = torch.optim.AdamW(model.parameters(), lr=LEARNING_RATE, eps=EPSILON)\n"
    cycle = "    torch.optim.lr_scheduler.OneCycleLR(optimizer, {}, total_steps=9)\n"
    for rate, noted in (("LEARNING_RATE", False), ("3e-5", True)):
        result = grade([(line, line + cycle.format(rate))], only=frozenset({"sst2-main"}))
        assert ("lr=3e-05" in message(result, "optimizer")) is noted
        assert lost(result) == {}
