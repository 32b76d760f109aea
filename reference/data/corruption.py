"""Span corruption of characters, the assignment's pretraining task.

After Raffel et al. 2020, "Exploring the Limits of Transfer Learning" (T5), section 3.1.4, with
one span instead of many and one sentinel for all (handout, part e):

    document   Ada Korn was born in Berlin.
    cut        Ada Korn was born                     4 ... 7/8 of the block, any length
    split      Ada Ko | rn w | as born               prefix, content (1/4 on average), suffix
    sequence   Ada Ko⁇as born⁇rn w□□□□□□             padded to block_size + 1
    x          all but the last character            the model reads x[:i + 1] ...
    y          all but the first character           ... and must predict y[i]
"""

import random

import torch
from torch.utils.data import Dataset

from reference.data.edition import SHORTEST, STANFORD_2024, Edition
from reference.data.vocabulary import MASK, PAD, Vocabulary


class CharCorruptionDataset(Dataset[tuple[torch.Tensor, torch.Tensor]]):
    """The documents of a corpus, one per line; each is corrupted again whenever it is read."""

    def __init__(self, data: str, block_size: int, edition: Edition = STANFORD_2024) -> None:
        if not edition.fits(block_size):
            raise ValueError(f"block_size {block_size} is too small for documents and MASKs")
        vocabulary = Vocabulary(data)
        self.PAD_CHAR = PAD
        self.MASK_CHAR = MASK
        self.stoi = vocabulary.stoi
        self.itos = vocabulary.itos
        self.vocab_size = len(vocabulary)
        self.block_size = block_size
        self.edition = edition
        # Not splitlines(), which would also split at U+2028 and other ordinary characters.
        self.data = data.split("\n")

    def __len__(self) -> int:
        return len(self.data)

    def __getitem__(self, idx: int) -> tuple[torch.Tensor, torch.Tensor]:
        text = cut(self.data[idx], self.edition.longest(self.block_size))
        sequence = self.padded(corrupt(text, self.edition.marks))  # L = block_size + 1 characters
        ids = torch.tensor([self.stoi[character] for character in sequence])  # (L,) int64
        return ids[:-1], ids[1:].clone()  # 2 x (L - 1,); a copy, so that editing x doesn't change y

    def padded(self, sequence: str) -> str:
        """Return the sequence padded with PADs to the edition's length."""
        return sequence.ljust(self.edition.sequence_characters(self.block_size), PAD)


def cut(document: str, longest: int) -> str:
    """Return the beginning of the document, of random length 4 ... longest, uniformly.

    A document shorter than this length is used as a whole.
    """
    return document[: random.randint(SHORTEST, longest)]  # randint includes both ends


def corrupt(text: str, marks: int) -> str:
    """Return prefix MASK suffix MASK content, and a third MASK if the edition ends with one."""
    length = content_length(len(text))
    start = random.randint(0, len(text) - length)
    end = start + length
    prefix, content, suffix = text[:start], text[start:end], text[end:]
    return prefix + MASK + suffix + MASK + content + MASK * (marks - 2)


def content_length(n: int) -> int:
    """Return how many of n characters to mask: uniform on 1 ... n/2 - 1, so n/4 on average.

    (1 + n/2 - 1) / 2 = n/4 for even n. For odd n, one of the even neighbors n - 1 and n + 1 is
    chosen at random, which keeps the mean exact. Below 4 characters the range is empty: one
    character is masked if there is one.
    """
    if n < SHORTEST:
        return min(n, 1)
    even = n if n % 2 == 0 else n + random.choice((-1, 1))
    return random.randint(1, even // 2 - 1)
