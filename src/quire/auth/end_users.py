"""Accounts of end users: create, change, delete.

The document service writes end users; this module adds the rules of accounts. A change of the
password invalidates reset codes, and ends all sessions.
"""

import secrets
from collections.abc import Callable, Mapping
from datetime import timedelta
from typing import TypeVar

from quire.access.principal import Principal
from quire.auth.end_user_roles import require_grantable
from quire.auth.end_user_settings import AdvancedOptions, advanced_options
from quire.auth.mailed_codes import is_current
from quire.auth.sessions import Sessions
from quire.database.program import Program
from quire.database.stores.auth_rows import Accounts, UserRow
from quire.document_service.commands import CreateDocument, DeleteDocument, UpdateDocument
from quire.document_service.service import DocumentService, run_command
from quire.document_service.unit_of_work import UnitOfWork
from quire.errors import ApplicationError, NotFoundError, ValidationError
from quire.schema.model import USER_UID

T = TypeVar("T")
Show = Callable[[int], Program[T]]
"""Reads the response data of the user with this id, within the transaction that wrote it."""
Data = Mapping[str, object]

LOCAL = "local"
EMAIL_OR_USERNAME_IN_USE = "Email or Username are already taken"
EMAIL_TAKEN = "Email already taken"
USERNAME_TAKEN = "Username already taken"
NO_DEFAULT_ROLE = "Impossible to find the default role"
NO_REGISTRATION = "Register action is currently disabled"
NO_PASSWORD = "password.notNull"  # noqa: S105 - a message
NOT_FOUND = "User not found"
WRONG_PASSWORD = "The provided current password is invalid"  # noqa: S105 - a message
WRONG_CODE = "Incorrect code provided"
WRONG_TOKEN = "Invalid token"  # noqa: S105 - a message

NO_NEW_USERS = "Register action is actually not available."
EMAIL_ELSEWHERE = "Email is already taken."
_SHORTEST_NAME, _LONGEST_NAME = 3, 200

SERVER_SET_ATTRIBUTES = frozenset({"resetPasswordToken", "confirmationToken"})
"""Attributes of an account that clients cannot set."""


