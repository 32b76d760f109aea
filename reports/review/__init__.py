"""The local page for grading written answers by hand."""

from reports.review.web.server import serve

__all__ = ["serve"]
