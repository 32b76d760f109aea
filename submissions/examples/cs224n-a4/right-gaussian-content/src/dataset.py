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
        chars = self.data[idx][: random.choice(range(4, int(self.block_size * 7 / 8) + 1))]
        size = self._size(len(chars))
        where = random.randint(0, max(0, len(chars) - size))
        pieces = (chars[:where], chars[where + size :], chars[where : where + size])
        out = self.MASK_CHAR.join(pieces)
        while len(out) < self.block_size + 1:
            out += self.PAD_CHAR
        x = torch.LongTensor(list(map(self.stoi.get, out[:-1])))
        y = torch.LongTensor(list(map(self.stoi.get, out[1:])))
        return x, y

    @staticmethod
    def _size(n):
        drawn = round(random.gauss(mu=n / 4, sigma=n / 12))
        return min(max(drawn, 1), n)
