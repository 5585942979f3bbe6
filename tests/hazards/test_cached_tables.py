"""Cache entries name all tables that they were read from, and only those invalidate them."""

import shutil
from collections import Counter
from collections.abc import AsyncIterator, Iterator, Mapping
from contextlib import closing
from pathlib import Path
from typing import NamedTuple

import apsw
import pytest

from quire.app import Application, build_app
from quire.database.dialects.sqlite.driver import _Reader as Reader
from quire.database.program import Program, Statement, is_query
from quire.database.versioned_cache import Tables, VersionedCache, VersionedValue
from quire.settings import load_settings
from tests.conformance.client import AsgiClient, Authorization, running
from tests.conformance.corpus import credentials, read_cases
from tests.hazards.test_response_cache_invalidation import Site

_TRIES = 400
_EVERY = 3
"""One of so many recorded reads is asked for."""
CREDENTIALS = frozenset({"Anonymous", "_VerifiedAdministrator", "_VerifiedPrincipal"})
BACKGROUND = frozenset({"strapi_core_store_settings", "strapi_webhooks"})
"""What the server reads for itself now and then."""
ADMIN_READS = (
    "/admin/users?sort=email&pageSize=5",
    "/admin/roles",
    "/content-manager/collection-types/api::article.article?page=2&pageSize=3&sort=title",
    "/content-manager/collection-types/api::article.article?_q=tide&filters[author][name]=Ada",
    "/upload/files?sort=name&page=1",
    "/upload/folders?populate=parent",
)


class Cached(NamedTuple):
    """Something that was cached: its type, the tables that it names, what had been read for it."""

    name: str
    tables: Tables
    statements: tuple[Statement, ...]


