"""The local page where people decide free-text answers."""

from reports.review.server import serve

__all__ = ["serve"]
