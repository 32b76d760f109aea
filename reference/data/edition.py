"""The differences between editions of the assignment.

    Stanford 2021-2023 (A5)   x has block_size - 1 ids   no end marker    cut at 7/8
    Stanford 2024-2025 (A4)   x has block_size ids       no end marker    cut at 7/8
    XCS224N, RoPE edition     x has block_size - 1 ids   MASK at the end  cut at 3/4

The mean of the masked content (1/4), the ids of PAD and MASK and the shift never changed.
"""

from dataclasses import dataclass
from typing import Literal, get_args

SequenceLength = Literal["block", "block+1"]
EndMarker = Literal["none", "optional", "required"]
LengthLimit = Literal["7/8", "3/4"]

SHORTEST = 4  # the least number of characters that a cut document keeps, in every edition


@dataclass(frozen=True, slots=True)
class Edition:
    """The settings of span corruption in one edition; the defaults are those of 2024."""

    sequence_length: SequenceLength = "block+1"
    end_marker: EndMarker = "none"
    length_limit: LengthLimit = "7/8"

    def __post_init__(self) -> None:
        for name, choices in (
            ("sequence_length", get_args(SequenceLength)),
            ("end_marker", get_args(EndMarker)),
            ("length_limit", get_args(LengthLimit)),
        ):
            if getattr(self, name) not in choices:
                one_of = ", ".join(f"`{choice}`" for choice in choices)
                raise ValueError(f"{name} is `{getattr(self, name)}`, not one of {one_of}")

    @property
    def marks(self) -> int:
        """The number of MASKs that the reference writes; it omits an optional end marker."""
        return 3 if self.end_marker == "required" else 2

    def longest(self, block_size: int) -> int:
        """Return the largest number of characters that a cut document keeps, rounded down."""
        numerator, denominator = map(int, self.length_limit.split("/"))
        return numerator * block_size // denominator

    def sequence_characters(self, block_size: int) -> int:
        """Return the length of a padded sequence, before x and y are taken from it."""
        return block_size + 1 if self.sequence_length == "block+1" else block_size

    def example_length(self, block_size: int) -> int:
        """Return the number of ids in x and y; each lacks one character of the sequence."""
        return self.sequence_characters(block_size) - 1

    def fits(self, block_size: int) -> bool:
        """Return whether documents can be cut, and the longest cut leaves room for its MASKs."""
        longest = self.longest(block_size)
        room = self.sequence_characters(block_size) - self.marks
        return SHORTEST <= longest <= room


STANFORD_2021 = Edition(sequence_length="block")
STANFORD_2024 = Edition()
XCS224N = Edition(sequence_length="block", end_marker="required", length_limit="3/4")
