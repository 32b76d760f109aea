"""Record what main saves, and where, in the student's child."""

import contextlib
import copy
import os
import pickle
from collections.abc import Callable, Iterator
from typing import Any
from unittest import mock

import torch

from .student_marks import marked

Note = Callable[[str, int], None]  # the place, and the epoch of the weights saved there
Patches = tuple[Any, ...]


class NeverSaved(FileNotFoundError):
    """Weights are loaded from a file that main did not write, although it wrote others."""


@contextlib.contextmanager
def keeping(note: Note) -> Iterator[None]:
    """Record every saved file that contains weights."""
    with contextlib.ExitStack() as stack:
        for patch in (*_models(note), *_torch(note), *_copies()):
            stack.enter_context(patch)
        yield


def unseen(place: str, weights: int) -> None:
    """Discard what was saved if it is not needed."""


def _torch(note: Note) -> Patches:
    save, load, dump = torch.save, torch.load, pickle.dump
    copies: dict[str, Any] = {}  # of objects that cannot be pickled: no module here has their class
    written: list[Any] = []  # files of trained weights

    def saved(obj: Any, f: Any, *args: Any, **kwargs: Any) -> None:
        epoch = marked(obj)
        note(str(getattr(f, "name", f)), epoch)
        if epoch > 0:
            written.append(f)
        copies.pop(str(f), None)
        try:
            save(obj, f, *args, **kwargs)
        except (pickle.PicklingError, AttributeError):
            if not isinstance(f, str | os.PathLike) and not hasattr(f, "write"):
                raise  # it is no file, perhaps because the arguments are swapped
            copies[str(f)] = copy.deepcopy(obj)

    def loaded(f: Any, *args: Any, **kwargs: Any) -> Any:
        if str(f) in copies:
            return copy.deepcopy(copies[str(f)])
        try:  # whole models could be loaded by default until torch 2.6
            return load(f, *args, **{"weights_only": False, **kwargs})
        except FileNotFoundError as error:
            if not written:
                raise
            raise NeverSaved(error.errno, error.strerror, error.filename) from error

    def dumped(obj: Any, file: Any, *args: Any, **kwargs: Any) -> None:
        note(str(getattr(file, "name", "")), marked(obj))
        dump(obj, file, *args, **kwargs)

    return (
        mock.patch.object(torch, "save", saved),
        mock.patch.object(torch, "load", loaded),
        mock.patch.object(pickle, "dump", dumped),
    )


def _models(note: Note) -> Patches:
    """Wrap save_pretrained, and from_pretrained of files in a moved folder."""
    from transformers import AutoConfig, AutoTokenizer, PreTrainedModel, PreTrainedTokenizerBase
    from transformers.models.auto.auto_factory import _BaseAutoModelClass

    from graders.adapting.offline.places import make_folder
    from graders.adapting.offline.places import moved as there

    def keeper(save: Callable[..., Any]) -> Callable[..., Any]:
        def saved(model: Any, save_directory: Any, *args: Any, **kwargs: Any) -> Any:
            note(str(save_directory), marked(kwargs.get("state_dict") or model))
            make_folder(save_directory)
            return save(model, there(save_directory), *args, **kwargs)

        return saved

    def finder(load: Callable[..., Any]) -> Any:
        def loaded(kind: Any, name: Any, *args: Any, **kwargs: Any) -> Any:
            folder = there(name)
            found = isinstance(folder, str) and os.path.exists(folder)
            return load(kind, folder if found else name, *args, **kwargs)

        return classmethod(loaded)

    kinds = (PreTrainedModel, PreTrainedTokenizerBase)
    autos = [k for k in _BaseAutoModelClass.__subclasses__() if "from_pretrained" in vars(k)]
    readers: tuple[Any, ...] = (*kinds, AutoConfig, AutoTokenizer, _BaseAutoModelClass, *autos)
    return (
        *(mock.patch.object(k, "save_pretrained", keeper(k.save_pretrained)) for k in kinds),
        *(
            mock.patch.object(k, "from_pretrained", finder(k.from_pretrained.__func__))
            for k in readers
        ),
    )


def _copies() -> Patches:
    """Let moving weights to the CPU copy them, as it does from a GPU."""
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
