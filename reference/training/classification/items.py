"""Turn labeled texts into batches of tokens of similar length, and compute a classifier's logits.

A batch is padded to its longest text, so the texts in a batch should have similar lengths:

    shuffled, cut into pools of 16 batches, each pool sorted by length and cut into batches,
    the batches shuffled again
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

import torch
import torch.nn.functional as F

from graders.data.labelled import Items, Text
from reference.data.sentiment import joined
from reference.models.backbone import Backbone
from reference.models.classifier import Classifier, Tokens
from reference.training.precision import Machine

POOL = 16  # batches that are sorted by length together
READ = 64  # texts per batch outside of training

Read = Callable[[int, int], None]  # texts read so far, texts in total


@dataclass(frozen=True, slots=True)
class Encoded:
    """The texts of one part as tokens, and their labels (N,)."""

    texts: list[Tokens]
    labels: torch.Tensor

    def __len__(self) -> int:
        return len(self.texts)

    @property
    def lengths(self) -> torch.Tensor:
        """The number of tokens of each text (N,)."""
        return torch.tensor([text.ids.shape[1] for text in self.texts])


def encoded(backbone: Backbone, items: Items, longest: int) -> Encoded:
    """Return the items as the encoder reads them; single sentences are those of a treebank."""
    inputs = [joined(text) if isinstance(text, str) else text for text, _ in items]
    texts = encode(backbone, inputs, longest)
    return Encoded(texts, torch.tensor([label for _, label in items]))


def encode(backbone: Backbone, texts: Sequence[Text], longest: int) -> list[Tokens]:
    """Return the tokens of each text (1, T), cut at `longest`; of a pair, the longer one is cut."""
    tokenized = backbone.tokenizer(
        [text if isinstance(text, str) else text[0] for text in texts],
        None if isinstance(texts[0], str) else [text[1] for text in texts],
        truncation="longest_first",
        return_token_type_ids=True,
        max_length=longest,
    )
    kinds = getattr(backbone.model.config, "type_vocab_size", 1)  # RoBERTa has one segment
    segments = tokenized["token_type_ids"] if kinds > 1 else [None] * len(texts)
    return [
        Tokens(
            torch.tensor([ids]),
            torch.ones(1, len(ids), dtype=torch.long),
            None if segment is None else torch.tensor([segment]),
        )
        for ids, segment in zip(tokenized["input_ids"], segments, strict=True)
    ]


def collate(texts: Sequence[Tokens], pad_id: int) -> Tokens:
    """Return some texts as one batch (B, T), padded on the right to the longest of them."""
    width = max(text.ids.shape[1] for text in texts)

    def padded(rows: Sequence[torch.Tensor], value: int) -> torch.Tensor:
        return torch.cat([F.pad(row, (0, width - row.shape[1]), value=value) for row in rows])

    segments = [text.segments for text in texts if text.segments is not None]
    return Tokens(
        padded([text.ids for text in texts], pad_id),
        padded([text.mask for text in texts], 0),
        padded(segments, 0) if segments else None,
    )


def shuffled_batches(lengths: torch.Tensor, size: int, seed: int) -> list[torch.Tensor]:
    """Return the rows of one epoch's batches, which depend only on the seed."""
    generator = torch.Generator().manual_seed(seed)
    order = torch.randperm(len(lengths), generator=generator)
    batches: list[torch.Tensor] = []
    for pool in torch.split(order, POOL * size):
        batches += torch.split(pool[lengths[pool].argsort(stable=True)], size)
    return [batches[i] for i in torch.randperm(len(batches), generator=generator)]


def batch_count(n: int, size: int) -> int:
    """Return the number of batches in an epoch over n items."""
    return sum(-(-min(POOL * size, n - start) // size) for start in range(0, n, POOL * size))


@dataclass(slots=True)
class Scores:
    """The logits of any items; a frozen encoder reads each text only once."""

    classifier: Classifier
    parts: Mapping[str, Encoded]
    pad_id: int
    machine: Machine
    pooled: dict[str, torch.Tensor] = field(default_factory=dict)  # (N, d) per part

    def logits(self, part: str, rows: torch.Tensor) -> torch.Tensor:
        """Return logits (B, 2) of these rows of a part."""
        if self.classifier.method == "head":
            features = self.pooled[part][rows.to(self.machine.device)]
            out: torch.Tensor = self.classifier.head(self.classifier.drop(features))
            return out
        with self._autocast():
            logits: torch.Tensor = self.classifier(self._tokens(part, rows))
        return logits.float()

    def read(self, report: Read) -> None:
        """Let a frozen encoder read what it has not read yet; others read nothing in advance."""
        if self.classifier.method != "head":
            return
        missing = {part: items for part, items in self.parts.items() if part not in self.pooled}
        done, all_texts = 0, sum(map(len, missing.values()))
        report(done, all_texts)
        for part, items in missing.items():
            pooled = torch.zeros(len(items), self.classifier.head.in_features)
            for rows in self._by_length(items):
                with torch.no_grad(), self._autocast():
                    pooled[rows] = self.classifier.pooled(self._tokens(part, rows)).cpu()
                done += len(rows)
                report(done, all_texts)
            self.pooled[part] = pooled.to(self.machine.device)

    @torch.no_grad()
    def all_logits(self, part: str) -> torch.Tensor:
        """Return logits (N, 2) of a whole part on the CPU, without dropout."""
        items = self.parts[part]
        logits = torch.zeros(len(items), 2)
        self.classifier.eval()
        for rows in self._by_length(items):
            logits[rows] = self.logits(part, rows).cpu()
        self.classifier.train()
        return logits

    def labels(self, part: str, rows: torch.Tensor) -> torch.Tensor:
        """Return the labels (B,) of these rows."""
        return self.parts[part].labels[rows].to(self.machine.device)

    def _tokens(self, part: str, rows: torch.Tensor) -> Tokens:
        texts = self.parts[part].texts
        return collate([texts[i] for i in rows.tolist()], self.pad_id).to(self.machine.device)

    def _by_length(self, items: Encoded) -> Iterator[torch.Tensor]:
        yield from torch.split(items.lengths.argsort(stable=True), READ)

    def _autocast(self) -> torch.autocast:
        machine = self.machine
        enabled = machine.dtype != torch.float32
        return torch.autocast(machine.device.type, dtype=machine.dtype, enabled=enabled)
