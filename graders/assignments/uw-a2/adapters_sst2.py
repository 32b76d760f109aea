"""What the checks ask of the classifier; beside the student's code."""

from adapters_sst2_data import sst2_collate, sst2_indexed, sst2_items, sst2_splits
from adapters_sst2_evaluation import sst2_accuracies, sst2_evaluations
from adapters_sst2_file import sst2_file
from adapters_sst2_main import sst2_main
from adapters_sst2_training import sst2_training

__all__ = [
    "sst2_accuracies",
    "sst2_collate",
    "sst2_evaluations",
    "sst2_file",
    "sst2_indexed",
    "sst2_items",
    "sst2_main",
    "sst2_splits",
    "sst2_training",
]
