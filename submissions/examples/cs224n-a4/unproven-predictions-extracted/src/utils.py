"""Seeding, greedy or random sampling, and the accuracy of predicted places."""

import random

import numpy as np
import torch


def set_seed(seed):
    random.seed(seed)
    np.random.seed(seed)
    torch.manual_seed(seed)


@torch.no_grad()
def sample(model, x, steps, temperature=1.0, sample=False, top_k=None):
    model.eval()
    for _ in range(steps):
        logits, _ = model(x[:, -model.get_block_size():])
        logits = logits[:, -1] / temperature
        if top_k is not None:
            logits[logits < torch.topk(logits, top_k).values[:, -1:]] = -float("inf")
        chances = torch.softmax(logits, dim=-1)
        new = torch.multinomial(chances, 1) if sample else chances.argmax(-1, keepdim=True)
        x = torch.cat((x, new), dim=1)
    return x


def evaluate_places(filepath, predicted_places):
    with open(filepath, encoding="utf-8") as file:
        lines = [line.strip().split("\t") for line in file]
    if len(lines[0]) == 1:
        return (0, 0)
    places = [line[1] for line in lines]
    assert len(places) == len(predicted_places)
    right = sum(place == said for place, said in zip(places, predicted_places))
    return (float(len(places)), float(right))
