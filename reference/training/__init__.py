"""The pipelines at speed: they train and evaluate the reference models, and write it down."""
