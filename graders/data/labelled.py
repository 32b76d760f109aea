"""Read labeled texts for grading classifiers, or use the built-in task instead.

FOLDER/stsa.binary.{train,dev,test}      sst2: label SPACE sentence, with its punctuation
       {train,dev,test}.tsv              sst2, if those are missing: sentence TAB label
       train.jsonl, val.jsonl|dev.jsonl  boolq: a JSON object with question, passage, label|answer
       test.jsonl                        boolq: the same; without it (SuperGLUE's has no answers)
                                         the test questions are drawn from train.jsonl; if there is
                                         only val.jsonl, all three parts are drawn from it
"""

import hashlib
import json
import random
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from graders.data.birthplaces import read_lines
from graders.errors import UsageError
from reference.data.sentiment import write_sentiment

Kind = Literal["sst2", "boolq"]
Text = str | tuple[str, str]  # a sentence, or a question and its passage
Item = tuple[Text, int]
Items = tuple[Item, ...]

PARTS = ("train", "dev", "test")
STSA = tuple(f"stsa.binary.{part}" for part in PARTS)
TSV = tuple(f"{part}.tsv" for part in PARTS)
DEV_NAMES = ("val.jsonl", "dev.jsonl")
REMEDIES: dict[Kind, str] = {
    "sst2": f"--data DIR must contain {', '.join(STSA)} or {', '.join(TSV)}",
    "boolq": "--data DIR must contain train.jsonl and val.jsonl, or val.jsonl alone",
}
# JHU's split of the 9427 training questions: 8000 for training, the others for testing.
TEST_SHARE = 1427 / 9427
ALONE = (0.7, 0.1)  # if there is only val.jsonl: training, dev; the rest is for testing
FEWEST = 10
ANSWERS = {"true": 1, "false": 0, "True": 1, "False": 0}


@dataclass(frozen=True, slots=True)
class LabelledData:
    """The three parts in the files' order; a label is 0 or 1, and `true` is 1.

    `origin` describes where the parts come from, including any random split.
    """

    folder: Path
    kind: Kind
    embedded: bool
    train: Items
    dev: Items
    test: Items
    origin: str

    @property
    def fingerprint(self) -> str:
        """The sha256 of all items by part: equal data have equal fingerprints."""
        digest = hashlib.sha256()
        for part, items in (("train", self.train), ("dev", self.dev), ("test", self.test)):
            digest.update(f"{part} {len(items)}\n".encode())
            digest.update(json.dumps(items).encode())
        return digest.hexdigest()

    @property
    def description(self) -> str:
        """One line for the Result: the data's source, number of items and fingerprint."""
        counts = f"{len(self.train)} train, {len(self.dev)} dev, {len(self.test)} test"
        return f"{self.origin}: {counts}, sha256 {self.fingerprint[:16]}"


@contextmanager
def open_labelled(folder: Path | None, kind: Kind, *, seed: int = 0) -> Iterator[LabelledData]:
    """Yield the data of this folder, or without one the built-in task of this seed.

    Raises UsageError if a file is missing or has the wrong format. `seed` also determines the
    random split if the files lack a part.
    """
    if folder is not None:
        yield read_labelled(folder, kind, seed=seed)
        return
    with tempfile.TemporaryDirectory(prefix="softmark-task-", ignore_cleanup_errors=True) as work:
        write_sentiment(Path(work), kind, seed)
        yield read_labelled(Path(work), kind, seed=seed, embedded=True)


def read_labelled(
    folder: Path, kind: Kind, *, seed: int = 0, embedded: bool = False
) -> LabelledData:
    """Read and check the data of a folder; raises UsageError, which names file and line."""
    if not folder.is_dir():
        raise UsageError(f"{folder}: there is no such folder", REMEDIES[kind])
    (train, dev, test), files = _sst2(folder) if kind == "sst2" else _boolq(folder, seed)
    source = f"built-in sample dataset ({kind})" if embedded else f"{files}, given with --data"
    return LabelledData(folder, kind, embedded, train, dev, test, source)


# ---------------------------------------------------------------- SST-2


