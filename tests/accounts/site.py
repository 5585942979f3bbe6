"""The newsroom with accounts, a controlled clock, and a real SMTP server."""

import asyncio
import json
import re
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from email import message_from_bytes, policy
from email.message import EmailMessage
from pathlib import Path
from typing import Any

from aiosmtpd.smtp import SMTP, Envelope
from aiosmtpd.smtp import Session as SmtpSession

from quire.app import Application, build_app
from quire.settings import load_settings
from tests.conformance.client import AsgiClient, ClientResponse, running
from tests.databases.kinds import rows_of
from tests.hazards.newsroom import API_TOKENS
from tests.secrecy.watch import WATCH
from tests.shared_applications import SharedApplications

NOW = 1_800_000_000_000
MINUTE, HOUR, DAY = 60_000, 3_600_000, 86_400_000
PASSWORD = "low-Water-at-6"
ADVANCED = "plugin_users-permissions_advanced"
MAILS = "plugin_users-permissions_email"

JsonObject = dict[str, Any]


class Clock:
    """Stands still until it is moved."""

    def __init__(self) -> None:
        self.now = NOW

    def __call__(self) -> int:
        return self.now


@dataclass(slots=True)
class Inbox:
    """Takes mails over SMTP; ``refusing`` it takes none."""

    mails: list[EmailMessage] = field(default_factory=list)
    recipients: list[list[str]] = field(default_factory=list)
    refusing: bool = False
    port: int = 0

    async def handle_DATA(  # noqa: N802 - the name that the server calls
        self, server: SMTP, session: SmtpSession, envelope: Envelope
    ) -> str:
        if self.refusing:
            return "554 not today"
        content = envelope.content
        assert isinstance(content, bytes)
        mail = message_from_bytes(content, policy=policy.default)
        assert isinstance(mail, EmailMessage)
        for code in re.findall(r"[0-9a-f]{40,}", mail.as_string()):
            WATCH.keep(code)
        self.mails.append(mail)
        self.recipients.append(list(envelope.rcpt_tos))
        return "250 taken"

    def clear(self) -> None:
        """Be as at first."""
        self.mails.clear()
        self.recipients.clear()
        self.refusing = False


@asynccontextmanager
async def receiving() -> AsyncIterator[Inbox]:
    """Run an SMTP server on loopback."""
    inbox = Inbox()
    loop = asyncio.get_running_loop()
    server = await loop.create_server(lambda: SMTP(inbox, hostname="mx"), "127.0.0.1", 0)
    inbox.port = server.sockets[0].getsockname()[1]
    try:
        yield inbox
    finally:
        server.close()


@dataclass(slots=True)
class Site:
    """One running newsroom."""

    client: AsgiClient
    app: Application
    clock: Clock
    inbox: Inbox
    project: Path

    async def ask(
        self,
        method: str,
        target: str,
        body: object = None,
        *,
        token: str | None = None,
        headers: Mapping[str, str] | None = None,
    ) -> ClientResponse:
        """Send a request below ``/api/``; ``token`` is a bearer token, or the name of one."""
        # As over a socket, a request begins a round of the loop, whose reads share a snapshot.
        await asyncio.sleep(0)
        sent = dict(headers or {})
        if token is not None:
            sent["Authorization"] = f"Bearer {API_TOKENS.get(token, token)}"
        content = b""
        if body is not None:
            sent.setdefault("Content-Type", "application/json")
            content = json.dumps(body).encode()
        return await self.client.request(method, f"/api/{target}", sent, content)

    async def post(self, target: str, body: object, *, token: str | None = None) -> ClientResponse:
        return await self.ask("POST", target, body, token=token)

    async def make_user(self, name: str, role: int | None = None, **more: object) -> JsonObject:
        """Make an end user, with the role Authenticated by default."""
        body = {
            "username": name,
            "email": f"{name}@example.org",
            "password": PASSWORD,
            "role": role or self.role("authenticated"),
            "confirmed": True,
            **more,
        }
        response = await self.post("users", body, token="full")
        assert response.status == 201, response.content
        user: JsonObject = json.loads(response.content)
        return user

    async def sign_in(self, name: str, password: str = PASSWORD) -> str:
        """Sign in and return the token."""
        response = await self.post("auth/local", {"identifier": name, "password": password})
        assert response.status == 200, response.content
        return str(json.loads(response.content)["jwt"])

    def role(self, type_: str) -> int:
        """The id of the role of a type."""
        return int(self.sql("SELECT id FROM up_roles WHERE type = ?", type_)[0][0])

    async def make_role(self, name: str, *actions: str) -> int:
        """Make a role that grants actions, and return its id."""
        body = {"name": name, "description": name, "permissions": tree(*actions)}
        response = await self.post("users-permissions/roles", body, token="full")
        assert response.status == 200, response.content
        return self.role(name)

    async def mails(self, count: int = 1) -> list[EmailMessage]:
        """Wait until nothing is left to be sent, and return the mails: so many there must be."""
        await self.idle()
        assert len(self.inbox.mails) == count
        return self.inbox.mails

    async def idle(self) -> None:
        """Wait until nothing is left to be done in the background."""
        services = self.app.services
        assert services is not None
        await services.services.background_tasks.close(10)

    def set(self, key: str, **values: object) -> None:
        """Change what an administrator has set."""
        set_stored(self.project, key, **values)

    def sql(self, statement: str, *values: str | int) -> list[tuple[Any, ...]]:
        """Ask the database itself."""
        with rows_of(self.project) as rows:
            return rows.execute(statement, values)

    def execute(self, statement: str, *values: str | int) -> None:
        """Change the database behind the server's back."""
        self.sql(statement, *values)


