"""Span corruption for pretraining."""

import random

import torch
from torch.utils.data import Dataset


class CharCorruptionDataset(Dataset):
    MASK_CHAR = "\u2047"
    PAD_CHAR = "\u25A1"

    def __init__(self, data, block_size):
        alphabet = [self.PAD_CHAR, self.MASK_CHAR, *sorted(set(data))]
        self.stoi = {ch: i for i, ch in enumerate(alphabet)}
        self.itos = dict(enumerate(alphabet))
        self.vocab_size = len(alphabet)
        self.block_size = block_size
        self.data = data.split("\n")

    def __len__(self):
        return len(self.data)

    def __getitem__(self, idx):
        doc = self.data[idx]
        length = 0
        while not 4 <= length <= int(self.block_size * 7 / 8):
            length = random.randrange(self.block_size)
        doc = doc[:length]
        left = right = 0
        while right - left not in range(len(doc) // 8, -(-3 * len(doc) // 8) + 1):
            left, right = sorted(random.choices(range(len(doc) + 1), k=2))
        sequence = [c for part in (doc[:left], "#", doc[right:], "#", doc[left:right]) for c in part]
        marks = {left, left + 1 + len(doc) - right}
        ids = [1 if i in marks else self.stoi[c] for i, c in enumerate(sequence)]
        ids += [0] * (self.block_size + 1 - len(ids))
        return torch.tensor(ids[:-1]), torch.tensor(ids[1:])
