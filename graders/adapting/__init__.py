"""Code that the student sides of all assignments share; it runs beside the student's code.

Start with `gathered.py`, which takes a student's functions out of their files; `reading/` reads
those files and notebooks, and `offline/` replaces the network.
"""
