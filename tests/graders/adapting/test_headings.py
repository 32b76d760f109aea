"""Code below a heading of the experiments does not replace code above it."""

import pytest

UNTIL = r"experiment|\bmodif|\b2\.2\.[23]\b"
F = "def f():\n    return 1\n"
LATER = "def f():\n    return 2\n"


@pytest.mark.parametrize(
    "heading",
    [
        "# Experiment 1: shuffled heads",
        "# 2.2.2 My own heads",
        "# Part 2.2: experiments",
        "#### EXPERIMENT: weights ####",
        "# ---------- Experiment 1 ----------",
        "# 2) Modified heads",
        'print("=== Experiment 1 ===")',
        "# %% [markdown]\n# ## 2.2.2 Mine",
        '"""## 2.2.2 Mine\nwords"""',
        "# # Experiments",
    ],
)
def test_titles_in_code_are_borders(take, heading):
    """Names defined below alone are still found there, and constants are those from above."""
    text = f"S = 1\ndef f():\n    return S\n{heading}\nS = 5\n{LATER}def g():\n    return 3\n"
    got = take({"a.py": text}, "f", "g", until=UNTIL)
    assert (got["f"](), got["g"]()) == (1, 3)


@pytest.mark.parametrize(
    "text",
    [
        "# experiments_done = 3",
        "# modify_heads(x)",
        "# all of this is tried in an experiment",
        f"# Experiments {'are told of at length here ' * 3}",
        "def g():\n    pass\n# Experiment inside\n    return 3",
    ],
)
def test_other_comments_are_no_borders(take, text):
    assert take({"a.py": f"{F}{text}\n{LATER}"}, "f", until=UNTIL)["f"]() == 2


@pytest.mark.parametrize(
    "heading", ["# **2.2.2 Mine**", "# <b>x</b>\n**Experiment 1**", "#\nExperiment 1: shuffled"]
)
def test_bold_and_plain_lines_of_a_notebook_are_borders(take, heading):
    assert take({"a.ipynb": [F, heading, LATER]}, "f", until=UNTIL)["f"]() == 1


def test_neither_a_list_of_headings_is_a_border_nor_do_cells_below_one_count(take):
    cells = ["K = {}\ndef f():\n    return K", "## Experiment", f"K['a'] = 1\n{LATER}"]
    assert take({"a.ipynb": cells}, "f", until=UNTIL)["f"]() == {}
    cells = ["# 2.1 Parts\n# 2.2.2 Experiment\n# 3 End", F, "## 2.2.2 Experiment", LATER]
    assert take({"a.ipynb": cells}, "f", until=UNTIL)["f"]() == 1
    got = take({"a_experiment.py": LATER, "ablation.py": LATER, "own.ipynb": [F]}, "f")
    assert got["f"]() == 1


@pytest.mark.parametrize("title", ["# Functions and experiments", "#\n- Functions\n- Experiments"])
def test_title_that_mentions_experiments_changes_nothing(take, title):
    cells = [title, "def f():\n    return 0", F, "## Experiments", LATER]
    assert take({"a.ipynb": cells}, "f", until=UNTIL)["f"]() == 1


@pytest.mark.parametrize(
    "stub",
    [
        "def f():\n    pass\n",
        "def f():\n    x = None\n    return x\n",
        "def f():\n    raise NotImplementedError\n",
    ],
)
def test_stub_never_beats_the_function_below(take, stub):
    assert take({"a.py": f"{stub}# # Experiments\n{LATER}"}, "f", until=UNTIL)["f"]() == 2


@pytest.mark.parametrize("later", ["math = 3", "for math in range(3):\n    pass"])
def test_name_of_a_module_stays_a_module(take, later):
    text = f"import math\ndef f():\n    return math.sqrt(4)\n{later}\n"
    assert take({"a.py": text}, "f")["f"]() == 2


def test_name_of_a_module_is_replaced_by_what_is_made_of_it(take):
    text = "import math\nmath = math.sqrt\ndef f():\n    return math(4)\n"
    assert take({"a.py": text}, "f")["f"]() == 2
    text = "def f(x):\n    return x\n# Experiment 1\ndef f(x):\n    return -x\n"
    assert take({"a.py": text}, "f", until=UNTIL)["f"](3) == 3
