"""Assignment 2, part 1: queries for given keys and values."""
import numpy as np

K = np.array([[0.47, 0.65, 0.60], [0.64, 0.50, -0.59], [-0.03, -0.48, -0.88], [0.43, -0.83, 0.35]])


def attention(query, key, value):
    scores = query @ key.T
    weights = np.exp(scores - scores.max(-1, keepdims=True))
    return weights / weights.sum(-1, keepdims=True) @ value


query121 = 100 * np.linalg.pinv(K).T[0]
query131 = np.zeros(3)
