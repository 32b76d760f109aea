"""Read a submitted form within limits, and only if one of our own pages sent it."""

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
    """The texts of a form by field, and the content of the uploaded file."""

    fields: Mapping[str, tuple[str, ...]]
    file: bytes

    def all(self, name: str) -> tuple[str, ...]:
        """Return a field's texts; a field may be sent more than once."""
        return self.fields.get(name, ())

    def one(self, name: str) -> str:
        """Return a field's text, or an empty text if it was not sent."""
        return next(iter(self.all(name)), "")


async def sent(request: Request) -> tuple[Site, Session, Form]:
    """Return a visitor's form. Raises Refusal unless one of the visitor's own pages sent it."""
    site, session = visitor(request)
    async with request.form(max_fields=FIELDS_LIMIT) as data:
        form = await _read(data)
    if not session.holds(form.one("token")):
        raise Refusal(
            403, "This form does not belong to this page", "Reload the page and try again."
        )
    return site, session, form


async def _read(data: FormData) -> Form:
    fields: dict[str, list[str]] = {}
    content = b""
    for name, value in data.multi_items():
        if isinstance(value, str):
            text = value.encode(errors="replace").decode()  # half characters cannot be stored
            fields.setdefault(name, []).append(text)
        else:
            content = await value.read()
    return Form({name: tuple(values) for name, values in fields.items()}, content)
