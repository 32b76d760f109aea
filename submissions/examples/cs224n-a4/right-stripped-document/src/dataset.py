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
        document = self.data[idx].strip()
        length = random.randint(4, int(self.block_size * 7 / 8))
        document = document[:length]

        masked = random.randint(1, max(1, len(document) // 2))
        start = random.randint(0, len(document) - masked)
        prefix = document[:start]
        content = document[start : start + masked]
        suffix = document[start + masked :]

        text = prefix + self.MASK_CHAR + suffix + self.MASK_CHAR + content
        text += self.PAD_CHAR * (self.block_size + 1 - len(text))
        x = torch.tensor([self.stoi[ch] for ch in text[:-1]], dtype=torch.long)
        y = torch.tensor([self.stoi[ch] for ch in text[1:]], dtype=torch.long)
        return x, y
