"""The projects of the documentation pages, and the values of their placeholders."""

import asyncio
import io
import shutil
import sqlite3
from collections.abc import AsyncIterator, Iterator, Mapping
from contextlib import AsyncExitStack, closing, redirect_stderr, redirect_stdout
from datetime import timedelta
from pathlib import Path

import pytest

from quire import cli
from quire.app import build_app
from quire.auth.jwt_and_api_tokens import issue_jwt
from quire.auth.passwords import hash_password
from quire.clock import now_ms
from quire.settings import Settings, known_settings, load_settings
from tests.conformance.client import AsgiClient, running

PASSWORD = "low-water-at-six"
_USER = """
    INSERT INTO up_users (document_id, username, email, provider, password, confirmed, blocked,
                          created_at, updated_at, published_at)
    VALUES ('t0y2m4c6x8b1n3v5z7a9q2w4', 'ines', 'ines@example.org', 'local', ?, 1, 0,
            1764000000000, 1764000000000, 1764000000000)
"""
_ROLE = """
    INSERT INTO up_users_role_lnk (user_id, role_id, user_ord)
    SELECT up_users.id, up_roles.id, 1 FROM up_users, up_roles
    WHERE up_users.username = 'ines' AND up_roles.type = 'authenticated'
"""


@pytest.fixture(scope="session")
def _silent_environment() -> Iterator[None]:
    with pytest.MonkeyPatch.context() as environment:
        for setting in known_settings().values():
            if setting.variable:
                environment.delenv(setting.variable, raising=False)
        yield


@pytest.fixture(scope="session")
def blog(_silent_environment: None, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A new project from the template, and one end user in it: they cannot be made otherwise."""
    folder = tmp_path_factory.mktemp("docs") / "blog"
    _quire("new", str(folder), "--template", "blog")
    with closing(sqlite3.connect(folder / ".tmp/data.db")) as database, database:
        database.execute(_USER, (hash_password(PASSWORD),))
        database.execute(_ROLE)
    return folder


@pytest.fixture(scope="session")
def site(_silent_environment: None, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A new project without content types."""
    folder = tmp_path_factory.mktemp("docs") / "site"
    _quire("new", str(folder))
    return folder


@pytest.fixture(scope="session")
def words(blog: Path, site: Path) -> Mapping[str, Mapping[str, str]]:
    """What the words in capitals stand for, by project."""
    with closing(sqlite3.connect(blog / ".tmp/data.db")) as database:
        query = "SELECT document_id FROM articles WHERE slug = 'dead-reckoning'"
        (document_id,) = database.execute(query).fetchone()
    settings = load_settings(blog, environ={})
    jwt_secret = settings.secrets.jwt_secret
    assert jwt_secret is not None
    return {
        "blog": {
            **_tokens(blog),
            "DOCUMENT_ID": document_id,
            "PASSWORD": PASSWORD,
            "JWT": issue_jwt(1, jwt_secret, timedelta(hours=1), now_ms()),
            "CUSTOM_TOKEN": _token(
                blog, "--type", "custom", "--action", "plugin::i18n.locales.listLocales"
            ),
        },
        "site": _tokens(site),
    }


def _tokens(project: Path) -> dict[str, str]:
    return {
        "REGISTRATION_TOKEN": asyncio.run(_registration_token(load_settings(project, environ={}))),
        "READ_ONLY_TOKEN": _token(project, "--type", "read-only"),
        "FULL_ACCESS_TOKEN": _token(project, "--type", "full-access"),
    }


@pytest.fixture
async def clients(
    blog: Path, site: Path, words: Mapping[str, Mapping[str, str]], tmp_path: Path
) -> AsyncIterator[Mapping[str, AsgiClient]]:
    """Clients of copies of both projects, in process: no test sees what another one wrote."""
    assert words, "the tokens are made before the copies"
    async with AsyncExitStack() as running_projects:
        found = {}
        for project in (blog, site):
            copy = shutil.copytree(project, tmp_path / project.name)
            app = build_app(load_settings(copy, environ={}))
            found[project.name] = await running_projects.enter_async_context(running(app))
        yield found


async def _registration_token(settings: Settings) -> str:
    app = build_app(settings)
    async with running(app):
        assert app.first_administrator is not None
        return app.first_administrator


def _token(blog: Path, *options: str) -> str:
    return _quire("token", "create", str(blog), "--name", options[1], *options).strip()


def _quire(*arguments: str) -> str:
    """Run a command in this process and return its output."""
    output, messages = io.StringIO(), io.StringIO()
    with redirect_stdout(output), redirect_stderr(messages):
        code = cli.run(arguments)
    assert code == 0, messages.getvalue()
    return output.getvalue()
