"""What is handed out: an autograder for Gradescope, a bundle for students."""
