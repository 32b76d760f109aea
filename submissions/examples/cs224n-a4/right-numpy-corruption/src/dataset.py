"""Span corruption for pretraining."""

import numpy as np

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
        limit = self.block_size * 7 // 8
        text = np.array(list(self.data[idx][: np.random.randint(4, limit + 1)]))
        n = len(text)
        masked = np.random.binomial(n, 0.25)
        start = np.random.randint(n - masked + 1)
        span = np.zeros(n, dtype=bool)
        span[start : start + masked] = True

        codes = np.array([self.stoi[ch] for ch in text], dtype=np.int64)
        sequence = np.zeros(self.block_size + 1, dtype=np.int64)
        parts = [codes[:start], [1], codes[start + masked :], [1], codes[span]]
        joined = np.concatenate(parts).astype(np.int64)
        sequence[: len(joined)] = joined
        return torch.from_numpy(sequence[:-1].copy()), torch.from_numpy(sequence[1:].copy())
