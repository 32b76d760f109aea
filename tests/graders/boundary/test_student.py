"""What a check gets from Student.call, in every tier."""

import numpy as np
import pytest

from graders.errors import (
    BadReply,
    GraderFault,
    StudentExited,
    StudentOutOfMemory,
    StudentRaised,
)

DTYPES = ["bool", "uint8", "int16", "int64", "float16", "float32", "float64", "complex64"]


def test_values_travel_both_ways_and_arrays_keep_dtype_and_shape(student):
    value = {"a": [1, 2.5, None, True, "ü"], "b": {"c": float("inf")}, "d": []}
    assert student.call("echo", value=value) == value
    arrays = [np.arange(6).reshape(2, 3).astype(dtype) for dtype in DTYPES]
    for array, back in zip(arrays, student.call("echo", value=arrays), strict=True):
        assert back.dtype == array.dtype
        np.testing.assert_array_equal(back, array)
        back[:] = 1  # it can be written to
    back = student.call("run", source="import numpy as np; result = [np.int64(3), np.float32(.5)]")
    assert back == [3, 0.5]
    assert [type(number) for number in back] == [int, float]
    array = np.zeros(3)
    assert student.call("run", source="x[:] = 1; result = x", x=array).tolist() == [1, 1, 1]
    assert array.tolist() == [0, 0, 0]


def test_the_students_files_are_found_by_relative_paths(student):
    def ask(function, name):
        return student.call("make", module="package.reading", function=function, name=name)

    for name in ("own.txt", "package/own.txt", "../package/own.txt"):
        assert ask("read", name) == ["beside the code"] * 2
    assert ask("read", "settings.txt") == ["above the code"] * 2
    with pytest.raises(StudentRaised, match=r"FileNotFoundError.*'missing.txt'"):
        ask("read", "missing.txt")
    with pytest.raises(StudentRaised, match="FileNotFoundError"):  # our own files are not theirs
        student.call("run", source="open('settings.txt')")
    assert ask("write", "settings.txt") == ["changed"] * 2  # in the current folder


def test_the_students_files_exist_and_are_tables(student):
    def ask(function, name):
        return student.call("make", module="package.reading", function=function, name=name)

    for table in ask("table", "table.txt"):
        assert table.tolist() == [[1, 2], [3, 4]]
    with pytest.raises(StudentRaised, match=r"FileNotFoundError.*missing.txt"):
        ask("table", "missing.txt")
    assert ask("exists", "own.txt") == ask("exists", "../settings.txt") == [True] * 3
    assert ask("exists", "missing.txt") == ask("exists", "package") == [False] * 3
    assert student.call("run", source="import os; result = os.path.exists('own.txt')") is False
    assert ask("remove", "own.txt") == ["beside the code"] * 2  # the submission stays as it is
    with pytest.raises(StudentRaised, match="FileNotFoundError"):
        student.call("run", source="import os; os.remove('own.txt')")


@pytest.mark.parametrize(
    ("source", "shape", "dtype"),
    [
        ("torch.ones(2, 3)", (2, 3), "float32"),
        ("torch.ones(2, 3, requires_grad=True)", (2, 3), "float32"),
        ("torch.ones(2, 3).t()", (3, 2), "float32"),
        ("torch.ones(2, dtype=torch.bfloat16)", (2,), "float32"),
        ("torch.ones(2, dtype=torch.float8_e4m3fn)", (2,), "float32"),
        ("torch.ones(2, dtype=torch.complex64).conj()", (2,), "complex64"),
        ("torch.eye(3).to_sparse()", (3, 3), "float32"),
        ("torch.tensor(5)", (), "int64"),
        ("torch.nn.Parameter(torch.ones(1))", (1,), "float32"),
    ],
)
def test_tensors_arrive_as_arrays(student, source, shape, dtype):
    back = student.call("run", source=f"import torch; result = {source}")
    assert (back.shape, back.dtype.name) == (shape, dtype)


@pytest.mark.parametrize(
    "source",
    [
        "result = {1, 2}",
        "result = object()",
        "result = 2 ** 70",
        "result = {1: 2}",
        "import torch; result = torch.ones(2, device='meta')",
        "result = []; result.append(result)",
        "import numpy as np; result = np.array([object()])",
        "class Hostile:\n def __reduce__(self): raise SystemExit\nresult = Hostile()",
    ],
)
def test_unusable_answers_are_bad_replies(student, source):
    with pytest.raises(BadReply, match="answer cannot be used"):
        student.call("run", source=source)


