"""`--rerun`: the student's run.py is run again in the real sandbox, and compared.

Most submissions here have a run.py that writes its files immediately, because the tests are about
what Softmark does with these files. The last tests train.
"""

import textwrap
from dataclasses import replace

import pytest
import torch

from graders.audit.validate import build_solution
from graders.boundary.tiers.sandbox import Tier, best_tier, tier_works
from graders.execution.executors import SerialExecutor
from graders.grading.batch import grade_all
from graders.grading.options import Options
from graders.grading.pipeline import grade_submission
from graders.grading.rerun import RerunPlan, Schedule
from graders.registry.discovery import load_assignment
from reference.data.world import write_world
from submissions.receive import identify
from tests.graders.assignments.conftest import lines

TASK = load_assignment("cs224n-a4")
ONE_STEP = Schedule(epochs=1, batches=1, examples=2, questions=1)
AS_WRITTEN = RerunPlan(60)
CUT = RerunPlan(100, schedule=ONE_STEP)

SCRIPT = """
import pathlib, sys, torch

function, variant, *rest = sys.argv[1:]
given = dict(zip(rest[1::2], rest[2::2]))
state = {"tok_emb.weight": torch.ones(3, 2), "head.weight": torch.ones(2, 3)}
"""
TRAINS = 'if function != "evaluate":\n    torch.save(state, given["--writing_params_path"])\n'
ANSWERS = """
if function == "evaluate":
    lines = pathlib.Path(given["--eval_corpus_path"]).read_text().splitlines()
    text = "".join("London\\n" for line in lines)
    pathlib.Path(given["--outputs_path"]).write_text(text)
"""
LONDON = SCRIPT + TRAINS + ANSWERS  # trains nothing and answers London to everybody


@pytest.fixture
def upload(tmp_path):
    """A submission with this run.py, and files beside src."""

    def write(script, files=None, name="ada"):
        source = tmp_path / name / "src"
        source.mkdir(parents=True)
        for module in ("attention", "dataset"):
            (source / f"{module}.py").write_text("")
        if script is not None:
            (source / "run.py").write_text(textwrap.dedent(script))
        for file, content in (files or {}).items():
            (source.parent / file).write_bytes(content)
        return source.parent

    return write


def options(plan, tier=None):
    return Options(tier or best_tier(), only=frozenset({"checkpoints"}), rerun=plan)


def checks(result):
    return {check.id: check for criterion in result.criteria for check in criterion.checks}


def judge(folder, plan=AS_WRITTEN, tier=None):
    """The two checks of a rerun of this submission."""
    result = grade_submission(identify(folder, TASK.name), TASK, options(plan, tier))
    verdicts = checks(result)
    assert result.status in ("graded", "needs_review"), verdicts
    assert result.score == result.max_score == 0
    return verdicts["rerun-trains"], verdicts["rerun-compares"]


@pytest.mark.parametrize(
    "tier", [tier for tier in Tier if tier_works(tier)], ids=lambda tier: tier.value
)
def test_every_command_runs_in_every_sandbox(upload, tier):
    trains, _ = judge(upload(LONDON), tier=tier)
    assert trains.status == "passed"
    assert "11 of 11 commands succeeded" in trains.message


def test_without_the_option_there_are_no_such_checks(upload):
    result = grade_submission(identify(upload(LONDON), TASK.name), TASK, options(None))
    assert not [name for name in checks(result) if name.startswith("rerun")]
    assert "rerun" not in result.environment


def test_no_script_is_nothing_to_judge(upload):
    trains, compares = judge(upload(None))
    assert (trains.status, compares.status) == ("skipped", "skipped")
    assert "no run.py" in trains.message


def test_a_gpu_that_the_sandbox_does_not_show_is_our_fault(upload, monkeypatch):
    monkeypatch.setenv("CUDA_VISIBLE_DEVICES", "")
    plan = options(RerunPlan(60, gpu=True))
    result = grade_submission(identify(upload(LONDON), TASK.name), TASK, plan)
    assert result.status == "incomplete"
    assert checks(result)["rerun-trains"].status == "error"
    assert "none inside the sandbox" in checks(result)["rerun-trains"].message


