"""Watch which tensors student code moves to a GPU, without one: where others do not follow, a GPU
raises an error.
"""

import ast
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from types import CodeType
from typing import Any
from unittest import mock

import torch
from torch import nn
from torch.overrides import TorchFunctionMode

from graders.adapting.devices import place
from graders.adapting.gathered import code_folder

# A GPU refuses these if a tensor is on the CPU; it accepts others, such as an index.
MEETINGS = (
    "cross_entropy", "nll_loss", "eq", "__eq__", "ne", "__ne__",
    "binary_cross_entropy", "binary_cross_entropy_with_logits",
)  # fmt: skip
ELSEWHERE = ("cpu", "type", "type_as", "copy_")  # calls whose result may be anywhere
LABELS = "labels"
IMPORTED = re.compile(r"^\s*(?:from|import)\s+\.*([\w.]+)", re.MULTILINE)
MOVERS = (  # words of code that may move batches without a call in the loop
    "device_map", "DataParallel", "ccelerat", "Fabric", "_format(",
    "set_default_device", "Trainer", "send_to_device",
)  # fmt: skip


class Moves(TorchFunctionMode):
    """Watch which tensors are moved to a GPU, and whether they meet others that are not.

        loaded(tensor): on the CPU --.to("cuda"), .cuda()--> on the GPU

    Results of tensors in one place are there, too. All other places are unknown: that of a model,
    and of what is moved to the CPU or to the device of something else.
    """

    def __init__(self) -> None:
        super().__init__()
        self.met = False
        self.inputs: set[bool] = set()  # places of a model's inputs: whether they are on the GPU

    def loaded(self, value: Any) -> Any:
        """Return a tensor or a dictionary of tensors, known to be on the CPU."""
        if isinstance(value, Mapping):
            for item in value.values():
                self.loaded(item)
        elif isinstance(value, torch.Tensor):
            _put(value, on_gpu=False)
        return value

    def meet(self, *values: Any) -> None:
        """Note whether one of these tensors is on the CPU and another on the GPU."""
        # A GPU accepts one number.
        tensors = [tensor for tensor in _tensors(values) if tensor.dim()]
        self.met = self.met or len(_places(tensors)) > 1

    def is_left_behind(self, others: "Moves") -> bool:
        """Return whether a model's inputs stay on the CPU here, but are moved there."""
        return self.inputs == {False} and others.inputs == {True}

    def enter(self, _: nn.Module, args: Sequence[Any], named: Mapping[str, Any]) -> None:
        """Note the inputs of a model's forward pass, which meet in it.

        A model of transformers moves labels to its logits. Labels that were moved without the
        inputs show that the inputs should have been moved, too.
        """
        inputs = [*args, *(value for name, value in named.items() if name != LABELS)]
        places, labels = _places(_tensors(inputs)), _places(_tensors([named.get(LABELS)]))
        self.inputs |= places
        self.meet(*inputs)
        self.met = self.met or (places == {False} and labels == {True})

    def __torch_function__(
        self,
        func: Callable[..., Any],
        types: Any,
        args: tuple[Any, ...] = (),
        kwargs: Mapping[str, Any] | None = None,
    ) -> Any:
        """Call `func`, and note the place of its results."""
        named, name = kwargs or {}, getattr(func, "__name__", "")
        arguments = [*args, *named.values()]
        result = func(*args, **named)
        places = _places(_tensors(arguments))
        if not places:
            return result
        if name in MEETINGS:
            self.meet(*arguments)
        if name in ("to", "cuda", *ELSEWHERE) or "device" in named:
            moves, target = _target(name, args, named)
            if moves and isinstance(result, torch.Tensor):  # the CPU may return the same one
                return _put(result.view_as(result), on_gpu=target)
        for tensor in _tensors(result if isinstance(result, tuple | list) else [result]):
            _put(tensor, on_gpu=next(iter(places)) if len(places) == 1 else None)
        return result


def moves_tensors(definition: Any) -> bool:
    """Return whether the code of a function or class may move tensors, judged by its words."""
    inside = list(vars(definition).values()) if isinstance(definition, type) else [definition]
    codes = [getattr(member, "__code__", None) for member in inside]
    words = [str(word).lower() for code in codes if code for word in _words(code)]
    return any(word in ("to", "cuda") or "device" in word for word in words)


