"""Charts and tables inside a page, each drawn once and described in words."""
