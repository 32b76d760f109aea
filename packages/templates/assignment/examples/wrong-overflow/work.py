import torch


def softmax(x):
    e = torch.exp(x)
    return e / e.sum(dim=-1, keepdim=True)
