"""Expected values, computed with torch where no student's code is."""

from oracle_backbone import backbone_weights, pooled_logits, prefix_logits
from oracle_dataset import encoded
from oracle_spy import gradients, predictions

__all__ = [
    "backbone_weights",
    "encoded",
    "gradients",
    "pooled_logits",
    "predictions",
    "prefix_logits",
]
