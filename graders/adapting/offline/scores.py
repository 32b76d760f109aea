"""Compute the classification scores that starters and students call libraries for.

The parameters are those of scikit-learn; an option that is not supported here is `Unavailable`.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np

from graders.adapting.unavailable import Unavailable

AVERAGES = ("binary", "micro", "macro", "weighted", None)


def accuracy_score(
    y_true: Any, y_pred: Any, *, normalize: bool = True, sample_weight: Any = None
) -> float:
    """Return the accuracy, or with `normalize=False` the number of correct predictions."""
    right = _labels(y_true) == _labels(y_pred)
    if normalize:
        return float(np.average(right, weights=sample_weight))
    return float(right.sum() if sample_weight is None else np.dot(right, sample_weight))


def precision_score(y_true: Any, y_pred: Any, **options: Any) -> Any:
    """Return the precision: correct positives among all predicted ones."""
    return _averaged(y_true, y_pred, options, kind=1)


def recall_score(y_true: Any, y_pred: Any, **options: Any) -> Any:
    """Return the recall: correct positives among all true ones."""
    return _averaged(y_true, y_pred, options, kind=0)


def f1_score(y_true: Any, y_pred: Any, **options: Any) -> Any:
    """Return the harmonic mean of precision and recall."""
    return _averaged(y_true, y_pred, options, kind=2)


def matthews_corrcoef(y_true: Any, y_pred: Any, *, sample_weight: Any = None) -> float:
    """Return the correlation of true and predicted labels; 0 if either is constant."""
    table = confusion_matrix(y_true, y_pred, sample_weight=sample_weight).astype(float)
    true, predicted, all_ = table.sum(axis=1), table.sum(axis=0), table.sum()
    right = np.trace(table) * all_ - true @ predicted
    spread = (all_**2 - predicted @ predicted) * (all_**2 - true @ true)
    return float(right / np.sqrt(spread)) if spread > 0 else 0.0


def confusion_matrix(
    y_true: Any,
    y_pred: Any,
    *,
    labels: Any = None,
    sample_weight: Any = None,
    normalize: Any = None,
) -> Any:
    """Return how often each true label (row) gets each predicted label (column)."""
    true, predicted = _labels(y_true), _labels(y_pred)
    classes = np.unique(np.concatenate([true, predicted])) if labels is None else np.asarray(labels)
    weights = np.ones(len(true), dtype=int) if sample_weight is None else np.asarray(sample_weight)
    table = np.array(
        [[weights[(true == a) & (predicted == b)].sum() for b in classes] for a in classes]
    )
    if normalize is None:
        return table
    axis = {"true": 1, "pred": 0, "all": None}[normalize]
    totals = table.sum(axis=axis, keepdims=True)
    return np.divide(table, totals, out=np.zeros(table.shape), where=totals > 0)


def _labels(values: Any) -> Any:
    """Return an array of labels from an array, a tensor, or a list of numbers or tensors."""
    if hasattr(values, "detach"):
        values = values.detach().cpu()
    return np.asarray([value.item() if hasattr(value, "item") else value for value in values])


def _averaged(y_true: Any, y_pred: Any, options: dict[str, Any], *, kind: int) -> Any:
    """Return the score of the positive label, or of all labels averaged as the options say."""
    defaults: dict[str, Any] = {"average": "binary", "pos_label": 1, "labels": None}
    defaults |= {"sample_weight": None, "zero_division": "warn"}
    if unknown := sorted(set(options) - set(defaults)):
        raise TypeError(f"got an unexpected keyword argument '{unknown[0]}'")
    how, positive, labels, weights, empty = (defaults | options).values()
    if how not in AVERAGES:
        raise Unavailable(f"the average {how!r} of a score is not available in the sandbox")
    true, predicted = _labels(y_true), _labels(y_pred)
    classes = np.unique(np.concatenate([true, predicted]))
    if how == "binary":
        if len(classes) > 2:
            raise ValueError(
                "Target is multiclass but average='binary'. Please choose another average setting, "
                "one of [None, 'micro', 'macro', 'weighted']."
            )
        labels = [positive]
    names = classes if labels is None else np.asarray(labels)
    order = np.concatenate([names, np.setdiff1d(classes, names)])
    table = confusion_matrix(true, predicted, labels=order, sample_weight=weights)
    right = np.diag(table)[: len(names)].astype(float)
    totals: Sequence[Any] = [table.sum(axis=axis)[: len(names)] for axis in (1, 0)]
    if how == "micro":
        right, totals = right.sum(keepdims=True), [t.sum(keepdims=True) for t in totals]
    total = sum(totals) / 2 if kind == 2 else totals[kind]
    nothing = 0.0 if empty == "warn" else float(empty)
    scores = np.divide(right, total, out=np.full(len(right), nothing), where=total > 0)
    if how in ("binary", "micro"):
        return float(scores[0])
    shares = totals[0] if how == "weighted" and totals[0].sum() else None
    return scores if how is None else float(np.average(scores, weights=shares))


PUBLIC = {
    function.__name__: function
    for function in (
        accuracy_score, precision_score, recall_score, f1_score,
        confusion_matrix, matthews_corrcoef,
    )
}  # fmt: skip
