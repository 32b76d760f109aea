"""Fine-tune a classifier: AdamW, a linear warmup and decay, early stopping on dev.

    epoch: shuffled batches -> logits -> cross-entropy -> AdamW, step, step ... -> dev accuracy
    the epoch with the best dev accuracy is kept; nothing is ever chosen on the test set

Devlin et al. 2019, appendix A.3, for rates and epochs; Loshchilov and Hutter 2019 for AdamW.
"""

import re

import torch
from torch.nn import functional as F

from reference.models.classifier import Classifier
from reference.training.classification.encoders import Recipe

BETAS = (0.9, 0.98)
EPSILON = 1e-6
CLIP = 1.0


def make_optimizer(classifier: Classifier, recipe: Recipe) -> torch.optim.AdamW:
    """Return AdamW for what the method trains; biases and norms have no weight decay."""
    layers = classifier.backbone.config.num_hidden_layers
    groups = []
    for name, parameter in classifier.trained().items():
        new = not name.startswith("backbone.")
        decay = recipe.weight_decay if parameter.ndim > 1 and name != "prefix" else 0.0
        gentler = recipe.layer_decay ** (layers - height(name))
        rate = recipe.new_rate if new else recipe.rate * gentler
        groups.append({"params": [parameter], "weight_decay": decay, "lr": rate, "peak": rate})
    return torch.optim.AdamW(groups, betas=BETAS, eps=EPSILON, fused=True)


def height(name: str) -> int:
    """Return the layer of an encoder's parameter, counted from one; embeddings have zero."""
    layer = re.search(r"\.layer\.(\d+)\.", name)
    return int(layer[1]) + 1 if layer else 0


def multiplier(step: int, steps: int, warmup: float) -> float:
    """Return the fraction of the peak rate in step 1 ... steps: up to 1, then down, never zero."""
    climbing = max(1, round(warmup * steps))
    return min(step / climbing, (steps - step + 1) / max(1, steps - climbing))


def set_rate(optimizer: torch.optim.AdamW, share: float) -> None:
    """Set each group to this fraction of its peak rate."""
    for group in optimizer.param_groups:
        group["lr"] = share * group["peak"]


def loss_of(logits: torch.Tensor, labels: torch.Tensor, smoothing: float = 0.0) -> torch.Tensor:
    """Return the mean cross-entropy of logits (B, 2) and labels (B,)."""
    return F.cross_entropy(logits.float(), labels, label_smoothing=smoothing)


def train_step(
    classifier: Classifier, optimizer: torch.optim.AdamW, loss: torch.Tensor
) -> torch.Tensor:
    """Clear the gradients, compute and clip them, and step; return the detached loss."""
    optimizer.zero_grad(set_to_none=True)
    loss.backward()  # type: ignore[no-untyped-call]
    torch.nn.utils.clip_grad_norm_(classifier.trained().values(), CLIP)
    optimizer.step()
    return loss.detach()
