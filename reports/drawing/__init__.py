"""Draw the charts and tables of a page, each also described in words."""
