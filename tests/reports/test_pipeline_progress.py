"""The display during a run: bars on a terminal, lines in a log."""

import io
import re

import pytest
from rich.console import Console

from reports.pipelines.progress import PipelineProgress


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


def test_log_gets_a_line_where_a_phase_starts_and_ends():
    bars, file = progress(terminal=False)
    run_two_phases(bars)
    assert re.sub(r"\d+\.\d s", "N s", file.getvalue()).splitlines() == [
        "rope.pretrain: 14,950 steps, from step 700",
        "rope.evaluate: 2 steps",
        "rope.pretrain: done after N s, loss 1.234",
        "rope.evaluate: done after N s",
    ]


def test_interrupted_phase_is_not_called_done():
    bars, file = progress(terminal=False)
    with pytest.raises(KeyboardInterrupt):
        interrupted(bars)
    assert "rope.pretrain: stopped at step 120 of 900" in file.getvalue()
    assert "done" not in file.getvalue()


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


def test_no_color_is_respected():
    coloured, plain = [], []
    for found, options in ((coloured, {}), (plain, {"no_color": True})):
        bars, file = progress(terminal=True, color_system="standard", **options)
        run_two_phases(bars)
        found += re.findall(r"\x1b\[[\d;]*3[0-7]m", file.getvalue())
    assert coloured
    assert not plain


def test_title_with_escapes_cannot_paint():
    bars, file = progress(terminal=False)
    with bars:
        bars.update("\x1b[31m[bold]x", 0, 1, None)
    assert "\\x1b[31m[bold]x: 1 steps" in file.getvalue()
