"""Choose the encoder of a run: a tiny one, the embedded MiniLM, or a folder of the user's."""

import hashlib
from dataclasses import dataclass
from pathlib import Path

from graders.data.labelled import Items
from graders.errors import UsageError
from graders.written.free_text.similarity import embedded_weights
from reference.training.classification.recipes import Encoder

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
