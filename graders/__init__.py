"""Turn a clean folder into a Result."""
