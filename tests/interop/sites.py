"""The two servers on a project: Quire, and the reference's application of the same content."""

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from bench.servers import Launch, make_strapi_application, running, strapi
from tests.conformance.client import Authorization, ClientResponse
from tests.conformance.corpus import Step, credentials, write_scenarios
from tests.conformance.over_socket import SocketClient, connected
from tests.conformance.scenarios import filled, send
from tests.databases.environment import write_environment
from tests.databases.kinds import SQLITE, kind_of
from tests.databases.kinds import rows_of as database_of
from tests.databases.sqlite import file_of
from tests.interop.rows import Rows, rows_of

READY = "/_health"
_SUCCESS_STATUSES = frozenset({200, 204})
_COMPLAINTS = ("error", "warn")
_GROUPS = frozenset({"auth", "users", "roles", "tokens", "upload"})
"""Scenarios about accounts and files, which are not about documents."""
_ACCOUNTS = ("/api/auth", "/api/users", "/api/users-permissions", "/api/upload")
"""Steps about accounts and files in other scenarios: they would change who may read what."""


def application_of(project: Path, folder: Path, installed: Path) -> Launch:
    """Make a Strapi application that serves the project's own database; returns its launch.

    ``installed`` has the reference's packages. Raises ServerError when it has not.
    """
    make_strapi_application(folder, project, installed)
    shutil.copytree(
        project / "public" / "uploads", folder / "public" / "uploads", dirs_exist_ok=True
    )
    if kind_of(project) is SQLITE:
        file = os.path.relpath(file_of(project), folder)
        write_environment(folder, {"DATABASE_FILENAME": file})
    return strapi(folder)


@contextmanager
def serving(launch: Launch) -> Iterator[SocketClient]:
    """Start a server and connect to it. Raises ServerError when it does not start."""
    with running(launch, READY, _SUCCESS_STATUSES) as server, connected(server.port) as client:
        yield client


def rows(project: Path) -> Rows:
    """Return what a project's database holds."""
    with database_of(project) as database:
        return rows_of(database)


def complaints(launch: Launch) -> tuple[str, ...]:
    """Return what a server that was just started has said that does not bode well."""
    log = (launch.folder / "server.log").read_text(encoding="utf-8", errors="replace")
    return tuple(
        line.strip()
        for line in log.splitlines()
        if any(word in line.lower() for word in _COMPLAINTS) and "http" not in line
    )


async def write_all(client: SocketClient) -> None:
    """Send the requests of all scenarios, one after the other, whatever is answered."""
    authorization = Authorization(client, credentials())
    for scenario in write_scenarios():
        if scenario.group in _GROUPS or any(map(_is_about_accounts, scenario.steps)):
            continue
        responses: list[ClientResponse] = []
        for recorded in scenario.steps:
            responses.append(await send(filled(recorded, responses), client, authorization))


def _is_about_accounts(step: Step) -> bool:
    return step.path.startswith(_ACCOUNTS)
