"""The example blog, served for browsers, with a type that has all attribute types."""

import re
import shutil
import sqlite3
import sys
from collections.abc import Iterator, Mapping
from contextlib import closing, contextmanager
from dataclasses import dataclass, field
from http import HTTPStatus
from pathlib import Path
from subprocess import DEVNULL, PIPE, Popen, run
from threading import Thread
from typing import Any

import httpx
from playwright.sync_api import StorageState

from tests.unit.schema.trees import component_file, type_file, write_tree

QUIRE = Path(sys.executable).with_name("quire")
EXAMPLE = Path(__file__).parents[2] / "examples" / "blog"
PASSWORD = "Low-water-at-6"
EMAIL = "ada@example.org"
HTTP = httpx.Client(limits=httpx.Limits(max_keepalive_connections=0), timeout=60)
"""Loads certificates once, which takes longer than a request; servers come and go behind it.

A busy machine needs longer than the five seconds that httpx waits by itself.
"""

LOCALIZED: dict[str, Any] = {"pluginOptions": {"i18n": {"localized": True}}}
EVERYTHING = (
    type_file(
        "sample",
        {
            "name": {"type": "string", "required": True, "minLength": 3, **LOCALIZED},
            "text": {"type": "text"},
            "markdown": {"type": "richtext"},
            "email": {"type": "email"},
            "secret": {"type": "password"},
            "count": {"type": "integer", "max": 100},
            "big": {"type": "biginteger"},
            "ratio": {"type": "float"},
            "price": {"type": "decimal"},
            "day": {"type": "date"},
            "clock": {"type": "time"},
            "moment": {"type": "datetime"},
            "on": {"type": "boolean", "required": True},
            "kind": {"type": "enumeration", "enum": ["one", "two"]},
            "data": {"type": "json"},
            "files": {"type": "media", "multiple": True},
            "author": {
                "type": "relation",
                "relation": "manyToOne",
                "target": "api::author.author",
            },
            "further": {
                "type": "relation",
                "relation": "manyToOne",
                "target": "api::article.article",
            },
            "pairs": {"type": "component", "component": "lab.pair", "repeatable": True},
            "zone": {"type": "dynamiczone", "components": ["lab.pair", "blocks.quote"]},
            "extra": {
                "type": "string",
                "conditions": {"visible": {"==": [{"var": "on"}, True]}},
            },
        },
        options={"draftAndPublish": True},
        pluginOptions=LOCALIZED["pluginOptions"],
    ),
    type_file(
        "wide",
        {
            **{f"field{at:03}": {"type": "string"} for at in range(200)},
            "extra": {
                "type": "string",
                "conditions": {"visible": {"==": [{"var": "field000"}, "extra"]}},
            },
        },
        options={"draftAndPublish": True},
    ),
    component_file(
        "lab.pair",
        {
            "label": {"type": "string", "required": True},
            "links": {"type": "component", "component": "shared.link", "repeatable": True},
        },
    ),
)


@dataclass(frozen=True, slots=True)
class Site:
    """A server, and the link that it has printed for the first administrator."""

    address: str
    registration: str
    _tokens: dict[str, str] = field(default_factory=dict, compare=False)
    """The access token of the first administrator, until it is refused."""

    def register(self) -> None:
        """Make the first administrator over HTTP."""
        token = self.registration.partition("registrationToken=")[2]
        admin_user = {
            "email": EMAIL,
            "firstname": "Ada",
            "lastname": "Lovelace",
            "password": PASSWORD,
        }
        response = HTTP.post(
            f"{self.address}/admin/register-admin", json={**admin_user, "registrationToken": token}
        )
        response.raise_for_status()

    def api(self, method: str, path: str, json: object = None, **headers: str) -> Any:  # noqa: ANN401 - JSON
        """Send a request as the first administrator."""
        response = self._send(method, path, json, headers)
        if response.status_code == HTTPStatus.UNAUTHORIZED:
            self._tokens.clear()
            response = self._send(method, path, json, headers)
        assert response.is_success, response.text
        return response.json() if response.content else None

    def _send(
        self, method: str, path: str, json: object, headers: Mapping[str, str]
    ) -> httpx.Response:
        if EMAIL not in self._tokens:
            self._tokens[EMAIL] = self.sign_in().json()["data"]["token"]
        sent = {"authorization": f"Bearer {self._tokens[EMAIL]}", **headers}
        return HTTP.request(method, f"{self.address}{path}", json=json, headers=sent)

    def sign_in(self, email: str = EMAIL) -> httpx.Response:
        """Begin a session of an administrator over HTTP."""
        credentials = {"email": email, "password": PASSWORD}
        response = HTTP.post(f"{self.address}/admin/login", json=credentials)
        HTTP.cookies.clear()
        return response.raise_for_status()

    def session(self, email: str = EMAIL) -> StorageState:
        """Return what a browser stores of a new session of an administrator."""
        cookies = self.sign_in(email).cookies.jar
        return {
            "cookies": [
                {
                    "name": cookie.name,
                    "value": cookie.value or "",
                    "domain": cookie.domain,
                    "path": cookie.path,
                    "expires": cookie.expires or -1,
                    "httpOnly": True,
                    "secure": False,
                    "sameSite": "Lax",
                }
                for cookie in cookies
            ],
            "origins": [
                {
                    "origin": self.address,
                    "localStorage": [{"name": "quire-admin-session", "value": "1"}],
                }
            ],
        }

    def add_person(self, email: str, firstname: str, *roles: int) -> None:
        """Make an administrator who signs in with the password of the first one."""
        admin_user = {"email": email, "firstname": firstname, "roles": roles}
        invited = self.api("POST", "/admin/users", admin_user)["data"]
        active = {"password": PASSWORD, "isActive": True}
        self.api("PUT", f"/admin/users/{invited['id']}", active)


