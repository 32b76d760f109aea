"""The questions that checks of this assignment ask; this file runs beside the student's code."""

from adapters_attention import constant_text, dropped_out, rope_attention
from adapters_checkpoint import read_checkpoint
from adapters_corruption import draw_corruptions
from adapters_rerun import rerun_begins, rerun_command, rerun_sees_gpu
from adapters_rotary import rotary_form, rotary_tables, rotate, rotate_without_table
from adapters_student import notes, places, rivals
from adapters_training import training_runs

__all__ = [
    "constant_text",
    "draw_corruptions",
    "dropped_out",
    "notes",
    "places",
    "read_checkpoint",
    "rerun_begins",
    "rerun_command",
    "rerun_sees_gpu",
    "rivals",
    "rope_attention",
    "rotary_form",
    "rotary_tables",
    "rotate",
    "rotate_without_table",
    "training_runs",
]
