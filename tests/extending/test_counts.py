"""Hooks run once per document, locale and action, for every caller."""

from collections.abc import AsyncIterator, Awaitable, Callable
from typing import NamedTuple

import pytest
import pytest_asyncio

from tests.databases.kind import Kind
from tests.extending.project import (
    FILE,
    PAPERS,
    fired_hooks,
    open_extended,
    run_command,
    write_code,
)
from tests.unit.admin_api.office import Office
from tests.unit.kiosk import PAPER, SCHEMA
from tests.unit.schema.trees import write_tree

CODE = """
from tests.extending.project import fired_hooks as fired

EVERY = ["create", "update", "delete", "publish", "unpublish", "discard_draft", "clone"]

@before_write("api::*", on=EVERY)
def before(write):
    fired.append(("before", write.action, write.locale, write.document_id))

@after_write("api::*", on=EVERY)
async def after(write):
    fired.append(("after", write.action, write.locale, write.document_id))

@route.post("/papers/call", action=f"{PAPER}.call", public=True)
async def call(method: str, id: str) -> int:
    with as_system("call a method"):
        papers = documents(PAPER)
        match method:
            case "create":
                await papers.create(TITLE)
            case "create_published":
                await papers.create(TITLE, status="published")
            case "update":
                await papers.update(id, TITLE)
            case "update_published":
                await papers.update(id, TITLE, status="published")
            case "delete":
                await papers.delete(id, locale="*")
            case "publish" | "unpublish" | "discard_draft":
                await getattr(papers, method)(id, locale="*")
            case "clone":
                await papers.clone(id)
            case "create_many":
                await papers.create_many([TITLE, TITLE])
            case "publish_many" | "unpublish_many" | "delete_many":
                await getattr(papers, method)([id])
    return 0

TITLE = {"title": "Tides"}
"""
AROUND = """
@around("api::*", on=EVERY)
async def wrap(call, proceed):
    fired.append(("around", call.action, call.locale, call.document_id))
    return await proceed(call)
"""
TITLE = {"title": "Tides"}

Call = Callable[[Office, str], Awaitable[object]]


@pytest_asyncio.fixture(
    loop_scope="session", scope="module", params=[CODE, CODE + AROUND], ids=["hooks", "around"]
)
async def office(
    tmp_path_factory: pytest.TempPathFactory, kind: Kind, request: pytest.FixtureRequest
) -> AsyncIterator[Office]:
    """An office for all tests: each makes the document that it changes."""
    code: str = request.param
    async with open_extended(tmp_path_factory.mktemp("counts"), kind, code) as opened:
        site = opened.app.settings.project / ".site"
        write_tree(site, *SCHEMA)
        write_code(site, code)
        kind.settle(site)
        yield opened
        kind.release(site)


def rest(method: str, target: str, data: object = None) -> Call:
    """Ask the content API; ``{}`` is the document."""

    async def call(office: Office, document_id: str) -> object:
        body = None if data is None else {"data": data}
        reply = await office.send(method, f"/api/{target.format(document_id)}", body)
        assert reply.status in {200, 201, 204}, reply.content
        return reply

    return call


def with_writer(method: str, target: str, relation: str) -> Call:
    """Link the document and a new writer by the content API, from either side."""

    async def call(office: Office, document_id: str) -> object:
        made = await office.ask("POST", "/api/writers", {"data": {"name": "Ada"}})
        writer = made.data["documentId"]
        fired_hooks.clear()
        linked = writer if relation == "writer" else document_id
        path = f"/api/{target.format(document_id, writer=writer)}"
        reply = await office.ask(method, path, {"data": {relation: {"connect": [linked]}}})
        assert reply.status == 200, reply.json
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


def documents(method: str) -> Call:
    """Call a method of ``documents()``."""

    async def call(office: Office, document_id: str) -> object:
        reply = await office.send("POST", f"/api/papers/call?method={method}&id={document_id}")
        assert reply.status == 200, reply.content
        return reply

    return call


def archive(command: str, *, is_modified: bool = False) -> Call:
    """Import all documents of the office into another project; those of one are counted."""

    async def call(office: Office, document_id: str) -> object:
        if is_modified:
            target = f"/api/papers/{document_id}?status=draft"
            assert (await office.send("PUT", target, {"data": TITLE})).status == 200
        source, site = office.app.settings.project, office.app.settings.project / ".site"
        if command == "import":
            exported = site / f"{document_id}.tar"
            assert (await run_command("export", exported, source)).code == 0
            arguments = ["import", exported, site]
        else:
            arguments = ["transfer", source, site]
        fired_hooks.clear()
        outcome = await run_command(*arguments, "--replace")
        assert outcome.code == 0, outcome.messages
        fired_hooks[:] = [fired for fired in fired_hooks if fired[-1] == document_id]
        return outcome

    return call


class HookCase(NamedTuple):
    """A call, and the actions and locales that hooks run for.

    ``around`` are those of functions around actions where they differ: such a function is called
    once for all locales of a document.
    """

    call: Call
    hooks: list[str]
    around: list[str] | None = None


