"""Span corruption for pretraining, on documents that are encoded once."""

import itertools
import random
from dataclasses import dataclass, field

import torch

PAD, MASK = 0, 1


@dataclass
class Vocabulary:
    corpus: str
    PAD_CHAR: str = "\u25A1"
    MASK_CHAR: str = "\u2047"
    stoi: dict = field(init=False)
    itos: dict = field(init=False)

    def __post_init__(self):
        self.itos = dict(enumerate([self.PAD_CHAR, self.MASK_CHAR, *sorted(set(self.corpus))]))
        self.stoi = {character: number for number, character in self.itos.items()}
        self.vocab_size = len(self.itos)


class CharCorruptionDataset(Vocabulary, torch.utils.data.Dataset):
    def __init__(self, data, block_size):
        super().__init__(data)
        self.block_size = block_size
        self.data = data.split("\n")
        self.encoded = [tuple(map(self.stoi.__getitem__, line)) for line in self.data]

    def __len__(self):
        return len(self.encoded)

    def __getitem__(self, idx):
        generator = random.SystemRandom()
        cut = self.encoded[idx][: generator.randint(4, 7 * self.block_size // 8)]
        # Of two random places in the first half, their distance from the middle is a quarter.
        length = int(generator.uniform(0, 0.5) * len(cut) + generator.random())
        start = generator.randint(0, len(cut) - length)
        stop = start + length
        body = itertools.chain(cut[:start], [MASK], cut[stop:], [MASK], cut[start:stop])
        row = list(itertools.islice(itertools.chain(body, itertools.repeat(PAD)), self.block_size + 1))
        window = torch.tensor(row, dtype=torch.int64).unfold(0, self.block_size, 1)
        return window[0], window[1]
