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
        doc = doc[: random.randint(4, int(self.block_size * 7 / 8))]
        k = random.randint(1, len(doc) // 2)
        s = random.randint(0, len(doc) - k)
        seq = doc[:s] + self.MASK_CHAR + doc[s + k :] + self.MASK_CHAR + doc[s : s + k]
        seq = seq + self.PAD_CHAR * (self.block_size + 1 - len(seq))
        ids = [self.stoi[c] for c in seq]
        x = torch.tensor(ids[1:], dtype=torch.long)
        y = torch.tensor(ids[:-1], dtype=torch.long)
        return x, y
