"""Administrators who forgot their password: a mail with a link to choose another one.

The mail goes to the address that is stored, its link begins with what was configured, and whether
there is an account for an address shows nowhere.
"""

import secrets
from datetime import timedelta
from html import escape

from quire.auth.admin.accounts import AdminAccounts, Device, SignedIn
from quire.auth.admin.people import People, Person
from quire.auth.admin.sessions import Sessions
from quire.auth.passwords import hash_in_background
from quire.auth.postbox import Postbox
from quire.clock import Clock
from quire.database.connection import Database
from quire.database.program import Program
from quire.database.system_rows import SystemRows
from quire.errors import ApplicationError
from quire.mail.message import Mail
from quire.mail.senders import Sender
from quire.schema.model import ADMIN_USER_UID

LIFETIME = timedelta(hours=1)
_TOKEN_BYTES = 20
_SUBJECT = "Choose a new password"
_TEXT = (
    "<p>Somebody, most likely you, asked for a new password for your account {email}.</p>\n"
    '<p>Choose it here within an hour: <a href="{url}">{url}</a></p>\n'
    "<p>If it was not you, there is nothing to do: the old password stays valid.</p>"
)


class AdminRecovery:
    """Sends links to choose another password, and lets whoever has one do so."""

    def __init__(
        self,
        database: Database,
        rows: SystemRows,
        people: People,
        sessions: Sessions,
        *,
        postbox: Postbox,
        sender: Sender,
        page: str,
        clock: Clock,
    ) -> None:
        """``page`` is the address of the admin UI."""
        self._database = database
        self._rows = rows
        self._people = people
        self._sessions = sessions
        self._postbox = postbox
        self._sender = sender
        self._page = page
        self._clock = clock

    def forgot(self, email: str) -> None:
        """Send a link to the owner of an address, if there is one, after this has returned.

        Raises ServiceUnavailableError when too much is waiting to be sent.
        """
        self._postbox.require_room()
        self._postbox.put(self._send(email), "mail to an administrator to choose a password")

    async def reset(
        self, token: str, password: str, device: Device, accounts: AdminAccounts
    ) -> SignedIn:
        """Let whoever has a link choose another password, and sign them in.

        The link is used up, and all other sessions end. Raises ApplicationError for a link that
        does not hold.
        """
        await self._database.read(lambda: self._holder(token))
        hashed = await hash_in_background(password)

        def program() -> Program[Person]:
            person = yield from self._holder(token)
            values = {
                "password": hashed,
                "resetPasswordToken": None,
                "resetPasswordTokenExpiresAt": None,
                "registrationToken": None,
            }
            yield from self._rows.update(ADMIN_USER_UID, person.id, values, now=self._clock())
            yield from self._sessions.end_all(person.id)
            return person

        person = await self._database.write(program())
        return await accounts.begin(person, device)

    def _holder(self, token: str) -> Program[Person]:
        found = yield from self._people.by_reset_token(token)
        if found is None:
            raise ApplicationError
        person, until = found
        if not person.may_sign_in or until is None or until <= self._clock():
            raise ApplicationError
        return person

    async def _send(self, email: str) -> None:
        found = await self._database.read(lambda: self._people.by_email(email))
        if not found or not found[0].may_sign_in:
            return
        person, token = found[0], secrets.token_hex(_TOKEN_BYTES)
        values = {
            "resetPasswordToken": token,
            "resetPasswordTokenExpiresAt": self._clock() + LIFETIME // timedelta(milliseconds=1),
        }
        await self._database.write(
            self._rows.update(ADMIN_USER_UID, person.id, values, now=self._clock())
        )
        url = f"{self._page}/auth/reset-password?code={token}"
        html = _TEXT.format(email=escape(person.email), url=escape(url))
        await self._sender.send(Mail(to=(person.email,), subject=_SUBJECT, html=html))
