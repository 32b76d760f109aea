"""What the author of a check uses."""
