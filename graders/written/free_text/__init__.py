"""Help for the person who grades free text; proposals.py suggests lines of the rubric."""
