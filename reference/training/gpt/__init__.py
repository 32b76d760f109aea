"""Pretraining, finetuning and evaluating the character GPT."""
