"""Find out which split a DataLoader reads and in which order, in the student's child."""

from collections.abc import Iterator
from typing import Any

import torch
from torch.utils.data import DataLoader, Subset

from graders.adapting.raised import is_of_this_machine

from .student_values import item

SHAPE = ("num_workers", "prefetch_factor", "persistent_workers", "multiprocessing_context")
MOST_ITEMS = 64  # collated to see their ids


class Loaders:
    """The splits of the data that main received, and what is known about its loaders."""

    def __init__(self, splits: dict[str, list[dict[str, Any]]]) -> None:
        self._splits = splits
        self._homes = {row["text"]: split for split, rows in splits.items() for row in rows}
        self._known: dict[
            int, tuple[Any, str]
        ] = {}  # keeps each loader alive, so that no id is reused
        self.seen: dict[str, dict[str, Any]] = {}

    def split(self, loader: Any) -> str:
        """Return which split a loader reads, or which splits; empty if unknown."""
        loader = getattr(loader, "iterable", loader)  # inside a progress bar
        if not hasattr(getattr(loader, "dataset", loader), "__getitem__"):
            return ""
        if id(loader) not in self._known:
            name = self._split(loader)
            self._known[id(loader)] = loader, name
            for first in name.split()[:1]:  # later ones of a split may be samples of it
                self.seen.setdefault(first, self._delivery(loader, first))
        return self._known[id(loader)][1]

    def _split(self, loader: Any) -> str:
        dataset = getattr(loader, "dataset", loader)
        length = len(dataset)
        ends = {*range(min(3, length)), *range(max(0, length - 3), length)}
        texts = [item(dataset[i])["text"] for i in ends]
        homes = {self._homes[text] for text in texts if text in self._homes}
        if homes:
            return " and ".join(split for split in self._splits if split in homes)
        sizes = {len(rows): split for split, rows in self._splits.items()}
        return sizes.get(length, "")

    def _delivery(self, loader: Any, name: str) -> dict[str, Any]:
        """Return two passes over a loader as indices into the split, and its first batch."""
        texts = [row["text"] for row in self._splits[name]]
        indices = _sampled if name == "train" else _delivered
        orders = [[int(i) for i in indices(loader)] for _ in range(2)]
        places = [_place(loader, i, texts) for i in orders[0]]
        count = len(getattr(loader, "dataset", loader))
        reply = {"orders": orders, "places": places, "count": count, "whole": _whole(loader)}
        return {**reply, **_first_batch(loader)}


def _whole(loader: Any) -> int:
    """Return the length of the dataset of a loader, or of the one that it is a subset of."""
    dataset = getattr(loader, "dataset", loader)
    while isinstance(dataset, Subset):
        dataset = dataset.dataset
    return len(dataset)


def _place(loader: Any, index: int, texts: list[str]) -> int:
    """Return the index of an item's text in the split; its own index for items without text."""
    text = item(loader.dataset[index])["text"]
    return texts.index(text) if text in texts else int(index)


def _sampled(loader: Any) -> Iterator[int]:
    """Yield the indices of one pass; in training, the last batch may be dropped."""
    sampler = getattr(loader, "sampler", None)
    if sampler is not None and getattr(loader, "drop_last", False):
        yield from sampler
    else:
        yield from _delivered(loader)


def _delivered(loader: Any) -> Iterator[int]:
    """Yield the indices that one pass requests from the dataset."""
    if not isinstance(loader, DataLoader) or loader.batch_sampler is None:
        yield from range(len(getattr(loader, "dataset", loader)))
        return
    for batch in loader.batch_sampler:
        yield from batch


def _first_batch(loader: Any) -> dict[str, Any]:
    """Return whether the default collate is used, the first batch's names, and what it raises.

    An error that may not occur on the student's machine, or with more sentences, does not count.
    """
    plain = getattr(loader, "collate_fn", None) is torch.utils.data.default_collate
    try:
        batch = next(iter(loader))
        names = [str(name) for name in batch] if isinstance(batch, dict) else []
    except Exception as error:  # noqa: BLE001  shown to the student if main is at fault
        elsewhere = isinstance(error, StopIteration) or is_of_this_machine(error)
        message = "" if elsewhere else f"{type(error).__name__}: {error}"[:200]
        return {"plain": plain, "names": [], "raised": message}
    return {"plain": plain, "names": names[:8], "raised": ""}


def strange_id(loader: Any, model: Any) -> str:
    """Return the highest id if it is outside the model's embedding table, else nothing."""
    loader = getattr(loader, "iterable", loader)  # inside a progress bar
    try:
        rows = model.get_input_embeddings().num_embeddings
        items = [loader.dataset[i] for i in range(min(len(loader.dataset), MOST_ITEMS))]
        highest = int(loader.collate_fn(items)["text_encoding"]["input_ids"].max())
    except Exception:  # noqa: BLE001  another check reports wrong batches
        return ""
    return f"token {highest} in a table of {rows} rows" if highest >= rows else ""


def in_process(loader: DataLoader[Any], *args: Any, **kwargs: Any) -> None:
    """Run DataLoader.__init__ without worker processes."""
    positional = list(args)
    if len(positional) > 5:  # dataset, batch_size, shuffle, sampler, batch_sampler, num_workers
        positional[5] = 0
    options = {name: value for name, value in kwargs.items() if name not in SHAPE}
    _init(loader, *positional, **options)


_init = DataLoader.__init__
