"""Other files in a student's folder: starters, drafts, experiments and notebooks."""

import ast
import json
from dataclasses import dataclass

from hypothesis import strategies as st

SPARE = ("old", "starter", "backup", "drafts/v1", "experiments", "original files", "my old stuff")
PLACES = ("", "scripts", "notebooks/week 3", *SPARE)
EXPERIMENTS = ("openai_gpt-boolq", "profiled_run", "t5", "try_lora", "exp2")
SCRIPT = "import sys\nprint('plots', sys.argv)\nraise SystemExit(3)\n"

CRASHES = (
    "raise RuntimeError('no display')",
    "plots = 1 / 0",
    "__import__('torch').load('/cluster/home/someone/best.pt')",
    "open('/results/curve.png', 'wb').write(b'')",
    "__import__('torch').cuda.synchronize()",
    "__import__('profiler_of_the_cluster').stop()",
    "__import__('torch').nn.Linear(2, 2).figure_name",
    "__import__('sys').exit(3)",
    "assert False, 'loss curve looks odd'",
)


@dataclass(frozen=True)
class Work:
    """An assignment's own files, the names that they define, and the function that trains."""

    assignment: str
    own: tuple[str, ...]
    names: frozenset[str]
    criteria: frozenset[str]
    trains: str = ""  # empty where a file itself is run


WORKS = (
    Work(
        "cs224n-a4",
        ("src/dataset.py", "src/attention.py"),
        frozenset(("CharCorruptionDataset", "precompute_rotary_emb", "apply_rotary_emb")),
        frozenset(("span-corruption", "rotary")),
    ),
    Work(
        "jhu-hw6",
        ("base_classification.py", "classification.py"),
        frozenset(
            ("evaluate_model", "train", "CustomModelforSequenceClassification", "BoolQADataset")
        ),
        frozenset(
            ("boolq-data", "evaluation", "training", "full-tuning", "head-tuning", "prefix-tuning")
        ),
        "train",
    ),
    Work(
        "uw-a2",
        ("A2S2.py", "A2S3.py"),
        frozenset(
            (
                "attn_scaled", "make_causal_mask", "split_heads", "merge_heads",
                "self_attention", "train_one_epoch", "evaluate", "compute_accuracy",
                "SST2Dataset", "main",
            )
        ),
        frozenset(("mini-transformer", "sst2-data", "sst2-training", "sst2-main")),
        "main",
    ),
)  # fmt: skip


class _Emptied(ast.NodeTransformer):
    """Takes the work out of functions, as a starter does, or makes it wrong, as a draft is."""

    def __init__(self, names, body):
        self.names = names
        self.body = ast.parse(body).body

    def visit_FunctionDef(self, node):
        inside = node.name in ("forward", "__getitem__", "collate_fn")
        if node.name in self.names or inside:
            return ast.copy_location(
                ast.FunctionDef(**{**vars(node), "body": self.body, "decorator_list": []}), node
            )
        return self.generic_visit(node)


def starter(text, names):
    """The same file with the named functions still to be written."""
    return _rewritten(text, names, "raise NotImplementedError('to do')")


def draft(text, names):
    """The same file with the named functions wrong."""
    return _rewritten(text, names, "return 0")


def _rewritten(text, names, body):
    tree = _Emptied(names, body).visit(ast.parse(text))
    return ast.unparse(ast.fix_missing_locations(tree))


def crashed(text, function, crash):
    """The same file, raising at the end of this function, if it has it, or at its own end."""
    if not function:
        return f"{text}\n{crash}\n"
    tree = ast.parse(text)
    nodes = [
        node for node in tree.body if isinstance(node, ast.FunctionDef) and node.name == function
    ]
    for node in nodes:
        last = node.body[-1]
        if isinstance(last, ast.Return):  # what it returns may be the training itself
            node.body[-1] = ast.copy_location(ast.Expr(last.value or ast.Constant(None)), last)
        node.body += ast.parse(crash).body
    return ast.unparse(ast.fix_missing_locations(tree)) if nodes else text


def notebook(text):
    """A notebook with this code in one cell."""
    cell = {"cell_type": "code", "source": text, "outputs": [], "metadata": {}}
    cell["execution_count"] = None
    return json.dumps({"cells": [cell], "metadata": {}, "nbformat": 4, "nbformat_minor": 5})


def one_of_each(work, texts):
    """A script, and a starter, drafts and an experiment of each file."""
    files = {"plot.py": SCRIPT}
    for number, file in enumerate(sorted(texts)):
        stem = _stem(file)
        files[f"scripts/{stem}.py"] = starter(texts[file], work.names)
        files[f"old/{stem}.py"] = draft(texts[file], work.names)
        files[f"drafts/v1/{stem} (1).ipynb"] = notebook(draft(texts[file], work.names))
        files[f"{EXPERIMENTS[number]}.py"] = draft(texts[file], work.names)
    return {name: text.encode() for name, text in files.items()}


def _stem(name):
    return name.rpartition("/")[2].removesuffix(".py")


@st.composite
def messes(draw, work, texts):
    """Files that lie beside the work, by name; `texts` are the assignment's own files, done right.

    A starter may lie anywhere under its own name. A draft under that name lies in a folder that
    says so; elsewhere drafts and experiments have names of their own.
    """
    files = {}
    for _ in range(draw(st.integers(1, 3))):
        file = draw(st.sampled_from(sorted(texts)))
        stem = _stem(file)
        kind = draw(st.sampled_from(("starter", "draft", "experiment", "script")))
        if kind == "starter":
            place, name = draw(st.sampled_from(PLACES[1:])), stem
            text = starter(texts[file], work.names)
        elif kind == "draft":
            place = draw(st.sampled_from(SPARE))
            name = draw(st.sampled_from((stem, f"{stem}_old", f"{stem} (1)")))
            text = draft(texts[file], work.names)
        elif kind == "experiment":
            place, name = draw(st.sampled_from(PLACES)), draw(st.sampled_from(EXPERIMENTS))
            text = draft(texts[file], work.names)
        else:
            place = draw(st.sampled_from(PLACES))
            name = draw(st.sampled_from(("plot", "grid", "utils2")))
            text = SCRIPT
        as_notebook = draw(st.booleans())
        path = "/".join(filter(None, (place, f"{name}.{'ipynb' if as_notebook else 'py'}")))
        files[path] = (notebook(text) if as_notebook else text).encode()
    return files
