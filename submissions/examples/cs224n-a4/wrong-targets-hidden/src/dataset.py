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
        cut = self.data[idx][: random.randint(4, int(self.block_size * 7 / 8))]
        n = random.randint(1, len(cut) // 2)
        a = random.randint(0, len(cut) - n)
        text = cut[:a] + self.MASK_CHAR + cut[a + n :] + self.MASK_CHAR + cut[a : a + n]
        ids = [self.stoi[c] for c in text.ljust(self.block_size + 1, self.PAD_CHAR)]
        asked = len(cut) - n + 1
        targets = [-100] * asked + ids[asked + 1 :]
        return torch.tensor(ids[:-1]), torch.tensor(targets)
