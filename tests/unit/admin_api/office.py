"""The kiosk with administrators, used over HTTP."""

import atexit
import json
import shutil
from collections.abc import AsyncIterator, Callable, Iterator, Mapping
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import mkdtemp
from typing import Any

from quire.app import Application, build_app
from quire.hooks.time import use_clock
from quire.seeding.import_content import seed
from quire.seeding.load import read_content
from quire.settings import load_settings
from quire.strapi_project.schema import load_project_schema
from tests.conformance.client import (
    AsgiClient,
    ClientResponse,
    Receive,
    Scope,
    Send,
    running,
)
from tests.databases.kind import Kind
from tests.databases.kinds import SQLITE
from tests.shared_applications import SharedApplications
from tests.unit.kiosk import MANIFEST, SCHEMA
from tests.unit.schema.trees import write_tree

SECRETS = {
    "ADMIN_JWT_SECRET": "the office",
    "API_TOKEN_SALT": "salt",
    "JWT_SECRET": "the street",
    "APP_KEYS": "key",
}
PASSWORD = "Correct1horse"
BOSS = {"email": "boss@example.com", "firstname": "Bea", "lastname": "Boss", "password": PASSWORD}
START = 1_800_000_000_000


class Clock:
    """Goes on a little with each look at it, and further when it is told to."""

    def __init__(self) -> None:
        self.now = START

    def __call__(self) -> int:
        self.now += 20
        return self.now

    def pass_by(self, *, minutes: int) -> None:
        self.now += minutes * 60_000


@dataclass(frozen=True, slots=True)
class Reply:
    """A response: its status, its JSON, and the cookies that it sets."""

    status: int
    json: Any
    headers: Mapping[str, str]

    @property
    def data(self) -> Any:  # noqa: ANN401 - as JSON gives it
        return self.json["data"]

    @property
    def error(self) -> str:
        return str(self.json["error"]["message"])

    @property
    def cookie(self) -> str:
        """The refresh token that the response sets, as a browser sends it."""
        return self.headers["set-cookie"].split(";")[0]


class Office:
    """The running project; ``boss`` is the access token of its first administrator."""

    def __init__(self, app: Application, client: AsgiClient, clock: Clock) -> None:
        self.app = app
        self.clock = clock
        self.client = client
        self.boss = ""

    async def ask(
        self,
        method: str,
        target: str,
        body: object = None,
        *,
        token: str | None = None,
        headers: Mapping[str, str] | None = None,
    ) -> Reply:
        """Send a request, by default as nobody."""
        response = await self.send(method, target, body, token=token, headers=headers)
        return Reply(response.status, response.json, response.headers)

    async def send(
        self,
        method: str,
        target: str,
        body: object = None,
        *,
        token: str | None = None,
        headers: Mapping[str, str] | None = None,
    ) -> ClientResponse:
        """Send a request whose response need not be JSON."""
        sent = {"content-type": "application/json", **(headers or {})}
        if token is not None:
            sent["authorization"] = f"Bearer {token}"
        content = b"" if body is None else json.dumps(body).encode()
        return await self.client.request(method, target, sent, content)

    async def sign_in(self, email: str, password: str = PASSWORD, **device: object) -> Reply:
        body = {"email": email, "password": password, **device}
        return await self.ask("POST", "/admin/login", body)

    async def mails_are_sent(self) -> None:
        """Wait until no mail is left to be sent."""
        services = self.app.services
        assert services is not None
        await services.services.background_tasks.close(10)

    async def register_boss(self) -> None:
        """Make the first administrator, and keep the access token."""
        body = {**BOSS, "registrationToken": self.app.first_administrator}
        reply = await self.ask("POST", "/admin/register-admin", body)
        assert reply.status == 200, reply.json
        self.boss = reply.data["token"]


_templates: dict[tuple[str, bool], Path] = {}


async def _template(kind: Kind, *, boss: bool) -> Path:
    """Return a folder with the project, made when it is first wanted, to be copied."""
    if (kind.name, boss) not in _templates:
        folder = Path(mkdtemp(prefix="quire-office-"))
        atexit.register(shutil.rmtree, folder, ignore_errors=True)
        write_tree(folder, *SCHEMA, {"content/manifest.json": MANIFEST})
        kind.settle(folder)
        loaded = load_settings(folder, environ=SECRETS)
        schema = load_project_schema(loaded)
        await seed(loaded, schema, read_content(folder / "content", schema), lambda _: None)
        if boss:
            app = build_app(loaded, clock=Clock())
            async with running(app) as client:
                await Office(app, client, Clock()).register_boss()
        kind.cipher(folder)
        _templates[kind.name, boss] = folder
    return _templates[kind.name, boss]


@asynccontextmanager
async def open_office(
    folder: Path,
    *,
    settings: Mapping[str, object] | None = None,
    boss: bool = True,
    kind: Kind = SQLITE,
) -> AsyncIterator[Office]:
    """Lay out the project in a folder, and run it; ``boss`` is its first administrator."""
    with laid_out(await _template(kind, boss=boss), folder, kind) as project:
        async with run_office(project, settings=settings) as office:
            if boss:
                office.boss = (await office.sign_in(BOSS["email"])).data["token"]
            yield office


class SharedOffices:
    """Lends a running office to one test after the other, with the rows that it began with."""

    def __init__(self, make_folder: Callable[[str], Path]) -> None:
        """Each office has a folder of its own."""
        self._applications = SharedApplications[Office](make_folder)

    @asynccontextmanager
    async def lend(self, kind: Kind = SQLITE) -> AsyncIterator[Office]:
        """Lend the office of a kind of database; ``boss`` has just signed in."""
        template = await _template(kind, boss=True)
        async with self._applications.lend(template, run_office) as office:
            office.boss = (await office.sign_in(BOSS["email"])).data["token"]
            yield office
        office.clock.pass_by(minutes=60)  # limits of calls start anew

    async def close(self) -> None:
        """Stop all of them."""
        await self._applications.close()


@asynccontextmanager
async def office_project(folder: Path, kind: Kind = SQLITE) -> AsyncIterator[Path]:
    """Lay out the project with its first administrator, for a test that runs it itself."""
    with laid_out(await _template(kind, boss=True), folder, kind) as project:
        yield project


@contextmanager
def laid_out(template: Path, folder: Path, kind: Kind) -> Iterator[Path]:
    """Copy a project with its database, for a while."""
    if kind is SQLITE:
        shutil.copytree(template, folder, dirs_exist_ok=True)
        yield folder
        return
    project = kind.copy(template, folder / "office")
    try:
        yield project
    finally:
        kind.release(project)


@asynccontextmanager
async def run_office(
    project: Path, *, settings: Mapping[str, object] | None = None, clock: Clock | None = None
) -> AsyncIterator[Office]:
    """Run a project that was laid out."""
    overrides = {"admin.rate_limit.enabled": False, **(settings or {})}
    clock = clock or Clock()
    app = build_app(load_settings(project, environ=SECRETS, overrides=overrides), clock=clock)

    async def app_with_clock(scope: Scope, receive: Receive, send: Send) -> None:
        with use_clock(clock):
            await app(scope, receive, send)

    async with running(app) as client:
        client.app = app_with_clock
        yield Office(app, client, clock)
