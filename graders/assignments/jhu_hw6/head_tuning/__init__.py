"""Head tuning: the classifier is trained, the pretrained model is not."""
