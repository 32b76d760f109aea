"""The models: the character GPT, attention from scratch, the classifier on an encoder."""
