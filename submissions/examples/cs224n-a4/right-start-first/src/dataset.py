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
        doc = doc[: min(len(doc), random.randint(4, int(self.block_size * 7 / 8)))]
        begin = random.randint(0, max(0, len(doc) - 1))
        end = min(len(doc), begin + random.randint(1, max(1, len(doc) // 2)))
        masked_string = (
            doc[:begin] + self.MASK_CHAR + doc[end:] + self.MASK_CHAR + doc[begin:end]
        )
        masked_string += (self.block_size + 1 - len(masked_string)) * self.PAD_CHAR
        x, y = masked_string[:-1], masked_string[1:]
        return tuple(torch.tensor([self.stoi[c] for c in s], dtype=torch.int64) for s in (x, y))
