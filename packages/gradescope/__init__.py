"""An autograder for Gradescope: made by autograder.py, run in the container by run.py."""
