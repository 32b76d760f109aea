"""An autograder for Gradescope: autograder.py builds it, run.py runs in the container."""
