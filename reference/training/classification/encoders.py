"""Choose the encoder of a run: a tiny one, the embedded MiniLM, or a folder of the user's.

Each method has a recipe for each kind of encoder.
"""

import hashlib
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from graders.data.labelled import Items, Kind
from graders.errors import UsageError
from graders.written.free_text.similarity import embedded_weights
from reference.models.methods import Method

# `folder` is an encoder of the user's, such as roberta-base: larger, so lower rates.
Encoder = Literal["tiny", "minilm", "folder"]

LONGEST: dict[Kind, int] = {"sst2": 64, "boolq": 128}  # tokens read per text; JHU's is 128


@dataclass(frozen=True, slots=True)
class Recipe:
    """The hyperparameters of one method.

    The rate increases over the first `warmup` of all steps and decreases to zero; that of the head
    and the prefix, which are trained from scratch, is `new_rate`. Each layer of the encoder learns
    at `layer_decay` times the rate of the one above it (Howard and Ruder 2018). `smoothing` is
    label smoothing (Szegedy et al. 2016); `average` is the decay of a running mean of the weights,
    which is used for dev (0: the weights themselves).
    """

    epochs: int
    batch_size: int
    rate: float
    new_rate: float
    warmup: float = 0.1
    weight_decay: float = 0.01
    smoothing: float = 0.0
    layer_decay: float = 1.0
    average: float = 0.0


RECIPES: dict[tuple[Encoder, Method], Recipe] = {
    ("tiny", "full"): Recipe(4, 32, rate=1e-3, new_rate=1e-3, average=0.9),
    ("tiny", "head"): Recipe(30, 32, rate=0.0, new_rate=1e-2),
    ("tiny", "prefix"): Recipe(4, 32, rate=0.0, new_rate=3e-2),
    ("minilm", "full"): Recipe(3, 32, rate=1e-4, new_rate=1e-3, smoothing=0.1, layer_decay=0.9),
    ("minilm", "head"): Recipe(40, 32, rate=0.0, new_rate=3e-3),
    ("minilm", "prefix"): Recipe(2, 32, rate=0.0, new_rate=1e-2),
    ("folder", "full"): Recipe(3, 32, rate=2e-5, new_rate=1e-3),
    ("folder", "head"): Recipe(40, 32, rate=0.0, new_rate=1e-3),
    ("folder", "prefix"): Recipe(5, 32, rate=0.0, new_rate=1e-2),
}


NEEDED = "pip install 'softmark[encoder]'"


@dataclass(frozen=True, slots=True)
class Chosen:
    """An encoder: its recipes, its folder (a tiny one is created there), its name."""

    encoder: Encoder
    folder: Path
    name: str


def choose_encoder(wish: str, out: Path, *, given_data: bool) -> Chosen:
    """Return the requested encoder; by default a tiny one for the bundled task, else MiniLM.

    Raises UsageError if it is not installed.
    """
    wish = wish or ("minilm" if given_data else "tiny")
    if wish == "tiny":
        return Chosen("tiny", out / "state" / "tiny", "tiny, of random weights")
    if wish == "minilm":
        folder = embedded_weights()
        if folder is None:
            raise UsageError(
                "--backbone minilm: its weights are not installed, or not as published",
                f"{NEEDED}, or give --backbone tiny or the folder of an encoder",
            )
        return Chosen("minilm", folder, "all-MiniLM-L6-v2")
    folder = Path(wish)
    if not (folder / "config.json").is_file():
        raise UsageError(
            f"--backbone {wish}: no folder with an encoder (config.json, weights, tokenizer)",
            "give one that transformers wrote with save_pretrained, or `tiny`, or `minilm`",
        )
    return Chosen("folder", folder, f"{folder.name}, config {_sum(folder / 'config.json')}")


def make_ready(chosen: Chosen, train: Items, seed: int) -> None:
    """Create the tiny encoder from the words of the training texts, unless it exists."""
    if chosen.encoder != "tiny" or (chosen.folder / "ready").is_file():
        return
    from reference.models.backbone import write_tiny  # transformers is slow to import

    write_tiny(chosen.folder, (text for text, _ in train), seed=seed)
    (chosen.folder / "ready").touch()


def _sum(file: Path) -> str:
    return hashlib.sha256(file.read_bytes()).hexdigest()[:12]
