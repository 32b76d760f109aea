"""Recognize the meaning of a table's column: `Val. acc (%)` is the dev accuracy."""

import re
from collections.abc import Mapping, Sequence

from graders.written.audits.reading.figure import undressed

_WORD = re.compile(r"[a-zß-öø-ÿηα#]+", re.IGNORECASE)
_RATE = frozenset({"lr", "rate", "η", "learningrate", "eta", "stepsize", "lernrate"})
_EPOCH = frozenset({
    "epoch", "epochs", "ep", "eps", "nepochs", "numepochs", "iterations", "epoche", "epochen",
})  # fmt: skip
_TRAINED = frozenset({"train", "training", "trained"})
_COUNTED = frozenset({"epochs", "num", "number", "n", "total", "count"})
_BATCH = frozenset({"bs", "batch", "batchsize", "bsz", "batchgröße"})
_SPLITS: Mapping[str, str] = {
    **dict.fromkeys(("train", "training", "tr", "trn"), "train"),
    **dict.fromkeys(("dev", "val", "valid", "validation", "development"), "dev"),
    **dict.fromkeys(("eval", "evaluation"), "dev"),
    **dict.fromkeys(("test", "testing", "tst"), "test"),
}  # fmt: skip
_LOSS = frozenset({"loss", "losses", "nll", "ce", "entropy", "xent"})
_OTHER = frozenset({
    "f", "precision", "recall", "ppl", "perplexity", "time", "seconds", "std", "sd", "se", "auc",
    "mcc", "size", "examples", "items", "samples", "steps", "error", "err", "gap", "difference",
})  # fmt: skip
_ACCURACY = frozenset({"acc", "accuracy", "accuracies", "genauigkeit"})
_CHOSEN = frozenset({"chosen", "selected", "selection", "picked", "pick", "choice", "choose"})
_LABEL = frozenset({
    "model", "architecture", "backbone", "method", "name", "run", "experiment", "setting",
    "config", "configuration", "variant", "type", "optimizer", "optimiser", "id", "no", "trial",
})  # fmt: skip

Names = Mapping[str, str]


def plain(header: str) -> str:
    """Return a column's name in lower case, without punctuation, units and text in brackets."""
    text = re.sub(r"[(\[][^)\]]{0,40}[)\]]", " ", undressed(header[:100])) or header[:100]
    text = text.replace("#", "# ")  # `#Epochs`
    return " ".join(re.sub(r"[_\-./:\\{}%=]", " ", text).casefold().split())


def meaning(header: str, further: Names | None = None) -> str:
    """Return a column's canonical name, "" if it has none; `further` are an assignment's names.

    One of lr, epochs, batch_size, train, dev, test, train_loss, dev_loss, test_loss,
    accuracy, loss, chosen, label.
    """
    name = plain(header)
    if further and name in further:
        return further[name]
    words = set(_WORD.findall(name)) | {name.replace(" ", "")}
    return _setting(words, name) or _metric(words) or _rest(words)


def meanings(header: str, further: Names | None = None) -> tuple[str, ...]:
    """Return the canonical names of a column that contains several values, such as `dev / test`."""
    one = meaning(header, further)
    parts = [
        part for part in re.split(r"[/,;&|×]|\band\b", undressed(header[:100])) if part.strip()
    ]
    several = [meaning(part, further) for part in parts]
    if len(several) > 1 and all(several) and len(set(several)) == len(several):
        return tuple(several)
    splits = list(
        dict.fromkeys(_SPLITS[word] for word in _WORD.findall(plain(header)) if word in _SPLITS)
    )
    return tuple(splits) if len(splits) > 1 else (one,)


def further_names(settings: Mapping[str, Sequence[str]]) -> dict[str, str]:
    """Return an assignment's own names of columns, each with its canonical name."""
    return {plain(name): column for column, names in settings.items() for name in names}


def _setting(words: set[str], name: str) -> str:
    if words & _BATCH:
        return "batch_size"
    if words & _RATE or name == "α":
        return "lr"
    split = any(word in _SPLITS for word in words)
    trained = bool(words & _TRAINED) and bool(words & _COUNTED)  # such as `Training epochs`
    if words & _EPOCH and trained and not words & _ACCURACY and not words & _LOSS:
        return "epochs"
    if words & _EPOCH and not split and not words & _ACCURACY and not words & _LOSS:
        return "epochs"
    return ""


def _metric(words: set[str]) -> str:
    splits = sorted({_SPLITS[word] for word in words if word in _SPLITS})
    loss = bool(words & _LOSS)
    if words & _OTHER and not loss and not words & _ACCURACY:
        return ""
    if splits:
        return splits[0] + ("_loss" if loss else "")
    if loss:
        return "loss"
    return "accuracy" if words & _ACCURACY else ""


def _rest(words: set[str]) -> str:
    if words & _CHOSEN or words == {"best"}:
        return "chosen"
    return "label" if words & _LABEL else ""
