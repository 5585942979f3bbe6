"""Writes by evaluated code: rows, transactions, publishing, sanitized input."""

from pathlib import Path

import pytest

from tests.databases.kind import Kind
from tests.unit.strapi_project.notes import LABEL, NOTE, error, notes, project, read, register

LABELS = (
    f"const labels = () => strapi.documents('{LABEL}').findMany({{ sort: 'name' }});"
    "const names = async () => (await labels()).map((one) => one.name).join();"
)


def own(body: str, *, before: str = LABELS) -> dict[str, str]:
    """Return a project whose action ``own`` has a body."""
    return project(f"async own(ctx) {{ {body} }}", before=before)


MAKE = (
    "const { id } = await strapi.documents('api::note.note').create({ data: { title: 'N' } });"
    "for (const [name, rank, note] of [['a', 1, id], ['b', 2, null], ['c', 2, null]]) {"
    f" await strapi.documents('{LABEL}').create({{ data: {{ name, rank, note }} }}); }}"
)


async def test_rows_are_deleted_by_a_condition(kind: Kind, tmp_path: Path) -> None:
    body = (
        f"{MAKE} const rows = strapi.db.query('{LABEL}');"
        "const first = await rows.delete({ where: { rank: 2 }, select: ['name'], limit: 0 });"
        "const none = await rows.delete({ where: { name: 'gone' } });"
        "const left = await names();"
        "const { count } = await rows.deleteMany({ where: { note: id }, limit: 0 });"
        "const nothing = await rows.deleteMany({ where: { rank: { $gt: 5 } } });"
        "return { first: first.name, none, left, count, last: await names(), nothing }; "
    )
    async with notes(kind, tmp_path, own(body)) as site:
        found = read(await site.send("POST", "own/x", {}))

    assert found == {
        "first": "b",
        "none": None,
        "left": "a,c",
        "count": 1,
        "last": "c",
        "nothing": {"count": 0},
    }


@pytest.mark.parametrize(
    "where", ["undefined", "{}", "{ name: ctx.query.gone }", "{ $or: [{ rank: undefined }] }"]
)
async def test_rows_are_never_deleted_without_a_condition(
    kind: Kind, tmp_path: Path, where: str
) -> None:
    body = (
        f"if (ctx.query.make) {{ {MAKE} return 1; }} if (ctx.query.names) return names();"
        f"return strapi.db.query('{LABEL}').deleteMany({{ where: {where} }});"
    )
    async with notes(kind, tmp_path, own(body)) as site:
        await site.send("POST", "own/x?make=1", {})
        refused = await site.send("POST", "own/x", {})
        left = await site.send("POST", "own/x?names=1", {})

    assert refused.status == 500
    assert left.content == b"a,b,c"


async def test_a_row_is_not_deleted_without_a_condition(kind: Kind, tmp_path: Path) -> None:
    body = f"return strapi.db.query('{LABEL}').delete({{ where: {{}} }});"
    caught = (
        f"try {{ {body.replace('return', 'await')} }} catch (error) {{ return error.message; }}"
    )
    async with notes(kind, tmp_path, own(caught)) as site:
        response = await site.send("POST", "own/x", {})

    assert response.content == b"Delete requires a where parameter"


async def test_what_a_transaction_wrote_is_kept_or_undone_as_a_whole(
    kind: Kind, tmp_path: Path
) -> None:
    add = f"strapi.documents('{LABEL}').create({{ data: {{ name: ctx.query.name }} }})"
    body = (
        "if (!ctx.query.name) return names();"
        "try { const done = await strapi.db.transaction(async ({ commit, rollback }) => {"
        f" await {add}; const inside = await names(); if (ctx.query.commit) await commit();"
        " if (ctx.query.nested) await strapi.db.transaction(async (tx) => {"
        f"  await strapi.db.query('{LABEL}').deleteMany({{ where: {{ name: 'kept' }} }});"
        "  await tx.commit(); });"
        " if (ctx.query.rollback) { await rollback(); return 'undone'; }"
        " if (ctx.query.fail) throw new Error('no'); return inside; });"
        "return { done, after: await names() };"
        "} catch (caught) { return { failed: caught.message, after: await names() }; }"
    )
    async with notes(kind, tmp_path, own(body)) as site:
        responses = [
            read(await site.send("POST", f"own/x?name={query}", {}))
            for query in (
                "kept",
                "lost&fail=1",
                "undone&rollback=1",
                "early&commit=1&fail=1",
                "outer&nested=1&fail=1",
                "outer&nested=1",
            )
        ]
        left = await site.send("POST", "own/x", {})

    assert responses == [
        {"done": "kept", "after": "kept"},
        {"failed": "no", "after": "kept"},
        {"done": "undone", "after": "kept"},
        {"failed": "no", "after": "early,kept"},
        {"failed": "no", "after": "early,kept"},
        {"done": "early,kept,outer", "after": "early,outer"},
    ]
    assert left.content == b"early,outer"


