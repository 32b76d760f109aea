"""Checkpoints: the weights are read, compared, and run on the prompts of the predictions."""
