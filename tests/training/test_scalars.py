"""What TensorBoard itself reads back from a run."""

import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from graders.errors import Misuse
from tests.graders.test_files import full_disk
from training.command import Wishes, train
from training.metrics import Accuracy, Metrics, Phase, Point
from training.scalars import write_scalars

event_accumulator = pytest.importorskip(
    "tensorboard.backend.event_processing.event_accumulator", reason="tensorboard is not installed"
)

CURVE = tuple(Point(10 * i, 3.5 / i, 6e-3 / i) for i in range(1, 6))
PHASE = Phase("rope.pretrain", "rope", "pretrain", 2, 50, 6400, 1.5, 4266.0, CURVE)
EVALUATION = Phase("rope.evaluate", "rope", "evaluate", 0, 0, 0, 0.5, 0.0, ())
METRICS = Metrics(
    preset="demo",
    complete=False,
    seed=0,
    device="cpu",
    precision="fp32",
    versions={},
    data="embedded world",
    seconds=2.0,
    baselines=(Accuracy("london", "dev", 3, 60, 0.05, 0.02, 0.14),),
    phases=(PHASE, EVALUATION),
    accuracies=(
        Accuracy("rope.pretrain", "dev", 51, 60, 0.85, 0.74, 0.92),
        Accuracy("rope.pretrain", "test", 48, 60, 0.8, 0.68, 0.88),
    ),
)


def read(folder):
    """tag -> [(step, value)], from all files of a run."""
    events = event_accumulator.EventAccumulator(str(folder)).Reload()
    return {
        tag: [(event.step, event.value) for event in events.Scalars(tag)]
        for tag in events.Tags()["scalars"]
    }


def test_curve_reads_back_as_it_was_measured(tmp_path):
    write_scalars(METRICS, tmp_path)
    found = read(tmp_path / "tensorboard" / "rope.pretrain")
    assert found == {
        "loss": [(p.step, pytest.approx(p.loss)) for p in CURVE],
        "learning_rate": [(p.step, pytest.approx(p.learning_rate)) for p in CURVE],
    }


def test_accuracies_stand_beside_baselines(tmp_path):
    write_scalars(METRICS, tmp_path)
    folder = tmp_path / "tensorboard" / "accuracies"
    assert read(folder / "london") == {"accuracy/dev": [(0, pytest.approx(0.05))]}
    assert read(folder / "rope.pretrain") == {
        "accuracy/dev": [(0, pytest.approx(0.85))],
        "accuracy/test": [(0, pytest.approx(0.8))],
    }


def test_writing_again_doubles_no_point(tmp_path):
    half = replace(METRICS, phases=(replace(PHASE, curve=CURVE[:2]),))
    for metrics in (half, METRICS, METRICS):
        write_scalars(metrics, tmp_path)
    folder = tmp_path / "tensorboard"
    assert [step for step, _ in read(folder / "rope.pretrain")["loss"]] == [10, 20, 30, 40, 50]
    files = sorted(str(p.relative_to(folder)) for p in folder.rglob("*") if p.is_file())
    assert files == [
        "accuracies/london/events.out.tfevents.pipeline",
        "accuracies/rope.pretrain/events.out.tfevents.pipeline",
        "rope.pretrain/events.out.tfevents.pipeline",
    ]


def test_nothing_half_written_is_left(tmp_path):
    broken = replace(PHASE, curve=(*CURVE, Point(60, "no loss", 0.0)))
    write_scalars(METRICS, tmp_path)
    with pytest.raises((TypeError, ValueError, AssertionError, NotImplementedError)):
        write_scalars(replace(METRICS, phases=(broken,)), tmp_path)
    folder = tmp_path / "tensorboard"
    assert len(read(folder / "rope.pretrain")["loss"]) == len(CURVE)
    assert sorted(p.name for p in folder.iterdir()) == ["accuracies", "rope.pretrain"]


def test_full_disk_is_one_sentence(tmp_path):
    write_scalars(METRICS, tmp_path)
    with full_disk(), pytest.raises(Misuse, match="pipeline: cannot be written: File too") as error:
        write_scalars(METRICS, tmp_path)
    assert "goes on where it stopped" in error.value.hint
    assert len(read(tmp_path / "tensorboard" / "rope.pretrain")["loss"]) == len(CURVE)


def test_file_in_place_of_the_folder_ends_the_command_in_one_sentence(tmp_path):
    (tmp_path / "tensorboard").write_text("not a folder")
    wishes = Wishes(tmp_path, None, "vanilla", "demo", "cpu", "fp32", 0)
    with pytest.raises(Misuse, match=r"tensorboard/.*: cannot be written") as error:
        train(wishes, lambda *_: None, lambda _: None)
    assert "give another --out" in error.value.hint


def test_importing_the_module_is_cheap():
    code = (
        "import sys, training.scalars; sys.exit(bool({'torch', 'tensorboardX'} & set(sys.modules)))"
    )
    root = Path(__file__).parents[2]
    assert subprocess.run([sys.executable, "-c", code], cwd=root).returncode == 0
