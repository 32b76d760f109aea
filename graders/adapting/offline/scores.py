"""The scores of classifications that starters and students ask libraries for."""

from collections.abc import Sequence
from typing import Any

import numpy as np


def accuracy_score(y_true: Any, y_pred: Any, *, normalize: bool = True, **_more: Any) -> float:
    """The share of right predictions, or their number."""
    right = _labels(y_true) == _labels(y_pred)
    return float(right.mean() if normalize else right.sum())


def precision_score(y_true: Any, y_pred: Any, **options: Any) -> Any:
    """Right positives in all predicted ones."""
    return _averaged(y_true, y_pred, options, kind=1)


def recall_score(y_true: Any, y_pred: Any, **options: Any) -> Any:
    """Right positives in all true ones."""
    return _averaged(y_true, y_pred, options, kind=0)


def f1_score(y_true: Any, y_pred: Any, **options: Any) -> Any:
    """The harmonic mean of precision and recall."""
    return _averaged(y_true, y_pred, options, kind=2)


def confusion_matrix(y_true: Any, y_pred: Any, *, labels: Any = None, **_more: Any) -> Any:
    """How often each true label (row) is given each label (column)."""
    true, given = _labels(y_true), _labels(y_pred)
    each = np.unique(np.concatenate([true, given])) if labels is None else np.asarray(labels)
    return np.array([[((true == a) & (given == b)).sum() for b in each] for a in each])


def _labels(values: Any) -> Any:
    """An array of labels; tensors of any device and lists of tensors are welcome."""
    if hasattr(values, "detach"):
        values = values.detach().cpu()
    return np.asarray([each.item() if hasattr(each, "item") else each for each in values])


def _averaged(y_true: Any, y_pred: Any, options: dict[str, Any], *, kind: int) -> Any:
    """The score of the positive label, or of all labels averaged as the options say."""
    table = confusion_matrix(y_true, y_pred)
    true, given = _labels(y_true), _labels(y_pred)
    each = np.unique(np.concatenate([true, given]))
    how = options.get("average", "binary")
    if how == "binary":
        at = each == options.get("pos_label", 1)
        return float(_scores(table, kind)[at].sum())
    if how == "micro":
        return float(np.trace(table) / table.sum())
    weights = table.sum(axis=1) if how == "weighted" else np.ones(len(each))
    scores = _scores(table, kind)
    return scores if how is None else float(np.average(scores, weights=weights))


def _scores(table: Any, kind: int) -> Any:
    """Recall, precision or F1 of each label; nothing to divide by counts as zero."""
    right = np.diag(table).astype(float)
    totals: Sequence[Any] = (table.sum(axis=1), table.sum(axis=0))
    total = sum(totals) / 2 if kind == 2 else totals[kind]
    return np.divide(right, total, out=np.zeros_like(right), where=total > 0)


PUBLIC = {
    each.__name__: each
    for each in (accuracy_score, precision_score, recall_score, f1_score, confusion_matrix)
}
