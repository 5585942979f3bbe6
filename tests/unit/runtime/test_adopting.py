"""Content types change while the application runs, without failed requests."""

import asyncio
import gc
import json
import weakref
from collections.abc import AsyncIterator, Callable, MutableMapping, Sequence
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa
from structlog.testing import capture_logs

from quire.access.admin_actions import READ
from quire.app import Application, build_app
from quire.content_manager.locales import DEFAULT_LOCALE_KEY
from quire.database.compile.statements import StatementBuilder
from quire.database.compile.writes import Writes
from quire.database.interface import Database
from quire.database.program import Program, Row, Statement
from quire.database.schema_version import announce_schema
from quire.database.stores.core_store import write_setting
from quire.errors import DatabaseOpenError, StaleSchemaError
from quire.runtime.schema_runtime import SchemaRuntime
from quire.settings import load_settings
from tests.conformance.client import AsgiClient, ClientResponse, running
from tests.conformance.corpus import credentials
from tests.conformance.managed import AdminAuthorization
from tests.library.remodelling import Model

POSTER = "api::poster.poster"
DOCUMENT = "colouredtagsgrantedtoall"


class Site:
    """The running project, with a client that has all permissions."""

    def __init__(self, app: Application, client: AsgiClient) -> None:
        assert app.database is not None
        self.app = app
        self.database: Database = app.database
        self.client = client
        self.model = Model(app.settings)

    async def ask(self, method: str, target: str, data: object = None) -> ClientResponse:
        body = b"" if data is None else json.dumps({"data": data}).encode()
        headers = {
            "Authorization": f"Bearer {credentials().api_tokens['full']}",
            "Content-Type": "application/json",
        }
        return await self.client.request(method, f"/api/{target}", headers, body)

    async def change(self, *, wide: bool, extending: bool = False) -> None:
        """Change files and tables, as another process would.

        With ``extending`` those who have not heard of it yet may go on to write.
        """
        extends = self.app.schema.version if extending else None
        schema = self.model.write_files(wide=wide)
        await self.database.write(self.model.change(self.database, schema, extends=extends))

    async def remodel(self, *, wide: bool) -> None:
        """Change files and tables, and let the application know at once."""
        schema = self.model.write_files(wide=wide)
        await self.database.write(self.model.change(self.database, schema))
        await self.app.adopt(schema)

    async def first_tag(self) -> dict[str, Any]:
        response = await self.ask("GET", "tags?sort=id&pagination[pageSize]=1")
        assert response.status == 200, response.content
        found: dict[str, Any] = json.loads(response.content)["data"][0]
        return found

    def runtime(self) -> "weakref.ref[SchemaRuntime]":
        present = self.app.runtime
        assert present is not None
        return weakref.ref(present)


def only(statement: Statement) -> Program[None]:
    yield statement


@pytest.fixture
async def site(own_recorded: Path) -> AsyncIterator[Site]:
    """The site in its narrow model, with a table for posters that nothing leads to yet."""
    model = Model(load_settings(own_recorded, environ={}))
    model.write_files(wide=True)
    posters = list(model.make_posters())
    model.write_files(wide=False)
    async with running(app := build_app(load_settings(own_recorded, environ={}))) as client:
        found = Site(app, client)
        for statement in posters:
            await found.database.write(only(statement))
        yield found


async def test_types_and_attributes_come_and_go(site: Site) -> None:
    assert (await site.ask("GET", "posters")).status == 404

    await site.remodel(wide=True)
    painted = await site.ask("POST", "tags", {"label": "sea", "colour": "blue"})
    posters = await site.ask("GET", "posters")
    wide = await site.first_tag()

    await site.remodel(wide=False)
    narrow = await site.first_tag()

    assert painted.status == 201
    assert json.loads(painted.content)["data"]["colour"] == "blue"
    assert posters.status == 200
    assert wide == {**narrow, "colour": None}
    assert (await site.ask("GET", "posters")).status == 404
    assert (await site.ask("POST", "tags", {"label": "x", "colour": "blue"})).status == 400


async def test_permissions_on_an_attribute_go_with_it(site: Site) -> None:
    """Else whoever could see it would see another attribute that gets its name."""
    await site.remodel(wide=True)
    writes = Writes(site.database.dialect)
    await site.database.write(_granted(writes, ["label", "colour"]))

    await site.remodel(wide=False)

    [[properties]] = await site.database.read(lambda: _properties(writes))
    assert json.loads(str(properties)) == {"fields": ["label"]}


def _granted(writes: Writes, fields: list[str]) -> Program[None]:
    encoded = writes.dialect.encode_json({"fields": fields})
    row = {"action": READ, "subject": "api::tag.tag", "document_id": DOCUMENT}
    yield from writes.insert("admin_permissions", {**row, "properties": encoded})


