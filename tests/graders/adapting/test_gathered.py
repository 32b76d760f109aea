from pathlib import Path

import pytest

from graders.adapting.gathered import NotHandedIn

PLAIN = "def double(x):\n    return 2 * x\n"


def test_function_is_found_in_any_file_and_the_last_definition_counts(take):
    got = take({"deep/down/homework final.py": PLAIN}, "double")
    assert got.file == "deep/down/homework final.py"
    assert got["double"](4) == 8
    text = "def f():\n    return 1\ndef f():\n    return 2\n"
    assert take({"a.py": text}, "f")["f"]() == 2
    text = "# -*- coding: utf-8 -*-\n# In[1]:\n!pip install x\nget_ipython().system('ls')\n" + PLAIN
    assert take({"a.py": text}, "double")["double"](2) == 4


def test_module_code_and_main_blocks_do_not_run(take, capsys):
    text = f"print('loud')\nraise SystemExit\n{PLAIN}\nwhile True:\n    pass\n"
    assert take({"a.py": text}, "double")["double"](1) == 2
    assert capsys.readouterr().out == ""
    text = """
N = 2
def f(x):
    return helper(x) * N
if __name__ == "__main__":
    N = 100
    def helper(x):
        return x + 1
    raise SystemExit
"""
    assert take({"a.py": text}, "f")["f"](1) == 4


def test_cells_are_one_module_without_shell_lines(take):
    cells = ["import math", "ROOT = math.sqrt(4)", "def f(x):\n    return ROOT * x"]
    assert take({"a.ipynb": cells}, "f")["f"](2) == 4.0
    cells = [
        "!pip install nothing \\\n   at all\n%matplotlib inline\nfiles = !ls",
        "print?\n?print\nN = 3",
        "%%bash\nrm -rf nothing",
        "%%time\ndef f(x):\n    if x:\n        !ls\n    return x * N",
        "x = get_ipython().getoutput('ls')",
    ]
    got = take({"a.ipynb": cells}, "f", "files")
    assert got["f"](2) == 6
    assert got["files"] == []
    assert got.notes == []
    cells = ["%matplotlib inline\ndef f(x):\n    return (x\n% 5)\ntext = '''\n!no shell\n'''"]
    got = take({"a.ipynb": cells}, "f", "text")
    assert got["f"](7) == 2
    assert got["text"] == "\n!no shell\n"


def test_missing_name_says_where_it_looked_and_an_empty_upload_is_said(take):
    got = take({"a.py": PLAIN, "b.ipynb": ["x = 1"]}, "double", "triple")
    assert (got.found, got.missing) == (("double",), ("triple",))
    with pytest.raises(NotHandedIn, match="`triple` .looked in `a.py`, `b.ipynb`"):
        got["triple"]
    with pytest.raises(NotHandedIn, match=r"no \.py or \.ipynb file"):
        take({"essay.txt": "words"}, "double")["double"]


def test_names_that_are_given_or_replaced_hold(take):
    text = "DEVICE = 'cuda'\nDEVICE, N = 'cuda', 2\ndef f():\n    return DEVICE * N\n"
    got = take({"a.py": text}, "f", given={"DEVICE": "cpu"})
    assert got["f"]() == "cpucpu"
    got = take({"a.py": "def inner():\n    return 1\ndef f():\n    return inner()\n"}, "f", "inner")
    function = got["f"]
    got.namespace["inner"] = lambda: 7
    assert got["inner"]() == function() == 7
    text = (
        "import math as evaluate\nroot = evaluate.sqrt(9)\ndef evaluate():\n"
        "    return 1\ndef f():\n    return root\n"
    )
    got = take({"a.py": text}, "evaluate", "f")
    assert (got["evaluate"](), got["f"]()) == (1, 3.0)
    text = "def train(x):\n    return x\ndata = {'train': 1}\ntrain = data['train']\n"
    assert take({"a.py": text}, "train")["train"](5) == 5


def test_training_never_runs(take):
    text = """
def train(model):
    model.loss.backward()
def go(model):
    train(model)
model = None
history = train(model)
if True:
    log = go(model)
    N = 3
for epoch in range(2):
    last = go(model)
def f():
    return N, "last" in globals(), "log" in globals(), "history" in globals()
def g():
    return history, log, last, epoch
"""
    got = take({"a.py": text}, "f", "g")
    assert got["f"]() == (3, False, False, False)


@pytest.mark.parametrize(
    ("text", "error"),
    [("f = 1 / 0", ZeroDivisionError), ("import sys\nf = sys.exit(0)", SystemExit)],
)
def test_error_while_defining_is_the_students(take, text, error):
    got = take({"a.py": f"{text}\ndef g():\n    return 1\n"}, "f", "g")
    assert got["g"]() == 1
    with pytest.raises(error):
        got["f"]


def test_names_that_a_script_or_a_function_assigns_may_exist(take):
    text = f"{PLAIN}\ndef set_up():\n    global model\n    model = 1\n"
    got = take({"a.py": f"{text}\nif __name__ == '__main__':\n    loader = double(1)\n"}, "double")
    assert got.may_assign("loader")
    assert got.may_assign("model")
    assert not got.may_assign("laoder")


@pytest.mark.parametrize(
    "own",
    [
        "from parts import double",
        "from parts import twice as double",
        "from parts import *",
        "import parts\nprint(parts.double(1))",
        "import parts as p\nprint(p.double(1))",
    ],
)
def test_own_files_take_names_from_others(take, own):
    parts = f"{PLAIN}\ndef twice(x):\n    return x + x\n"
    got = take({"a.py": own, "parts.py": parts}, "double", own=("a",))
    assert got.imported_from("double") == "parts"
    assert len(got.importing("double", Path("parts.py"))) == 1


@pytest.mark.parametrize(
    "own",
    [
        "import parts",
        "from missing import double",
        "from missing import double\nfrom parts import *",
        "from parts import *\ndef double(x):\n    return 2 * x",
    ],
)
def test_other_imports_are_not_taken_for_a_name(take, own):
    got = take({"a.py": own, "parts.py": PLAIN}, "double", own=("a",))
    assert not got.imported_from("double")
    assert not got.importing("double", Path("parts.py"))


def test_texts_are_those_of_files_that_ran_or_import_one(take):
    files = {
        "work.py": "from helping import scale\ndef double(x):\n    return scale * x\n",
        "helping.py": "scale = 2\n",
        "script.py": "import work\nprint(work.double(3))\n",
        "hw5/other.py": "def train(): 'mentions work and double'\n",
    }
    got = take(files, "double")
    assert got["double"](4) == 8
    assert sorted(got.texts()) == sorted(files[name] for name in list(files)[:3])
