"""Turn a template and a view into one self-contained HTML page that runs only our own script."""

import base64
import hashlib
from functools import cache
from pathlib import Path
from urllib.parse import quote

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup

from graders.failures import message_of
from graders.statistics import percentage
from reports import text, words
from reports.drawing.counterexamples import example, is_exact, named_lists
from reports.drawing.figures import drawing
from reports.provisional import provisional, provisional_total
from reports.student.words import judged, split_hint

TEMPLATES = Path(__file__).parent / "templates"


def render(
    template: str, view: object, *, script: str | None = None, style: str | None = None
) -> str:
    """Return the page of `template`, in which only our own style and script may run."""
    return (
        environment_of(TEMPLATES)
        .get_template(template)
        .render(
            # Both are our own files, and the browser must receive their text exactly as it was
            # hashed.
            style=Markup(_style(style)),  # noqa: S704
            script=Markup(_asset(script) if script else ""),  # noqa: S704
            policy=policy(script, style),
            view=view,
        )
    )


def policy(script: str | None = None, style: str | None = None) -> str:
    """Return the Content-Security-Policy of a page with this script and style."""
    styles = f"default-src 'none'; style-src {_hash(_style(style))}"
    scripts = f"; script-src {_hash(_asset(script))}" if script else ""
    return f"{styles}; base-uri 'none'; form-action 'none'{scripts}"


def student_href(submission_id: str) -> str:
    """Return the link from the course page to a student's page."""
    return f"reports/{quote(submission_id, safe='')}.html"


@cache
def environment_of(*folders: Path) -> Environment:
    """Return the environment of the templates in these folders, with all filters and words."""
    environment = Environment(
        loader=FileSystemLoader(folders),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters.update(
        line=text.line,
        items_of=text.items,
        prose=text.prose,
        sentence=text.sentence,
        verbatim=text.verbatim,
        number=text.number,
        points=text.points,
        percentage=percentage,
        student_href=student_href,
        adjusted_words=words.adjusted_words,
        check_word=words.check_word,
        cost=words.cost_words,
        criterion_word=words.criterion_word,
        for_staff=words.for_staff,
        message_of=message_of,
        provisional=provisional,
        provisional_total=provisional_total,
        drawing=drawing,
        example=example,
        raised=words.raised,
        is_exact=is_exact,
        judged=judged,
        named_lists=named_lists,
        marked=words.marked,
        people=words.people,
        split_hint=split_hint,
    )
    environment.globals.update(
        status_words=words.STATUS_WORDS, visibility_words=words.VISIBILITY_WORDS
    )
    return environment


def _style(style: str | None) -> str:
    return _asset("style.css") + (_asset(style) if style else "")


@cache
def _asset(name: str) -> str:
    return (TEMPLATES / name).read_text(encoding="utf-8")


def _hash(source: str) -> str:
    digest = base64.b64encode(hashlib.sha256(source.encode()).digest()).decode()
    return f"'sha256-{digest}'"
