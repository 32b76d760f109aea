"""Build small vocabularies: common English words, and pieces so that any text can be encoded.

words.txt -> word_pieces(): the lines of BERT's vocab.txt
          -> byte_pairs(): the tokens and merges of RoBERTa's byte-level BPE
"""

from functools import cache
from itertools import pairwise
from pathlib import Path

Pair = tuple[str, str]

SPECIAL = ("<s>", "<pad>", "</s>", "<unk>")
UNUSED = 99  # the unused tokens in BERT before [UNK], which has ID 100 there
SPACE = "Ġ"  # how byte-level BPE writes the space before a word


@cache
def words() -> tuple[str, ...]:
    """Return the common words, each once."""
    path = Path(__file__).with_name("words.txt")
    return tuple(dict.fromkeys(path.read_text(encoding="utf-8").split()))


def word_pieces() -> list[str]:
    """Return the tokens of a WordPiece vocabulary in the order of their IDs."""
    special = ["[PAD]", *(f"[unused{at}]" for at in range(UNUSED))]
    special += ["[UNK]", "[CLS]", "[SEP]", "[MASK]"]
    letters = [chr(code) for code in (*range(0x21, 0x7F), *range(0xA1, 0x100))]
    pieces = [f"##{letter}" for letter in letters if letter.isalnum()]
    endings = [f"##{ending}" for ending in ("s", "ing", "ed", "ly", "er", "est", "ness", "ment")]
    return list(dict.fromkeys([*special, *letters, *pieces, *words(), *endings]))


@cache
def byte_pairs() -> tuple[list[str], list[Pair]]:
    """Return the tokens in the order of their IDs, and the merges that make the longer ones."""
    merges: dict[Pair, int] = {}
    for word in words():
        for spelled in (SPACE + word, word, word.capitalize()):
            _learn(spelled, merges)
    joined = dict.fromkeys(left + right for left, right in merges)
    return [*SPECIAL, *_byte_letters(), *joined, "<mask>"], list(merges)


def _learn(word: str, merges: dict[Pair, int]) -> None:
    """Add the merges that are needed to make the word one token."""
    pieces = list(word)
    while len(pieces) > 1:
        pairs = list(pairwise(pieces))
        pair = min(pairs, key=lambda pair: merges.get(pair, len(merges)))
        merges.setdefault(pair, len(merges))
        pieces = _merged(pieces, pair)


def _merged(pieces: list[str], pair: Pair) -> list[str]:
    merged: list[str] = []
    for piece in pieces:
        if merged and (merged[-1], piece) == pair:
            merged[-1] += piece
        else:
            merged.append(piece)
    return merged


def _byte_letters() -> list[str]:
    """Return a letter for each byte: itself if printable, otherwise one above 255."""
    printed = [*range(0x21, 0x7F), *range(0xA1, 0xAD), *range(0xAE, 0x100)]
    count = 256 - len(printed)
    return [chr(code) for code in (*printed, *range(256, 256 + count))]
