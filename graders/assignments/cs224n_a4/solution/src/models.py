"""The model of the reference, under the names of a submission."""

from reference.models.gpt import GPT, GPTConfig

__all__ = ["GPT", "GPTConfig"]
