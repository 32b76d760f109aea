"""Code shared by the three tuning methods: how a model is built, called and trained."""
