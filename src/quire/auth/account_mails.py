"""Mails to end users: password reset, e-mail confirmation.

A mail is sent to the stored address, never to the requested one, and its links begin with the
configured URL, never with what a request says about the server.
"""

from collections.abc import Mapping
from html import escape

from msgspec import Struct

from quire.auth.background_tasks import BackgroundTasks
from quire.auth.end_user_settings import advanced_options
from quire.auth.mailed_codes import new_confirmation_code, new_reset_code
from quire.auth.oauth.provider_presets import PRESETS
from quire.clock import Clock
from quire.database.interface import Database
from quire.database.stores.auth_rows import Accounts, UserRow
from quire.document_service.commands import UpdateDocument
from quire.document_service.service import DocumentService
from quire.errors import MailError
from quire.mail.message import Mail, one_line
from quire.mail.senders import Sender
from quire.mail.templates import fill_in
from quire.schema.model import USER_UID

EMAIL_KEY = "plugin_users-permissions_email"
PLACEHOLDER_SENDERS = frozenset({"no-reply@example.com", "no-reply@strapi.io"})
"""Senders of the templates of a new database, of Quire and of Strapi: defaults."""
_RESET, _CONFIRMATION = "reset_password", "email_confirmation"


class AccountPages(Struct, frozen=True, kw_only=True):
    """The configured URLs for mails."""

    server: str
    admin: str
    confirmation: str


_EXAMPLES = {
    "URL": "https://www.example.org/page",
    "CODE": "example",
    "TOKEN": "example",
    "USER.username": "ada",
}
"""Example values for the placeholders of a test mail."""


class _Template(Struct, frozen=True, kw_only=True):
    sender: str | None
    reply_to: str | None
    subject: str
    message: str


class Recovery:
    """Makes codes, stores them with accounts, and mails them."""

    def __init__(
        self,
        database: Database,
        documents: DocumentService,
        accounts: Accounts,
        sender: Sender,
        background_tasks: BackgroundTasks,
        *,
        pages: AccountPages,
        clock: Clock,
    ) -> None:
        self._database = database
        self._documents = documents
        self._accounts = accounts
        self._sender = sender
        self._pages = pages
        self._clock = clock
        self._background_tasks = background_tasks

    def forgot_password(self, email: str) -> None:
        """Send a code to the owner of an address, if there is one, in the background.

        Raises ServiceUnavailableError when too many mails are waiting.
        """
        self._background_tasks.require_room()
        self._background_tasks.put(self._send_reset(email.lower()), "mail to reset a password")

    def confirm_later(self, user: UserRow) -> None:
        """Send a confirmation code in the background. Raises ServiceUnavailableError."""
        self._background_tasks.require_room()
        self._background_tasks.put(self.confirm(user), "mail to confirm an e-mail")

    async def confirm(self, user: UserRow) -> None:
        """Send a confirmation code. Raises MailError."""
        code = new_confirmation_code()
        await self._store(user, {"confirmationToken": code})
        values = {"URL": self._pages.confirmation, "CODE": code}
        await self._send(_CONFIRMATION, user, values)

    async def _send_reset(self, email: str) -> None:
        user = await self._database.read(lambda: self._accounts.user_by_email(email))
        if user is None or user.blocked:
            return
        options = await self._database.read(lambda: advanced_options(self._accounts))
        code = new_reset_code(self._clock())
        # Stored first, so that an administrator can still help when no mail arrives.
        await self._store(user, {"resetPasswordToken": code})
        page = options.reset_page or self._pages.server
        await self._send(_RESET, user, {"URL": page, "TOKEN": code})

    async def _store(self, user: UserRow, data: Mapping[str, object]) -> None:
        command = UpdateDocument(uid=USER_UID, document_id=user.document_id, data=data)
        await self._documents.perform([command])

    async def _send(self, name: str, user: UserRow, values: Mapping[str, str]) -> None:
        email_settings = await self._database.read(lambda: self._accounts.stored(EMAIL_KEY))
        template = _template(name, _member(_member(email_settings, name), "options"))
        if user.email is None:
            raise MailError("the account has no e-mail address")
        preset = PRESETS.get(user.provider or "")
        if preset is not None and preset.without_email:
            # Somebody else may own the generated address.
            raise MailError("the account has no e-mail address but one that was made up")
        placeholders = {"USER.email": user.email, "USER.username": user.username or "", **values}
        await self._send_template(template, user.email, placeholders)

    async def send_example(self, name: str, options: Mapping[str, object], to: str) -> None:
        """Send a test mail by the options of a template, with example values. Raises MailError."""
        placeholders = {**_EXAMPLES, "USER.email": to}
        await self._send_template(_template(name, options), to, placeholders)

    async def _send_template(
        self, template: _Template, recipient: str, values: Mapping[str, str]
    ) -> None:
        placeholders = {"SERVER_URL": self._pages.server, "ADMIN_URL": self._pages.admin, **values}
        await self._sender.send(
            Mail(
                to=(recipient,),
                subject=fill_in(template.subject, placeholders, one_line),
                html=fill_in(template.message, placeholders, escape),
                sender=template.sender,
                reply_to=template.reply_to,
            )
        )


def _template(name: str, options: Mapping[str, object]) -> _Template:
    sender = _member(options, "from")
    subject, message = options.get("object"), options.get("message")
    if not isinstance(subject, str) or not isinstance(message, str):
        raise MailError(f"the database has no template {name}")
    email = _text(sender, "email")
    if email in PLACEHOLDER_SENDERS:
        email = None
    return _Template(
        sender=_address_with_name(_text(sender, "name"), email),
        reply_to=_text(options, "response_email"),
        subject=subject,
        message=message,
    )


def _member(value: object, name: str) -> Mapping[str, object]:
    member = value.get(name) if isinstance(value, Mapping) else None
    return member if isinstance(member, Mapping) else {}


def _text(values: Mapping[str, object], name: str) -> str | None:
    value = values.get(name)
    return value if isinstance(value, str) and value else None


def _address_with_name(name: str | None, email: str | None) -> str | None:
    """Return an address with a name, in a form that can be parsed again."""
    if email is None or name is None:
        return email
    quoted_name = one_line(name).replace("\\", "").replace('"', "")
    return f'"{quoted_name}" <{email}>'
