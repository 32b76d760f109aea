"""Every common exception has a hint of its own, and a missing GPU is told as that."""

import re

import pytest
import torch

from graders.boundary.crash_hints import crash_hint
from graders.boundary.outcome import fault_of
from graders.errors import ON_A_GPU, StudentFileMissing

CRASHES = {
    "torch.ones(2).shape(0)": r"x\.shape\[2\]",
    "a, b = 1, 2, 3": "number of variables",
    "torch.ones(2, 3) @ torch.ones(2, 3)": r"Print `\.shape`",
    "torch.ones(2, 3).t().view(6)": "reshape",
    "torch.ones(2) @ torch.ones(2).double()": "dtype",
    "'a'.size(0)": "print the type",
    "torch.sofmax(0)": "does not define this name",
    "torch.save('a.pt', {})": "object first",
    "torch.float('-inf')": r"`from torch import \*`",
    "torch.range(3)": r"`from torch import \*`",
    "None.shape": "return",
    "(lambda x: x)()": "`def` line",
    "[][0]": "out of range",
    "{}['a']": "keys",
    "undefined": "no value yet",
    "x = (": "cannot read this file",
    "raise NotImplementedError": "not written yet",
    "torch.softmax(torch.ones(2).long(), 0)": "does not exist for this dtype",
    "assert 1 == 2": "`assert`",
    "import nothing_of_the_kind": "Submit every file",
    "exec('from . import a', {'__package__': '', '__name__': 'a'})": "only in a package",
    "open('/nowhere/at/all')": "Read files only",
}


@pytest.mark.parametrize("code", CRASHES)
def test_hint_is_about_the_exception(code):
    with pytest.raises(Exception) as caught:  # noqa: PT011  of any kind
        exec(code, {"torch": torch})
    assert re.search(CRASHES[code], crash_hint(caught.type.__name__, str(caught.value)))


@pytest.mark.parametrize(
    ("kind", "message", "hint"),
    [
        ("RuntimeError", "Torch not compiled with CUDA enabled", ON_A_GPU),
        ("RuntimeError", "Found no NVIDIA driver on your system.", ON_A_GPU),
        ("RuntimeError", "No CUDA GPUs are available", ON_A_GPU),
        ("Surprise", "something else", ""),
    ],
)
def test_fault_carries_the_hint_about_its_exception(kind, message, hint):
    assert fault_of({"outcome": "raised", "kind": kind, "message": message}).hint == hint


@pytest.mark.parametrize(
    ("kind", "words"),
    [("ValueError", "raises the exception itself"), ("NotImplementedError", "not written yet")],
)
def test_an_exception_raised_on_purpose_is_told_as_that(kind, words):
    error = {"outcome": "raised", "kind": kind, "message": "too long", "source": f"raise {kind}()"}
    assert words in fault_of(error).hint


def test_file_that_was_not_submitted_is_no_crash():
    error = {"outcome": "raised", "kind": "ModuleNotFoundError"}
    missing = fault_of({**error, "message": "No module named 'dataset'"})
    assert isinstance(missing, StudentFileMissing)
    assert (str(missing), missing.outcome) == ("`dataset.py` is not in your submission.", "")
    fault = fault_of({**error, "message": "No module named 'einops'", "where": "a.py, line 1"})
    assert fault.outcome == "raised"