def _properties(writes: Writes) -> Program[Sequence[Row]]:
    def build(builder: StatementBuilder) -> sa.ClauseElement:
        table = builder.table("admin_permissions")
        here = table.c("document_id") == builder.plain_slot(0)
        return sa.select(table.c("properties")).where(here)

    return (yield from writes.run(("properties of a test",), build, (DOCUMENT,)))


async def test_a_schema_whose_tables_are_missing_is_not_adopted(site: Site) -> None:
    before = site.app.schema
    schema = site.model.write_files(wide=True)

    await site.database.write(only(Statement("DROP TABLE poster_rows")))
    with pytest.raises(DatabaseOpenError, match="poster_rows"):
        await site.app.adopt(schema)

    assert site.app.schema is before
    assert (await site.ask("GET", "tags")).status == 200


async def test_a_schema_that_the_tables_have_not_is_not_adopted(site: Site) -> None:
    before = site.app.schema
    schema = site.model.write_files(wide=True)
    await site.database.write(announce_schema(Writes(site.database.dialect), before.version))

    with pytest.raises(StaleSchemaError):
        await site.app.adopt(schema)

    assert site.app.schema is before


async def test_what_another_process_changes_is_followed(site: Site) -> None:
    await site.change(wide=True)

    async with asyncio.timeout(20):
        while (await site.ask("GET", "posters")).status != 200:  # noqa: ASYNC110 - as clients do
            await asyncio.sleep(0.05)

    assert "colour" in await site.first_tag()


async def test_a_read_of_a_column_that_is_gone_is_answered_without_it(site: Site) -> None:
    await site.remodel(wide=True)
    assert "colour" in await site.first_tag()

    await site.change(wide=False)

    assert "colour" not in await site.first_tag()


