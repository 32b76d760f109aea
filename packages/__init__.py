"""Packages to hand out: an autograder for Gradescope, a bundle for students."""
