"""A run: every number on its page, and bars on a terminal or lines in a log meanwhile."""

import io
import re
from dataclasses import replace

import pytest
from rich.console import Console

from reference.training.gpt.metrics import Metrics, Phase
from reference.training.metrics import Point
from reports.pipelines.classifier_page import write_classifier_page
from reports.pipelines.page import duration, write_pipeline_page
from reports.pipelines.progress import PipelineProgress
from tests.reports import test_classifier_page
from tests.reports.chromium import needs_chromium
from tests.reports.conftest import widest
from tests.reports.test_classifier_page import accuracy, assert_loads_nothing, words


def phase(phase_id, kind, steps, end):
    curve = tuple(
        Point(step, end + 3 / step, 6e-4) for step in range(steps // 20, steps + 1, steps // 20)
    )
    return Phase(
        phase_id, phase_id.split(".")[0], kind, 10, steps, 4096 * steps, 12.5, 135e3, curve
    )


METRICS = Metrics(
    preset="demo",
    complete=True,
    seed=7,
    device="a processor with two cores",
    precision="bf16",
    versions={"torch": "2.13.0"},
    data="built-in sample dataset",
    seconds=185.2,
    baselines=(accuracy("london", "dev", 3, 60), accuracy("majority", "dev", 4, 60)),
    phases=(
        phase("vanilla.nopretrain", "finetune", 200, 0.9),
        phase("vanilla.pretrain", "pretrain", 900, 0.5),
        phase("vanilla.finetune", "finetune", 60, 0.4),
        phase("rope.pretrain", "pretrain", 900, 0.3),
        phase("rope.finetune", "finetune", 60, 0.1),
        Phase("rope.evaluate", "rope", "evaluate", 0, 0, 0, 0.6, 0.0, ()),
    ),
    accuracies=(
        accuracy("vanilla.nopretrain", "dev", 1, 60),
        accuracy("vanilla.pretrain", "dev", 41, 60),
        accuracy("rope.pretrain", "dev", 52, 60),
        accuracy("rope.pretrain", "test", 50, 60),
    ),
)
NOTHING = replace(METRICS, complete=False, baselines=(), phases=(), accuracies=())


def page_of(metrics, out):
    return write_pipeline_page(metrics, out).read_text(encoding="utf-8")


@pytest.fixture(scope="module")
def page(tmp_path_factory):
    return page_of(METRICS, tmp_path_factory.mktemp("run"))


def test_every_number_is_on_the_page(page):
    text = words(page)
    for row in (
        "RoPE, pretrained 86.7% (52 of 60) 75.8 to 93.1% 83.3% (50 of 60)",
        "Always London 5.0% (3 of 60) 1.7 to 13.7% –",
        "Most common place 6.7% (4 of 60)",
        "Finetune vanilla, not pretrained 10 200 135,000 12.5 s",
        "Pretrain RoPE 10 900 135,000 12.5 s",
        "Evaluate RoPE – – – 0.6 s",
        *("demo", "a processor with two cores", "bf16", "seed 7", "2.13.0", "3 min 5 s"),
    ):
        assert row in text
    assert_loads_nothing(page)


def test_charts_have_words_and_numbers(page):
    labels = re.findall(r'role="img" aria-label="([^"]+)"', page)
    assert len(labels) == page.count("<svg") == 3
    assert "RoPE, pretrained on dev 87%" in labels[0]
    assert labels[1].startswith("Pretraining, loss over steps: vanilla goes from 0.57 to 0.50")
    assert "not pretrained goes from 1.20 to 0.92 in 200 steps" in labels[2]
    numbers = words(page)[words(page).index("Finetuning in numbers") :]
    assert "not pretrained 200 0.915" in numbers
    assert "RoPE 60 0.150" in numbers


def test_unfinished_run_says_so(page, tmp_path):
    half = replace(METRICS, complete=False, phases=METRICS.phases[:2], accuracies=())
    assert "Not finished" in words(page_of(half, tmp_path))
    assert "Not finished" not in words(page)
    empty = page_of(NOTHING, tmp_path)
    assert "Not finished" in words(empty)
    assert "<svg" not in empty
    assert "<table" not in empty


def test_unknown_names_are_text(tmp_path):
    attack = "<script>alert(1)</script>"
    odd = replace(
        METRICS,
        preset=attack,
        data=attack,
        versions={attack: attack},
        baselines=(accuracy(attack, "dev", 3, 60),),
        phases=(replace(METRICS.phases[1], variant=attack),),
    )
    shown = page_of(odd, tmp_path)
    assert "<script" not in shown
    assert "Pretrain &lt;script" in shown


@pytest.mark.parametrize(
    ("seconds", "said"),
    [(0.04, "0.0 s"), (119.9, "119.9 s"), (120, "2 min 0 s"), (7265, "121 min 5 s")],
)
def test_duration_in_words(seconds, said):
    assert duration(seconds) == said


@pytest.mark.browser
@needs_chromium
def test_browser_shows_all_of_both_pages_and_names_can_be_read_in_the_dark(visit, tmp_path):
    file = write_pipeline_page(METRICS, tmp_path)
    light, dark = (visit(file, 360, color_scheme=scheme) for scheme in ("light", "dark"))
    assert widest(light) == 360
    fill = "getComputedStyle([...document.querySelectorAll('text')].at(-1)).fill"
    assert light.evaluate(fill) != dark.evaluate(fill)
    inside = """[...document.querySelectorAll('.drawing text')].every((text) => {
      const box = text.getBoundingClientRect();
      return box.left >= 0 && box.right <= document.documentElement.clientWidth;
    })"""
    assert light.evaluate(inside)
    classifier = visit(write_classifier_page(test_classifier_page.METRICS, tmp_path), 360)
    assert widest(classifier) == 360
    assert light.complaints == classifier.complaints == []


def progress(width=100, *, terminal, **options):
    console = Console(
        file=io.StringIO(),
        width=width,
        highlight=False,
        markup=False,
        force_terminal=terminal,
        legacy_windows=False,
        **options,
    )
    return PipelineProgress(console), console.file


def run_two_phases(bars):
    with bars:
        bars.update("rope.pretrain", 700, 14950, None)
        bars.update("rope.evaluate", 0, 2, None)
        bars.update("rope.pretrain", 14950, 14950, 1.2345)
        bars.update("rope.evaluate", 2, 2, None)


def interrupted(bars):
    with bars:
        bars.update("rope.pretrain", 0, 900, None)
        bars.update("rope.pretrain", 120, 900, 2.5)
        raise KeyboardInterrupt


def test_log_gets_a_line_where_a_phase_starts_and_ends_that_cannot_paint():
    bars, file = progress(terminal=False)
    run_two_phases(bars)
    assert re.sub(r"\d+\.\d s", "N s", file.getvalue()).splitlines() == [
        "rope.pretrain: 14,950 steps, from step 700",
        "rope.evaluate: 2 steps",
        "rope.pretrain: done after N s, loss 1.234",
        "rope.evaluate: done after N s",
    ]
    bars, file = progress(terminal=False)
    with bars:
        bars.update("\x1b[31m[bold]x", 0, 1, None)
    assert "\\x1b[31m[bold]x: 1 steps" in file.getvalue()


def test_interrupted_phase_is_not_called_done_and_no_color_respected():
    bars, file = progress(terminal=False)
    with pytest.raises(KeyboardInterrupt):
        interrupted(bars)
    assert "rope.pretrain: stopped at step 120 of 900" in file.getvalue()
    assert "done" not in file.getvalue()
    coloured, plain = [], []
    for codes, options in ((coloured, {}), (plain, {"no_color": True})):
        bars, file = progress(terminal=True, color_system="standard", **options)
        run_two_phases(bars)
        codes += re.findall(r"\x1b\[[\d;]*3[0-7]m", file.getvalue())
    assert coloured
    assert not plain


@pytest.mark.parametrize(("width", "shown"), [(60, 4), (80, 5)])
def test_terminal_shows_steps_loss_and_times(width, shown):
    bars, file = progress(width, terminal=True, no_color=True)
    run_two_phases(bars)
    lines = re.sub(r"\x1b\[[^A-Za-z]*[A-Za-z]", "", file.getvalue()).splitlines()
    last = [line for line in lines if line.startswith("rope.pretrain")][-1]
    assert "…" not in last
    assert len(last) <= width
    parts = ("14950/14950", "loss 1.234", "━", "0:00:00", " left ")
    assert sum(part in last for part in parts) == shown
