"""Code shared by the three kinds of tuning: build, call and train a model."""
