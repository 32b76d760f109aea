"""Encoders for a classifier, loaded from a local folder and never from a network.

FOLDER/config.json  model.safetensors  tokenizer.json  tokenizer_config.json

A folder contains a trained encoder (roberta-base, MiniLM ...), or was written by `write_tiny`: a
BERT with random weights and the words of the present texts, which takes a second.
"""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch
from tokenizers import Tokenizer, models, normalizers, pre_tokenizers, processors
from transformers import AutoModel, AutoTokenizer, BertConfig, BertModel, PreTrainedTokenizerFast
from transformers.utils import logging

PAD, UNKNOWN, START, END = "[PAD]", "[UNK]", "[CLS]", "[SEP]"
SPECIAL = (PAD, UNKNOWN, START, END)
MOST_WORDS = 8000
POSITIONS = 320  # texts of 192 tokens after a prefix of 128

Text = str | tuple[str, str]


@dataclass(frozen=True, slots=True)
class TinySize:
    """The size of a tiny encoder."""

    features: int = 64
    layers: int = 1
    heads: int = 4


TINY = TinySize()


@dataclass(frozen=True, slots=True)
class Backbone:
    """An encoder and its tokenizer."""

    model: Any  # transformers' own types don't help a reader
    tokenizer: Any

    @property
    def features(self) -> int:
        """The width d of the residual stream."""
        return int(self.model.config.hidden_size)

    @property
    def longest(self) -> int:
        """The number of tokens that have positions; RoBERTa's start after the id of its PAD."""
        config = self.model.config
        taken = config.pad_token_id + 1 if config.model_type == "roberta" else 0
        return int(config.max_position_embeddings) - taken


def load_backbone(folder: Path) -> Backbone:
    """Return the encoder in a folder, ready to be trained. Raises OSError or ValueError."""
    quieten()
    tokenizer = AutoTokenizer.from_pretrained(folder, local_files_only=True)
    model = AutoModel.from_pretrained(folder, local_files_only=True)
    if getattr(model, "pooler", None) is not None:
        model.pooler = None  # the classifier uses the mean of all tokens instead
    return Backbone(model.float(), tokenizer)


def write_tiny(
    folder: Path, texts: Iterable[Text], *, seed: int = 0, size: TinySize = TINY
) -> None:
    """Write a BERT with random weights and the most frequent words of these texts."""
    tokenizer = word_tokenizer(texts)
    config = BertConfig(
        vocab_size=len(tokenizer),
        hidden_size=size.features,
        num_hidden_layers=size.layers,
        num_attention_heads=size.heads,
        intermediate_size=4 * size.features,
        max_position_embeddings=POSITIONS,
        pad_token_id=tokenizer.pad_token_id,
    )
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        model = BertModel(config, add_pooling_layer=False)
    quieten()
    model.save_pretrained(folder)
    tokenizer.save_pretrained(folder)


def quieten() -> None:
    """Keep transformers from printing expected messages: an unused pooler, every file."""
    logging.disable_progress_bar()  # type: ignore[no-untyped-call]
    logging.set_verbosity_error()  # type: ignore[no-untyped-call]


def word_tokenizer(texts: Iterable[Text]) -> PreTrainedTokenizerFast:
    """Return a tokenizer of lower-case words and signs, as in BERT: [CLS] A [SEP] B [SEP]."""
    words = Tokenizer(models.WordLevel({PAD: 0, UNKNOWN: 1}, unk_token=UNKNOWN))
    words.normalizer = normalizers.BertNormalizer(lowercase=True)
    words.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    vocabulary = {word: i for i, word in enumerate((*SPECIAL, *common_words(words, texts)))}
    words.model = models.WordLevel(vocabulary, unk_token=UNKNOWN)
    words.post_processor = processors.TemplateProcessing(
        single=f"{START} $A {END}",
        pair=f"{START} $A {END} $B:1 {END}:1",
        special_tokens=[(START, vocabulary[START]), (END, vocabulary[END])],
    )
    return PreTrainedTokenizerFast(  # type: ignore[no-untyped-call]
        tokenizer_object=words,
        pad_token=PAD,
        unk_token=UNKNOWN,
        cls_token=START,
        sep_token=END,
        model_input_names=["input_ids", "token_type_ids", "attention_mask"],
    )


def common_words(words: Tokenizer, texts: Iterable[Text]) -> list[str]:
    """Return the most frequent words, by count and alphabet: the same on every machine."""
    counts: Counter[str] = Counter()
    for text in texts:
        for part in (text,) if isinstance(text, str) else text:
            normal = words.normalizer.normalize_str(part)
            counts.update(word for word, _ in words.pre_tokenizer.pre_tokenize_str(normal))
    return [word for word, _ in sorted(counts.items(), key=lambda c: (-c[1], c[0]))][:MOST_WORDS]
