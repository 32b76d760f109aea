"""What the three ways of tuning share: how a model is built, asked and trained."""
