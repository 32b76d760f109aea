"""Render a template and a view as HTML; students' text is escaped and made visible."""

from functools import cache
from pathlib import Path

from jinja2 import Environment, FileSystemLoader, StrictUndefined

from reports.page import add_words
from reports.review.views import text
from reports.text import points

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
    environment = Environment(
        loader=FileSystemLoader([FOLDER / "templates", SHARED]),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    add_words(environment)
    environment.filters.update(
        points=points,
        moment=text.moment,
        excerpt=text.excerpt_html,
        visible=text.visible,
    )
    return environment
