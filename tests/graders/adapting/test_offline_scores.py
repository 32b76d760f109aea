"""The stand-ins that score classifications: as the real libraries score them."""

import numpy as np
import pytest
import torch

from graders.adapting.offline import evaluate, scores

TRUE = [0, 1, 1, 0, 2, 1, 2, 2, 0, 1]
GIVEN = [0, 1, 0, 0, 2, 2, 2, 1, 1, 1]


@pytest.mark.parametrize("name", ["precision_score", "recall_score", "f1_score"])
@pytest.mark.parametrize("average", ["micro", "macro", "weighted", None])
def test_scores_are_those_of_scikit_learn(name, average):
    real = getattr(pytest.importorskip("sklearn.metrics"), name)
    ours = getattr(scores, name)(TRUE, GIVEN, average=average)
    np.testing.assert_allclose(ours, real(TRUE, GIVEN, average=average))


@pytest.mark.parametrize("name", ["precision_score", "recall_score", "f1_score", "accuracy_score"])
@pytest.mark.parametrize("given", [[0, 1, 1, 1], [0, 1, 0, 0], [1, 1, 1, 1]])
def test_scores_of_two_labels_are_those_of_scikit_learn(name, given):
    real = getattr(pytest.importorskip("sklearn.metrics"), name)
    ours = getattr(scores, name)([0, 1, 1, 0], given)
    assert ours == pytest.approx(real([0, 1, 1, 0], given))


def test_a_label_never_predicted_scores_zero():
    assert scores.precision_score([1, 1], [0, 0]) == scores.f1_score([1, 1], [0, 0]) == 0


def test_positive_label_can_be_chosen():
    assert scores.recall_score([0, 0, 1], [0, 1, 1], pos_label=0) == 0.5


def test_confusion_matrix_has_true_labels_in_rows():
    assert scores.confusion_matrix([0, 0, 1], [0, 1, 1]).tolist() == [[1, 1], [0, 1]]
    assert scores.confusion_matrix([0], [0], labels=[0, 1]).tolist() == [[1, 0], [0, 0]]


def test_tensors_are_scored():
    given = [torch.tensor(1), torch.tensor(0)]
    assert scores.accuracy_score(torch.tensor([1, 1]), given) == 0.5
    assert scores.accuracy_score([1, 1], given, normalize=False) == 1


# ---------------------------------------------------------------- evaluate


def test_batches_add_up():
    metric = evaluate.load("accuracy")
    metric.add_batch(predictions=torch.tensor([1, 0, 1]), references=[1, 1, 1])
    metric.add_batch(predictions=np.array([0]), references=torch.tensor([0]))
    metric.add(prediction=1, reference=0)
    assert metric.compute() == {"accuracy": 0.6}


def test_compute_starts_anew():
    metric = evaluate.load("accuracy")
    metric.add_batch(predictions=[1], references=[0])
    metric.compute()
    assert metric.compute() is None
    assert metric.compute(predictions=[1], references=[1]) == {"accuracy": 1.0}


def test_add_understands_the_plural():
    metric = evaluate.load("accuracy")
    metric.add(predictions=torch.tensor(1), references=1)
    assert metric.compute() == {"accuracy": 1.0}


def test_lengths_must_agree():
    with pytest.raises(ValueError, match=r"predictions \(2\) and references \(1\)"):
        evaluate.load("accuracy").add_batch(predictions=[1, 0], references=[1])


def test_logits_are_no_labels():
    with pytest.raises(ValueError, match="expected format"):
        evaluate.load("accuracy").add_batch(predictions=torch.rand(2, 2), references=[0, 1])


@pytest.mark.parametrize("names", [("glue", "sst2"), ("super_glue", "boolq")])
def test_benchmarks_are_judged_by_accuracy(names):
    metric = evaluate.load(*names)
    assert metric.compute(predictions=[1, 1], references=[1, 0]) == {"accuracy": 0.5}


def test_unknown_metric_is_not_found():
    with pytest.raises(FileNotFoundError, match="rouge"):
        evaluate.load("rouge")


def test_metrics_are_combined():
    both = evaluate.combine(["accuracy", evaluate.load("f1")])
    both.add_batch(predictions=[1], references=[1])
    both.add(prediction=0, reference=1)
    assert both.compute() == {"accuracy": 0.5, "f1": pytest.approx(2 / 3)}
