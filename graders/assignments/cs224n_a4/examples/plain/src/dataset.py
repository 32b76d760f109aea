"""Datasets of characters: span corruption for pretraining, names and places for finetuning."""

import random

import torch
from torch.utils.data import Dataset


class CharCorruptionDataset(Dataset):
    MASK_CHAR = "\u2047"
    PAD_CHAR = "\u25A1"

    def __init__(self, data, block_size):
        chars = sorted(set(data) - {self.MASK_CHAR, self.PAD_CHAR})
        chars = [self.PAD_CHAR, self.MASK_CHAR] + chars
        self.stoi = {ch: i for i, ch in enumerate(chars)}
        self.itos = {i: ch for i, ch in enumerate(chars)}
        self.vocab_size = len(chars)
        self.block_size = block_size
        self.data = data.split("\n")

    def __len__(self):
        return len(self.data)

    def __getitem__(self, idx):
        document = self.data[idx]
        length = random.randint(4, int(self.block_size * 7 / 8))
        content = document[:length]
        # between 1/8 and 3/8 of what is left of the document: 1/4 on average
        masked = round(random.uniform(1 / 8, 3 / 8) * len(content))
        start = random.randint(0, len(content) - masked)
        prefix, middle, suffix = (
            content[:start],
            content[start : start + masked],
            content[start + masked :],
        )
        text = prefix + self.MASK_CHAR + suffix + self.MASK_CHAR + middle
        text += self.PAD_CHAR * (self.block_size + 1 - len(text))
        ids = torch.tensor([self.stoi[ch] for ch in text], dtype=torch.long)
        return ids[:-1], ids[1:]


class NameDataset(Dataset):
    def __init__(self, pretraining_dataset, data):
        self.MASK_CHAR = pretraining_dataset.MASK_CHAR
        self.PAD_CHAR = pretraining_dataset.PAD_CHAR
        self.stoi = pretraining_dataset.stoi
        self.itos = pretraining_dataset.itos
        self.block_size = pretraining_dataset.block_size
        self.data = data.encode("utf-8").decode("ascii", errors="ignore").split("\n")

    def __len__(self):
        return len(self.data) - 1

    def __getitem__(self, idx):
        question, place = self.data[idx].split("\t")
        text = question + self.MASK_CHAR + place + self.MASK_CHAR
        text += self.PAD_CHAR * (self.block_size - len(text))
        asked = len(question) - 1
        ids = [self.stoi[ch] for ch in text]
        targets = [self.stoi[self.PAD_CHAR]] * asked + ids[asked + 1 :]
        return torch.tensor(ids[:-1]), torch.tensor(targets)
