"""The items of BoolQADataset for some rows, in each accepted form."""

from typing import Any

from graders.adapting.offline import ready
from graders.adapting.offline.models import tiny_tokenizer


def encoded(family: str, rows: dict[str, list[Any]], max_len: int) -> dict[str, Any]:
    """Return ids and masks (n, max_len) for each way to join question and passage.

    `handout` is the handout's way. RoBERTa has no [SEP] token, so its own separator is also
    correct, as is the tokenizer's own way of encoding a pair, and question and passage that are
    encoded apart, with one separator between them.
    """
    ready()
    tokenizer = tiny_tokenizer(family, with_model=False)
    questions, passages = rows["questions"], rows["passages"]
    pairs = list(zip(questions, passages, strict=True))

    def encode(*texts: list[str], truncation: Any = True) -> dict[str, Any]:
        encoding = tokenizer(
            *texts,
            max_length=max_len,
            padding="max_length",
            truncation=truncation,
            return_tensors="np",
        )
        return {name: encoding[name].astype("int64") for name in ("input_ids", "attention_mask")}

    separator = tokenizer.sep_token
    return {
        "handout": encode([f"{q} [SEP] {p}" for q, p in pairs]),
        "separator": encode([f"{q} {separator} {p}" for q, p in pairs]),
        "parts": encode([f"{q}{separator}{p}" for q, p in pairs]),
        "separators": encode([f"{q} {separator}{separator} {p}" for q, p in pairs]),
        "pair": encode(questions, passages),
        "pair-passage-cut": encode(questions, passages, truncation="only_second"),
        "passage-first": encode([f"{p} [SEP] {q}" for q, p in pairs]),
        "passage-alone": encode(passages),
        "question-alone": encode(questions),
        "no-separator": encode([f"{q} {p}" for q, p in pairs]),
    }