class EndUsers:
    """Writes accounts, each change in one transaction."""

    def __init__(
        self,
        documents: DocumentService,
        accounts: Accounts,
        sessions: Sessions | None,
        *,
        reset_lifetime: timedelta,
    ) -> None:
        self._documents = documents
        self._accounts = accounts
        self._sessions = sessions
        self._reset_lifetime = reset_lifetime

    async def register(self, data: Data, show: Show[T]) -> tuple[int, T]:
        """Create an account for a visitor, with the default role.

        ``data`` has a user name, an e-mail and a password. Returns the user and the response data.
        Raises ApplicationError when there is such a user or no such role, and ValidationError for
        invalid values.
        """
        username, email = str(data["username"]), str(data["email"]).lower()

        def act(unit: UnitOfWork) -> Program[tuple[int, T]]:
            options = yield from advanced_options(self._accounts)
            role = yield from self._default_role(options)
            provider = None if options.unique_email else LOCAL
            if (yield from self._accounts.users_named(username, email, provider=provider)):
                raise ApplicationError(EMAIL_OR_USERNAME_IN_USE)
            is_confirmed = not options.email_confirmation
            fixed_values = {
                "email": email,
                "provider": LOCAL,
                "confirmed": is_confirmed,
                "role": role,
            }
            user_id = yield from self._insert(unit, {**data, **fixed_values})
            return user_id, (yield from show(user_id))

        return await self._run(act, data)

    async def connect(self, provider: str, email: str, username: str | None) -> int:
        """Return the user of a provider sign-in, by e-mail; create one if needed.

        Accounts are never shared: a user with another provider and the same e-mail is another user.
        Raises ApplicationError when there is no such user and none can be created.
        """
        address = email.lower()

        def act(unit: UnitOfWork) -> Program[int]:
            owners = yield from self._accounts.ids_of_users("email", address)
            for owner in sorted(owners):
                user = yield from self._get_user(owner)
                if user.provider == provider:
                    return owner
            options = yield from advanced_options(self._accounts)
            if not options.allow_register:
                raise ApplicationError(NO_NEW_USERS)
            if owners and options.unique_email:
                raise ApplicationError(EMAIL_ELSEWHERE)
            role = yield from self._default_role(options)
            name = yield from self._free_name((username or "").strip() or address.split("@")[0])
            data = {"username": name, "email": address, "provider": provider}
            return (yield from self._insert(unit, {**data, "confirmed": True, "role": role}))

        return await self._run(act, {})

    def _free_name(self, base: str) -> Program[str]:
        """Return an unused name: this one, or one that begins with it."""
        base_name = "".join(character for character in base if character.isprintable())[
            :_LONGEST_NAME
        ]
        name = base_name if len(base_name) >= _SHORTEST_NAME else f"{base_name}{_digits()}"
        while (yield from self._accounts.ids_of_users("username", name)):
            name = f"{base_name}{_digits()}"
        return name

    async def create(self, data: Data, show: Show[T], *, principal: Principal) -> T:
        """Create an account for a principal with permission.

        A blank role is the default one, as in Strapi. Raises ApplicationError for invalid data, and
        ForbiddenError when the role grants more than the principal has.
        """
        email = str(data["email"]).lower()

        def act(unit: UnitOfWork) -> Program[T]:
            options = yield from advanced_options(self._accounts)
            yield from self._require_free_email(options, email, except_id=None)
            names = {"username": data.get("username"), "email": email}
            yield from self._require_own_names(names, except_id=None)
            fixed_values: dict[str, object] = {"email": email, "provider": LOCAL}
            if not data.get("role"):
                fixed_values["role"] = yield from self._default_role(options)
            user_id = yield from self._insert(unit, {**data, **fixed_values})
            user = yield from self._get_user(user_id)
            yield from self._require_grantable(unit, user.role_id)
            return (yield from show(user_id))

        try:
            return await self._run(act, data, principal)
        except ValidationError as error:
            raise ApplicationError(error.message) from error

    async def update(self, user_id: int, data: Data, show: Show[T], *, principal: Principal) -> T:
        """Update an account for a principal with permission.

        Raises NotFoundError, ApplicationError for a name or e-mail that is in use, ValidationError
        for other invalid values, and ForbiddenError when the old role or the new one grants more
        than the principal has.
        """
        changed_values = dict(data)
        if isinstance(changed_values.get("email"), str):
            changed_values["email"] = str(changed_values["email"]).lower()

        def act(unit: UnitOfWork) -> Program[T]:
            user = yield from self._get_user(user_id)
            if (
                user.provider == LOCAL
                and "password" in changed_values
                and not changed_values["password"]
            ):
                raise ValidationError(NO_PASSWORD)
            yield from self._require_grantable(unit, user.role_id)
            yield from self._require_free(changed_values, user_id)
            if user.provider == LOCAL:
                yield from self._require_own_names(changed_values, except_id=user_id)
            yield from self._write(unit, user, changed_values)
            updated_user = yield from self._get_user(user_id)
            yield from self._require_grantable(unit, updated_user.role_id)
            return (yield from show(user_id))

        return await self._run(act, changed_values, principal)

    async def delete(self, user_id: int, show: Show[T], *, principal: Principal) -> T | None:
        """Delete an account; returns it, ``None`` when there is none.

        Raises ForbiddenError when its role grants more than the principal has.
        """

        def act(unit: UnitOfWork) -> Program[T | None]:
            user = yield from self._accounts.user(user_id)
            if user is None:
                return None
            yield from self._require_grantable(unit, user.role_id)
            response = yield from show(user_id)
            yield from run_command(unit, DeleteDocument(uid=USER_UID, document_id=user.document_id))
            yield from self._sign_out(user_id)
            return response

        return await self._documents.run(act, principal=principal)

    async def change_password(self, user_id: int, current_hash: str, password: str) -> None:
        """Set the password of an account, and invalidate its reset code.

        ``current_hash`` is that of the password that the caller has proved to know. Raises
        NotFoundError, and ValidationError for an invalid password and if the account has got
        another password meanwhile.
        """
        data = {"password": password}

        def act(unit: UnitOfWork) -> Program[None]:
            user = yield from self._get_user(user_id)
            if user.password != current_hash:
                raise ValidationError(WRONG_PASSWORD)
            yield from self._write(unit, user, data)

        await self._run(act, data)

    async def reset_password(self, code: str, password: str, show: Show[T]) -> tuple[int, T]:
        """Set the password of the account with a reset code, and use up the code.

        Returns the user and the response data from before the change. Raises ValidationError for a
        wrong code, and for an invalid password.
        """
        data = {"password": password}

        def act(unit: UnitOfWork) -> Program[tuple[int, T]]:
            user = None
            if is_current(code, unit.clock(), self._reset_lifetime):
                user = yield from self._accounts.user_by_reset_token(code)
            if user is None:
                raise ValidationError(WRONG_CODE)
            response = yield from show(user.id)
            yield from self._write(unit, user, data)
            return user.id, response

        return await self._run(act, data)

    async def confirm(self, token: str) -> None:
        """Confirm an e-mail by a token, and use up the token.

        Raises ValidationError for a wrong token.
        """

        def act(unit: UnitOfWork) -> Program[None]:
            user = yield from self._accounts.user_by_confirmation_token(token)
            if user is None:
                raise ValidationError(WRONG_TOKEN)
            yield from self._write(unit, user, {"confirmed": True, "confirmationToken": None})

        await self._run(act, {})

    def _insert(self, unit: UnitOfWork, data: Data) -> Program[int]:
        entries = yield from run_command(unit, CreateDocument(uid=USER_UID, data=data))
        return entries[0].entry_id

    def _write(self, unit: UnitOfWork, user: UserRow, data: Data) -> Program[None]:
        if "password" in data:
            data = {**data, "resetPasswordToken": None}
        command = UpdateDocument(uid=USER_UID, document_id=user.document_id, data=data)
        yield from run_command(unit, command)
        if "password" in data or data.get("blocked") is True:
            yield from self._sign_out(user.id)

    def _sign_out(self, user_id: int) -> Program[None]:
        if self._sessions is not None:
            yield from self._sessions.end_all(user_id)

    def _get_user(self, user_id: int) -> Program[UserRow]:
        user = yield from self._accounts.user(user_id)
        if user is None:
            raise NotFoundError(NOT_FOUND)
        return user

    def _require_free(self, data: Data, user_id: int) -> Program[None]:
        username, email = data.get("username"), data.get("email")
        if isinstance(username, str):
            owners = yield from self._accounts.ids_of_users("username", username)
            if owners - {user_id}:
                raise ApplicationError(USERNAME_TAKEN)
        if isinstance(email, str):
            options = yield from advanced_options(self._accounts)
            yield from self._require_free_email(options, email, except_id=user_id)

    def _require_own_names(self, data: Data, *, except_id: int | None) -> Program[None]:
        """Check that nobody else signs in with the e-mail that is the name, or the reverse.

        Users sign in with either of them, so that one of two users could not. Raises
        ApplicationError.
        """
        username, email = data.get("username"), data.get("email")
        if isinstance(username, str):
            owners = yield from self._accounts.ids_of_users(
                "email", username.lower(), provider=LOCAL
            )
            if owners - {except_id}:
                raise ApplicationError(USERNAME_TAKEN)
        if isinstance(email, str):
            owners = yield from self._accounts.ids_of_users("username", email, provider=LOCAL)
            if owners - {except_id}:
                raise ApplicationError(EMAIL_TAKEN)

    def _require_free_email(
        self, options: AdvancedOptions, email: str, *, except_id: int | None
    ) -> Program[None]:
        owners = yield from self._accounts.ids_of_users("email", email)
        if options.unique_email and owners - {except_id}:
            raise ApplicationError(EMAIL_TAKEN)

    def _default_role(self, options: AdvancedOptions) -> Program[int]:
        """Return the role of new users. Raises ApplicationError when it does not exist."""
        role = yield from self._accounts.role_of_type(options.default_role)
        if role is None:
            raise ApplicationError(NO_DEFAULT_ROLE)
        return role

    def _require_grantable(self, unit: UnitOfWork, role_id: int | None) -> Program[None]:
        if role_id is not None:
            actions = yield from self._accounts.role_actions(role_id)
            require_grantable(unit.principal, actions)

    async def _run(
        self,
        act: Callable[[UnitOfWork], Program[T]],
        data: Data,
        principal: Principal | None = None,
    ) -> T:
        """Run a program; without a principal it runs as the server, without row rules."""
        command = CreateDocument(uid=USER_UID, data=data)
        return await self._documents.run(act, commands=[command], principal=principal)


def _digits() -> str:
    return str(secrets.randbelow(900_000_000) + 100_000_000)