@asynccontextmanager
async def open_site(project: Path, inbox: Inbox, **overrides: object) -> AsyncIterator[Site]:
    """Serve a newsroom; ``users__reset_expires_in`` is the setting of that name."""
    dotted: dict[str, object] = {
        "users.rate_limit.enabled": False,
        "mail.host": "127.0.0.1",
        "mail.port": inbox.port,
        "mail.security": "none",
        "server.url": "https://news.example.org",
    }
    dotted |= {name.replace("__", "."): value for name, value in overrides.items()}
    settings = load_settings(project, environ={}, overrides=dotted)
    clock = Clock()
    application = build_app(settings, clock=clock)
    async with running(application) as client:
        yield Site(client, application, clock, inbox, project)


class SharedSites:
    """Lends a running newsroom to one test after the other, as it was at first."""

    def __init__(self, make_folder: Callable[[str], Path]) -> None:
        """Each newsroom has a folder of its own."""
        self._applications = SharedApplications[Site](make_folder)

    @asynccontextmanager
    async def lend(self, written: Path, **overrides: object) -> AsyncIterator[Site]:
        """Lend a copy of a project, served as by `open_site`; tests leave its files alone."""

        @asynccontextmanager
        async def serve(project: Path) -> AsyncIterator[Site]:
            async with receiving() as inbox, open_site(project, inbox, **overrides) as site:
                yield site

        key = sorted(overrides.items())
        async with self._applications.lend(written, serve, *key) as site:
            address = site.client.address
            yield site
        site.client.address = address
        site.clock.now = NOW
        site.inbox.clear()

    async def close(self) -> None:
        """Stop all of them."""
        await self._applications.close()


def set_stored(project: Path, key: str, **values: object) -> None:
    """Change members of a setting that administrators of a project have stored."""
    with rows_of(project) as rows:
        query = "SELECT value FROM strapi_core_store_settings WHERE key = ?"
        (text,) = rows.execute(query, (key,))[0]
        changed = json.dumps({**json.loads(text), **values})
        update = "UPDATE strapi_core_store_settings SET value = ? WHERE key = ?"
        rows.execute(update, (changed, key))


def tree(*actions: str) -> JsonObject:
    """Return actions in the form of the permissions of a role."""
    found: JsonObject = {}
    for action in actions:
        owner, controller, name = action.split(".")
        controllers = found.setdefault(owner, {"controllers": {}})["controllers"]
        controllers.setdefault(controller, {})[name] = {"enabled": True, "policy": ""}
    return found


def message(response: ClientResponse) -> str:
    """The message of an error."""
    return str(json.loads(response.content)["error"]["message"])


def plain(mail: EmailMessage) -> str:
    """The text of a mail for those who see no HTML."""
    part = mail.get_body(("plain",))
    assert part is not None
    return str(part.get_content())


def code_in(mail: EmailMessage) -> str:
    """The code in the link of a mail."""
    found = re.search(r"(?:code|confirmation)=([0-9a-f]+)", plain(mail))
    assert found is not None, plain(mail)
    return found[1]
