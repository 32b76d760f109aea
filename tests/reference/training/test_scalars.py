"""The scalars that TensorBoard itself reads back from a run."""

import subprocess
import sys
from pathlib import Path

import pytest

from graders.errors import StorageError
from reference.training.gpt.pipeline import Options, train
from reference.training.metrics import Accuracy, Point
from reference.training.scalars import curve_scalars, write_scalars
from tests.graders.storage.test_files import full_disk

event_accumulator = pytest.importorskip(
    "tensorboard.backend.event_processing.event_accumulator", reason="tensorboard is not installed"
)

CURVE = tuple(Point(10 * i, 3.5 / i, 6e-3 / i) for i in range(1, 6))
CURVES = {"rope.pretrain": curve_scalars(CURVE)}
ACCURACIES = (
    Accuracy("london", "dev", 3, 60, 0.05, 0.02, 0.14),
    Accuracy("rope.pretrain", "dev", 51, 60, 0.85, 0.74, 0.92),
    Accuracy("rope.pretrain", "test", 48, 60, 0.8, 0.68, 0.88),
)


def read(folder):
    """tag -> [(step, value)], from all files of a run."""
    events = event_accumulator.EventAccumulator(str(folder)).Reload()
    return {
        tag: [(event.step, event.value) for event in events.Scalars(tag)]
        for tag in events.Tags()["scalars"]
    }


def test_curves_and_accuracies_read_back_as_they_were_measured(tmp_path):
    write_scalars(tmp_path, CURVES, ACCURACIES)
    folder = tmp_path / "tensorboard"
    assert read(folder / "rope.pretrain") == {
        "loss": [(p.step, pytest.approx(p.loss)) for p in CURVE],
        "learning_rate": [(p.step, pytest.approx(p.learning_rate)) for p in CURVE],
    }
    assert read(folder / "accuracies" / "london") == {"accuracy/dev": [(0, pytest.approx(0.05))]}
    assert read(folder / "accuracies" / "rope.pretrain") == {
        "accuracy/dev": [(0, pytest.approx(0.85))],
        "accuracy/test": [(0, pytest.approx(0.8))],
    }


def test_writing_again_doubles_no_point(tmp_path):
    half = {"rope.pretrain": curve_scalars(CURVE[:2])}
    for curves in (half, CURVES, CURVES):
        write_scalars(tmp_path, curves, ACCURACIES)
    folder = tmp_path / "tensorboard"
    assert [step for step, _ in read(folder / "rope.pretrain")["loss"]] == [10, 20, 30, 40, 50]
    files = sorted(str(p.relative_to(folder)) for p in folder.rglob("*") if p.is_file())
    assert files == [
        "accuracies/london/events.out.tfevents.pipeline",
        "accuracies/rope.pretrain/events.out.tfevents.pipeline",
        "rope.pretrain/events.out.tfevents.pipeline",
    ]


def test_nothing_half_written_is_left(tmp_path):
    broken = {"rope.pretrain": [*CURVES["rope.pretrain"], ("loss", 60, "no loss")]}
    write_scalars(tmp_path, CURVES, ACCURACIES)
    with pytest.raises((TypeError, ValueError, AssertionError, NotImplementedError)):
        write_scalars(tmp_path, broken, ACCURACIES)
    folder = tmp_path / "tensorboard"
    assert len(read(folder / "rope.pretrain")["loss"]) == len(CURVE)
    assert sorted(p.name for p in folder.iterdir()) == ["accuracies", "rope.pretrain"]


def test_full_disk_is_one_sentence(tmp_path):
    write_scalars(tmp_path, CURVES, ACCURACIES)
    with (
        full_disk(),
        pytest.raises(StorageError, match="pipeline: cannot be written: File too") as error,
    ):
        write_scalars(tmp_path, CURVES, ACCURACIES)
    assert "resumes where it stopped" in error.value.hint
    assert len(read(tmp_path / "tensorboard" / "rope.pretrain")["loss"]) == len(CURVE)


def test_file_in_place_of_the_folder_ends_the_command_in_one_sentence(tmp_path):
    (tmp_path / "tensorboard").write_text("not a folder")
    options = Options(tmp_path, None, "vanilla", "demo", "cpu", "fp32", 0)
    with pytest.raises(StorageError, match=r"tensorboard/.*: cannot be written") as error:
        train(options, lambda *_: None, lambda _: None)
    assert "give another --out" in error.value.hint


def test_importing_the_module_is_cheap():
    code = (
        "import sys, reference.training.scalars\n"
        "sys.exit(bool({'torch', 'tensorboardX'} & set(sys.modules)))"
    )
    root = Path(__file__).parents[3]
    assert subprocess.run([sys.executable, "-c", code], cwd=root).returncode == 0
