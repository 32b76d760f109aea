"""The page of a classifier's run: intervals, the majority, McNemar, constant classifiers."""

import html
import re
from dataclasses import replace

import pytest

from graders.statistics import wilson
from reference.training.classification.metrics import (
    ClassifierMetrics,
    Comparison,
    EncoderSize,
    Epoch,
    Evaluation,
    Training,
)
from reference.training.metrics import Accuracy, Point
from reports.pipelines.classifier_page import write_classifier_page
from reports.pipelines.progress import show_classifier


def accuracy(model, part, correct, n=1000):
    return Accuracy(model, part, correct, n, correct / n, *wilson(correct, n))


def evaluation(model, part, correct, positive=480):
    return Evaluation(accuracy(model, part, correct), positive)


def training(method, trained, epochs):
    curve = tuple(Point(step, 0.2 + 5 / step, 1e-3) for step in range(10, 101, 10))
    history = tuple(Epoch(e, 1 / e, 0.4, 700 + 10 * e, 1000) for e in range(1, epochs + 1))
    return Training(method, trained, 100, 62.5, curve, history, epochs)


METRICS = ClassifierMetrics(
    assignment="uw-a2",
    kind="sst2",
    complete=True,
    encoder=EncoderSize("all-MiniLM-L6-v2", 384, 22_565_376),
    data="stsa.binary files: 6920 train",
    device="a processor with two cores",
    precision="bf16",
    seed=7,
    versions={"torch": "2.13.0"},
    seconds=185.2,
    majority=(accuracy("majority", "dev", 509), accuracy("majority", "test", 499)),
    trainings=(training("full", 22_566_146, 3), training("head", 770, 4)),
    evaluations=(
        evaluation("full", "dev", 880),
        evaluation("full", "test", 901),
        evaluation("head", "dev", 509, positive=1000),
        evaluation("head", "test", 501, positive=0),
    ),
    comparisons=(
        Comparison("full", "head", "dev", 400, 29, 1.5e-80),
        Comparison("full", "head", "test", 12, 9, 0.6636),
    ),
    chosen="full",
)
NOTHING = replace(
    METRICS, complete=False, trainings=(), evaluations=(), comparisons=(), chosen=None
)


def page_of(metrics, out):
    return write_classifier_page(metrics, out).read_text(encoding="utf-8")


@pytest.fixture(scope="module")
def page(tmp_path_factory):
    return page_of(METRICS, tmp_path_factory.mktemp("run"))


def words(source):
    """The page's text, a space for each tag."""
    body = re.sub(r"<svg.*?</svg>", "", source[source.index("<body") :], flags=re.DOTALL)
    return re.sub(r"\s+", " ", re.sub(r"<[^>]+>", " ", body))


def assert_loads_nothing(page):
    assert "default-src 'none'" in html.unescape(page)
    assert re.search(r'<script|\ssrc=|<link|@import|\sstyle="', page) is None


def test_every_number_is_on_the_page_and_constant_classifiers_are_flagged(page, tmp_path):
    text = words(page)
    for row in (
        "Full fine-tuning 88.0% 880 of 1000 85.8 to 89.9% 90.1% 901 of 1000",
        "Majority class 50.9% 509 of 1000 47.8 to 54.0%",
        "Chosen, as the best on dev: Full fine-tuning.",
        "Full fine-tuning against Head alone, dev 400 29 1.5e-80 differ",
        "Full fine-tuning against Head alone, test 12 9 0.66 not distinguishable",
        "Of width d = 384",
        "Full fine-tuning 22,566,146 all, and 2d + 2 3 3 62.5 s",
        "Head alone 770 2d + 2 4 4 62.5 s",
        "The encoder has 22,565,376 parameters",
    ):
        assert row in text
    assert_loads_nothing(page)
    text = words(page)
    assert "Head alone predicts 1 for every dev item, so its accuracy" in text
    assert "Head alone predicts 0 for every test item" in text
    assert "Full fine-tuning says" not in text
    shown = page_of(replace(METRICS, evaluations=METRICS.evaluations[:2]), tmp_path)
    assert "for every" not in shown


def test_charts_have_words_and_numbers_and_an_unfinished_run_says_so(page, tmp_path):
    labels = re.findall(r'role="img" aria-label="([^"]+)"', page)
    assert len(labels) == page.count("<svg") == 5
    assert "Full fine-tuning on dev 88.0%" in labels[0]
    assert labels[1] == "Full fine-tuning: training loss, from 0.45 to 0.25 at step 100."
    assert labels[2] == "Full fine-tuning: accuracy on dev, from 71.00 to 73.00 at epoch 3."
    numbers = words(page)[words(page).index("Head alone: accuracy on dev in numbers") :]
    assert "Epoch Value 1 71.000 2 72.000" in numbers
    text = words(page_of(NOTHING, tmp_path))
    assert "Not finished" in text
    assert "Majority class" in text
    assert "McNemar" not in text
    assert "Not finished" not in words(page)


def test_unknown_names_are_text_and_the_terminal_tells_the_same(tmp_path, capsys):
    attack = "<script>alert(1)</script>"
    encoder = replace(METRICS.encoder, name=attack)
    odd = replace(METRICS, encoder=encoder, data=attack, assignment=attack)
    shown = page_of(replace(odd, versions={attack: attack}), tmp_path)
    assert "<script" not in shown
    assert "Classifier run: &lt;script" in shown
    show_classifier(METRICS, tmp_path)
    output = capsys.readouterr().out
    assert "901 of 1000 = 90.1%" in output
    assert "head says the same of every test item: a constant classifier" in output
    assert "full says" not in output
