"""The kiosk with Python code, used over HTTP."""

import asyncio
import io
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, redirect_stderr
from pathlib import Path
from textwrap import dedent
from typing import Any, NamedTuple

from quire import cli
from quire.schema.load import load_schema
from quire.schema.model import Schema
from tests.databases.kind import Kind
from tests.unit.admin_api.office import BOSS, Office, office_project, run_office
from tests.unit.kiosk import PAPER, SCHEMA
from tests.unit.schema.trees import write_tree

PAPERS = f"/content-manager/collection-types/{PAPER}"
FILE = "src/api/paper/paper.py"
IMPORTS = f"""\
import asyncio
import quire
from quire import *
PAPER, WRITER = "{PAPER}", "api::writer.writer"
fired = []
"""

fired_hooks: list[tuple[str, str, str | None, str]] = []
"""What code of several projects has noted: phase, action, locale and document id."""


class Outcome(NamedTuple):
    """The exit code of a command, and its messages."""

    code: int
    messages: str


async def run_command(*arguments: object) -> Outcome:
    """Run a command, which has an event loop of its own."""
    with redirect_stderr(io.StringIO()) as messages:
        code = await asyncio.to_thread(cli.run, [str(argument) for argument in arguments])
    return Outcome(code, messages.getvalue())


def module() -> Any:  # noqa: ANN401 - a module of a test's own
    """Return the module of the project that was imported last."""
    return sys.modules["src.api.paper.paper"]


def write_code(project: Path, code: str, file: str = FILE) -> None:
    """Write a Python file of a project."""
    path = project / file
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(IMPORTS + dedent(code), encoding="utf-8")


def schema_in(folder: Path) -> Schema:
    """Lay out the schema of the kiosk alone."""
    write_tree(folder, *SCHEMA)
    return load_schema(folder)


@asynccontextmanager
async def open_extended(folder: Path, kind: Kind, code: str) -> AsyncIterator[Office]:
    """Run the kiosk with the code; visitors have all permissions in ``/api``."""
    async with office_project(folder, kind) as project:
        write_code(project, code)
        async with run_office(project) as office:
            office.boss = (await office.sign_in(BOSS["email"])).data["token"]
            yield office


async def titles(office: Office, query: str = "status=draft") -> list[str]:
    """Return the titles of all papers, in order."""
    reply = await office.ask("GET", f"/api/papers?sort=title&{query}")
    return [entry["title"] for entry in reply.data]
