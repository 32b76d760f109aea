"""Exceptions of student code are reported, and those caused by this machine recognized."""

import os

import pytest
import torch

from graders.adapting.raised import described, is_of_this_machine, is_raised_inside, is_unwritten
from graders.adapting.reading.outline import Outline
from graders.adapting.reading.source import read_source


def raised(tmp_path, code, **names):
    """What a file with this code raises."""
    path = tmp_path / "work.py"
    path.write_text(code)
    try:
        exec(compile(code, str(path), "exec"), {"os": os, "torch": torch, **names})
    except Exception as error:  # noqa: BLE001  whatever it is
        return error
    raise AssertionError("nothing was raised")


@pytest.mark.parametrize(
    ("code", "expected"),
    [
        ("open('/cluster/best.pt')", True),
        ("import profiler_of_the_cluster", True),
        ("os.environ['SLURM_JOB_ID_OF_NOBODY']", True),
        ("raise RuntimeError('Found no NVIDIA driver on your system')", True),
        ("{}['labels']", False),
        ("1 / 0", False),
        ("torch.ones(2) @ torch.ones(3)", False),
    ],
)
def test_lack_of_a_file_or_device_is_this_machines_doing(tmp_path, code, expected):
    assert is_of_this_machine(raised(tmp_path, code)) is expected


def test_attribute_that_a_stand_in_lacks_is_this_machines_doing(tmp_path):
    class StandIn(torch.nn.Module):
        __module__ = "graders.assignment.student_spy"

    error = raised(tmp_path, "made.name_of_run", made=StandIn())
    assert is_of_this_machine(error)
    assert not is_of_this_machine(raised(tmp_path, "made.name_of_run", made=torch.nn.Module()))


def test_place_is_the_students_and_only_their_own_refusal_is_unwritten(tmp_path):
    error = raised(tmp_path, "def f():\n    os.listdir('/nowhere')\n\nf()\n")
    details = described(error, tmp_path)
    assert (details["where"], details["source"]) == ("work.py, line 2", "os.listdir('/nowhere')")
    assert is_unwritten(raised(tmp_path, "raise NotImplementedError('here')"), tmp_path)
    deep = "torch.nn.Module().forward()"
    assert not is_unwritten(raised(tmp_path, deep), tmp_path)


@pytest.mark.parametrize(("line", "inside"), [("    1 / 0", True), ("1 / 0", False)])
def test_loop_that_raises_is_known(tmp_path, line, inside):
    error = raised(tmp_path, f"for x in (1,):\n    x\n{line}\n")
    outline = Outline(read_source(tmp_path / "work.py", "work.py", None))
    loops = [
        (str(tmp_path / "work.py"), statement.node)
        for statement in outline.statements.values()
        if type(statement.node).__name__ == "For"
    ]
    assert is_raised_inside(error, loops) is inside
