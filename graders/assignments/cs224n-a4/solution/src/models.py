"""The model of the reference, under the names a submission has."""

from reference.gpt import GPT, GPTConfig

__all__ = ["GPT", "GPTConfig"]
