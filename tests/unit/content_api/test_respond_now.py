"""`ContentApi.respond_now`: requests that need no waiting, and others."""

from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import pytest

from quire.access.ability import FullAccess, NarrowedAbility, ProjectRules
from quire.access.principal import Anonymous, Principal
from quire.app import build_app
from quire.content_api.application import ContentApi
from quire.content_api.http_messages import Request, credential_of
from quire.database.dialects.sqlite.driver import SqliteDatabase
from quire.settings import load_settings
from tests.conformance.client import running
from tests.conformance.corpus import credentials
from tests.library.statements import StatementLog, log_statements

TOKEN = credentials().api_tokens["full"]
only_sqlite = pytest.mark.whatever_the_database("PostgreSQL has to be waited for, always")


@pytest.fixture
def log() -> Iterator[StatementLog]:
    """The statements that the server runs."""
    with log_statements() as log:
        yield log


@pytest.fixture
async def content(shared_recorded: Path, log: StatementLog) -> AsyncIterator[ContentApi]:
    """The content API of a server that nobody has asked anything."""
    application = build_app(load_settings(shared_recorded, environ={}))
    async with running(application):
        content = application.content
        assert content is not None
        yield content


def read(target: bytes, token: str | None = None) -> Request:
    path, _, query = target.partition(b"?")
    headers = {b"host": b"x"}
    if token is not None:
        headers[b"authorization"] = f"Bearer {token}".encode()
    return Request("GET", path, query, headers, None, credential_of(headers))


async def no_body() -> dict[str, object]:
    return {"type": "http.request", "body": b"", "more_body": False}


async def respond(content: ContentApi, request: Request) -> int:
    response = await content.response(request, no_body)
    assert response is not None
    return response.status


@only_sqlite
async def test_a_read_is_responded_to_once_it_is_known_who_asks(content: ContentApi) -> None:
    for token in (None, TOKEN):
        assert content.respond_now(read(b"/api/articles", token)) is None
        for _ in range(2):  # the first use of a token is written down
            assert await respond(content, read(b"/api/articles", token)) == 200
        at_once = content.respond_now(read(b"/api/articles", token))
        assert at_once is not None
        assert at_once.status == 200


@only_sqlite
async def test_a_read_that_is_refused_is_refused_without_waiting(content: ContentApi) -> None:
    await respond(content, read(b"/api/articles"))
    for target, status in {
        b"/api/articles?sort=nope": 400,
        b"/api/articles/nope": 404,
        b"/api/setting": 403,
        b"/api/articles/%ff": 400,
    }.items():
        response = content.respond_now(read(target))
        assert response is not None
        assert response.status == status


@only_sqlite
async def test_a_slow_read_has_to_wait(
    content: ContentApi, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert await respond(content, read(b"/api/articles?populate=*")) == 200
    monkeypatch.setattr(SqliteDatabase, "_guard_seconds", 0, raising=False)
    target = b"/api/articles?populate=*&sort=title"
    assert content.respond_now(read(target)) is None
    assert await respond(content, read(target)) == 200


@only_sqlite
async def test_a_large_plan_that_is_not_compiled_has_to_wait(content: ContentApi) -> None:
    await respond(content, read(b"/api/articles"))
    members = b"&".join(b"filters[$or][%d][title]=%d" % (n, n) for n in range(30))
    assert content.respond_now(read(b"/api/articles?" + members)) is None
    assert await respond(content, read(b"/api/articles?" + members)) == 200
    assert content.respond_now(read(b"/api/articles?" + members)) is not None


@pytest.mark.parametrize(
    "target", [b"/nope", b"/api/nope", b"/admin/init", b"/api/connect/github", b"/_ready"]
)
async def test_what_is_no_read_of_content_takes_the_ordinary_way(
    content: ContentApi, target: bytes
) -> None:
    assert content.respond_now(read(target)) is None
    assert not content.reads_content(read(target))


async def test_a_read_that_has_to_wait_leaves_what_is_known_of_who_asks(
    content: ContentApi, log: StatementLog
) -> None:
    asked_for_token: list[bool] = []
    # A new version of the content asks again: that of the first use, which is written down, and
    # that of anybody else who commits on the same server.
    while asked_for_token[-2:] != [False, False] and len(asked_for_token) < 100:
        target = b"/api/articles?pagination[start]=%d" % len(asked_for_token)
        content.respond_now(read(target, TOKEN))
        log.statements.clear()
        assert await respond(content, read(target, TOKEN)) == 200
        asked_for_token.append(any("strapi_api_tokens" in sql for sql in log.statements))
    assert asked_for_token[0]
    assert asked_for_token[-2:] == [False, False]


def test_a_request_that_is_repeated_is_narrowed_by_the_rules_of_the_repetition() -> None:
    request = read(b"/api/papers")
    for rule in ({"paper.find": "first"}, {"paper.find": "second"}):
        ability = NarrowedAbility(FullAccess(), ProjectRules(rules=rule))
        principal = Anonymous(ability=ability)

        def narrow(_: Principal, narrowed: Principal = principal) -> Principal:
            return narrowed

        request.identify(Anonymous(ability=FullAccess()), narrow)
        assert request.principal is principal
