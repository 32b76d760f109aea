"""The whole pipeline with a tiny model: its files, its resuming, its errors."""

import os
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import pytest
import torch
from pydantic import TypeAdapter

from graders.data.birthplaces import open_data
from graders.errors import StorageError, UsageError
from graders.statistics import wilson
from reference.data.evaluation import evaluate_places
from reference.data.vocabulary import MASK, Vocabulary
from reference.data.world import make_world
from reference.models.checkpoint import load_checkpoint
from reference.models.gpt import GPT, GPTConfig
from reference.models.prediction import read_prompts
from reference.training.gpt.metrics import Metrics
from tests.processes import session_ends
from tests.reference.plain_gpt import PlainGPT
from tests.reference.training.run_tiny import run

ROOT = Path(__file__).parents[3]
CHECKPOINTS = (
    "vanilla.model.params",
    *(f"{v}.{kind}.params" for v in ("vanilla", "rope") for kind in ("pretrain", "finetune")),
)
MODELS = ("vanilla.nopretrain", "vanilla.pretrain", "rope.pretrain")
PREDICTIONS = [f"{model}.{part}.predictions" for model in MODELS for part in ("dev", "test")]
VOCABULARY = Vocabulary(make_world().wiki)


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory):
    out = tmp_path_factory.mktemp("undisturbed")
    published = []
    run(out, publish=published.append)
    return out, published


def weights(folder):
    """All numbers of a run; archives also hold times, which may differ."""
    return {name: load_checkpoint(folder / name) for name in CHECKPOINTS}


def assert_same_run(folder, other):
    for name, expected in weights(other).items():
        for key, tensor in load_checkpoint(folder / name).items():
            assert torch.equal(tensor, expected[key]), f"{name}: {key}"
    for name in (*PREDICTIONS, "london_baseline_accuracy.txt"):
        assert (folder / name).read_bytes() == (other / name).read_bytes(), name


def test_files_are_those_of_a_submission_with_bare_state_dicts_on_the_cpu(undisturbed):
    """As the course's `evaluate` reads it: torch.load without map_location, load_state_dict."""
    out, _ = undisturbed
    assert {path.name for path in out.iterdir()} == {
        *CHECKPOINTS,
        *PREDICTIONS,
        "london_baseline_accuracy.txt",
        "metrics.json",
        "state",
    }
    assert (out / "london_baseline_accuracy.txt").read_text() == "5.0\n"
    assert not list((out / "state").glob("*.params"))
    for name in CHECKPOINTS:
        state = torch.load(undisturbed[0] / name, weights_only=True)
        model = GPT(GPTConfig(8, 8, n_layer=1, n_head=1, n_embd=8, rope=name.startswith("rope")))
        assert list(state) == list(model.state_dict())
        assert all(tensor.device.type == "cpu" for tensor in state.values())


@pytest.mark.parametrize("model", MODELS)
@pytest.mark.parametrize("part", ["dev", "test"])
def test_independent_model_says_the_same(undisturbed, model, part):
    out, _ = undisturbed
    variant, how = model.split(".")
    name = f"{variant}.{'model' if how == 'nopretrain' else 'finetune'}.params"
    state = {k: t.numpy() for k, t in load_checkpoint(out / name).items()}
    plain = PlainGPT(state, 1)
    predictions = (out / f"{model}.{part}.predictions").read_text().split("\n")[:4]
    with open_data(None) as data:
        file = data.folder / ("birth_dev.tsv" if part == "dev" else "birth_test_inputs.tsv")
        prompts = read_prompts(file)[:4]
    assert part == "dev" or all(prompt.endswith(f"\n{MASK}") for prompt in prompts)
    ids = [plain.answer(VOCABULARY.encode(prompt)) for prompt in prompts]
    assert [VOCABULARY.decode(answer).split(MASK)[0] for answer in ids] == predictions


def test_metrics_are_what_the_files_say(undisturbed):
    out, _ = undisturbed
    metrics = TypeAdapter(Metrics).validate_json((out / "metrics.json").read_bytes())
    assert metrics.complete
    with open_data(None) as data:
        for accuracy in metrics.accuracies:
            predictions = (
                (out / f"{accuracy.model}.{accuracy.part}.predictions").read_text().split("\n")[:-1]
            )
            n, correct = evaluate_places(data.folder / f"birth_{accuracy.part}.tsv", predictions)
            assert (accuracy.n, accuracy.correct) == (n, correct)
            assert (accuracy.low, accuracy.high) == wilson(accuracy.correct, accuracy.n)
    assert len(metrics.accuracies) == 6
    baselines = {(b.model, b.part): 100 * b.share for b in metrics.baselines}
    assert baselines["london", "dev"] == baselines["london", "test"] == 5.0
    assert max(baselines.values()) <= 7


def test_phases_come_in_order(undisturbed):
    _, published = undisturbed
    metrics = published[-1]
    assert [phase.id for phase in metrics.phases] == [
        "vanilla.nopretrain",
        "vanilla.nopretrain.evaluate",
        *(f"{v}.{k}" for v in ("vanilla", "rope") for k in ("pretrain", "finetune", "evaluate")),
    ]
    assert [m.complete for m in published] == [False] * 8 + [True]
    pretrain = metrics.phases[2]
    assert (pretrain.epochs, pretrain.steps, pretrain.tokens) == (3, 39, 3 * 401 * 128)
    assert pretrain.curve[-1].step == 39


