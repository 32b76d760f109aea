"""The page of one student."""
