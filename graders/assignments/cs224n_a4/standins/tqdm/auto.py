"""The same under the name that notebooks use."""

from tqdm import tqdm, trange

__all__ = ["tqdm", "trange"]
