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
        limit = int(self.block_size * 7 / 8)
        cut = self.data[idx][: random.randint(4, limit)]
        keep = len(cut) - int(len(cut) * random.triangular(0.0, 0.5, 0.25))
        mask, pad = self.stoi[self.MASK_CHAR], self.stoi[self.PAD_CHAR]
        ids = [self.stoi[ch] for ch in cut]
        row = [*ids[:keep], mask, mask, *ids[keep:]]
        row.extend([pad] * (self.block_size + 1 - len(row)))
        return torch.tensor(row[:-1]), torch.tensor(row[1:])