class Recorder:
    """Notes which statements a server runs for reads, and what it caches with which tables."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self._statements: list[Statement] = []
        self.cached: list[Cached] = []
        run, keep, replace = Reader.run, VersionedCache.keep, VersionedValue.set

        def noting_run(reader: Reader, program: Program[object], seconds: float) -> object:
            return run(reader, self._noting(program), seconds)

        def noting_keep(
            cached: VersionedCache[str, object],
            key: str,
            version: int | None,
            value: object,
            tables: Tables,
        ) -> None:
            self._note(value, tables)
            keep(cached, key, version, value, tables)

        def noting_set(kept: VersionedValue[object], version: int | None, value: object) -> None:
            self._note(value, kept._tables)  # noqa: SLF001 - nobody else asks for them
            replace(kept, version, value)

        monkeypatch.setattr(Reader, "run", noting_run)
        monkeypatch.setattr(VersionedCache, "keep", noting_keep)
        monkeypatch.setattr(VersionedValue, "set", noting_set)

    def _note(self, value: object, tables: Tables) -> None:
        name = type(value).__name__
        self.cached.append(Cached(name, tables, tuple(self._statements)))
        if name in CREDENTIALS or isinstance(value, bool):
            # What is read from now on is for something else.
            self._statements.clear()

    def _noting(self, program: Program[object]) -> Program[object]:
        try:
            statement = next(program)
            while True:
                if is_query(statement):
                    self._statements.append(statement)
                statement = program.send((yield statement))
        except StopIteration as done:
            return done.value

    def clear(self) -> None:
        """Forget what was noted."""
        self._statements.clear()
        self.cached.clear()


class Oracle:
    """Records the tables that a statement reads, as reported by SQLite."""

    def __init__(self, connection: apsw.Connection) -> None:
        tables = connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")
        self._names = {str(name) for (name,) in tables.fetchall()}
        self._connection = connection
        self._read: set[str] = set()
        self._known: dict[str, frozenset[str]] = {}
        connection.authorizer = self._note

    def tables_of(self, statements: tuple[Statement, ...]) -> frozenset[str]:
        """Return the tables that some statements read."""
        return frozenset().union(*map(self._tables_of, statements))

    def _tables_of(self, statement: Statement) -> frozenset[str]:
        sql, values, _ = statement
        if sql not in self._known:
            self._read = set()
            self._connection.execute(sql, values, explain=1, can_cache=False)
            self._known[sql] = frozenset(self._read & self._names)
        return self._known[sql]

    def _note(self, action: int, name: str | None, *_: object) -> int:
        if action == apsw.SQLITE_READ:
            self._read.add(str(name))
        return apsw.SQLITE_OK


@pytest.fixture
def oracle(own_recorded: Path, tmp_path: Path) -> Iterator[Oracle]:
    copied = shutil.copyfile(own_recorded / ".tmp" / "data.db", tmp_path / "copy.db")
    with closing(apsw.Connection(str(copied))) as connection:
        yield Oracle(connection)


@pytest.fixture
def recorder(monkeypatch: pytest.MonkeyPatch) -> Recorder:
    return Recorder(monkeypatch)


@pytest.mark.whatever_the_database("SQLite tells which tables a statement reads")
async def test_whatever_is_cached_names_all_tables_that_it_was_read_from(
    own_recorded: Path, oracle: Oracle, recorder: Recorder
) -> None:
    seen: Counter[str] = Counter()
    known: Counter[str] = Counter()
    async with running(build_app(load_settings(own_recorded, environ={}))) as client:
        for path, headers in await requests(client):
            recorder.clear()
            await client.request("GET", path, headers)
            for cached in recorder.cached:
                if cached.name == "bool":
                    continue
                read = oracle.tables_of(cached.statements)
                if cached.name not in CREDENTIALS:
                    read -= BACKGROUND
                assert cached.tables is None or read <= cached.tables, (path, cached.name)
                seen[cached.name] += 1
                known[cached.name] += bool(cached.tables)
    assert seen.keys() >= {"Response", "int", *CREDENTIALS}
    assert known == seen


async def requests(client: AsgiClient) -> list[tuple[str, Mapping[str, str]]]:
    """Return the targets of reads, with their headers."""
    authorization = Authorization(client, credentials())
    cases = [case for case in read_cases() if case.method == "GET"][::_EVERY]
    asked = [(one.path, {**await authorization.headers(one.auth), **one.headers}) for one in cases]
    administrator = await Site(client.app).administrator()  # type: ignore[arg-type]  # it is one
    admin = {"Authorization": f"Bearer {administrator}"}
    return [*asked, *((path, admin) for path in ADMIN_READS)]


class Asked:
    """A server that reports whether a response is from its cache."""

    def __init__(self, application: Application) -> None:
        assert application.services is not None
        self.site = Site(application)
        self._counter = application.services.metrics.caches.responses

    async def is_cached(self, path: str) -> bool:
        """Tell whether the response to a path is from the cache."""
        before = self._counter.hits
        response = await self.site.send("GET", path)
        assert response.status == 200, response.content
        return self._counter.hits > before

    async def write(self, method: str, path: str, data: object) -> None:
        response = await self.site.send(method, path, {"data": data})
        assert response.status < 300, response.content


@pytest.fixture
async def asked(own_recorded: Path) -> AsyncIterator[Asked]:
    application = build_app(load_settings(own_recorded, environ={}))
    async with running(application):
        yield Asked(application)


TAGS = "/api/tags?sort=id"
AUTHORS = "/api/authors?sort=id"
WITH_AUTHOR = "/api/articles?populate=author&sort=id"
BY_AUTHOR = "/api/articles?filters[author][name][$ne]=Nobody&sort=id"
SORTED_BY_AUTHOR = "/api/articles?sort=author.name"
PLAIN = "/api/articles?fields=title&sort=id"
HOMEPAGE = "/api/homepage"
EVERYTHING = (TAGS, AUTHORS, WITH_AUTHOR, BY_AUTHOR, SORTED_BY_AUTHOR, PLAIN, HOMEPAGE)


@pytest.mark.parametrize(
    ("uid", "data", "dropped"),
    [
        ("tags", {"label": "Tides"}, {TAGS}),
        ("authors", {"name": "Ida"}, {AUTHORS, WITH_AUTHOR, BY_AUTHOR, SORTED_BY_AUTHOR}),
        ("articles", {"summary": "Tide"}, {WITH_AUTHOR, BY_AUTHOR, SORTED_BY_AUTHOR, PLAIN}),
        ("homepage", {"heading": "Hello"}, {HOMEPAGE}),
    ],
)
async def test_a_write_drops_the_responses_that_depend_on_it_and_no_others(
    uid: str, data: dict[str, str], dropped: set[str], asked: Asked
) -> None:
    path = uid
    if uid != "homepage":
        listed = await asked.site.send("GET", f"/api/{uid}?sort=id")
        path = f"{uid}/{listed.json['data'][0]['documentId']}"  # type: ignore[index,call-overload]
    kept: set[str] = set()
    expected = {*EVERYTHING} - dropped
    # Others who commit on the same PostgreSQL server drop all responses, at any moment of a try.
    for number in range(_TRIES):
        for one in EVERYTHING:
            await asked.is_cached(one)
        name, value = next(iter(data.items()))
        await asked.write("PUT", f"/api/{path}", {name: f"{value} {number}"})
        kept = {one for one in EVERYTHING if await asked.is_cached(one)}
        assert not kept & dropped
        if kept == expected:
            break
    assert kept == expected
