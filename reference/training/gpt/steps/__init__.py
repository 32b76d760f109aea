"""One step: learning rates, forward, backward, optimizers, and a CUDA graph of all these."""
