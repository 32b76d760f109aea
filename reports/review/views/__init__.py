"""The views of the review pages."""
