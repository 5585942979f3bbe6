"""A running project under test."""

import itertools
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from datetime import datetime
from typing import Any, TypeVar

import httpx

from quire.access.actions import all_actions
from quire.access.principal import FULL_ACCESS_PRINCIPAL
from quire.app import Application
from quire.auth.admin.sign_in import AdminDevice, SignInResult
from quire.auth.admin.user_rows import AdminUser
from quire.auth.end_user_roles import Roles
from quire.auth.token_issuer import ClientDevice, TokenIssuer
from quire.content_api.server_timing import Timings
from quire.content_api.user_routes import user_sessions
from quire.database.program import Program, Statement
from quire.database.stores.auth_rows import Accounts
from quire.document_service.commands import CreateDocument
from quire.document_service.service import run_command
from quire.document_service.unit_of_work import UnitOfWork
from quire.hooks.errors import nearest
from quire.mail.message import Mail, compose
from quire.runtime.schema_runtime import SchemaRuntime
from quire.schema.model import USER_UID
from quire.settings import MailSettings
from quire.testing.background import BackgroundWorkers
from quire.testing.client import Client
from quire.testing.clock import ProjectClock
from quire.testing.loop import LoopThread
from quire.testing.outgoing_requests import ExpectedRequests

T = TypeVar("T")

_MAX_SHOWN_CHARACTERS = 2000


class StatementLog(Timings):
    """The SQL statements of requests, except those of authentication."""

    def __init__(self) -> None:
        super().__init__()
        self.texts: list[str] = []
        self._authenticating = 0

    def count(self, statement: Statement) -> None:
        """Record a statement."""
        super().count(statement)
        if not self._authenticating:
            self.texts.append(statement.sql)

    @contextmanager
    def measure(self, target: str) -> Iterator[None]:
        """Record in which part of a request statements run."""
        step = 1 if target == "authenticate" else 0
        self._authenticating += step
        try:
            with super().measure(target):
                yield
        finally:
            self._authenticating -= step


class RecordingSender:
    """Keeps mails instead of sending them."""

    def __init__(self, mails: list[Mail]) -> None:
        self._mails = mails

    async def send(self, mail: Mail) -> None:
        """Keep a mail. Raises MailError for what could not be sent either."""
        compose(mail, MailSettings().sender)
        self._mails.append(mail)