async def test_the_core_is_not_called_within_a_transaction(kind: Kind, tmp_path: Path) -> None:
    body = "return strapi.db.transaction(async () => super.find(ctx));"
    async with notes(kind, tmp_path, own(body)) as site:
        assert (await site.send("POST", "own/x", {})).status == 500


async def test_documents_are_published_and_taken_back(kind: Kind, tmp_path: Path) -> None:
    body = (
        f"const all = strapi.documents('{NOTE}');"
        "const of = (made) => [made.entries.length, made.entries.map((one) => !!one.publishedAt),"
        " made.entries.map((one) => one.title)];"
        "const { documentId } = await all.create({ data: { title: 'One' } });"
        "const shown = async () => (await all.findMany({ status: 'published' })).length;"
        "const steps = [await all.publish({ documentId }), await shown()];"
        "await all.update({ documentId, data: { title: 'Two' } });"
        "steps.push(await all.discardDraft({ documentId }), await all.unpublish({ documentId }));"
        "steps.push(await shown(), await all.publish({ documentId: 'none' }));"
        "steps.push(await all.unpublish({ documentId }));"
        "const gone = await all.delete({ documentId });"
        "return [...steps, gone].map((one) => one.documentId ? of(one) : one); "
    )
    async with notes(kind, tmp_path, own(body)) as site:
        found = read(await site.send("POST", "own/x", {}))

    published, shown, discarded, taken_back, shown_after, none, again, deleted = found
    assert published == [1, [True], ["One"]]
    assert (shown, shown_after) == (1, 0)
    assert discarded == [1, [False], ["One"]]
    assert taken_back == [1, [True], ["One"]]
    assert none == again == [0, [], []]
    assert deleted == [1, [False], ["One"]]


async def test_input_is_sanitized_as_the_caller_may_write_it(kind: Kind, tmp_path: Path) -> None:
    body = (
        "const clean = await this.sanitizeInput(ctx.request.body.data, ctx);"
        "const made = await strapi.documents('api::note.note').create({ data: clean });"
        "return { keys: Object.keys(clean), title: made.title, none: await this.sanitizeInput("
        "undefined, ctx) }; "
    )
    data = {"title": "T", "id": 9, "documentId": "x", "createdAt": "2020", "owner": 1, "other": 2}
    async with notes(kind, tmp_path, own(body)) as site:
        await register(site, "ada")
        found = read(await site.send("POST", "own/x", {"data": data}))
        listed = read(await site.send("POST", "own/x", {"data": [{"title": 1}, {}]}))

    assert found == {"keys": ["title", "other"], "title": "T", "none": {}}
    assert listed["error"]["status"] == 500


@pytest.mark.whatever_the_database("nothing is read")
async def test_code_knows_the_environment_of_the_server(kind: Kind, tmp_path: Path) -> None:
    body = (
        "if (!strapi.service('api::note.note')) return 1; if (ctx.throw && !ctx.query.x)"
        " return { name: process.env.NODE_ENV }; return ctx.throw(418, 'x'); "
    )
    async with notes(kind, tmp_path, own(body)) as site:
        found = read(await site.send("POST", "own/x", {}))
        thrown = await site.send("POST", "own/x?x=1", {})

    assert found == {"name": "production"}
    assert error(thrown) == (418, "ImATeapotError", "x")
