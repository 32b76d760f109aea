"""Libraries that only draw or report accept every call."""

import os
import sys

import numpy as np
import pytest

from graders.adapting.offline.reporting import (
    RUN_SETTINGS,
    Finder,
    Silent,
    SilentModule,
    begin_run,
    log_in,
)


@pytest.fixture
def plt():
    return SilentModule("matplotlib.pyplot")


@pytest.fixture
def found():
    """Modules that only a stand-in offers, gone again after the test."""
    finder = Finder(("drawing_library", "sklearn_like.part"))
    sys.meta_path.insert(0, finder)
    before = set(sys.modules)
    yield
    sys.meta_path.remove(finder)
    for name in set(sys.modules) - before:
        del sys.modules[name]


def test_figures_are_taken_apart(plt):
    _, ax = plt.subplots()
    _, (left, right) = plt.subplots(1, 2)
    _, grid = plt.subplots(nrows=2, ncols=3, figsize=(6, 4))
    _, single = plt.subplots(squeeze=False)
    assert grid.shape == (2, 3)
    assert single.shape == (1, 1)
    for axes in (ax, left, right, grid[1, 2], *grid.flat):
        axes.set_title("Loss")


def test_results_settings_and_contexts_have_what_code_expects(plt):
    (line,) = plt.plot([1, 2], [3, 4], label="train")
    _counts, _bins, _bars = plt.hist([1, 2])
    low, high = plt.gca().get_ylim()
    handles, labels = plt.gca().get_legend_handles_labels()
    assert (low, high, handles, labels) == (0.0, 1.0, [], [])
    assert [artist.get_label() for artist in [*plt.plot([1]), line]]
    plt.rcParams["figure.figsize"] = (3, 2)
    plt.rcParams.update({"font.size": 8})
    with plt.style.context("ggplot") as style:
        assert isinstance(style, Silent)
    for bar in plt.bar([1], [2]):
        bar.set_height(3)
    assert "x" not in plt.rcParams
    with pytest.raises(AttributeError):
        plt.__path__  # noqa: B018
    with pytest.raises(AttributeError):
        Silent().__deepcopy__  # noqa: B018


def test_a_silent_value_is_a_number_a_text_and_a_path():
    value = Silent()
    assert (float(value), int(value), str(value), f"{value:.3f}", len(value)) == (0, 0, "", "", 0)
    assert os.path.join(value, "best.pt") == os.path.join(".", "best.pt")
    assert not value
    assert isinstance(2 * value + 1 - value / 3, Silent)
    assert not value > 3
    assert not value <= 3
    assert np.asarray(value).size == 0


def test_types_and_base_classes_are_taken(plt):
    class Logger(plt.Callback):
        pass

    def draw(ax: plt.Axes | None = None) -> plt.Figure:
        return ax

    assert Logger.__mro__ == (Logger, object)
    assert draw() is None


# ---------------------------------------------------------------- wandb


def test_a_run_keeps_its_settings_from_a_table_or_an_object():
    run = begin_run(project="p", config={"lr": 1e-3})
    RUN_SETTINGS.update({"epochs": 3}, allow_val_change=True)
    RUN_SETTINGS.seed = 5
    assert (run.config.lr, RUN_SETTINGS["epochs"], run.config.seed) == (1e-3, 3, 5)
    with pytest.raises(AttributeError, match="momentum"):
        run.config.momentum  # noqa: B018
    run.log({"loss": 1})
    from argparse import Namespace

    assert begin_run(config=Namespace(batch_size=8)).config.batch_size == 8
    assert isinstance(begin_run(), Silent)
    assert log_in(key="x")

    def train():
        return 3

    assert Silent("interact")(train) is train


# ---------------------------------------------------------------- import


@pytest.mark.usefixtures("found")
def test_every_module_of_a_library_is_found():
    import drawing_library.ticker as ticker
    from drawing_library.pyplot import subplots

    assert isinstance(ticker.MaxNLocator(integer=True), Silent)
    assert subplots()[1] is not None
    assert drawing_library_version() == "0"


def drawing_library_version():
    import drawing_library

    return drawing_library.__version__


@pytest.mark.usefixtures("found")
def test_other_libraries_are_not_found():
    for name in ("drawing_library2", "sklearn_like"):
        with pytest.raises(ModuleNotFoundError):
            __import__(name)


@pytest.mark.usefixtures("found")
@pytest.mark.parametrize("place", ["drawing_library.py", "drawing_library/__init__.py"])
def test_a_module_of_the_submission_is_taken_first(tmp_path, monkeypatch, place):
    (tmp_path / place).parent.mkdir(exist_ok=True)
    (tmp_path / place).write_text("HANDED_IN = True\n")
    monkeypatch.syspath_prepend(tmp_path)
    import drawing_library

    assert drawing_library.HANDED_IN
    with pytest.raises(AttributeError):
        drawing_library.pyplot  # noqa: B018


@pytest.mark.usefixtures("found")
def test_a_folder_of_data_hides_no_library(tmp_path, monkeypatch):
    (tmp_path / "drawing_library").mkdir()
    monkeypatch.syspath_prepend(tmp_path)
    assert drawing_library_version() == "0"
