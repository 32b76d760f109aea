"""A form that was sent: read within bounds, and only from a page of ours."""

from collections.abc import Mapping
from dataclasses import dataclass

from fastapi import Request
from starlette.datastructures import FormData

from reports.review.web.pages import visitor
from reports.review.web.sessions import Session
from reports.review.web.site import Refusal, Site

FIELDS_LIMIT = 50_000


@dataclass(frozen=True, slots=True)
class Form:
    """The texts of a form by field, and the content of the file that was sent with it."""

    fields: Mapping[str, tuple[str, ...]]
    file: bytes

    def all(self, name: str) -> tuple[str, ...]:
        """A field's texts, where it may be sent more than once."""
        return self.fields.get(name, ())

    def one(self, name: str) -> str:
        """A field's text; empty where it was not sent."""
        return next(iter(self.all(name)), "")


async def sent(request: Request) -> tuple[Site, Session, Form]:
    """The form of a visitor, which one of their own pages must have made; else Refusal."""
    site, session = visitor(request)
    async with request.form(max_fields=FIELDS_LIMIT) as data:
        form = await _read(data)
    if not session.holds(form.one("token")):
        raise Refusal(403, "This form is not of this page", "Reload the page and try again.")
    return site, session, form


async def _read(data: FormData) -> Form:
    fields: dict[str, tuple[str, ...]] = {}
    content = b""
    for name, value in data.multi_items():
        if isinstance(value, str):
            fields[name] = (*fields.get(name, ()), value)
        else:
            content = await value.read()
    return Form(fields, content)
