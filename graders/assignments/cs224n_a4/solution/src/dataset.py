"""The datasets of the reference, under the names of a submission."""

from reference.data.corruption import CharCorruptionDataset
from reference.data.names import NameDataset

__all__ = ["CharCorruptionDataset", "NameDataset"]
