"""Hints about the exceptions that student code raises: what to look at on the line that raised."""

import re
import sys

from graders.errors import ON_A_GPU

GPU = re.compile(r"CUDA|\bcuda\b|NVIDIA|nvidia|accelerator")
RAISED_ON_PURPOSE = (
    "This line of your code raises the exception itself. The condition that leads to it is true "
    "for this input: print the values that it compares."
)
READABLE = (
    f"Python {sys.version_info.major}.{sys.version_info.minor} cannot read this file, so none of "
    "its code runs. Fix this line first"
)

# The first entry whose pattern is found in `Kind: message` gives the hint.
HINTS: dict[str, str] = {
    r"^TypeError: 'torch\.Size' object is not callable": (
        "`x.shape` is a tuple, not a function: write `x.shape[2]` or `x.size(2)`."
    ),
    r"^TypeError: ('torch\.dtype' object is not callable|range\(\) missing)": (
        "`from torch import *` also imports torch's `float`, `int`, `bool` and `range`, which hide "
        "Python's own. Import torch, or only the names that you need."
    ),
    r"^TypeError: .*not callable": (
        "Parentheses call a function, and this is not one. Use square brackets to index, and check "
        "that no variable has the name of a function."
    ),
    r"^TypeError: .*(positional argument|keyword argument|required argument|is called with)": (
        "The call does not fit the function's parameters. Compare the arguments on this line with "
        "the `def` line."
    ),
    r"NoneType": (
        "Something on this line is None. Does a function that you call end without `return`?"
    ),
    r"^AttributeError: module .*has no attribute": (
        "The module does not define this name. Check its spelling. Your functions need the names "
        "from the handout, and must not be indented into a class or another function."
    ),
    r"expected 'f' to be string, path": (
        "`torch.save` takes the object first and the file second: `torch.save(weights, path)`."
    ),
    r"^AttributeError: .*has no attribute": (
        "Check the spelling, and print the type of the object on this line: it may not be what you "
        "expect."
    ),
    r"^ValueError: .*values to unpack": (
        "The number of variables to the left of `=` differs from the number of values. Print what "
        "is to the right, or its shape."
    ),
    r"view size is not compatible": (
        "`.view` needs a contiguous tensor: use `.reshape`, or `.contiguous()` before `.view`."
    ),
    r"last dimension with stride 1|tensor is not contiguous": (
        "The operation needs a contiguous tensor: call `.contiguous()` on it first."
    ),
    r"expected scalar type|same dtype|can't be cast": (
        "Two tensors have different dtypes. Print `.dtype` of each, and convert one of them, such "
        "as with `.to(x.dtype)`."
    ),
    r"^RuntimeError: .*(shape|size|dimension)": (
        "The shapes do not fit. Print `.shape` of each tensor on this line and compare axis by "
        "axis."
    ),
    r"^IndexError": (
        "An index is out of range. Print the index, and the length or shape of what it indexes."
    ),
    r"^KeyError": (
        "The dictionary does not have this key. Print the key and the dictionary's keys."
    ),
    r"^(NameError|UnboundLocalError)": (
        "This name has no value yet. Check its spelling, and that it is imported or assigned "
        "before this line runs."
    ),
    r"^(IndentationError|TabError)": f"{READABLE}: its indentation differs from its block's.",
    r"^SyntaxError": (
        f"{READABLE}; the mistake may be just above it, such as a bracket that is not closed."
    ),
    r"not implemented for '": (
        "This operation does not exist for this dtype. Print `.dtype` of each argument, and check "
        "that the arguments are in the right order."
    ),
    r"^NotImplementedError": (
        "This part is not written yet. Replace `raise NotImplementedError` with your code."
    ),
    r"attempted relative import": (
        "`from .` works only in a package, and a script that is run by its path, such as `python "
        "src/run.py`, is not in one. Write `import dataset`, not `from . import dataset`."
    ),
    r"^(ModuleNotFoundError|ImportError)": (
        "Submit every file of yours that you import, and use only the libraries of the assignment."
    ),
    r"^(FileNotFoundError|NotADirectoryError|PermissionError)": (
        "This file does not exist where your code is graded. Read files only in the script that "
        "trains, not when a module is imported."
    ),
    r"^AssertionError": "An `assert` does not hold here. Print the values that it compares.",
    r"^RecursionError": (
        "The function calls itself without end. Check the condition that ends the recursion."
    ),
    r"^(TypeError|ValueError|ZeroDivisionError|RuntimeError)": (
        "Print the type and the shape of each value on this line, and compare them with what the "
        "operation expects."
    ),
}


def crash_hint(kind: str, message: str, source: str = "") -> str:
    """Return the hint for an exception raised on the line `source`, or an empty text."""
    if GPU.search(message):
        return ON_A_GPU
    if source.startswith("raise ") and kind != "NotImplementedError":
        return RAISED_ON_PURPOSE
    text = f"{kind}: {message}"
    return next((hint for pattern, hint in HINTS.items() if re.search(pattern, text)), "")