def test_raised_error_says_where_and_its_student_lines_are_captured(student):
    with pytest.raises(StudentRaised, match="IndexError: list index out of range") as caught:
        student.call("make", module="dataset", function="item", i=5)
    assert caught.value.kind == "IndexError"
    assert caught.value.where == "dataset.py, line 2"
    assert "return [1, 2, 3][i]" in str(caught.value)
    with pytest.raises(StudentRaised):
        student.call("make", module="dataset", function="item", i=9)
    assert "dataset.py" in student.output
    assert "worker.py" not in student.output


@pytest.mark.parametrize(
    ("module", "function", "kind", "where"),
    [
        ("package", "deep", "KeyError", "package/inner.py, line 2"),
        ("broken", "f", "SyntaxError", "broken.py, line 1"),
        ("trainer", "f", "ModuleNotFoundError", ""),
    ],
)
def test_where_is_the_innermost_student_line(student, module, function, kind, where):
    with pytest.raises(StudentRaised) as caught:
        student.call("make", module=module, function=function)
    assert (caught.value.kind, caught.value.where) == (kind, where)


@pytest.mark.parametrize(
    ("source", "fault", "words"),
    [
        ("import sys; sys.exit(3)", StudentExited, r"exit \(status 3\)"),
        ("raise KeyboardInterrupt", StudentRaised, "KeyboardInterrupt"),
        ("raise MemoryError", StudentOutOfMemory, "memory"),
        ("import torch; torch.empty(2**50)", StudentOutOfMemory, "memory"),
        ("def f(): f()\nf()", StudentRaised, "RecursionError"),
        ("class E(Exception):\n def __str__(self): raise SystemExit\nraise E", StudentRaised, "E"),
        ("raise Exception('\\x1b[31m<b>' + 'x' * 10**6)", StudentRaised, "<b>"),
        ("raise Exception('\\ud800')", StudentRaised, "Exception"),
        ("raise GeneratorExit", StudentRaised, "GeneratorExit"),
    ],
)
def test_errors_that_leave_the_child_alive(student, source, fault, words):
    with pytest.raises(fault, match=words) as caught:
        student.call("run", source=source)
    assert len(str(caught.value)) < 1200
    assert "\x1b" not in str(caught.value)
    str(caught.value).encode()


@pytest.mark.parametrize("source", ["random.random()", "np.random.rand()", "torch.rand(1).item()"])
def test_every_call_starts_from_the_same_seed(student, source):
    ask = f"import random, torch, numpy as np; result = {source}"
    first, second = (student.call("run", source=ask) for _ in range(2))
    assert first == second != student.call("run", source=ask, seed=8)


def test_nothing_of_the_students_replaces_ours_and_standins_serve(student):
    source = "import json, numpy, torch\nresult = ["
    source += "m.__name__ for m in (json, numpy, torch) if hasattr(m, 'SHADOW')]"
    assert student.call("run", source=source) == []
    assert student.call("echo", value=2) == 2
    assert student.call("add", a=1, b=2) == 3
    assert student.call("run", source="import wandb; result = wandb.NAME") == "a stand-in"
    with pytest.raises(
        GraderFault, match="no student file of playground defines a function `draw`"
    ):
        student.call("draw")


@pytest.mark.parametrize(
    "name", ["graders.checks", "graders.model", "reference", "reports", "submissions", "grade"]
)
def test_our_packages_cannot_be_imported(walled, name):
    with pytest.raises(StudentRaised, match="is not in your submission") as caught:
        walled.call("run", source=f"import {name}")
    assert caught.value.kind == "ModuleNotFoundError"


def test_input_is_empty_output_captured_and_versions_known(student):
    with pytest.raises(StudentRaised, match="EOFError"):
        student.call("run", source="input()")
    student.call(
        "run", source="import os; print('by print'); os.system('') ; os.write(2, b'by fd')"
    )
    assert "by print" in student.output
    assert "by fd" in student.output
    student.call("echo")
    assert set(student.environment) == {"python", "torch", "numpy"}


def test_output_flood_is_cut_and_harmless(start):
    student = start(output_bytes=1000)
    assert student.call("run", source="print('x' * 10**7); result = 1") == 1
    assert len(student.output) <= 1000


def test_submission_without_code_still_starts(opener):
    with pytest.raises(StudentRaised, match="`dataset.py` is not in your submission"):
        opener(folder=None).call("make", module="dataset", function="item", i=0)


def test_once_keeps_answers_and_the_named_exceptions(opener):
    student, counted = opener(), iter(range(9))

    def fail():
        raise BadReply(str(next(counted)))

    assert [student.once("a", lambda: next(counted)) for _ in range(2)] == [0, 0]
    for keep, message in (((), "1"), ((), "2"), ((BadReply,), "3"), ((), "3")):
        with pytest.raises(BadReply, match=message):
            student.once("b", fail, keep)
    student.close()
    assert student.once("b", lambda: 4) == 4
