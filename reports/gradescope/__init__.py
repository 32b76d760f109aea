"""A Result as Gradescope's results.json."""
