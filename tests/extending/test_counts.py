"""Hooks run once per document, locale and action, for every caller."""

from collections.abc import AsyncIterator, Awaitable, Callable

import pytest
import pytest_asyncio

from tests.databases.kind import Kind
from tests.extending.project import PAPERS, module, open_extended
from tests.unit.admin_api.office import Office
from tests.unit.kiosk import PAPER

CODE = """
EVERY = ["create", "update", "delete", "publish", "unpublish", "discard_draft", "clone"]

@before_write("api::*", on=EVERY)
def before(write):
    fired.append(("before", write.action, write.locale))

@after_write("api::*", on=EVERY)
async def after(write):
    fired.append(("after", write.action, write.locale))
"""
TITLE = {"title": "Tides"}

Call = Callable[[Office, str], Awaitable[object]]


@pytest_asyncio.fixture(loop_scope="session", scope="module")
async def office(tmp_path_factory: pytest.TempPathFactory, kind: Kind) -> AsyncIterator[Office]:
    """An office for all tests: each makes the document that it changes."""
    async with open_extended(tmp_path_factory.mktemp("counts"), kind, CODE) as opened:
        yield opened


def rest(method: str, target: str, data: object = None) -> Call:
    """Ask the content API; ``{}`` is the document."""

    async def call(office: Office, document_id: str) -> object:
        body = None if data is None else {"data": data}
        reply = await office.send(method, f"/api/{target.format(document_id)}", body)
        assert reply.status in {200, 201, 204}, reply.content
        return reply

    return call


def admin(method: str, target: str, body: object = None) -> Call:
    """Ask the admin API; ``{}`` is the document."""

    async def call(office: Office, document_id: str) -> object:
        sent = {"documentIds": [document_id]} if body == "bulk" else body
        path = f"{PAPERS}{target.format(document_id)}"
        reply = await office.send(method, path, sent, token=office.boss)
        assert reply.status in {200, 201}, reply.content
        return reply

    return call


def batch(*operations: dict[str, object]) -> Call:
    """Ask for several things in one transaction."""

    async def call(office: Office, document_id: str) -> object:
        body = [
            {
                "type": PAPER,
                **one,
                **({} if one["action"] == "create" else {"documentId": document_id}),
            }
            for one in operations
        ]
        reply = await office.send("POST", "/api/_batch", {"operations": body})
        assert reply.status == 200, reply.content
        return reply

    return call


@pytest.mark.parametrize(
    ("call", "expected"),
    [
        (rest("POST", "papers", TITLE), ["create en", "publish en"]),
        (rest("POST", "papers?status=draft", TITLE), ["create en"]),
        (rest("PUT", "papers/{}", TITLE), ["update en", "publish en"]),
        (rest("PUT", "papers/{}?status=draft", TITLE), ["update en"]),
        (rest("PUT", "papers/{}?status=draft&locale=fr", TITLE), ["update fr"]),
        (rest("DELETE", "papers/{}?locale=*"), ["delete en", "delete fr"]),
        (rest("DELETE", "papers/{}"), ["delete en"]),
        (rest("POST", "writers", {"name": "Ada"}), ["create None"]),
        (
            rest("POST", "papers?status=draft", {**TITLE, "writer": {"connect": []}}),
            ["create en"],
        ),
        (batch({"action": "create", "data": TITLE}), ["create en", "publish en"]),
        (
            batch({"action": "update", "data": TITLE, "status": "draft"}, {"action": "publish"}),
            ["update en", "publish en"],
        ),
        (batch({"action": "unpublish"}), ["unpublish en"]),
        (batch({"action": "delete"}), ["delete en"]),
        (admin("POST", "", TITLE), ["create en"]),
        (admin("PUT", "/{}", TITLE), ["update en"]),
        (admin("POST", "/{}/actions/publish", {}), ["update en", "publish en"]),
        (admin("POST", "/{}/actions/unpublish", {}), ["unpublish en"]),
        (admin("POST", "/{}/actions/discard", {}), ["discard_draft en"]),
        (admin("POST", "/clone/{}", {}), ["clone en"]),
        (admin("DELETE", "/{}?locale=*"), ["delete en", "delete fr"]),
        (admin("POST", "/actions/bulkPublish", "bulk"), ["publish en"]),
        (admin("POST", "/actions/bulkUnpublish", "bulk"), ["unpublish en"]),
        (admin("POST", "/actions/bulkDelete", "bulk"), ["delete en"]),
    ],
)
async def test_hooks_run_once_per_document_locale_and_action(
    office: Office, call: Call, expected: list[str]
) -> None:
    made = await office.ask("POST", "/api/papers", {"data": {"title": "Charts"}})
    document_id = made.data["documentId"]
    french = await office.ask(
        "PUT", f"/api/papers/{document_id}?locale=fr", {"data": {"title": "Cartes"}}
    )
    assert french.status == 200, french.json
    module().fired.clear()

    await call(office, document_id)

    for phase in ("before", "after"):
        found = [f"{action} {locale}" for when, action, locale in module().fired if when == phase]
        assert sorted(found) == sorted(expected)
        assert found[0].split()[0] == expected[0].split()[0]
