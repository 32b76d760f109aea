"""The questions that checks of this assignment ask; this file runs beside the student's code."""

from adapters_custom import custom_forward, width
from adapters_dataset import dataset_items
from adapters_evaluation import evaluations
from adapters_files import definitions, rivals
from adapters_parts import parts
from adapters_training import training_log
from adapters_tuning import tuned

__all__ = [
    "custom_forward",
    "dataset_items",
    "definitions",
    "evaluations",
    "parts",
    "rivals",
    "training_log",
    "tuned",
    "width",
]
