"""Sends mails for API clients with the permission."""

from collections.abc import Iterator, Mapping

from quire.content_api.envelope import respond_bare
from quire.content_api.messages import Request, Response
from quire.content_api.routes import Route
from quire.document_service.validate import Problem, validation_error
from quire.errors import ApplicationError, MailError
from quire.mail.message import Mail
from quire.mail.senders import Sender
from quire.schema.attributes.validation import not_of_type

NOT_SENT = "Couldn't send email: {}."
TOO_MANY = "to, cc and bcc must have at most {} addresses"
_ACTION = "plugin::email.email.send"
_ADDRESSES = ("to", "cc", "bcc")
_TEXTS = ("from", "replyTo", "subject", "text", "html")
_MOST = 50


class MailApi:
    """``/email``."""

    def __init__(self, sender: Sender) -> None:
        self._sender = sender

    def routes(self) -> Iterator[Route]:
        """Yield the route."""
        yield Route(method="POST", path="email", action=_ACTION, handler=self.send)

    async def send(self, request: Request) -> Response:
        """Send one mail."""
        mail = _mail(request.body if isinstance(request.body, Mapping) else {})
        try:
            await self._sender.send(mail)
        except MailError as error:
            raise ApplicationError(NOT_SENT.format(error)) from error
        return respond_bare({})


def _mail(body: Mapping[str, object]) -> Mail:
    """Parse a mail. Raises ValidationError with all problems."""
    problems = [*_type_problems(body)]
    addresses = {name: _listed(body.get(name)) for name in _ADDRESSES}
    if not addresses["to"]:
        problems.insert(0, Problem(("to",), "to is a required field"))
    if sum(map(len, addresses.values())) > _MOST:
        problems.append(Problem((), TOO_MANY.format(_MOST)))
    if problems:
        raise validation_error(problems)
    texts = {name: str(body[name]) if body.get(name) else None for name in _TEXTS}
    return Mail(
        to=addresses["to"],
        cc=addresses["cc"],
        bcc=addresses["bcc"],
        subject=texts["subject"] or "",
        text=texts["text"],
        html=texts["html"],
        sender=texts["from"],
        reply_to=texts["replyTo"],
    )


def _type_problems(body: Mapping[str, object]) -> Iterator[Problem]:
    for name in (*_ADDRESSES, *_TEXTS):
        value = body.get(name)
        items = value if isinstance(value, list) and name in _ADDRESSES else [value]
        for item in items:
            if item is not None and not isinstance(item, str):
                yield Problem((name,), f"{name} {not_of_type('string', item)}", item)


def _listed(value: object) -> tuple[str, ...]:
    """Parse addresses that are given as a list, or as one text with commas."""
    texts = value if isinstance(value, list) else str(value or "").split(",")
    return tuple(str(text).strip() for text in texts if text and str(text).strip())
