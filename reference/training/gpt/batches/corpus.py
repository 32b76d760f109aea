"""The pretraining corpus as one tensor, and span corruption of many documents at once.

    text       A d a _ w a s ... | B e n _ ... | ⁇ | □ □ □ ... □
               documents, cut at the longest draw   MASK   PADs for a whole row

A corrupted sequence of n characters, m of them masked from `start` on, is six or seven pieces of
that text, so all sequences together are one selection from it:

    piece      prefix   MASK   suffix       MASK   content   (MASK)   PADs
    length     start    1      n-m-start    1      m         (1)      the rest of the row
"""

from dataclasses import dataclass

import torch

from reference.data.edition import SHORTEST, STANFORD_2024, Edition
from reference.data.vocabulary import MASK, PAD, Vocabulary


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