def test_finetuning_starts_from_pretraining(undisturbed):
    """Two gentle epochs move weights less than the distance between two models."""
    states = weights(undisturbed[0])
    near, far = (
        (states["rope.finetune.params"]["head.weight"] - states[name]["head.weight"]).norm()
        for name in ("rope.pretrain.params", "vanilla.pretrain.params")
    )
    assert 0 < near < far / 4


def test_finished_run_is_not_run_again_and_other_settings_do_not_mix(undisturbed):
    out, _ = undisturbed
    before = {path: path.stat().st_mtime_ns for path in out.glob("*.params")}
    seen = []
    run(out, report=lambda *progress: seen.append(progress))
    assert seen == []
    assert {path: path.stat().st_mtime_ns for path in out.glob("*.params")} == before
    with pytest.raises(UsageError, match="a run with other settings"):
        run(undisturbed[0], seed=1)


@pytest.mark.long
def test_processes_beside_each_other_train_the_same(undisturbed, tmp_path):
    run(tmp_path, workers=2)
    assert_same_run(tmp_path, undisturbed[0])


def start(out, *arguments):
    return subprocess.Popen(
        [sys.executable, "-m", "tests.reference.training.run_tiny", str(out), *map(str, arguments)],
        cwd=ROOT,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )


@pytest.mark.slow
@pytest.mark.parametrize(
    ("workers", "afterwards"),
    [(1, 1), *(pytest.param(2, n, marks=pytest.mark.long) for n in (1, 2))],
)
def test_killed_run_goes_on(undisturbed, tmp_path, workers, afterwards):
    process = start(tmp_path, workers)
    for line in process.stdout:
        if line.startswith("vanilla.finetune"):
            process.kill()
            break
    process.communicate()
    finished = {path: path.stat().st_mtime_ns for path in tmp_path.glob("*.params")}
    assert finished
    assert session_ends(process.pid), "workers notice that their parent is gone"
    run(tmp_path, workers=afterwards)
    assert {path: path.stat().st_mtime_ns for path in finished} == finished
    assert_same_run(tmp_path, undisturbed[0])


@pytest.mark.long
def test_interrupted_run_leaves_no_process(tmp_path):
    process = start(tmp_path, 2)
    assert "pretrain" in process.stdout.readline()
    os.killpg(process.pid, signal.SIGINT)
    _, stderr = process.communicate(timeout=60)
    assert process.returncode != 0
    assert stderr.count("KeyboardInterrupt") <= 1, stderr
    assert session_ends(process.pid), "workers notice that their parent is gone"


@pytest.mark.long
def test_a_worker_that_is_killed_ends_the_run(tmp_path):
    process = start(tmp_path, 2)
    assert "pretrain" in process.stdout.readline()
    os.kill(_workers(process)[0], signal.SIGKILL)  # as when memory runs out
    _, stderr = process.communicate(timeout=60)
    assert process.returncode == 1
    assert "a training process ended by itself (exit code -9)" in stderr


@pytest.mark.long
def test_an_interrupt_of_the_workers_alone_changes_nothing(undisturbed, tmp_path):
    process = start(tmp_path, 2)
    tracks = set()
    while tracks != {"vanilla", "rope"}:  # both workers have begun
        tracks.add(process.stdout.readline().split(".")[0])
    for worker in _workers(process):
        os.kill(worker, signal.SIGINT)
    _, stderr = process.communicate(timeout=300)
    assert process.returncode == 0, stderr
    assert_same_run(tmp_path, undisturbed[0])


def _workers(process):
    children = Path(f"/proc/{process.pid}/task/{process.pid}/children").read_text().split()
    return [int(c) for c in children if b"spawn_main" in Path(f"/proc/{c}/cmdline").read_bytes()]


@pytest.mark.long
@pytest.mark.parametrize("workers", [1, 2])
def test_full_disk_is_one_sentence(tmp_path, workers):
    process = start(tmp_path, workers, 30_000)  # no file may be larger: checkpoints are
    _, stderr = process.communicate(timeout=120)
    assert process.returncode == 1
    assert "cannot be written: File too large" in stderr
    assert "resumes where it stopped" in stderr
    assert "Traceback" not in stderr
    assert not list(tmp_path.rglob("*.tmp"))


def test_damaged_files_are_named(undisturbed, tmp_path):
    out = shutil.copytree(undisturbed[0], tmp_path / "out")
    phase = (out / "state" / "rope.finetune.json").read_text()
    (out / "state" / "rope.finetune.json").write_text(phase[:6])
    with pytest.raises(StorageError, match=r"rope\.finetune\.json: the file is damaged"):
        run(out)
    (out / "rope.pretrain.params").write_bytes(b"PK\x03\x04")
    (out / "state" / "rope.finetune.json").unlink()
    with pytest.raises(StorageError, match=r"rope\.pretrain\.params") as error:
        run(out)
    assert "remove it" in error.value.hint
    (out / "rope.pretrain.params").unlink()
    run(out)
    assert_same_run(out, undisturbed[0])
