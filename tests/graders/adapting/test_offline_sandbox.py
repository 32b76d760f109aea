"""The libraries in a real child: no network, an empty home, limits."""

import textwrap

import pytest

from graders.boundary.side import Side
from graders.boundary.student import Student
from graders.boundary.tiers.sandbox import Tier, tier_works, warm_works
from graders.errors import Unavailable
from graders.registry.discovery import load_assignment

from .conftest import LIMITS

pytestmark = pytest.mark.long
STUDENT_SIDE = """
    def classify(text):
        from graders.adapting.offline import ready
        ready()
        import work
        return work.classify(text)


    def split_sizes(rows):
        from graders.adapting.offline import datasets, ready
        ready()
        datasets.set_rows("sst2", {"train": [{"text": "t", "label": 0}] * rows})
        import work
        return work.split_sizes()


    def asked(name):
        from graders.adapting.offline import ready
        ready()
        import work
        return work.asked(name)


    def changed():
        from graders.adapting.offline import ready
        ready()
        import work
        return work.changed()
"""
WORK = """
    from datasets import load_dataset
    from transformers import RobertaForSequenceClassification, RobertaTokenizer
    import evaluate
    import matplotlib.pyplot as plt
    import torch


    def classify(text):
        tokenizer = RobertaTokenizer.from_pretrained("roberta-base")
        model = RobertaForSequenceClassification.from_pretrained("roberta-base", num_labels=2)
        batch = tokenizer([text], padding=True, return_tensors="pt")
        logits = model(**batch).logits
        metric = evaluate.load("accuracy")
        metric.add_batch(predictions=logits.argmax(-1), references=[1])
        fig, ax = plt.subplots()
        ax.plot([metric.compute()["accuracy"]])
        plt.savefig("/content/drive/curve.png")
        return logits.detach()


    def split_sizes():
        return {name: len(split) for name, split in load_dataset("gpt3mix/sst2").items()}


    def asked(name):
        kind, _, name = name.partition(":")
        try:
            return str(load_dataset(name) if kind == "dataset" else evaluate.load(name))
        except TypeError:
            return "caught"
        except ValueError as error:
            raise RuntimeError("in other words") from error


    def changed():
        import accelerate, torchmetrics
        from torch.utils.data import DataLoader
        from transformers import DataCollatorWithPadding
        tokenizer = RobertaTokenizer.from_pretrained("roberta-base")
        table = load_dataset("gpt3mix/sst2", split="train").rename_column("label", "labels")
        table = table.map(lambda rows: tokenizer(rows["text"]), batched=True, num_proc=2,
                          remove_columns=["text"])
        table.set_format("torch")
        accelerator = accelerate.Accelerator()
        batches = accelerator.prepare(
            DataLoader(table, batch_size=3, collate_fn=DataCollatorWithPadding(tokenizer))
        )
        accuracy = torchmetrics.Accuracy(task="binary")
        for batch in batches:
            accuracy.update(*accelerator.gather_for_metrics((batch["labels"], batch["labels"])))
        table.save_to_disk("saved")
        return float(accuracy.compute()), len(batches)
"""


LIBRARIES = ("datasets", "evaluate", "accelerate", "torchmetrics")
WARM = load_assignment("uw-a2").preload


@pytest.fixture(params=list(Tier), ids=lambda tier: tier.value)
def student(request, tmp_path):
    """A child in each tier, warm where it can be; code sees the same after a cold start."""
    if not tier_works(request.param):
        pytest.skip(f"{request.param.value} does not work here")
    for name in LIBRARIES:
        pytest.importorskip(name)
    code = tmp_path / "code"
    (tmp_path / "student_side.py").write_text(textwrap.dedent(STUDENT_SIDE))
    code.mkdir()
    (code / "work.py").write_text(textwrap.dedent(WORK))
    options = {"seed": 1, "tier": request.param, "preload": WARM}
    with Student(code, Side(tmp_path), LIMITS, **options) as student:
        yield student


def test_a_submission_runs_without_a_network(student):
    logits = student.call("classify", text="a lovely film")
    assert logits.shape == (1, 2)
    assert (logits == student.call("classify", text="a lovely film")).all()
    assert (logits != student.call("classify", text="a dull film")).any()
    assert student.call("split_sizes", rows=5) == {"train": 5}
    assert student.call("changed") == [1.0, 2]
    for name in ("dataset:imdb", "metric:rouge"):
        with pytest.raises(Unavailable, match=rf"{name[-4:]}` is not available.*work\.py, line"):
            student.call("asked", name=name)


def test_the_warm_parent_starts_no_thread():
    """With one it could not fork: every child would start cold."""
    if not (tier_works(Tier.LANDLOCK) or tier_works(Tier.BUBBLEWRAP)):
        pytest.skip("no sandbox works here")
    tier = next(tier for tier in Tier if tier_works(tier))
    for name in LIBRARIES:
        pytest.importorskip(name)
    assert warm_works(tier, WARM)
