"""A stand-in for the accuracies of torchmetrics."""

from typing import Any

MULTICLASS = "multiclass"


class Accuracy:
    """The share of right predictions over all batches since the last reset, as a tensor."""

    task, average = "", "micro"

    def __init__(self, task: str = "", **options: Any) -> None:
        self._task = self.task or task
        self._options = {"average": self.average, **options}
        self._seen: list[tuple[Any, Any]] = []

    def update(self, preds: Any, target: Any) -> None:
        """Take a batch."""
        self._seen.append((_labels(preds, target, self._task, self._options), target.detach()))

    def compute(self) -> Any:
        """The accuracy of all that was taken."""
        import torch

        given, wanted = (
            torch.cat([each.reshape(-1) for each in s]) for s in zip(*self._seen, strict=True)
        )
        return _share(given, wanted, self._options["average"])

    def forward(self, preds: Any, target: Any) -> Any:
        """Take a batch; its own accuracy."""
        self.update(preds, target)
        return _share(*self._seen[-1], self._options["average"])

    __call__ = forward

    def reset(self) -> None:
        """Forget all that was taken."""
        self._seen.clear()

    def to(self, *_values: Any, **_named: Any) -> "Accuracy":
        """The same: there is one device."""
        return self

    cpu = cuda = to


class BinaryAccuracy(Accuracy):
    """Of labels, probabilities or logits of label 1."""

    task = "binary"


class MulticlassAccuracy(Accuracy):
    """The mean over the classes unless another average is asked for, as in the library."""

    task, average = MULTICLASS, "macro"


def accuracy(preds: Any, target: Any, task: str = MULTICLASS, **options: Any) -> Any:
    """The accuracy of one batch."""
    return Accuracy(task, **options)(preds, target)


def _labels(preds: Any, target: Any, task: str, options: dict[str, Any]) -> Any:
    preds = preds.detach()
    if preds.dim() > target.dim():
        return preds.argmax(dim=1)
    if task == "binary" and preds.is_floating_point():
        inside = bool(((preds >= 0) & (preds <= 1)).all())
        return ((preds if inside else preds.sigmoid()) > options.get("threshold", 0.5)).long()
    return preds


def _share(given: Any, wanted: Any, average: Any) -> Any:
    import torch

    right = (given == wanted).float()
    if average == "micro":
        return right.mean()
    classes = torch.stack([right[wanted == each].mean() for each in wanted.unique()])
    return classes.mean() if average == "macro" else classes


PUBLIC = {each.__name__: each for each in (Accuracy, BinaryAccuracy, MulticlassAccuracy, accuracy)}
