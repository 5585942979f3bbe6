"""Password reset of administrators, by mail.

The mail is sent to the stored address, its link begins with the configured URL, and responses do
not reveal whether there is an account for an address.
"""

import secrets
from datetime import timedelta
from html import escape

from msgspec import Struct

from quire.auth.admin.second_factor import SecondFactors
from quire.auth.admin.user_rows import AdminUser, AdminUserRows
from quire.auth.background_tasks import BackgroundTasks
from quire.auth.passwords import hash_in_background
from quire.auth.sessions import Sessions
from quire.clock import Clock
from quire.database.interface import Database
from quire.database.program import Program
from quire.database.stores.builtin_type_table import BaseRow, ContentTables
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


class RecoveryMails(Struct, frozen=True, kw_only=True):
    """How mails are sent; ``page`` is the URL of the admin UI for their links."""

    background_tasks: BackgroundTasks
    sender: Sender
    page: str


class AdminRecovery:
    """Sends password reset links, and resets passwords with them."""

    def __init__(
        self,
        database: Database,
        tables: ContentTables,
        admin_users: AdminUserRows,
        sessions: Sessions,
        factors: SecondFactors,
        mailing: RecoveryMails,
        clock: Clock,
    ) -> None:
        self._database = database
        self._users = tables.table_for(ADMIN_USER_UID, BaseRow)
        self._admin_users = admin_users
        self._sessions = sessions
        self._factors = factors
        self._mailing = mailing
        self._clock = clock

    def forgot(self, email: str) -> None:
        """Send a link to the owner of an address, if there is one, in the background.

        Raises ServiceUnavailableError when too many mails are waiting.
        """
        self._mailing.background_tasks.require_room()
        self._mailing.background_tasks.put(
            self._send(email), "mail to an administrator to choose a password"
        )

    async def link_owner(self, token: str) -> AdminUser:
        """Return the owner of a link. Raises ApplicationError for an invalid one."""
        return await self._database.read(lambda: self._owner_of_token(token))

    async def reset(self, token: str, password: str, code: str | None) -> AdminUser:
        """Set a new password with a link; returns its owner.

        This uses up the link, and ends all sessions. With a second factor, a code is needed as
        well. Raises ApplicationError for an invalid link or code, and SecondFactorError without a
        code, with nothing changed.
        """
        password_hash = await hash_in_background(password)

        def program() -> Program[AdminUser]:
            admin_user = yield from self._owner_of_token(token)
            yield from self._factors.require(admin_user, code)
            values = {
                "password": password_hash,
                "resetPasswordToken": None,
                "resetPasswordTokenExpiresAt": None,
                "registrationToken": None,
            }
            yield from self._users.change(admin_user.id, values, now=self._clock())
            yield from self._sessions.end_all(admin_user.id)
            return admin_user

        return await self._database.write(program())

    def _owner_of_token(self, token: str) -> Program[AdminUser]:
        owner = yield from self._admin_users.by_reset_token(token)
        if owner is None:
            raise ApplicationError
        admin_user, expires_at = owner
        if not admin_user.may_sign_in or expires_at is None or expires_at <= self._clock():
            raise ApplicationError
        return admin_user

    async def _send(self, email: str) -> None:
        admin_users = await self._database.read(lambda: self._admin_users.by_email(email))
        if not admin_users or not admin_users[0].may_sign_in:
            return
        admin_user, token = admin_users[0], secrets.token_hex(_TOKEN_BYTES)
        values = {
            "resetPasswordToken": token,
            "resetPasswordTokenExpiresAt": self._clock() + LIFETIME // timedelta(milliseconds=1),
        }
        await self._database.write(self._users.change(admin_user.id, values, now=self._clock()))
        url = f"{self._mailing.page}/auth/reset-password?code={token}"
        html = _TEXT.format(email=escape(admin_user.email), url=escape(url))
        await self._mailing.sender.send(Mail(to=(admin_user.email,), subject=_SUBJECT, html=html))
