"""Creates, copies and drops databases on the tests' server."""

import os
from functools import cache
from itertools import count
from urllib.parse import urlsplit

from tests.postgresql.session import Session
from tests.postgresql.sharing import run_folder, server_url

_numbers = count(1)


def url_of(name: str) -> str:
    """Return the URL of a database by its name."""
    return urlsplit(server_url())._replace(path=f"/{name}").geturl()


def name_of(url: str) -> str:
    """Return the name of the database of a URL."""
    return urlsplit(url).path.removeprefix("/")


def new_database(template: str | None = None) -> str:
    """Make a database, empty or a copy of another one that nobody is connected to.

    Returns its name, which no other process of this or any other test run uses.
    """
    worker = os.environ.get("PYTEST_XDIST_WORKER", "main")
    run = run_folder().name.rpartition("-")[2][:12]
    name = f"quire_{run}_{worker}_{next(_numbers)}"
    # As in the databases whose responses were recorded: text in the order of its code points.
    _server().script(
        f"CREATE DATABASE {name} TEMPLATE {template or 'template0'} ENCODING 'UTF8'"
        + ("" if template else " LC_COLLATE 'C.UTF-8' LC_CTYPE 'C.UTF-8'")
        + _strategy()
    )
    return name


def drop_database(name: str) -> None:
    """Have a database dropped soon, whoever is connected to it.

    Nobody waits for it: the server drops none while a connection is being made, and one that the
    event loop of the tests makes would wait for the loop, which would wait for the server.
    """
    _dropping_session().begin(f"DROP DATABASE IF EXISTS {name} WITH (FORCE)")


@cache
def _strategy() -> str:
    """Copy files: to log all pages, as is the default since version 15, takes twice as long."""
    (version,) = _server().execute("SELECT current_setting('server_version_num')::int")[0]
    return " STRATEGY file_copy" if version >= 150000 else ""


@cache
def _server() -> Session:
    return Session(server_url()).close_at_exit()


@cache
def _dropping_session() -> Session:
    return Session(server_url()).close_at_exit()
