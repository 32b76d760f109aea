"""What right code gives; asked in a process without any student's code."""

from oracle_sst2 import sst2_tokens, sst2_updates

__all__ = ["sst2_tokens", "sst2_updates"]
