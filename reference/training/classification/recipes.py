"""The recipe of each method on each kind of encoder, and how much of a text is read."""

from typing import Literal

from graders.data.labelled import Kind
from reference.models.methods import Method, Recipe

# `folder` is an encoder of the user's, such as roberta-base: larger, so lower rates.
Encoder = Literal["tiny", "minilm", "folder"]

LONGEST: dict[Kind, int] = {"sst2": 64, "boolq": 128}  # tokens read per text; JHU's is 128

RECIPES: dict[tuple[Encoder, Method], Recipe] = {
    ("tiny", "full"): Recipe(4, 32, rate=1e-3, new_rate=1e-3, average=0.9),
    ("tiny", "head"): Recipe(30, 32, rate=0.0, new_rate=1e-2),
    ("tiny", "prefix"): Recipe(4, 32, rate=0.0, new_rate=3e-2),
    ("minilm", "full"): Recipe(3, 32, rate=1e-4, new_rate=1e-3, smoothing=0.1, layer_decay=0.9),
    ("minilm", "head"): Recipe(40, 32, rate=0.0, new_rate=3e-3),
    ("minilm", "prefix"): Recipe(2, 32, rate=0.0, new_rate=1e-2),
    ("folder", "full"): Recipe(3, 32, rate=2e-5, new_rate=1e-3),
    ("folder", "head"): Recipe(40, 32, rate=0.0, new_rate=1e-3),
    ("folder", "prefix"): Recipe(5, 32, rate=0.0, new_rate=1e-2),
}
