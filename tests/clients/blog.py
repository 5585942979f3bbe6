"""The example blog as a running server, with its two OpenAPI documents."""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from subprocess import run

import httpx
from msgspec import Struct

from tests.unit.cli.processes import QUIRE, serving

ADMINISTRATOR = {"email": "ada@example.org", "password": "Low-water-at-6"}


class Blog(Struct, frozen=True):
    """Where the server is, what it takes to write to it, and the files of its documents."""

    address: str
    api_token: str
    access_token: str
    content: Path
    admin: Path


@contextmanager
def serve_blog(folder: Path) -> Iterator[Blog]:
    """Serve a new project from the template, and save what describes its APIs."""
    project = folder / "blog"
    _quire("new", str(project), "--template", "blog")
    _quire(
        *("admin", "create", str(project), "--email", ADMINISTRATOR["email"], "--firstname", "Ada"),
        typed=f"{ADMINISTRATOR['password']}\n",
    )
    api_token = _quire(
        "token", "create", str(project), "--name", "clients", "--type", "full-access"
    )
    with serving("start", project) as (address, _):
        signed_in = httpx.post(f"{address}/admin/login", json=ADMINISTRATOR).json()
        access_token = signed_in["data"]["accessToken"]
        yield Blog(
            address=address,
            api_token=api_token,
            access_token=access_token,
            content=_saved(f"{address}/api/openapi.json", api_token, folder / "content.json"),
            admin=_saved(f"{address}/admin/x/openapi.json", access_token, folder / "admin.json"),
        )


def _saved(url: str, token: str, file: Path) -> Path:
    document = httpx.get(url, headers={"Authorization": f"Bearer {token}"})
    file.write_text(json.dumps(document.raise_for_status().json()), encoding="utf-8")
    return file


def _quire(*arguments: str, typed: str = "") -> str:
    done = run([str(QUIRE), *arguments], input=typed, capture_output=True, text=True, check=True)
    return done.stdout.strip()