# ---------------------------------------------------------------- how a command can end


@pytest.mark.parametrize(
    ("script", "says", "last"),
    [
        ("\n1 / 0", "exit status 1 and wrote no", "at run.py, line 2\nZeroDivisionError"),
        ("import sys; sys.exit('no corpus')", "exit status 1 and wrote no", "no corpus"),
        ("import os; os._exit(0)", "exit status 0 and wrote no `vanilla.pretrain.params`", ""),
        ("print('a line\\n' * 10**6 + 'the end'); raise SystemExit(3)", "status 3", "the end"),
        ("import os; os.close(1); os.close(2); raise OSError", "exit status 1", ""),
    ],
    ids=["raises", "words", "exits", "floods", "silent"],
)
def test_a_command_that_fails_is_told_with_its_last_words(upload, script, says, last):
    trains, compares = judge(upload(script))
    assert trains.status == "needs_review"
    assert "`python src/run.py pretrain vanilla wiki.txt" in trains.message
    assert says in trains.message
    assert last in trains.actual
    assert len(trains.actual) < 1000
    assert compares.status == "skipped"


def test_each_command_has_an_ending_of_its_own(upload):
    script = """
    import os, sys
    match sys.argv[1:3]:
        case "pretrain", "vanilla": os.kill(os.getpid(), 11)
        case "pretrain", "rope": pass
        case "finetune", "vanilla": open("vanilla.model.params", "w").write("x")
    """
    trains, _ = judge(upload(script))
    assert "killed by signal 11 (SIGSEGV)" in trains.message
    endings = [ending for _, ending in trains.counterexample]
    assert endings[0] == "ended with exit status 0 and wrote no `rope.pretrain.params`."
    assert "wrote a `vanilla.model.params` that contains no state dict" in endings[1]


def test_one_broken_command_stops_only_what_builds_on_it(upload):
    broken = SCRIPT + "if (function, variant) == ('pretrain', 'rope'):\n    sys.exit(2)\n"
    trains, _ = judge(upload(broken + TRAINS + ANSWERS))
    assert "7 of 11 commands succeeded" in trains.message
    assert "pretrain rope" in trains.message
    assert dict(trains.counterexample)[
        "python src/run.py evaluate rope wiki.txt --reading_params_path rope.finetune.params "
        "--eval_corpus_path birth_dev.tsv --outputs_path rope.pretrain.dev.predictions"
    ] == ("was not run, because `rope.finetune.params` is missing.")


@pytest.mark.slow
def test_a_script_without_end_is_stopped_and_the_batch_goes_on(upload):
    uploads = [
        upload("while True:\n    pass\n", name="endless"),
        upload(LONDON, name="good"),
    ]
    submitted = [identify(folder, TASK.name) for folder in uploads]
    plan = options(RerunPlan(3))
    with SerialExecutor() as pool:
        results = list(grade_all(submitted, TASK, plan, pool))
    verdicts = {result.submission.id: checks(result)["rerun-trains"] for result in results}
    assert verdicts["endless"].status == "needs_review"
    assert "ran for more than 3 s and was stopped" in verdicts["endless"].message
    assert verdicts["good"].status == "passed"


@pytest.mark.parametrize(
    "attack",
    [
        "try: os.kill(os.getppid(), 9)\nexcept PermissionError: pass",
        "for each in range(3, 64):\n    try: os.write(each, b'x' * 99)\n    except OSError: pass",
    ],
    ids=["killed", "forged"],
)
def test_a_script_that_attacks_the_worker_harms_itself_alone(upload, attack):
    folder = upload(f"import os, time\n{attack}\ntime.sleep(60)\n")
    trains, _ = judge(folder, RerunPlan(5))
    assert trains.status == "needs_review"
    assert "did not finish" in trains.message


