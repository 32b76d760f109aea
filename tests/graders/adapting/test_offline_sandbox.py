"""The stand-ins in a real child: no network, a home that is emptied, limits."""

import textwrap

import pytest

from graders.boundary.sandbox import best_tier
from graders.boundary.student import Student
from graders.model import Limits

pytestmark = pytest.mark.slow
LIMITS = Limits(
    wall_seconds=120, cpu_seconds=60, memory_bytes=2**31, output_bytes=10_000, processes=24
)
ADAPTERS = """
    def classify(text):
        from adapting.offline import ready
        ready()
        import work
        return work.classify(text)


    def split_sizes(rows):
        from adapting.offline import datasets, ready
        ready()
        datasets.set_rows("sst2", {"train": [{"text": "t", "label": 0}] * rows})
        import work
        return work.split_sizes()
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
"""


@pytest.fixture(params=[(), ("transformers.models.roberta.modeling_roberta",)], ids=["", "warm"])
def student(request, tmp_path):
    adapters, code = tmp_path / "adapters.py", tmp_path / "code"
    adapters.write_text(textwrap.dedent(ADAPTERS))
    code.mkdir()
    (code / "work.py").write_text(textwrap.dedent(WORK))
    options = {"seed": 1, "tier": best_tier(), "preload": request.param}
    with Student(code, adapters, LIMITS, **options) as student:
        yield student


def test_a_submission_runs_without_a_network(student):
    logits = student.call("classify", text="a lovely film")
    assert logits.shape == (1, 2)
    assert (logits == student.call("classify", text="a lovely film")).all()
    assert (logits != student.call("classify", text="a dull film")).any()
    assert student.call("split_sizes", rows=5) == {"train": 5}
