"""The training examples of a phase, one batch at a time.

Trailing PADs are neither read (attention is causal) nor trained on (the loss ignores them), so
leaving them out makes no difference. A batch trimmed to its longest example is still half PADs;
rows sorted by length and split into groups are not:

    |########      |         |########|
    |##############|   ->    |######  |
    |######        |             |##############|
    |############  |             |############  |

The pretraining corpus is one tensor, and many documents are corrupted at once:

    text       A d a _ w a s ... | B e n _ ... | ⁇ | □ □ □ ... □
               documents, cut at the longest draw   MASK   PADs for a whole row

A corrupted sequence of n characters, m of them masked from `start` on, is six or seven pieces of
that text, so all sequences together are one selection from it:

    piece      prefix   MASK   suffix       MASK   content   (MASK)   PADs
    length     start    1      n-m-start    1      m         (1)      the rest of the row
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Protocol

import torch

from reference.data.corruption import CharCorruptionDataset
from reference.data.edition import SHORTEST, STANFORD_2024, Edition
from reference.data.names import NameDataset
from reference.data.vocabulary import MASK, PAD, Vocabulary
from reference.models.gpt import PAD_ID


@dataclass(frozen=True, slots=True)
class Batch:
    """x and y (B, T), and how many columns of each row are followed by a target: (B,)."""

    x: torch.Tensor
    y: torch.Tensor
    lengths: torch.Tensor

    def __len__(self) -> int:
        return len(self.x)

    def __getitem__(self, rows: slice | torch.Tensor) -> "Batch":
        return Batch(self.x[rows], self.y[rows], self.lengths[rows])

    @property
    def targets(self) -> torch.Tensor:
        """The number of characters over which the loss is averaged."""
        return (self.y != PAD_ID).sum()

    def groups(self, size: int) -> Iterator["Batch"]:
        """Yield the rows in groups of about this size, each trimmed to its own longest row."""
        by_length = self[self.lengths.argsort(descending=True)]
        for start in range(0, len(self), size):
            group = by_length[start : start + size]
            width = max(1, int(group.lengths[0]))
            yield Batch(group.x[:, :width], group.y[:, :width], group.lengths)

    def padded(self, rows: int) -> "Batch":
        """Return the batch with added rows of PADs, which the loss ignores.

        This gives a CUDA graph a fixed shape.
        """
        more = rows - len(self)
        pad = torch.nn.functional.pad
        return Batch(
            pad(self.x, (0, 0, 0, more), value=PAD_ID),
            pad(self.y, (0, 0, 0, more), value=PAD_ID),
            pad(self.lengths, (0, more)),
        )


def target_lengths(y: torch.Tensor) -> torch.Tensor:
    """Return the number of columns up to the last target of each row of y (B, T)."""
    column = torch.arange(1, y.shape[1] + 1, device=y.device)
    lengths: torch.Tensor = ((y != PAD_ID) * column).amax(1)
    return lengths


@dataclass(frozen=True, slots=True)
class Corpus:
    """The beginnings of the documents, up to the longest possible cut, concatenated in one tensor.

    text: (characters,) uint8 or int16; starts and lengths: (D,) int64, indices into `text`.
    """

    text: torch.Tensor
    starts: torch.Tensor
    lengths: torch.Tensor
    longest: int
    marks: int

    @property
    def width(self) -> int:
        """The number of columns of x that can have a target; all later ones are always PADs."""
        return self.longest + self.marks - 1

    def __len__(self) -> int:
        return len(self.starts)


def read_corpus(
    text: str,
    vocabulary: Vocabulary,
    block_size: int,
    *,
    device: torch.device,
    edition: Edition = STANFORD_2024,
) -> Corpus:
    """Return the corpus of a text with one document per line."""
    longest = edition.longest(block_size)
    documents = [vocabulary.encode(line[:longest]) for line in text.split("\n")]
    ids = [character for document in documents for character in document]
    ids.append(vocabulary.stoi[MASK])
    ids += [vocabulary.stoi[PAD]] * (longest + edition.marks)
    lengths = torch.tensor([len(document) for document in documents])
    return Corpus(
        # Selecting is faster with fewer bytes; ids of any vocabulary fit into int16.
        torch.tensor(ids, dtype=torch.uint8 if len(vocabulary) <= 256 else torch.int16).to(device),
        (lengths.cumsum(0) - lengths).to(device),
        lengths.to(device),
        longest,
        edition.marks,
    )


def corrupt(corpus: Corpus, rows: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
    """Corrupt each of these documents (B,) once: sequences (B, width + 1), their lengths (B,).

    x is all but the last column, y all but the first. Draws come from the default generator of
    the corpus's device; their distribution is that of reference/data/corruption.py.
    """
    n, m, start = draw_spans(corpus, rows)
    W = corpus.width + 1
    begins = corpus.starts[rows]
    one, mask = torch.ones_like(n), torch.full_like(n, len(corpus.text) - W - 1)
    pieces = [(begins, start), (mask, one), (begins + start + m, n - m - start)]
    pieces += [(mask, one), (begins + start, m)]
    pieces += [(mask, one)] * (corpus.marks - 2)
    pieces += [(mask + 1, W - n - corpus.marks)]
    at = torch.stack([piece[0] for piece in pieces], dim=1)  # (B, P), in the text
    lengths = torch.stack([piece[1] for piece in pieces], dim=1)  # (B, P), W in each row
    # A piece that begins at column c of its row and at index i of the text is shifted by i - c.
    shift = (at - (lengths.cumsum(1) - lengths)).int()
    column = torch.arange(W, device=rows.device, dtype=torch.int32)
    spread = shift.flatten().repeat_interleave(lengths.flatten(), output_size=len(rows) * W)
    source = spread.view(-1, W).add_(column)  # (B, W), in the text
    sequences = corpus.text.index_select(0, source.view(-1)).view(-1, W)
    return sequences.long(), n + corpus.marks


def draw_spans(
    corpus: Corpus, rows: torch.Tensor
) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    """Draw the lengths n of cut documents, m of masked parts, and their starts: (B,) each.

    See `cut` and `content_length` of reference/data/corruption.py.
    """
    drawn = torch.rand(4, len(rows), device=rows.device, dtype=torch.float64)
    cut = SHORTEST + (drawn[0] * (corpus.longest - SHORTEST + 1)).long()  # 4 ... longest
    n = torch.minimum(cut, corpus.lengths[rows])
    even = n + (n % 2) * (2 * (drawn[1] < 0.5).long() - 1)  # odd lengths go up or down by one
    m = 1 + (drawn[2] * (even // 2 - 1)).long()  # 1 ... even/2 - 1
    m = torch.where(n < SHORTEST, n.clamp(max=1), m)
    start = (drawn[3] * (n - m + 1)).long()  # 0 ... n - m
    return n, m, start


AHEAD = 1024  # documents corrupted at once: fewer need more calls, more exceed the cache


class Examples(Protocol):
    """The training examples of a phase."""

    def __len__(self) -> int: ...

    def batches(self, order: torch.Tensor, size: int) -> Iterator[Batch]:
        """Yield the batches of one epoch, in this order."""
        ...


@dataclass(frozen=True, slots=True)
class CorruptedDocuments:
    """The corpus, corrupted again in each epoch."""

    corpus: Corpus

    def __len__(self) -> int:
        return len(self.corpus)

    def batches(self, order: torch.Tensor, size: int) -> Iterator[Batch]:
        """Yield the batches of one epoch; several batches are drawn at once."""
        ahead = max(1, AHEAD // size) * size
        for rows in torch.split(order, ahead):
            sequences, lengths = corrupt(self.corpus, rows)
            drawn = Batch(sequences[:, :-1], sequences[:, 1:], lengths - 1)
            for start in range(0, len(rows), size):
                yield drawn[start : start + size]


@dataclass(frozen=True, slots=True)
class Questions:
    """The finetuning examples, the same in each epoch."""

    x: torch.Tensor
    y: torch.Tensor

    def __len__(self) -> int:
        return len(self.x)

    def batches(self, order: torch.Tensor, size: int) -> Iterator[Batch]:
        """Yield the batches of one epoch."""
        whole = Batch(self.x, self.y, target_lengths(self.y))
        for rows in torch.split(order, size):
            yield whole[rows]


def read_questions(
    corpus: str, questions: str, block_size: int, device: torch.device
) -> tuple[torch.Tensor, torch.Tensor]:
    """Return x and y (N, T) of all questions; T is one less than the longest question and answer.

    Columns on the right that contain only PADs are left out; they have no effect on training.
    """
    dataset = NameDataset(CharCorruptionDataset(corpus, block_size), questions)
    if not len(dataset):
        raise ValueError("the finetuning file contains no questions")
    pairs = [dataset[i] for i in range(len(dataset))]
    x = torch.stack([x for x, _ in pairs])  # (N, block_size - 1)
    y = torch.stack([y for _, y in pairs])
    width = int((y != PAD_ID).any(0).nonzero().max()) + 1
    return x[:, :width].to(device), y[:, :width].to(device)
