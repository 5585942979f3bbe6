"""The example blog, served for browsers, with one more type that has all types of attributes."""

import re
import shutil
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from subprocess import DEVNULL, PIPE, Popen, run
from threading import Thread
from typing import Any

import httpx

from tests.unit.schema.trees import component_file, type_file, write_tree

QUIRE = Path(sys.executable).with_name("quire")
EXAMPLE = Path(__file__).parents[2] / "examples" / "blog"
PASSWORD = "Low-water-at-6"
EMAIL = "ada@example.org"
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

    def register(self) -> None:
        """Make the first administrator over HTTP."""
        token = self.registration.partition("registrationToken=")[2]
        person = {"email": EMAIL, "firstname": "Ada", "lastname": "Lovelace", "password": PASSWORD}
        response = httpx.post(
            f"{self.address}/admin/register-admin", json={**person, "registrationToken": token}
        )
        response.raise_for_status()

    def api(self, method: str, path: str, json: object = None, **headers: str) -> Any:  # noqa: ANN401 - JSON
        """Send a request as the first administrator."""
        credentials = {"email": EMAIL, "password": PASSWORD}
        signed_in = httpx.post(f"{self.address}/admin/login", json=credentials)
        token = signed_in.json()["data"]["token"]
        response = httpx.request(
            method,
            f"{self.address}{path}",
            json=json,
            headers={"authorization": f"Bearer {token}", **headers},
        )
        assert response.is_success, response.text
        return response.json() if response.content else None


@contextmanager
def serve_empty(folder: Path) -> Iterator[Site]:
    """Serve a new project, which nobody administers yet."""
    project = folder / "new"
    run([QUIRE, "new", project], check=True, stdout=DEVNULL, stderr=DEVNULL)
    with serve(project) as site:
        yield site


@contextmanager
def serve_site(folder: Path) -> Iterator[Site]:
    """Serve the blog from a folder, as `quire start` does."""
    project = Path(
        shutil.copytree(EXAMPLE, folder / "blog", ignore=shutil.ignore_patterns(".tmp", ".env"))
    )
    write_tree(project, *EVERYTHING)
    run([QUIRE, "seed", project], check=True, stdout=DEVNULL, stderr=DEVNULL)
    with (project / "quire.toml").open("a") as settings:
        settings.write("\n[admin.rate_limit]\nenabled = false\n")
    with serve(project) as site:
        yield site


@contextmanager
def serve(project: Path) -> Iterator[Site]:
    """Start a project that has no administrator, as a process of its own."""
    arguments = [str(QUIRE), "start", str(project), "--host", "127.0.0.1", "--port", "0"]
    with Popen(arguments, stderr=PIPE, text=True) as process:
        assert process.stderr is not None
        try:
            address = registration = ""
            for line in process.stderr:
                served = re.search(r"is served at (http://\S+) ", line)
                address = served[1] if served else address
                link = re.search(r"(http://\S+/admin/auth/register-admin\?\S+)", line)
                if link:
                    registration = link[1]
                    break
            assert registration, "the server has printed no link"
            # What it prints from now on is read away, so that it never waits for a reader.
            Thread(target=process.stderr.read, daemon=True).start()
            yield Site(address, registration)
        finally:
            process.terminate()
            process.wait(20)