def moves_only_batches(file: str) -> bool:
    """Return whether a file of the upload moves batches to a device, and certainly no model.

    A batch is what a name gives with an index, or what a comprehension goes through. Nothing is
    known if the file imports another one, unless it imports datasets alone.
    """
    try:
        text = (code_folder() / file).read_text()
        nodes = list(ast.walk(ast.parse(text)))
    except (OSError, SyntaxError, ValueError, RecursionError):  # such as a notebook
        return False
    files = {path.stem: path for path in code_folder().rglob("*.py")}
    froms = [node for node in nodes if isinstance(node, ast.ImportFrom)]
    exempt = {node.lineno for node in froms if _imports_datasets(node, files)}
    code = "\n".join(line for n, line in enumerate(text.splitlines(), 1) if n not in exempt)
    imported = {part for name in IMPORTED.findall(code) for part in name.split(".")}
    if imported & files.keys() or any(word in text for word in (*MOVERS, "with torch.device")):
        return False
    loops = [node.target for node in nodes if isinstance(node, ast.comprehension)]
    taken = {name.id for loop in loops for name in ast.walk(loop) if isinstance(name, ast.Name)}
    calls = [node for node in nodes if isinstance(node, ast.Call)]
    if any(word.arg == "device" for call in calls for word in call.keywords):
        return False
    methods = [call.func for call in calls if isinstance(call.func, ast.Attribute)]
    moved = [method.value for method in methods if method.attr in ("to", "cuda")]
    return bool(moved) and all(
        isinstance(node, ast.Subscript) or (isinstance(node, ast.Name) and node.id in taken)
        for node in moved
    )


def _imports_datasets(node: ast.ImportFrom, others: Mapping[str, Path]) -> bool:
    """Return whether a statement imports only classes of torch's Dataset, which move no model."""
    try:
        defined = ast.parse(others[str(node.module)].read_text()).body
    except (KeyError, OSError, SyntaxError, ValueError, RecursionError):
        return False
    datasets = {
        part.name
        for part in defined
        if isinstance(part, ast.ClassDef) and any("Dataset" in ast.unparse(b) for b in part.bases)
    }
    return {alias.name for alias in node.names} <= datasets


def _words(code: CodeType) -> Iterator[Any]:
    """Yield the names that a function's code uses, and those of its keyword arguments."""
    yield from code.co_names
    yield from (
        name for constant in code.co_consts if isinstance(constant, tuple) for name in constant
    )


@contextmanager
def moving(model: nn.Module, moves: Moves) -> Iterator[None]:
    """Watch which tensors are moved to a GPU that seems available; this model takes them in."""
    handle = model.register_forward_pre_hook(moves.enter, with_kwargs=True)
    try:
        with mock.patch.object(torch.cuda, "is_available", return_value=True), moves:
            yield
    finally:
        handle.remove()


def _put(tensor: Any, *, on_gpu: bool | None) -> Any:
    tensor.softmark_on_gpu = on_gpu
    return tensor


def _places(tensors: Sequence[Any]) -> set[bool]:
    """Return the known places of these tensors: whether they are on the GPU."""
    places = (getattr(tensor, "softmark_on_gpu", None) for tensor in tensors)
    return {on_gpu for on_gpu in places if on_gpu is not None}


def _tensors(values: Sequence[Any]) -> list[torch.Tensor]:
    """Return the tensors among these values, and in lists of them."""
    lists = [value if isinstance(value, tuple | list) else [value] for value in values]
    return [value for some in lists for value in some if isinstance(value, torch.Tensor)]


def _target(name: str, args: Sequence[Any], named: Mapping[str, Any]) -> tuple[bool, bool | None]:
    """Return whether a call moves its tensor, and whether it does to a GPU, if that is known."""
    if name == "cuda" or name in ELSEWHERE:
        return True, True if name == "cuda" else None
    device = named.get("device", named.get("other", args[1] if len(args) > 1 else None))
    if isinstance(device, torch.Tensor):
        return True, next(iter(_places([device])), None)
    if device is None or isinstance(device, torch.dtype):
        return False, None
    return True, True if place(device) is not device else None
