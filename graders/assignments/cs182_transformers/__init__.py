"""Berkeley CS182, Transformers: written questions."""
