"""Render a template and a view as HTML; students' text is escaped and made visible."""

from functools import cache
from pathlib import Path

from jinja2 import Environment

from reports.page import environment_of
from reports.review.views import text

FOLDER = Path(__file__).parents[1]
SHARED = FOLDER.parent / "templates"
STATIC = {
    "style.css": ("text/css", SHARED / "style.css"),
    "review.css": ("text/css", FOLDER / "templates" / "review.css"),
    "review.js": ("text/javascript", FOLDER / "templates" / "review.js"),
}


def render(template: str, view: object) -> str:
    """Return the page of a template."""
    return _environment().get_template(template).render(view=view)


@cache
def _environment() -> Environment:
    environment = environment_of(FOLDER / "templates", SHARED)
    environment.filters.update(
        moment=text.moment,
        excerpt=text.excerpt_html,
        visible=text.visible,
    )
    return environment
