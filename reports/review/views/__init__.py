"""What the pages of the review show."""
