"""The training loop, observed update by update."""