@dataclass(slots=True)
class Outage:
    """A site that a test stops and starts again, at the same address."""

    site: Site
    project: Path
    process: Popen[str]

    def kill(self) -> None:
        """End the server as a crash does."""
        with self.process:
            self.process.kill()

    def start(self) -> None:
        """Start the server again."""
        self.process = _start(self.project, int(self.site.address.rpartition(":")[2]))
        _read_until(self.process, r"is served at (http://\S+) ")


@contextmanager
def serve_empty(folder: Path, settings: str = "") -> Iterator[Site]:
    """Serve a new project, which nobody administers yet, with more settings than it has."""
    project = folder / "new"
    run([QUIRE, "new", project], check=True, stdout=DEVNULL, stderr=DEVNULL)
    with (project / "quire.toml").open("a") as file:
        file.write(settings)
    with serve(project) as site:
        yield site


@contextmanager
def serve_site(folder: Path) -> Iterator[Site]:
    """Serve the blog from a folder, as `quire start` does."""
    with serve(_blog(folder)) as site:
        yield site


@contextmanager
def serve_many_entries(folder: Path, count: int) -> Iterator[Site]:
    """Serve the blog with so many drafts of its wide type, written as rows before it starts.

    Every tenth has the word "lighthouse" in its second field.
    """
    project = _blog(folder)
    rows = (
        (f"{at:024}", f"Entry {at:05}", "lighthouse" if at % 10 == 0 else "buoy", at, at)
        for at in range(1, count + 1)
    )
    with closing(sqlite3.connect(project / ".tmp" / "data.db")) as connection, connection:
        connection.executemany(
            "INSERT INTO wide_rows (document_id, field_000, field_001, created_at, updated_at)"
            " VALUES (?, ?, ?, ?, ?)",
            rows,
        )
    with serve(project) as site:
        site.register()
        yield site


@contextmanager
def serve_with_outages(folder: Path) -> Iterator[Outage]:
    """Serve the blog with an administrator, by a server that can be killed."""
    project = _blog(folder)
    outage = Outage(Site("", ""), project, _start(project, 0))
    try:
        outage.site = _site_of(outage.process)
        outage.site.register()
        yield outage
    finally:
        _stop(outage.process)


@contextmanager
def serve(project: Path) -> Iterator[Site]:
    """Start a project that has no administrator, as a separate process."""
    process = _start(project, 0)
    try:
        yield _site_of(process)
    finally:
        _stop(process)


def _blog(folder: Path) -> Path:
    project = Path(
        shutil.copytree(EXAMPLE, folder / "blog", ignore=shutil.ignore_patterns(".tmp", ".env"))
    )
    write_tree(project, *EVERYTHING)
    run([QUIRE, "seed", project], check=True, stdout=DEVNULL, stderr=DEVNULL)
    with (project / "quire.toml").open("a") as settings:
        settings.write("\n[admin.rate_limit]\nenabled = false\n")
        settings.write("\n[webhooks]\nprivate_addresses = true\n")
        settings.write("\n[uploads]\ntransform_sizes = [320, 640]\n")
    return project


def _start(project: Path, port: int) -> Popen[str]:
    arguments = [str(QUIRE), "start", str(project), "--host", "127.0.0.1", "--port", str(port)]
    return Popen(arguments, stderr=PIPE, text=True)


def _stop(process: Popen[str]) -> None:
    with process:
        process.terminate()


def _site_of(process: Popen[str]) -> Site:
    found = _read_until(
        process, r"is served at (http://\S+) ", r"(http://\S+/admin/auth/register-admin\?\S+)"
    )
    address, registration = found
    return Site(address, registration)


def _read_until(process: Popen[str], *patterns: str) -> list[str]:
    """Read what a server prints until all patterns have matched; return their groups."""
    assert process.stderr is not None
    found: dict[str, str] = {}
    for line in process.stderr:
        for pattern in patterns:
            match = re.search(pattern, line)
            if match:
                found[pattern] = match[1]
        if len(found) == len(patterns):
            break
    assert len(found) == len(patterns), "the server has not printed what it should"
    # What it prints from now on is read away, so that it never waits for a reader.
    Thread(target=process.stderr.read, daemon=True).start()
    return [found[pattern] for pattern in patterns]
