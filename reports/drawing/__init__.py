"""Charts and tables for pages, each with a description in words."""
