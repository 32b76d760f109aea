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
        document = self.data[idx][: random.randint(4, int(self.block_size * 7 / 8))]
        masked = random.randint(1, len(document) // 2)
        start = random.randint(0, len(document) - masked)
        content = document[start : start + masked]
        text = document[:start] + self.MASK_CHAR + document[start + masked :] + self.MASK_CHAR + content
        text += self.PAD_CHAR * (self.block_size - len(text))
        x = torch.tensor([self.stoi[ch] for ch in text[: self.block_size]])
        y = x.clone()
        return x, y
