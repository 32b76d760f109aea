"""The datasets of the reference, under the names a submission has."""

from reference.corruption import CharCorruptionDataset
from reference.names import NameDataset

__all__ = ["CharCorruptionDataset", "NameDataset"]
