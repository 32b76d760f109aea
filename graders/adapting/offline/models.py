"""Create tiny models and tokenizers of the three families and keep them in the home folder.

    local_directory("roberta") -> config.json, model.safetensors, vocab.json, merges.txt, ...

They have random weights with d = 32 in two layers, large enough that every token has an effect.
"""

import importlib
import json
import os
import tempfile
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, Literal

from graders.adapting.offline import vocabulary

Kind = Literal["classifier", "backbone"]

SEED = 20240
WIDTH, LAYERS, HEADS, INNER = 32, 2, 2, 64
LENGTH = 512
# Standard deviation of the weights at d = 32: with the usual 0.02, outputs hardly depend on inputs.
SPREAD = 0.2
CLASSES = {"classifier": "ForSequenceClassification", "backbone": "Model"}


@dataclass(frozen=True, slots=True)
class Family:
    """The name of a family's classes, and whether its tokenizer is cased."""

    name: str
    cased: bool = False


@dataclass(slots=True)
class Shape:
    """The shape of the models behind names of the hub: the usual dropout, but narrower."""

    width: int = WIDTH
    dropout: float = 0.1


HUB = Shape()
FAMILIES = {
    "roberta": Family("Roberta"),
    "bert": Family("Bert"),
    "bert-cased": Family("Bert", cased=True),
    "distilbert": Family("DistilBert"),
    "distilbert-cased": Family("DistilBert", cased=True),
}


def set_shape(*, width: int = WIDTH, dropout: float = 0.1) -> None:
    """Set the width and dropout of the models behind names of the hub from now on.

    A width of 768 is for code that assumes it, as code for roberta-base may.
    """
    HUB.width, HUB.dropout = width, dropout


def tiny_model(
    family: str,
    *,
    kind: Kind = "classifier",
    seed: int = SEED,
    dropout: float = 0.0,
    width: int = WIDTH,
) -> Any:
    """Return a model with random weights from the seed, in training mode like any new module."""
    import torch

    before = torch.random.get_rng_state()
    torch.default_generator.manual_seed(seed)
    try:
        model = _named(family, CLASSES[kind])(tiny_config(family, dropout, width))
    finally:
        torch.random.set_rng_state(before)
    return model


def has_hub_weights(model: Any, families: Iterable[str] = FAMILIES) -> bool:
    """Return whether a module has weights of a model behind a name of the hub."""
    import torch

    weights = [parameter.detach().float() for parameter in model.parameters() if parameter.ndim > 1]
    for family in families:
        hub = _square(family, HUB.width)
        alike = (param for param in weights if param.shape == hub.shape)
        if any(torch.allclose(param, hub, atol=0.02) for param in alike):  # in half precision, too
            return True
    return False


@cache
def _square(family: str, width: int) -> Any:
    """Return the first square matrix of a family's backbone."""
    model = tiny_model(family, kind="backbone", width=width)
    return next(
        parameter.detach() for parameter in model.parameters() if parameter.shape == (width, width)
    )


def tiny_config(family: str, dropout: float = 0.0, width: int = WIDTH) -> Any:
    """Return the configuration of such a model."""
    named = _distilled if FAMILIES[family].name == "DistilBert" else _usual
    sizes = named(dropout, width)
    if family == "roberta":
        sizes |= {"max_position_embeddings": LENGTH + 2, "type_vocab_size": 1}
        sizes |= {"pad_token_id": 1, "bos_token_id": 0, "eos_token_id": 2, "layer_norm_eps": 1e-5}
    sizes |= {
        "vocab_size": len(_tokens(family)),
        "initializer_range": SPREAD * (WIDTH / width) ** 0.5,
    }
    return _named(family, "Config")(**sizes)


def tiny_tokenizer(family: str, *, with_model: bool = True) -> Any:
    """Return a tokenizer of the family with a small vocabulary.

    With `with_model`, code can load the backbone from the tokenizer's folder.
    """
    folder = local_directory(family) if with_model else _tokenizer_directory(family)
    return _named(family, "TokenizerFast").from_pretrained(str(folder), local_files_only=True)


def local_directory(family: str) -> Path:
    """Return the folder of the family's backbone and tokenizer, created when first needed."""
    return _directory(family, HUB.width, HUB.dropout)


@cache
def _directory(family: str, width: int, dropout: float) -> Path:
    home = _new_folder(family)
    tiny_model(family, kind="backbone", dropout=dropout, width=width).save_pretrained(home)
    config = json.loads((home / "config.json").read_text(encoding="utf-8"))
    # A student's own PreTrainedModel of this configuration supports no other implementation.
    config["attn_implementation"] = "eager"
    (home / "config.json").write_text(json.dumps(config), encoding="utf-8")
    _write_tokenizer(family, home)
    return home


@cache
def _tokenizer_directory(family: str) -> Path:
    home = _new_folder(family)
    _write_tokenizer(family, home)
    return home


def _new_folder(family: str) -> Path:
    return Path(tempfile.mkdtemp(prefix=f"{family}-", dir=os.environ.get("HOME")))


def _write_tokenizer(family: str, home: Path) -> None:
    for name, text in _tokenizer_files(family).items():
        (home / name).write_text(text, encoding="utf-8")


def _named(family: str, what: str) -> Any:
    return getattr(importlib.import_module("transformers"), FAMILIES[family].name + what)


def _usual(dropout: float, width: int) -> dict[str, Any]:
    return {
        "hidden_size": width,
        "num_hidden_layers": LAYERS,
        "num_attention_heads": HEADS,
        "intermediate_size": INNER,
        "max_position_embeddings": LENGTH,
        "hidden_dropout_prob": dropout,
        "attention_probs_dropout_prob": dropout,
    }


def _distilled(dropout: float, width: int) -> dict[str, Any]:
    return {
        "dim": width,
        "n_layers": LAYERS,
        "n_heads": HEADS,
        "hidden_dim": INNER,
        "max_position_embeddings": LENGTH,
        "dropout": dropout,
        "attention_dropout": dropout,
        "seq_classif_dropout": dropout,
    }


def _tokens(family: str) -> list[str]:
    return vocabulary.byte_pairs()[0] if family == "roberta" else vocabulary.word_pieces()


def _tokenizer_files(family: str) -> dict[str, str]:
    """Return the files of a tokenizer, in a form that every release of transformers reads."""
    name = FAMILIES[family].name
    settings: dict[str, Any] = {"tokenizer_class": f"{name}Tokenizer", "model_max_length": LENGTH}
    if family != "roberta":
        settings["do_lower_case"] = not FAMILIES[family].cased
        files = {"vocab.txt": "\n".join(_tokens(family)) + "\n"}
    else:
        ids = {token: at for at, token in enumerate(_tokens(family))}
        merges = "\n".join(" ".join(pair) for pair in vocabulary.byte_pairs()[1])
        files = {"vocab.json": json.dumps(ids), "merges.txt": f"#version: 0.2\n{merges}\n"}
    return files | {"tokenizer_config.json": json.dumps(settings)}
