"""The character vocabulary that pretraining and finetuning share.

    id          0    1    2    3    ...
    character   □    ⁇    ␊    ␠    ...

PAD, MASK, then the characters of the corpus in code-point order.
"""

from collections.abc import Iterable

PAD = "\u25a1"  # □ fills a sequence up; its id 0 is the one the loss ignores
MASK = "\u2047"  # ⁇ marks removed characters, and the start of an answer


class Vocabulary:
    """The ids of a corpus's characters: PAD 0, MASK 1, then the sorted characters."""

    def __init__(self, corpus: str) -> None:
        characters = sorted(set(corpus))
        if PAD in characters or MASK in characters:
            # Otherwise an id would mean both "end of the text" and one of its letters.
            raise ValueError(f"the corpus contains {PAD} or {MASK}, which are kept for the model")
        self.itos = dict(enumerate([PAD, MASK, *characters]))
        self.stoi = {character: index for index, character in self.itos.items()}

    def __len__(self) -> int:
        return len(self.itos)

    def encode(self, text: str) -> list[int]:
        """Return the ids of the text's characters. Raises ValueError for one the corpus lacks."""
        try:
            return [self.stoi[character] for character in text]
        except KeyError as unknown:
            raise ValueError(f"the character {unknown} is not in the vocabulary") from None

    def decode(self, ids: Iterable[int]) -> str:
        """Return the text for these ids."""
        return "".join(self.itos[index] for index in ids)
