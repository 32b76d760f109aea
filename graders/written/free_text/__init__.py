"""Help for the person who grades free text; proposals.py suggests rubric items."""
