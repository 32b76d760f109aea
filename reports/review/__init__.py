"""The local page where people decide written answers."""

from reports.review.web.server import serve

__all__ = ["serve"]
