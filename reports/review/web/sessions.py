"""Access to the page: one-time tokens that become cookies, and each visitor's settings."""

import hmac
import secrets
from dataclasses import dataclass, field

NAME_LIMIT = 60


@dataclass(slots=True)
class Session:
    """One reviewer in one browser; all their forms carry `form_token`.

    `matches` are the submissions that the last search for students found.
    """

    reviewer: str
    form_token: str = field(default_factory=lambda: secrets.token_urlsafe(24), repr=False)
    names: bool = False
    undecided: bool = False
    notice: str = ""
    matches: tuple[str, ...] = ()

    def take_notice(self) -> str:
        """Return the message that is shown once, and clear it."""
        notice, self.notice = self.notice, ""
        return notice

    def holds(self, form_token: str) -> bool:
        """Return whether a form was sent from a page of this session."""
        return hmac.compare_digest(self.form_token.encode(), form_token.encode())


@dataclass(frozen=True, slots=True)
class Invitation:
    """The reviewer of a token; with `anybody`, other accounts of this machine may use it, too."""

    reviewer: str
    anybody: bool


@dataclass(slots=True)
class Sessions:
    """Everyone who has been let in since the server started."""

    waiting: dict[str, Invitation] = field(default_factory=dict, repr=False)
    by_cookie: dict[str, Session] = field(default_factory=dict, repr=False)

    def invite(self, reviewer: str, *, anybody: bool = False) -> str:
        """Return a new token, which is valid for one entry under this name."""
        token = secrets.token_urlsafe(24)
        name = " ".join(reviewer.split())[:NAME_LIMIT] or "reviewer"
        self.waiting[token] = Invitation(name, anybody)
        return token

    def is_for_this_account(self, token: str) -> bool:
        """Return True if only the account that started the server may use the token."""
        return token in self.waiting and not self.waiting[token].anybody

    def enter(self, token: str) -> str | None:
        """Return the cookie for a token, or None if it is invalid or has been used."""
        invitation = self.waiting.pop(token, None)
        if invitation is None:
            return None
        cookie = secrets.token_urlsafe(32)
        self.by_cookie[cookie] = Session(invitation.reviewer)
        return cookie

    def session(self, cookie: str | None) -> Session | None:
        """Return the session of a cookie."""
        return self.by_cookie.get(cookie or "")
