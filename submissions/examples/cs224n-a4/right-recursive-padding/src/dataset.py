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
        sequence = self.pad(self.corrupt(self.truncate(self.data[idx])))
        ids = [self.stoi[ch] for ch in sequence]
        return torch.tensor(ids[:-1]), torch.tensor(ids[1:])

    def truncate(self, document):
        limit = int(self.block_size * 7 / 8)
        lengths = list(range(4, limit + 1))
        random.shuffle(lengths)
        return document[: lengths.pop()]

    def corrupt(self, document):
        quarter = len(document) / 4
        spread = quarter * random.uniform(-1, 1)
        length = round(quarter + spread)
        left = random.randint(0, len(document) - length)
        prefix, rest = document[:left], document[left:]
        content, suffix = rest[:length], rest[length:]
        return f"{prefix}{self.MASK_CHAR}{suffix}{self.MASK_CHAR}{content}"

    def pad(self, sequence, missing=None):
        missing = self.block_size + 1 - len(sequence) if missing is None else missing
        if missing <= 0:
            return sequence
        half = missing // 2
        return self.pad(self.pad(sequence, half) + self.PAD_CHAR, missing - half - 1)
