"""Build packages: an autograder for Gradescope, a bundle for students."""
