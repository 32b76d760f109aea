"""One step: learning rates, forward, backward, optimizers, a CUDA graph of all that."""