async def test_a_write_does_not_rely_on_a_check_that_began_before_the_change(
    site: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    has_read, may_continue = asyncio.Event(), asyncio.Event()
    read = site.database.read

    async def read_and_wait(program: Callable[[], Program[object]]) -> object:
        result = await read(program)
        has_read.set()
        await may_continue.wait()
        return result

    await site.remodel(wide=True)
    monkeypatch.setattr(site.database, "read", read_and_wait)
    writes = Writes(site.database.dialect)
    await site.database.write(write_setting(writes, "checked_again", {}))
    await has_read.wait()
    monkeypatch.undo()
    await site.change(wide=False)
    asyncio.get_running_loop().call_later(0.2, may_continue.set)

    assert (await site.ask("POST", "tags", {"label": "narrow"})).status == 201


async def test_a_write_to_tables_that_have_changed_is_done_by_the_new_schema(site: Site) -> None:
    await site.remodel(wide=True)
    await site.change(wide=False)
    narrow = await site.ask("POST", "tags", {"label": "narrow"})
    await site.change(wide=True)
    wide = await site.ask("POST", "tags", {"label": "wide"})

    assert (narrow.status, wide.status) == (201, 201)
    assert "colour" not in json.loads(narrow.content)["data"]
    assert json.loads(wide.content)["data"]["colour"] is None


async def test_administrators_write_by_the_new_schema_too(site: Site) -> None:
    tags = "/content-manager/collection-types/api::tag.tag"
    signed_in = await AdminAuthorization(site.client, credentials()).headers("admin")
    headers = {**signed_in, "Content-Type": "application/json"}
    tag = json.dumps({"label": "wide", "colour": "blue"}).encode()

    await site.change(wide=True)
    wide = await site.client.request("POST", tags, headers, tag)
    await site.database.write(announce_schema(Writes(site.database.dialect), "elsewhere"))
    refused = await site.client.request("POST", tags, headers, tag)

    assert wide.status == 201
    assert json.loads(wide.content)["data"]["colour"] == "blue"
    assert refused.status == 503


async def test_the_model_is_shown_and_changed_as_the_last_change_has_left_it(site: Site) -> None:
    """Whichever process has made that change, and however soon this one is asked."""
    signed_in = await AdminAuthorization(site.client, credentials()).headers("admin")
    headers = {**signed_in, "Content-Type": "application/json"}
    builder = "/content-type-builder"

    await site.change(wide=True, extending=True)
    shown = await site.client.request("GET", f"{builder}/content-types/{POSTER}", headers)
    await site.remodel(wide=False)
    await site.change(wide=True, extending=True)
    taken = await site.client.request("DELETE", f"{builder}/content-types/{POSTER}", headers)

    assert shown.status == 200
    assert (taken.status, taken.json) == (200, {"data": {"uid": POSTER}})


async def test_nobody_writes_by_a_schema_that_the_tables_do_not_have(site: Site) -> None:
    """Without the files nothing can be adopted: what is read still holds, what is written not."""
    writes = Writes(site.database.dialect)
    await site.database.write(announce_schema(writes, "of files that are elsewhere"))

    with capture_logs() as reported:
        written = await site.ask("POST", "tags", {"label": "lost"})
        read = await site.ask("GET", "tags?filters[label]=lost")

    assert written.status == 503
    assert json.loads(read.content)["data"] == []
    assert [line["event"] for line in reported].count("the tables have another schema") == 1


async def test_a_change_by_hand_before_the_start_is_not_minded(own_recorded: Path) -> None:
    settings = load_settings(own_recorded, environ={})
    async with running(app := build_app(settings)):
        assert app.database is not None
        writes = Writes(app.database.dialect)
        await app.database.write(announce_schema(writes, "of long ago"))
    async with running(app := build_app(settings)) as client:
        site = Site(app, client)
        assert (await site.ask("POST", "tags", {"label": "new"})).status == 201
        assert (await site.ask("GET", "tags")).status == 200


class Slow:
    """A request of which nothing but the first piece is sent until it may go on."""

    def __init__(self, path: str, content_type: str, pieces: list[bytes]) -> None:
        self._pieces = pieces
        self._may_go_on = asyncio.Event()
        self._begun = asyncio.Event()
        self.sent: list[MutableMapping[str, Any]] = []
        token = credentials().api_tokens["full"].encode()
        self.scope = {
            "type": "http",
            "http_version": "1.1",
            "method": "POST",
            "raw_path": path.encode(),
            "query_string": b"",
            "headers": [
                (b"host", b"localhost"),
                (b"authorization", b"Bearer " + token),
                (b"content-type", content_type.encode()),
                (b"content-length", str(sum(map(len, pieces))).encode()),
            ],
        }

    async def receive(self) -> MutableMapping[str, Any]:
        piece = self._pieces.pop(0)
        if not self._pieces:
            self._begun.set()
            await self._may_go_on.wait()
        return {"type": "http.request", "body": piece, "more_body": bool(self._pieces)}

    async def send(self, message: MutableMapping[str, Any]) -> None:
        self.sent.append(message)

    async def across(self, site: Site) -> Any:  # noqa: ANN401 - as JSON gives it
        """Send it to a site whose types change before its end; returns what is answered."""
        request = asyncio.create_task(site.app(self.scope, self.receive, self.send))
        await self._begun.wait()
        await site.remodel(wide=True)
        self._may_go_on.set()
        await request
        assert self.sent[0]["status"] == 201, self.sent
        return json.loads(self.sent[1]["body"])


async def test_a_request_under_way_is_finished(site: Site) -> None:
    pieces = [b'{"data": {"la', b'bel": "late"}}']

    response = await Slow("/api/tags", "application/json", pieces).across(site)

    assert response["data"]["label"] == "late"


async def test_a_file_that_is_being_uploaded_arrives(site: Site) -> None:
    head = (
        b"--x\r\n"
        b'Content-Disposition: form-data; name="files"; filename="a.txt"\r\n'
        b"Content-Type: text/plain\r\n\r\n"
    )
    pieces = [head + b"half of it, ", b"and the rest\r\n--x--\r\n"]

    response = await Slow("/api/upload", "multipart/form-data; boundary=x", pieces).across(site)

    assert response[0]["name"] == "a.txt"
    assert (await site.ask("GET", f"upload/files/{response[0]['id']}")).status == 200


async def test_another_default_locale_stays_the_default_one(site: Site) -> None:
    writes = Writes(site.database.dialect)
    await site.database.write(write_setting(writes, DEFAULT_LOCALE_KEY, "fr"))

    await site.remodel(wide=True)

    assert site.app.reader is not None
    assert site.app.reader.default_locale == "fr"


async def test_old_generations_are_forgotten(site: Site) -> None:
    old = []
    for wide in (True, False, True, False):
        await site.first_tag()
        await site.ask("POST", "tags", {"label": "x"})
        old.append(site.runtime())
        await site.remodel(wide=wide)
    await site.first_tag()
    gc.collect()

    assert [found() for found in old] == [None] * 4
    assert site.runtime()() is not None


async def test_a_schema_cannot_be_adopted_before_the_start(own_recorded: Path) -> None:
    app = build_app(load_settings(own_recorded, environ={}))
    with pytest.raises(RuntimeError):
        await app.adopt(app.schema)


async def test_the_response_to_an_error_of_the_tables_is_an_error_at_once(site: Site) -> None:
    """Where nobody has announced anything, there is nothing to wait for."""
    await site.database.write(only(Statement("ALTER TABLE tags RENAME TO tags_elsewhere")))
    response = await site.ask("GET", "tags")

    assert response.status == 500