def fired_in(phase: str) -> list[str]:
    """Return the actions and locales of the calls in a phase."""
    return [f"{action} {locale}" for fired, action, locale, _ in fired_hooks if fired == phase]


@pytest.mark.parametrize(
    "case",
    [
        HookCase(rest("POST", "papers", TITLE), ["create en", "publish en"]),
        HookCase(rest("POST", "papers?status=draft", TITLE), ["create en"]),
        HookCase(rest("PUT", "papers/{}", TITLE), ["update en", "publish en"]),
        HookCase(rest("PUT", "papers/{}?status=draft", TITLE), ["update en"]),
        HookCase(rest("PUT", "papers/{}?status=draft&locale=fr", TITLE), ["update fr"]),
        HookCase(
            rest("DELETE", "papers/{}?locale=*"), ["delete en", "delete fr"], around=["delete *"]
        ),
        HookCase(rest("DELETE", "papers/{}"), ["delete en"]),
        HookCase(rest("POST", "writers", {"name": "Ada"}), ["create None"]),
        HookCase(rest("PUT", "papers/{}?status=draft&locale=fr", {"price": 3}), ["update fr"]),
        HookCase(with_writer("PUT", "papers/{}?status=draft", "writer"), ["update en"]),
        HookCase(with_writer("PUT", "writers/{writer}", "papers"), ["update None"]),
        HookCase(batch({"action": "create", "data": TITLE}), ["create en", "publish en"]),
        HookCase(
            batch({"action": "update", "data": TITLE, "status": "draft"}, {"action": "publish"}),
            ["update en", "publish en"],
        ),
        HookCase(batch({"action": "unpublish"}), ["unpublish en"]),
        HookCase(batch({"action": "delete"}), ["delete en"]),
        HookCase(admin("POST", "", TITLE), ["create en"]),
        HookCase(admin("PUT", "/{}", TITLE), ["update en"]),
        HookCase(admin("POST", "/{}/actions/publish", {}), ["update en", "publish en"]),
        HookCase(admin("POST", "/{}/actions/unpublish", {}), ["unpublish en"]),
        HookCase(admin("POST", "/{}/actions/discard", {}), ["discard_draft en"]),
        HookCase(admin("POST", "/clone/{}", {}), ["clone en"]),
        HookCase(admin("DELETE", "/{}?locale=*"), ["delete en", "delete fr"], around=["delete *"]),
        HookCase(admin("POST", "/actions/bulkPublish", "bulk"), ["publish en"]),
        HookCase(admin("POST", "/actions/bulkUnpublish", "bulk"), ["unpublish en"]),
        HookCase(admin("POST", "/actions/bulkDelete", "bulk"), ["delete en"]),
        HookCase(documents("create"), ["create en"]),
        HookCase(documents("create_published"), ["create en", "publish en"]),
        HookCase(documents("update"), ["update en"]),
        HookCase(documents("update_published"), ["update en", "publish en"]),
        HookCase(documents("publish"), ["publish en", "publish fr"], around=["publish *"]),
        HookCase(documents("unpublish"), ["unpublish en", "unpublish fr"], around=["unpublish *"]),
        HookCase(
            documents("discard_draft"),
            ["discard_draft en", "discard_draft fr"],
            around=["discard_draft *"],
        ),
        HookCase(documents("clone"), ["clone en"]),
        HookCase(documents("delete"), ["delete en", "delete fr"], around=["delete *"]),
        HookCase(documents("create_many"), ["create en", "create en"]),
        HookCase(documents("publish_many"), ["publish en"]),
        HookCase(documents("unpublish_many"), ["unpublish en"]),
        HookCase(documents("delete_many"), ["delete en"]),
        HookCase(archive("import"), ["create en", "create fr", "publish en", "publish fr"]),
        HookCase(
            archive("import", is_modified=True),
            ["create en", "create fr", "publish en", "publish fr", "update en"],
        ),
        HookCase(archive("transfer"), ["create en", "create fr", "publish en", "publish fr"]),
    ],
)
async def test_hooks_run_once_per_document_locale_and_action(
    office: Office, case: HookCase
) -> None:
    made = await office.ask("POST", "/api/papers", {"data": {"title": "Charts"}})
    document_id = made.data["documentId"]
    french = await office.ask(
        "PUT", f"/api/papers/{document_id}?locale=fr", {"data": {"title": "Cartes"}}
    )
    assert french.status == 200, french.json
    fired_hooks.clear()

    await case.call(office, document_id)

    assert fired_in("before") == fired_in("after") == case.hooks
    has_around = AROUND in (office.app.settings.project / FILE).read_text()
    assert fired_in("around") == ((case.around or case.hooks) if has_around else [])
    assert fired_hooks[0][0] == ("around" if has_around else "before")
    # Both phases of an action are over before the next action begins.
    actions = [action for phase, action, *_ in fired_hooks if phase != "around"]
    assert actions == [hook.split()[0] for hook in case.hooks for _ in ("before", "after")]
    document_count = max(case.hooks.count("create en"), 1)
    assert len({one for phase, *_, one in fired_hooks if phase != "around"}) == document_count
