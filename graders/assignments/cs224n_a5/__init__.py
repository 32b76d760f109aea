"""Stanford CS224N, assignment 5: written questions on attention and position embeddings."""