def _sst2(folder: Path) -> tuple[Sequence[Items], str]:
    held = [any((folder / name).is_file() for name in names) for names in (STSA, TSV)]
    if not any(held):
        raise UsageError(f"{folder}: contains no sentences", REMEDIES["sst2"])
    # The files with punctuation are closer to the text that encoders were pretrained on.
    names, row, words = (
        (STSA, _stsa_row, "stsa.binary files") if held[0] else (TSV, _tsv_row, "tsv files")
    )
    return [_rows(folder / name, "sst2", row) for name in names], words


def _stsa_row(line: str) -> Item:
    label, _, sentence = line.partition(" ")
    if label not in ("0", "1") or not sentence.strip():
        raise ValueError("a label 0 or 1, a space and a sentence")
    return sentence.strip(), int(label)


def _tsv_row(line: str) -> Item:
    sentence, tab, label = line.rpartition("\t")
    if not tab or label.strip() not in ("0", "1") or not sentence.strip():
        raise ValueError("a sentence, a tab and a label 0 or 1")
    return sentence.strip(), int(label)


# ---------------------------------------------------------------- BoolQ


def _boolq(folder: Path, seed: int) -> tuple[Sequence[Items], str]:
    dev_file = next((folder / name for name in DEV_NAMES if (folder / name).is_file()), None)
    if dev_file is None:
        raise UsageError(f"{folder / DEV_NAMES[0]}: the file is missing", REMEDIES["boolq"])
    dev = _rows(dev_file, "boolq", _boolq_row)
    train_file, test_file = folder / "train.jsonl", folder / "test.jsonl"
    if not train_file.is_file():
        _refuse_few(dev_file, dev)
        words = f"{dev_file.name} alone, split by seed {seed}"
        return _split(dev, (ALONE[0], ALONE[1], 1 - sum(ALONE)), seed), words
    train = _rows(train_file, "boolq", _boolq_row)
    if test_file.is_file() and _has_answers(test_file):
        return (train, dev, _rows(test_file, "boolq", _boolq_row)), "jsonl files"
    _refuse_few(train_file, train)
    kept, _, test = _split(train, (1 - TEST_SHARE, 0.0, TEST_SHARE), seed)
    return (kept, dev, test), f"jsonl files, test drawn from train.jsonl by seed {seed}"


def _split(items: Items, shares: tuple[float, float, float], seed: int) -> tuple[Items, ...]:
    """Split the items randomly into three parts, by the seed; each keeps the file's order."""
    order = list(range(len(items)))
    random.Random(f"{seed} split").shuffle(order)  # noqa: S311  a split, not a secret
    first = round(shares[0] * len(items))
    second = first + round(shares[1] * len(items))
    parts = (order[:first], order[first:second], order[second:])
    return tuple(tuple(items[i] for i in sorted(part)) for part in parts)


def _refuse_few(file: Path, items: Items) -> None:
    if len(items) < FEWEST:
        sentence = f"{file}: {len(items)} questions are too few to draw test questions from"
        raise UsageError(sentence, REMEDIES["boolq"])


def _boolq_row(line: str) -> Item:
    wanted = 'a JSON object with "question", "passage" and a "label" (or "answer") true or false'
    try:
        row = json.loads(line)
    except ValueError as error:
        raise ValueError(wanted) from error
    if not isinstance(row, dict):
        raise ValueError(wanted)
    question, passage = row.get("question"), row.get("passage")
    answer = ANSWERS.get(str(row.get("label", row.get("answer"))))
    if not isinstance(question, str) or not isinstance(passage, str) or answer is None:
        raise ValueError(wanted)
    return (question.strip(), passage.strip()), answer


def _has_answers(file: Path) -> bool:
    """Return whether the first line has an answer; SuperGLUE's test file has none."""
    first = read_lines(file, REMEDIES["boolq"])[0]
    return '"label"' in first or '"answer"' in first


def _rows(file: Path, kind: Kind, row: Callable[[str], Item]) -> Items:
    """Return the file's items; `row` raises ValueError, which says what a line must be."""
    if not file.is_file():
        raise UsageError(f"{file}: the file is missing", REMEDIES[kind])
    items = []
    for number, line in enumerate(read_lines(file, REMEDIES[kind]), start=1):
        try:
            items.append(row(line))
        except ValueError as error:
            raise UsageError(
                f"{file}: line {number} is not {error}", "download the file again, or fix the line"
            ) from error
    return tuple(items)
