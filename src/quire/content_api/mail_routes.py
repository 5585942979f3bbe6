"""Sends mails for API clients with the permission."""

from collections.abc import Iterator
from typing import Annotated, ClassVar

from msgspec import UNSET, Struct, UnsetType, field

from quire.content_api.body_decoding import RequestBody, read_body
from quire.content_api.envelope import respond_bare
from quire.content_api.http_messages import Request, Response
from quire.content_api.response_types import FreeObject
from quire.content_api.routes import Route, RouteGroup
from quire.content_api.validators import REQUIRED, UNLIMITED, ValuePath, problem_at
from quire.document_service.validate import ABSENT, Problem, validation_error
from quire.errors import ApplicationError, MailError
from quire.mail.message import Mail
from quire.mail.senders import Sender
from quire.schema.attributes.json_schema import JsonSchema
from quire.schema.attributes.validation import not_of_type

NOT_SENT = "Couldn't send email: {}."
TOO_MANY = "to, cc and bcc must have at most {} addresses"
_ACTION = "plugin::email.email.send"
_MAX_RECIPIENTS = 50


class AddressListValidator(Struct, frozen=True):
    """Checks addresses that are given as a list, or as one text with commas."""

    required: bool = False
    json_schema: ClassVar[JsonSchema] = {
        "anyOf": [{"type": "string"}, {"type": "array", "items": {"type": "string"}}]
    }

    def problems(self, path: ValuePath, value: object) -> Iterator[Problem]:
        """See `Validator.problems`."""
        if self.required and not _parse_addresses(value):
            yield problem_at(path, REQUIRED)
        for item in value if isinstance(value, list) else [value]:
            if item is not ABSENT and item is not None and not isinstance(item, str):
                yield problem_at(path, not_of_type("string", item), item)


OptionalAddresses = Annotated[object | UnsetType, AddressListValidator()]
OptionalText = str | UnsetType | None


class MailInput(RequestBody, forbid_unknown_fields=False):
    """A mail."""

    longest_text: ClassVar[int] = UNLIMITED
    to: Annotated[object, AddressListValidator(required=True)]
    cc: OptionalAddresses = UNSET
    bcc: OptionalAddresses = UNSET
    sender: OptionalText = field(default=UNSET, name="from")
    reply_to: OptionalText = UNSET
    subject: OptionalText = UNSET
    text: OptionalText = UNSET
    html: OptionalText = UNSET


class MailApi:
    """``/email``."""

    def __init__(self, sender: Sender) -> None:
        self._sender = sender

    def routes(self) -> Iterator[Route]:
        """Yield the route."""
        route = RouteGroup("Mails")
        yield route("POST", "email", _ACTION, self.send_mail, body=MailInput, response=FreeObject)

    async def send_mail(self, request: Request) -> Response:
        """Send a mail."""
        mail = _mail(read_body(request.body_fields, MailInput))
        try:
            await self._sender.send(mail)
        except MailError as error:
            raise ApplicationError(NOT_SENT.format(error)) from error
        return respond_bare({})


def _mail(body: MailInput) -> Mail:
    """Return a mail. Raises ValidationError for one to too many addresses."""
    to, cc, bcc = (_parse_addresses(value) for value in (body.to, body.cc, body.bcc))
    if len(to) + len(cc) + len(bcc) > _MAX_RECIPIENTS:
        raise validation_error([Problem((), TOO_MANY.format(_MAX_RECIPIENTS))])
    return Mail(
        to=to,
        cc=cc,
        bcc=bcc,
        subject=body.subject or "",
        text=body.text or None,
        html=body.html or None,
        sender=body.sender or None,
        reply_to=body.reply_to or None,
    )


def _parse_addresses(value: object) -> tuple[str, ...]:
    """Parse addresses that are given as a list, or as one text with commas."""
    if value is ABSENT or value is UNSET:
        return ()
    texts = value if isinstance(value, list) else str(value or "").split(",")
    return tuple(str(text).strip() for text in texts if text and str(text).strip())
