"""Help people grade free text; proposals.py suggests rubric items."""