@pytest.mark.slow
def test_what_a_command_leaves_running_holds_nothing_up(upload):
    leaves = "import os, sys, time\nif sys.argv[1:3] == ['pretrain', 'rope'] and os.fork() == 0:\n"
    trains, _ = judge(upload(f"{leaves}    time.sleep(500)\n    os._exit(0)\n" + LONDON))
    assert trains.status == "passed"


def test_commands_share_no_modules_and_load_batches_without_workers(upload):
    loads = """
import dataset
assert not hasattr(dataset, 'used')
dataset.used = True
from torch.utils.data import DataLoader
settings = {"prefetch_factor": 2, "persistent_workers": True, "multiprocessing_context": "fork"}
by_name = DataLoader(range(4), num_workers=2, **settings)
by_place = DataLoader([1], 1, None, None, None, 2)
for loader in (by_name, by_place):
    assert loader.num_workers == 0
    assert len(list(loader)) in (1, 4)
"""
    trains, _ = judge(upload(loads + LONDON))
    assert trains.status == "passed", trains


# ---------------------------------------------------------------- beside what was handed in


def test_equal_predictions_are_noted(upload, world):
    same = {"vanilla.nopretrain.dev.predictions": lines("London" for _ in world.dev)}
    _, compares = judge(upload(LONDON, same))
    assert compares.status == "passed"
    assert "All lines are identical." in compares.message
    assert "3 of 60 = 5.0%" in compares.message


def test_predictions_better_than_the_rerun_go_to_a_person(upload, world):
    files = {
        "rope.pretrain.dev.predictions": lines(world.dev[:40] + ("Nowhere",) * 20),
        "vanilla.nopretrain.dev.predictions": lines(("London",) * 59 + ("Ravia",)),
    }
    _, compares = judge(upload(LONDON, files))
    assert compares.status == "needs_review"
    first, other = compares.message.splitlines()
    assert "`rope.pretrain.dev.predictions`: rerun 3 of 60" in first
    assert "submission 40 of 60" in first
    assert "Chance does not explain the difference" in first
    assert "Chance explains" in other
    assert "would reproduce them exactly" in other


def test_a_shortened_rerun_compares_no_accuracy(upload, world):
    files = {"rope.pretrain.dev.predictions": lines(world.dev)}
    counts = "if function == 'evaluate':\n    assert len(lines) == 1, lines\n"
    folder = upload(LONDON + counts, files)
    result = grade_submission(identify(folder, TASK.name), TASK, options(CUT))
    trains, compares = checks(result)["rerun-trains"], checks(result)["rerun-compares"]
    assert trains.status == "passed"
    assert "accuracies are not meaningful" in trains.message
    assert compares.status == "skipped"
    assert "shortened to 1 epochs" in result.environment["rerun"]


@pytest.mark.slow
def test_other_tensors_go_to_a_person_but_not_in_the_embedded_world(upload, tmp_path):
    torch.save({"tok_emb.weight": torch.ones(3, 2)}, tmp_path / "other.params")
    folder = upload(LONDON, {"rope.finetune.params": (tmp_path / "other.params").read_bytes()})
    (tmp_path / "course").mkdir()
    write_world(tmp_path / "course", 0)
    for data, status in ((None, "passed"), (tmp_path / "course", "needs_review")):
        plan = replace(options(AS_WRITTEN), data=data)
        verdicts = checks(grade_submission(identify(folder, TASK.name), TASK, plan))
        assert verdicts["rerun-compares"].status == status
        assert "only the rerun has head.weight" in verdicts["rerun-compares"].message


# ---------------------------------------------------------------- real training


@pytest.mark.long
def test_the_solution_trains_anew(tmp_path):
    """With four workers for its batches and four layers of 256 features, as in the course."""
    trains, _ = judge(build_solution(TASK, tmp_path / "reference"), CUT)
    assert trains.status == "passed", trains
    assert "shortened to 1 epochs of 1 batches of at most 2 examples" in trains.message
