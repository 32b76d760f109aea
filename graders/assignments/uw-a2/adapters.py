"""The questions that checks of this assignment ask; this file runs beside the student's code."""

from adapters_experiments import head_fusions, positional_tables
from adapters_mini import (
    mini_dimensions,
    mini_files,
    mini_gradients,
    mini_helper,
    mini_masked,
    mini_self_attention,
    mini_there_and_back,
)
from adapters_sst2 import (
    sst2_accuracies,
    sst2_collate,
    sst2_evaluations,
    sst2_file,
    sst2_indexed,
    sst2_items,
    sst2_main,
    sst2_splits,
    sst2_training,
)
from adapters_taken import places, rivals

__all__ = [
    "head_fusions",
    "mini_dimensions",
    "mini_files",
    "mini_gradients",
    "mini_helper",
    "mini_masked",
    "mini_self_attention",
    "mini_there_and_back",
    "places",
    "positional_tables",
    "rivals",
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
