"""The page of a course, and all that it counts."""
