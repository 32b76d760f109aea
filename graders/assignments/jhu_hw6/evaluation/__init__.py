"""Evaluation: accuracy over batches, in evaluation mode, without gradients."""
