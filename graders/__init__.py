"""Everything between a clean folder and a Result."""
