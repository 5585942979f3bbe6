"""The sessions of end users."""

from collections.abc import Iterator

from quire.api.account import AccountAnswers
from quire.api.messages import Answer, Request
from quire.api.routes import Route
from quire.errors import NotFoundError


class SessionApi:
    """``/auth/refresh``, ``/auth/logout`` and ``/auth/sessions``."""

    def __init__(self, answers: AccountAnswers) -> None:
        self._answers = answers

    def routes(self) -> Iterator[Route]:
        """Yield the routes."""
        for method, path, action in (
            ("POST", "auth/refresh", "refresh"),
            ("POST", "auth/logout", "logout"),
            ("GET", "auth/sessions", "getSessions"),
            ("DELETE", "auth/sessions/:sessionId", "revokeSession"),
        ):
            yield self._answers.route(method, path, action, self.none)

    async def none(self, request: Request) -> Answer:  # noqa: ARG002 - a handler
        """Say that there are none: the tokens of end users are valid by themselves."""
        raise NotFoundError
