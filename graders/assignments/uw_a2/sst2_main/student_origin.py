"""Find out whether main fine-tunes a pretrained model with that model's tokenizer.

Only models and tokenizers behind names of the hub, whose folders are known, are judged.
"""

import os
from pathlib import Path
from typing import Any

from torch import nn

from ..sst2.student_values import vars_of


def is_untrained(model: Any) -> bool:
    """Return whether a model of transformers has none of the hub's pretrained matrices."""
    from transformers import PreTrainedModel

    from graders.adapting.offline.models import has_hub_weights

    if not isinstance(model, nn.Module):
        return False
    if not any(isinstance(module, PreTrainedModel) for module in model.modules()):
        return False
    return not has_hub_weights(model)


def foreign(loader: Any, model: Any) -> str:
    """Return the families of a loader's tokenizer and of the model, if they do not fit."""
    dataset = getattr(getattr(loader, "iterable", loader), "dataset", None)
    names = [getattr(value, "name_or_path", "") for value in vars_of(dataset).values()]
    tokenizers = [family for family in map(_family, names) if family]
    model_family = _family(getattr(model, "name_or_path", ""))
    if not model_family or len(tokenizers) != 1 or tokenizers[0] == model_family:
        return ""
    return f"the tokenizer of a {tokenizers[0]} model for a {model_family} model"


def _family(folder: Any) -> str:
    """Return the family whose vocabulary a stand-in's folder has; empty for other folders."""
    from graders.adapting.offline.models import FAMILIES

    if not isinstance(folder, str) or str(Path(folder).parent) != os.environ.get("HOME"):
        return ""
    family, _, _ = Path(folder).name.rpartition("-")  # as in `bert-cased-x1y2z3`
    return family.removeprefix("distil") if family in FAMILIES else ""
