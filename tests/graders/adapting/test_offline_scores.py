"""Classification scores equal scikit-learn's, in the format of `evaluate`."""

import sys

import numpy as np
import pytest
import torch

from graders.adapting.offline import scores
from graders.adapting.unavailable import Unavailable

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


def test_rare_cases_are_scored():
    assert scores.precision_score([1, 1], [0, 0]) == scores.f1_score([1, 1], [0, 0]) == 0
    assert scores.recall_score([0, 0, 1], [0, 1, 1], pos_label=0) == 0.5
    assert scores.confusion_matrix([0, 0, 1], [0, 1, 1]).tolist() == [[1, 1], [0, 1]]
    assert scores.confusion_matrix([0], [0], labels=[0, 1]).tolist() == [[1, 0], [0, 0]]
    predictions = [torch.tensor(1), torch.tensor(0)]
    assert scores.accuracy_score(torch.tensor([1, 1]), predictions) == 0.5
    assert scores.accuracy_score([1, 1], predictions, normalize=False) == 1


def test_weights_labels_and_empty_classes_count_as_in_scikit_learn():
    real = pytest.importorskip("sklearn.metrics")
    weights = np.arange(1, 11)
    options = {"average": "macro", "labels": [1, 2, 3], "sample_weight": weights}
    for name in ("precision_score", "recall_score", "f1_score"):
        for empty in (0, 1):
            keywords = {**options, "zero_division": empty}
            ours = getattr(scores, name)(TRUE, GIVEN, **keywords)
            assert ours == pytest.approx(getattr(real, name)(TRUE, GIVEN, **keywords))
    assert scores.accuracy_score(TRUE, GIVEN, sample_weight=weights) == pytest.approx(
        real.accuracy_score(TRUE, GIVEN, sample_weight=weights)
    )
    assert scores.matthews_corrcoef(TRUE, GIVEN) == pytest.approx(
        real.matthews_corrcoef(TRUE, GIVEN)
    )
    for how in ("true", "pred", "all"):
        ours = scores.confusion_matrix(TRUE, GIVEN, normalize=how)
        np.testing.assert_allclose(ours, real.confusion_matrix(TRUE, GIVEN, normalize=how))


def test_an_option_that_is_not_computed_is_not_passed_over():
    with pytest.raises(Unavailable, match="samples"):
        scores.f1_score(TRUE, GIVEN, average="samples")
    with pytest.raises(TypeError, match="zero"):
        scores.f1_score(TRUE, GIVEN, zero=1)
    with pytest.raises(ValueError, match="multiclass"):
        scores.f1_score(TRUE, GIVEN)


# ---------------------------------------------------------------- evaluate

posix = pytest.mark.skipif(sys.platform == "win32", reason="processes are forked")


@posix
@pytest.mark.slow
def test_a_metric_is_one_of_the_library_and_shares_nothing(run_offline):
    """In files they would: the sandbox has no locks that keep them apart."""
    run_offline("""
        import evaluate, numpy as np, pytest
        metric = evaluate.load("accuracy")
        assert isinstance(metric, evaluate.EvaluationModule) and metric.name == "accuracy"
        metric.add_batch(predictions=torch.tensor([1, 0, 1]), references=[1, 1, 1])
        metric.add_batch(predictions=np.array([0]), references=torch.tensor([0]))
        metric.add(prediction=1, reference=0)
        assert metric.compute() == {"accuracy": 0.6}
        with pytest.raises(ValueError, match="add_batch"):
            metric.compute()
        assert metric.compute(predictions=[1], references=[1], normalize=False) == {"accuracy": 1}
        with pytest.raises(ValueError):
            metric.add_batch(predictions=[1, 0], references=[1])
        with pytest.raises(ValueError):
            metric.add_batch(predictions=torch.rand(2, 2), references=[0, 1])
    """)
    run_offline("""
        import evaluate
        first, second = evaluate.load("accuracy"), evaluate.load("accuracy")
        first.add_batch(predictions=[1, 1], references=[1, 1])
        second.add_batch(predictions=[0, 1], references=[1, 1])
        assert (first.compute(), second.compute()) == ({"accuracy": 1.0}, {"accuracy": 0.5})
    """)


@posix
@pytest.mark.slow
def test_metrics_are_combined_and_benchmarks_have_theirs(run_offline):
    run_offline("""
        import evaluate, pytest
        from datasets import load_metric
        from graders.adapting.unavailable import Unavailable
        both = evaluate.combine(["accuracy", evaluate.load("f1")])
        both.add_batch(predictions=[1, 0], references=[1, 1])
        assert both.compute() == {"accuracy": 0.5, "f1": pytest.approx(2 / 3)}
        given = {"predictions": [1, 1], "references": [1, 0]}
        for names in (("glue", "sst2"), ("super_glue", "boolq"), ("accuracy",)):
            assert load_metric(*names).compute(**given) == {"accuracy": 0.5}
        assert set(evaluate.load("glue", "mrpc").compute(**given)) == {"accuracy", "f1"}
        for names in (("rouge",), ("glue", "stsb"), ("someone/metric",)):
            with pytest.raises(Unavailable, match=names[-1]):
                evaluate.load(*names)
        for names in (("accuracyx",), ("glue", "sst")):  # nobody has these
            with pytest.raises((ValueError, KeyError), match=names[-1]):
                evaluate.load(*names)
    """)