class Project:
    """The project under test, with its own database; requests are handled by the real app.

    ``fired`` is how often each hook was called, by name; `clock` is the project's clock.
    """

    def __init__(
        self,
        app: Application,
        loop: LoopThread,
        clock: ProjectClock,
        *,
        fired: Counter[str],
        first_administrator: AdminUser,
        background: BackgroundWorkers,
    ) -> None:
        self.http = ExpectedRequests()
        """The requests of the project's code to other servers."""
        self.mails: list[Mail] = []
        """What the code of the project has sent with `mail`; nothing leaves the machine."""
        self._background = background
        self.clock = clock
        self.fired = fired
        self._app = app
        self._loop = loop
        self._first_administrator = first_administrator
        self._log = StatementLog()
        self._numbers = itertools.count(1)
        self.visitor = self._client()
        """A client without credentials, with the permissions of the public role."""

    async def get(self, path: str, **options: Any) -> httpx.Response:  # noqa: ANN401 - those of httpx
        """Send a GET request as a visitor."""
        return await self.visitor.get(path, **options)

    async def post(self, path: str, **options: Any) -> httpx.Response:  # noqa: ANN401 - those of httpx
        """Send a POST request as a visitor."""
        return await self.visitor.post(path, **options)

    async def put(self, path: str, **options: Any) -> httpx.Response:  # noqa: ANN401 - those of httpx
        """Send a PUT request as a visitor."""
        return await self.visitor.put(path, **options)

    async def delete(self, path: str, **options: Any) -> httpx.Response:  # noqa: ANN401 - those of httpx
        """Send a DELETE request as a visitor."""
        return await self.visitor.delete(path, **options)

    async def user(
        self, username: str, *, role: str = "authenticated", actions: Sequence[str] = ()
    ) -> Client:
        """Create a signed-in end user; ``role`` is the type of a role.

        ``actions``, such as ``api::article.article.create``, are granted to the
        role. Raises LookupError for an unknown role or action.
        """
        await self.grant(role, actions)
        counts = self.fired.copy()
        user_id, token = await self._loop.wait_for(self._create_user(username, role))
        self._restore(counts)
        return self._client(token=token, id=user_id)

    async def grant(self, role: str, actions: Sequence[str]) -> None:
        """Grant actions to a role of end users, or to visitors by the role ``public``.

        Raises LookupError for an unknown role or action.
        """
        for action in actions:
            known_actions = self._known_actions()
            if action not in known_actions:
                raise LookupError(f'there is no action "{action}"{nearest(action, known_actions)}')
        await self._loop.wait_for(self._grant(role, actions))

    async def token(self, *, type: str | None = None, actions: Sequence[str] = ()) -> Client:
        """Create an API token: one of a type, or one that grants ``actions``."""
        kind = type or ("custom" if actions else "full-access")
        body = {
            "name": f"token {next(self._numbers)}",
            "description": "",
            "type": kind,
            "lifespan": None,
            "permissions": list(actions) if kind == "custom" else None,
        }
        admin = await self.admin()
        response = await admin.post("/admin/api-tokens", json=body)
        token_data = _data(response)
        return self._client(token=token_data["accessKey"], id=token_data["id"])

    async def admin(self, role: str = "strapi-super-admin") -> Client:
        """Create a signed-in administrator; ``role`` is the code of an admin role.

        Raises LookupError for an unknown role.
        """
        if role == "strapi-super-admin":
            signed_in = await self._loop.wait_for(self._begin(self._first_administrator))
            return self._admin_client(signed_in)
        super_admin = await self.admin()
        roles = {
            role_data["code"]: role_data["id"]
            for role_data in _data(await super_admin.get("/admin/roles"))
        }
        if role not in roles:
            raise LookupError(f'there is no admin role "{role}"{nearest(role, roles)}')
        name = role.removeprefix("strapi-")
        body = {
            "firstname": name,
            "lastname": "",
            "email": f"{name}-{next(self._numbers)}@example.com",
            "roles": [roles[role]],
        }
        user_data = _data(await super_admin.post("/admin/users", json=body))
        invited_user = await self._loop.wait_for(self._invited_user(user_data["registrationToken"]))
        await super_admin.put(f"/admin/users/{user_data['id']}", json={"isActive": True})
        return self._admin_client(await self._loop.wait_for(self._begin(invited_user)))

    async def drain(self) -> None:
        """Run the due jobs, schedules and deliveries of changes, and what they cause.

        None of them runs otherwise, so that tests determine the order. Raises AssertionError when
        any fails.
        """
        await self._loop.wait_for(self._background.drain(self.clock))

    async def until(self, moment: datetime | str) -> None:
        """Set the clock forward to a time or a time of day in UTC, and `drain`.

        A text is as in ISO 8601: ``"2026-01-01T03:00"``, or ``"03:00"`` for the next time.
        """
        self.clock.go_to(moment)
        await self.drain()

    @contextmanager
    def statements(self, *, at_most: int) -> Iterator[None]:
        """Fail if requests of the block run more SQL statements than this; the error lists them.

        Statements of authentication do not count. Cached results of earlier requests need none.
        """
        texts: list[str] = []
        self._log.texts = texts
        yield
        if len(texts) > at_most:
            statement_lines = "\n".join(f"  {text[:_MAX_SHOWN_CHARACTERS]}" for text in texts)
            raise AssertionError(f"{len(texts)} statements, at most {at_most}:\n{statement_lines}")

    def _client(self, *, token: str | None = None, id: int | None = None) -> Client:
        return Client(self._app, self._loop, self._log, self.clock, token=token, id=id)

    def _admin_client(self, signed_in: SignInResult) -> Client:
        return self._client(token=signed_in.tokens.access, id=signed_in.admin_user.id)

    def _restore(self, counts: Counter[str]) -> None:
        """Reset the counts of hooks that ran before the test itself."""
        self.fired.clear()
        self.fired.update(counts)

    def _runtime(self) -> SchemaRuntime:
        runtime = self._app.runtime
        if runtime is None:
            raise RuntimeError("the project of an earlier test does not run any more")
        return runtime

    def _accounts(self) -> Accounts:
        runtime = self._runtime()
        engine = runtime.documents.engine
        return Accounts(engine.store, engine.extensions.granted_actions)

    def _known_actions(self) -> frozenset[str]:
        runtime = self._runtime()
        custom_actions = runtime.documents.engine.extensions.granted_actions
        return frozenset(all_actions(runtime.schema)) | custom_actions

    async def _write(self, act: Callable[[UnitOfWork], Program[T]]) -> T:
        return await self._runtime().documents.run(act, principal=FULL_ACCESS_PRINCIPAL)

    async def _role_id(self, accounts: Accounts, role: str) -> int:
        role_id = await self._write(lambda _: accounts.role_of_type(role))
        if role_id is None:
            raise LookupError(f'there is no role of the type "{role}"')
        return role_id

    async def _grant(self, role: str, actions: Sequence[str]) -> None:
        accounts = self._accounts()
        role_id = await self._role_id(accounts, role)
        if not actions:
            return

        def granted(_: UnitOfWork) -> Program[frozenset[str]]:
            role_actions = yield from accounts.role_actions(role_id)
            custom_actions = yield from accounts.granted_custom_actions("roles", role_id)
            return role_actions | custom_actions

        granted_actions = {*await self._write(granted), *actions}
        roles = Roles(self._runtime().documents, accounts)
        known_actions = self._known_actions()
        await roles.update(
            role_id,
            {},
            granted_actions,
            {},
            known_names=known_actions,
            principal=FULL_ACCESS_PRINCIPAL,
        )

    async def _create_user(self, username: str, role: str) -> tuple[int, str]:
        """Create a user without a password, because hashing takes time, and sign them in."""
        accounts, runtime = self._accounts(), self._runtime()
        role_id = await self._role_id(accounts, role)
        data = {
            "username": username,
            "email": f"{username}@example.com".lower(),
            "provider": "local",
            "confirmed": True,
            "role": role_id,
        }

        def create(unit: UnitOfWork) -> Program[int]:
            entries = yield from run_command(unit, CreateDocument(uid=USER_UID, data=data))
            return entries[0].entry_id

        user_id = await self._write(create)
        settings = self._app.settings
        issuer = TokenIssuer(
            runtime.documents,
            accounts,
            user_sessions(settings, runtime.documents.engine.store),
            clock=self.clock,
            secret=settings.secrets.jwt_secret,
            lifetime=settings.users.jwt_expires_in,
        )
        return user_id, (await issuer.issue(user_id, ClientDevice())).jwt

    async def _begin(self, admin_user: AdminUser) -> SignInResult:
        admin = self._runtime().admin
        if admin is None:
            raise RuntimeError("the project has no admin API")
        return await admin.accounts.begin(admin_user, AdminDevice(id="test"))

    async def _invited_user(self, token: str) -> AdminUser:
        admin = self._runtime().admin
        invited_user = None if admin is None else await admin.accounts.invited(token)
        if invited_user is None:
            raise LookupError("the invitation does not hold")
        return invited_user


def _data(response: httpx.Response) -> Any:  # noqa: ANN401 - JSON
    """Return the data of a response of the admin API, or raise an error that shows it."""
    if response.is_error:
        raise RuntimeError(f"{response.request.url.path}: {response.status_code} {response.text}")
    return response.json()["data"]
