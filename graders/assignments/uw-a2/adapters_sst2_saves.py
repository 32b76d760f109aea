"""Watches what main keeps and where, and lets it keep files wherever it likes; beside that code."""

import builtins
import contextlib
import copy
import io
import os
import pickle
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any
from unittest import mock

import torch
from adapters_sst2_code import code
from adapters_sst2_marks import marked

Note = Callable[[str, int], None]  # the place, and the epoch of the weights kept there
Patches = tuple[Any, ...]
KEPT = "kept"  # the folder in which paths end up that cannot be written to here
_mkdir = os.mkdir


@contextlib.contextmanager
def keeping(note: Note) -> Iterator[None]:
    """Notes every saved file with weights in it; folders are made and foreign paths moved here."""
    with contextlib.ExitStack() as stack:
        for patch in (*_files(), *_folders(), *_models(note), *_torch(note), *_copies()):
            stack.enter_context(patch)
        yield


def unseen(place: str, weights: int) -> None:
    """Forget what was kept, where nobody asks."""


def _here(path: Any) -> Any:
    """The path, or one below the current folder where it cannot be written to."""
    if not isinstance(path, str | os.PathLike):
        return path
    text = os.path.expanduser(os.fspath(path))
    if not os.path.isabs(text):
        return text
    parent = Path(text).parent
    while not parent.exists():
        parent = parent.parent
    return text if os.access(parent, os.W_OK) else os.path.join(KEPT, text.lstrip("/\\"))


def _ready(path: Any) -> Any:
    """The same, with the folder it lies in made."""
    found = _here(path)
    if isinstance(found, str):
        _make(Path(found).parent)
    return found


def _make(folder: Path, *_: Any, **__: Any) -> None:
    """Make a folder and those above it; one that is there already stops nobody."""
    target = Path(_here(folder))
    for each in (*reversed(target.parents), target):
        if not each.exists():
            _mkdir(each)


def _folders() -> Patches:
    return (
        mock.patch.object(os, "makedirs", _make),
        mock.patch.object(os, "mkdir", _make),
        mock.patch.object(Path, "mkdir", _make),
    )


def _files() -> Patches:
    """Files opened for writing are made here."""
    plain = builtins.open

    def opened(file: Any, mode: Any = "r", *args: Any, **kwargs: Any) -> Any:
        writing = isinstance(mode, str) and set(mode) & set("wax+")
        return plain(_ready(file) if writing else file, mode, *args, **kwargs)

    own = code().namespace.get("__builtins__", {})  # the student's functions find it here
    return (
        *(mock.patch.object(each, "open", opened) for each in (builtins, io)),
        mock.patch.dict(own if isinstance(own, dict) else {}, {"open": opened}),
    )


def _torch(note: Note) -> Patches:
    save, load, dump = torch.save, torch.load, pickle.dump
    copies: dict[str, Any] = {}  # of what cannot be written: its class stands in no module here

    def saved(obj: Any, f: Any, *args: Any, **kwargs: Any) -> None:
        note(str(getattr(f, "name", f)), marked(obj))
        copies.pop(str(f), None)
        try:
            save(obj, _ready(f), *args, **kwargs)
        except (pickle.PicklingError, AttributeError):
            copies[str(f)] = copy.deepcopy(obj)

    def loaded(f: Any, *args: Any, **kwargs: Any) -> Any:
        if str(f) in copies:
            return copy.deepcopy(copies[str(f)])
        # whole models could be loaded without a word until torch 2.6
        return load(_here(f), *args, **{"weights_only": False, **kwargs})

    def dumped(obj: Any, file: Any, *args: Any, **kwargs: Any) -> None:
        note(str(getattr(file, "name", "")), marked(obj))
        dump(obj, file, *args, **kwargs)

    return (
        mock.patch.object(torch, "save", saved),
        mock.patch.object(torch, "load", loaded),
        mock.patch.object(pickle, "dump", dumped),
    )


def _models(note: Note) -> Patches:
    """save_pretrained, and from_pretrained of what it left in a moved folder."""
    from transformers import AutoConfig, AutoTokenizer, PreTrainedModel, PreTrainedTokenizerBase
    from transformers.models.auto.auto_factory import _BaseAutoModelClass

    def keeper(save: Callable[..., Any]) -> Callable[..., Any]:
        def saved(kept: Any, save_directory: Any, *args: Any, **kwargs: Any) -> Any:
            note(str(save_directory), marked(kwargs.get("state_dict") or kept))
            folder = _here(save_directory)
            _make(Path(folder))
            return save(kept, folder, *args, **kwargs)

        return saved

    def moved(load: Callable[..., Any]) -> Any:
        def loaded(kind: Any, name: Any, *args: Any, **kwargs: Any) -> Any:
            folder = _here(name)
            there = isinstance(folder, str) and os.path.exists(folder)
            return load(kind, folder if there else name, *args, **kwargs)

        return classmethod(loaded)

    kinds = (PreTrainedModel, PreTrainedTokenizerBase)
    autos = [k for k in _BaseAutoModelClass.__subclasses__() if "from_pretrained" in vars(k)]
    readers: tuple[Any, ...] = (*kinds, AutoConfig, AutoTokenizer, _BaseAutoModelClass, *autos)
    return (
        *(mock.patch.object(k, "save_pretrained", keeper(k.save_pretrained)) for k in kinds),
        *(
            mock.patch.object(k, "from_pretrained", moved(k.from_pretrained.__func__))
            for k in readers
        ),
    )


def _copies() -> Patches:
    """Moving weights to the processor copies them, as it does from a GPU."""
    to, cpu = torch.Tensor.to, torch.Tensor.cpu

    def copied(tensor: torch.Tensor, *args: Any, **kwargs: Any) -> torch.Tensor:
        return cpu(tensor, *args, **kwargs).clone()

    def moved(tensor: torch.Tensor, *args: Any, **kwargs: Any) -> torch.Tensor:
        result = to(tensor, *args, **kwargs)
        target = kwargs.get("device", args[0] if args else None)
        return result.clone() if result is tensor and str(target) == "cpu" else result

    return (
        mock.patch.object(torch.Tensor, "cpu", copied),
        mock.patch.object(torch.Tensor, "to", moved),
    )
