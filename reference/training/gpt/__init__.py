"""Pretrain, finetune and evaluate the character GPT."""
