"""Content with the permissions of a role: types, fields, locales, entries of others."""

from asyncio import gather
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from tests.library.statements import log_statements
from tests.unit.admin_api.office import PASSWORD, Office, Reply, open_office
from tests.unit.admin_api.test_admin_users import clerk
from tests.unit.kiosk import PAPER, WRITER

PAPERS = f"/content-manager/collection-types/{PAPER}"
EXPLORER = "plugin::content-manager.explorer."


def grant(
    verb: str, fields: list[str] | None, *conditions: str, uid: str = PAPER, locales: object = None
) -> dict[str, Any]:
    """Describe a permission; without fields every one is granted."""
    properties: dict[str, Any] = {"locales": ["en", "fr"] if locales is None else locales}
    if fields is not None:
        properties["fields"] = fields
    if uid == WRITER:
        del properties["locales"]
    return {
        "action": f"{EXPLORER}{verb}",
        "subject": uid,
        "properties": properties,
        "conditions": list(conditions),
    }


async def editor(office: Office, *grants: Mapping[str, Any], email: str = "ed@example.com") -> str:
    """Create an administrator with these permissions; returns the access token."""
    admin_user, _ = await clerk(office, email=email)
    shown = await office.ask("GET", f"/admin/users/{admin_user}", token=office.boss)
    path = f"/admin/roles/{shown.data['roles'][0]['id']}/permissions"
    reply = await office.ask("PUT", path, {"permissions": list(grants)}, token=office.boss)
    assert reply.status == 200, reply.json
    token: str = (await office.sign_in(email, PASSWORD)).data["token"]
    return token


async def paper(office: Office, token: str | None = None, **data: object) -> str:
    """Make a paper; returns its document id."""
    body = {"title": "Tide tables", "price": 3, "margin": "ask twice", **data}
    made = await office.ask("POST", PAPERS, body, token=token or office.boss)
    assert made.status == 201, made.json
    document_id: str = made.data["documentId"]
    return document_id


async def titles(office: Office, token: str, query: str = "") -> list[str]:
    reply = await office.ask("GET", f"{PAPERS}?{query}", token=token)
    assert reply.status == 200, reply.json
    return [entry.get("title") for entry in reply.json["results"]]


async def test_only_granted_fields_are_shown(office: Office) -> None:
    document_id = await paper(office, lines=[{"text": "a", "hint": "b"}])
    token = await editor(office, grant("read", ["title", "lines.text"]))

    listed = (await office.ask("GET", PAPERS, token=token)).json["results"][0]
    shown = (await office.ask("GET", f"{PAPERS}/{document_id}", token=token)).data
    for entry in (listed, shown):
        assert entry["title"] == "Tide tables"
        assert "price" not in entry
        assert "margin" not in entry
        assert [{k for k in line if k != "id"} for line in entry["lines"]] == [{"text"}]


async def test_what_may_not_be_read_neither_filters_nor_sorts_nor_is_found(office: Office) -> None:
    await paper(office, title="One", price=1, margin="xyzzy")
    await paper(office, title="Two", price=2)
    token = await editor(office, grant("read", ["title"]))

    assert len(await titles(office, token, "filters[price]=1")) == 2
    assert len(await titles(office, token, "filters[$or][0][margin]=xyzzy")) == 2
    assert await titles(office, token, "sort=price:desc") == ["One", "Two"]
    assert await titles(office, token, "_q=xyzzy") == []
    assert await titles(office, office.boss, "filters[price]=1") == ["One"]
    assert await titles(office, office.boss, "_q=xyzzy") == ["One"]


async def test_relations_reveal_nothing_of_unreadable_types(office: Office) -> None:
    writers = f"/content-manager/collection-types/{WRITER}"
    made = await office.ask("POST", writers, {"name": "Nemo"}, token=office.boss)
    writer = made.data["documentId"]
    await paper(office, title="Signed", writer={"connect": [{"documentId": writer}]})
    await paper(office, title="Unsigned")
    token = await editor(office, grant("read", ["title", "writer"]))

    listed = (await office.ask("GET", f"{PAPERS}?sort=id:asc", token=token)).json["results"]
    assert "name" not in listed[0]["writer"]
    assert listed[0]["writer"]["documentId"] == writer
    assert len(await titles(office, token, "filters[writer][name]=Nemo")) == 2
    offered = await office.ask("GET", f"/content-manager/relations/{PAPER}/writer", token=token)
    assert [set(row) & {"name"} for row in offered.json["results"]] == [set()]

    reader = await editor(
        office,
        grant("read", ["title", "writer"]),
        grant("read", ["name"], uid=WRITER),
        email="reader@example.com",
    )
    assert await titles(office, reader, "filters[writer][name]=Nemo") == ["Signed"]


async def test_locales_that_are_not_granted_are_closed(office: Office) -> None:
    document_id = await paper(office)
    french = f"{PAPERS}/{document_id}?locale=fr"
    assert (await office.ask("PUT", french, {"title": "Marées"}, token=office.boss)).status == 200
    grants = [grant(v, ["title"], locales=["fr"]) for v in ("read", "create", "update")]
    token = await editor(office, *grants, grant("delete", None, locales=["fr"]))

    assert await titles(office, token) == []
    assert await titles(office, token, "locale=*") == ["Marées"]
    assert (await office.ask("GET", f"{PAPERS}/{document_id}", token=token)).status == 403
    english = {"title": "Mine"}
    assert (await office.ask("POST", PAPERS, english, token=token)).status == 403
    assert (await office.ask("PUT", f"{PAPERS}/{document_id}", english, token=token)).status == 403
    gone = await office.ask("DELETE", f"{PAPERS}/{document_id}?locale=*", token=token)
    assert gone.status == 403
    assert await titles(office, office.boss) == ["Tide tables"]
    changed = await office.ask("PUT", french, {"title": "Marées d'été"}, token=token)
    assert changed.data["title"] == "Marées d'été"


async def test_a_missing_locale_is_opened_by_who_may_only_read_that_one(office: Office) -> None:
    document_id = await paper(office)
    grants = [grant(verb, ["title"], locales=["fr"]) for verb in ("read", "create", "update")]
    token = await editor(office, *grants)

    opened = await office.ask("GET", f"{PAPERS}/{document_id}?locale=fr", token=token)
    closed = await office.ask("GET", f"{PAPERS}/{document_id}?locale=en", token=token)
    french = {"title": "Mar\u00e9es"}
    path = f"{PAPERS}/{document_id}?locale=fr"
    created = await office.ask("PUT", path, french, token=token)

    assert (opened.status, opened.data, closed.status) == (200, {}, 403)
    [english] = opened.json["meta"]["availableLocales"]
    assert english["locale"] == "en"
    assert "title" not in english
    assert (created.status, created.data["title"]) == (200, "Mar\u00e9es")


@pytest.mark.parametrize("verb", ["read", "create", "update"])
async def test_a_permission_without_any_field_permits_nothing(office: Office, verb: str) -> None:
    document_id = await paper(office)
    others = {"read", "create", "update"} - {verb}
    grants = [grant(other, ["title"]) for other in others]
    token = await editor(office, *grants, grant(verb, []))
    method, path = {
        "read": ("GET", f"{PAPERS}/{document_id}"),
        "create": ("POST", PAPERS),
        "update": ("PUT", f"{PAPERS}/{document_id}"),
    }[verb]
    body = None if verb == "read" else {"title": "x"}

    reply = await office.ask(method, path, body, token=token)
    assert (reply.status, reply.json["error"]["name"]) == (403, "PolicyError")


async def test_entries_of_others_are_closed_to_who_may_see_only_their_own(office: Office) -> None:
    theirs = await paper(office, title="Theirs")
    own = "admin::is-creator"
    every = ["title", "price", "printed", "sold", "margin", "lock", "writer", "lines"]
    token = await editor(
        office,
        *(grant(verb, every, own) for verb in ("read", "create", "update")),
        *(grant(verb, None, own) for verb in ("delete", "publish")),
    )
    mine = await paper(office, token, title="Mine")

    assert await titles(office, token, "locale=*") == ["Mine"]
    assert await titles(office, token, "_q=Theirs") == []
    one = f"{PAPERS}/{theirs}"
    ids = {"documentIds": [mine, theirs]}
    attempts = [
        ("GET", one, None),
        ("PUT", one, {"title": "Taken"}),
        ("PUT", f"{one}?locale=fr", {"title": "Pris"}),
        ("DELETE", one, None),
        ("POST", f"{one}/actions/publish", {}),
        ("POST", f"{PAPERS}/clone/{theirs}", {"title": "Copied"}),
        ("POST", f"{PAPERS}/actions/bulkPublish", ids),
        ("POST", f"{PAPERS}/actions/bulkDelete", ids),
        ("POST", f"{PAPERS}/actions/bulkFindForValidation", ids),
        ("GET", f"{one}/actions/countDraftRelations", None),
        ("GET", f"/content-manager/relations/{PAPER}/{theirs}/writer", None),
    ]
    for method, path, body in attempts:
        assert (await office.ask(method, path, body, token=token)).status == 403, (method, path)
    listed = await office.ask("GET", f"{PAPERS}?locale=*&sort=id:asc", token=office.boss)
    states = [(entry["title"], entry["status"]) for entry in listed.json["results"]]
    assert states == [("Theirs", "draft"), ("Mine", "draft")]


async def test_targets_that_may_not_be_read_are_shown_without_their_name(office: Office) -> None:
    writers = f"/content-manager/collection-types/{WRITER}"
    author = (await office.ask("POST", writers, {"name": "Nemo"}, token=office.boss)).data[
        "documentId"
    ]
    own = await editor(
        office,
        grant("read", ["name", "papers"], uid=WRITER),
        grant("read", ["title"], "admin::is-creator"),
        grant("create", ["title", "writer"]),
    )
    mine = await paper(office, own, title="Mine", writer=author)
    theirs = await paper(office, title="Theirs", writer=author)

    path = f"/content-manager/relations/{WRITER}/{author}/papers"
    shown = (await office.ask("GET", path, token=own)).json
    every = (await office.ask("GET", path, token=office.boss)).json

    # The reference lists what may be read first, the last linked entry first otherwise.
    assert [(row["documentId"], row.get("title")) for row in shown["results"]] == [
        (mine, "Mine"),
        (theirs, None),
    ]
    assert "title" not in shown["results"][1]
    assert [row["title"] for row in every["results"]] == ["Theirs", "Mine"]
    assert shown["pagination"] == every["pagination"]


async def test_a_clone_says_nothing_that_its_maker_may_not_read(office: Office) -> None:
    theirs = await paper(office, lines=[{"text": "a", "hint": "b"}])
    token = await editor(office, grant("create", None), grant("read", ["title", "lines.text"]))

    made = await office.ask("POST", f"{PAPERS}/clone/{theirs}", {"price": 4}, token=token)
    assert made.status == 200, made.json
    path = f"{PAPERS}/{made.data['documentId']}"
    shown = (await office.ask("GET", path, token=office.boss)).data
    assert (shown["title"], shown["price"]) == ("Tide tables", 4)
    assert (shown["margin"], shown["lines"]) == (None, [])


async def test_only_granted_fields_are_written(office: Office) -> None:
    document_id = await paper(office)
    token = await editor(office, grant("read", ["title"]), grant("update", ["title"]))
    change = {"title": "Other", "price": 99, "margin": "open", "createdBy": 7, "documentId": "x"}

    assert (await office.ask("PUT", f"{PAPERS}/{document_id}", change, token=token)).status == 200
    shown = (await office.ask("GET", f"{PAPERS}/{document_id}", token=office.boss)).data
    assert (shown["title"], shown["price"], shown["margin"]) == ("Other", 3, "ask twice")
    assert shown["createdBy"]["email"] == "boss@example.com"
    assert shown["updatedBy"]["email"] == "ed@example.com"


async def test_rights_do_not_mix_across_roles(office: Office) -> None:
    await paper(office, title="Theirs", margin="secret")
    token = await editor(office, grant("create", ["title", "margin"]), grant("read", ["title"]))
    made = await office.ask("POST", "/admin/roles", {"name": "Own"}, token=office.boss)
    path = f"/admin/roles/{made.data['id']}/permissions"
    own = {"permissions": [grant("read", ["title", "margin"], "admin::is-creator")]}
    assert (await office.ask("PUT", path, own, token=office.boss)).status == 200
    admin_user = (await office.ask("GET", "/admin/users/me", token=token)).data
    shown = await office.ask("GET", f"/admin/users/{admin_user['id']}", token=office.boss)
    roles = [role["id"] for role in shown.data["roles"]]
    both = {"roles": [*roles, made.data["id"]]}
    changed = await office.ask("PUT", f"/admin/users/{admin_user['id']}", both, token=office.boss)
    assert changed.status == 200, changed.json
    await paper(office, token, title="Mine", margin="own")

    reply = await office.ask("GET", f"{PAPERS}?sort=id:asc", token=token)
    assert [entry.get("margin") for entry in reply.json["results"]] == [None, "own"]
    assert len(await titles(office, token, "filters[margin]=secret")) == 2


async def test_a_bulk_change_is_made_as_a_whole_or_not_at_all(office: Office) -> None:
    good, bad = await paper(office), await paper(office, title=None)
    ids = {"documentIds": [good, bad]}

    reply = await office.ask("POST", f"{PAPERS}/actions/bulkPublish", ids, token=office.boss)
    assert reply.status == 400
    assert reply.json["error"]["details"]["errors"][0]["path"] == ["title"]
    shown = await office.ask("GET", f"{PAPERS}/{good}", token=office.boss)
    assert shown.data["status"] == "draft"


async def test_h131_who_names_the_version_that_they_know_loses_nothing(office: Office) -> None:
    document_id = await paper(office)
    path = f"{PAPERS}/{document_id}"
    known = (await office.ask("GET", path, token=office.boss)).data["updatedAt"]
    match = {"if-match": f'"{known}"'}

    first = await office.ask("PUT", path, {"title": "A"}, token=office.boss, headers=match)
    second = await office.ask("PUT", path, {"title": "B"}, token=office.boss, headers=match)
    assert (first.status, second.status) == (200, 412)
    assert (await office.ask("GET", path, token=office.boss)).data["title"] == "A"


async def two_locales(office: Office, count: int) -> None:
    """Make papers with a draft in each of two locales."""
    for number in range(count):
        document_id = await paper(office, title=f"Paper {number}")
        french = f"{PAPERS}/{document_id}?locale=fr"
        await office.ask("PUT", french, {"title": f"Papier {number}"}, token=office.boss)


async def test_a_list_with_states_and_locales_takes_few_statements(tmp_path: Path) -> None:
    everything = f"{PAPERS}?sort=title:asc&page=1&pageSize=10"
    # A read that is stopped as slow is begun again, and its statements would count twice.
    settings = {"database.slow_query_ms": 60_000}
    with log_statements() as log:
        async with open_office(tmp_path, settings=settings) as office:
            await two_locales(office, 12)
            before = len(log.statements)
            shown = await office.ask("GET", everything, token=office.boss)
            asked = [sql for sql in log.since(before) if "paper_rows" in sql]
            again = len(log.statements)
            same = await office.ask("GET", everything, token=office.boss)
            asked_again = [sql for sql in log.since(again) if "paper_rows" in sql]

    results = shown.json["results"]
    assert len(results) == 10
    assert shown.json["pagination"]["total"] == 12
    assert {entry["status"] for entry in results} == {"draft"}
    assert all(entry["localizations"][0]["locale"] == "fr" for entry in results)
    assert {"title", "price", "createdBy", "updatedBy"} < {*results[0]}
    assert 2 < len(asked) <= 4, asked
    assert same.json == shown.json
    assert len(asked_again) == 2, asked_again


async def test_a_list_that_is_remembered_shows_what_is_there_now(office: Office) -> None:
    listed = f"{PAPERS}?sort=title:asc"
    token = await editor(office, grant("read", ["title"], locales=["en"]))
    seen = []
    for number in range(3):
        await paper(office, title=f"Paper {number}", price=number)
        for asking in (office.boss, token):
            reply = await office.ask("GET", listed, token=asking)
            seen.append((reply.json["pagination"]["total"], len(reply.json["results"])))
            assert ("price" in reply.json["results"][0]) is (asking == office.boss)
    assert seen == [(1, 1), (1, 1), (2, 2), (2, 2), (3, 3), (3, 3)]


async def test_a_list_follows_the_default_locale(office: Office) -> None:
    await two_locales(office, 1)
    first = await office.ask("GET", PAPERS, token=office.boss)
    assert [entry["title"] for entry in first.json["results"]] == ["Paper 0"]
    locales = (await office.ask("GET", "/i18n/locales", token=office.boss)).json
    french = next(locale["id"] for locale in locales if locale["code"] == "fr")
    body = {"name": "French", "isDefault": True}
    changed = await office.ask("PUT", f"/i18n/locales/{french}", body, token=office.boss)
    assert changed.status == 200
    second = await office.ask("GET", PAPERS, token=office.boss)
    assert [entry["title"] for entry in second.json["results"]] == ["Papier 0"]


async def test_free_uids_are_shown_only_to_those_who_may_read_the_type(office: Office) -> None:
    token = await editor(office, grant("read", ["name"], uid=WRITER))
    body = {"contentTypeUID": PAPER, "field": "title", "value": "x"}
    wrong = await office.ask("POST", "/content-manager/uid/check-availability", body, token=token)
    assert (wrong.status, wrong.error) == (400, "title must be a valid `uid` attribute")


async def test_a_draft_is_discarded_only_by_those_who_may_change_it(office: Office) -> None:
    document = f"{PAPERS}/{await paper(office, title='Tide')}"
    await office.ask("POST", f"{document}/actions/publish", {}, token=office.boss)
    await office.ask("PUT", document, {"title": "Ebb"}, token=office.boss)
    token = await editor(office, grant("read", ["title"]), grant("publish", None))
    unpublish = f"{document}/actions/unpublish"

    refused = await office.ask("POST", unpublish, {"discardDraft": True}, token=token)
    assert refused.status == 403
    assert (await office.ask("GET", document, token=token)).data["title"] == "Ebb"
    assert (await office.ask("POST", unpublish, {}, token=token)).status == 200


@pytest.mark.parametrize("uid", [PAPER, WRITER])
async def test_missing_documents_are_missing_with_and_without_drafts(
    office: Office, uid: str
) -> None:
    collection = f"/content-manager/collection-types/{uid}"
    for action, message in (
        ("publish", "Document not found"),
        ("unpublish", "Entity not found"),
        ("discard", "Not Found"),
    ):
        path = f"{collection}/missing/actions/{action}"
        reply = await office.ask("POST", path, {}, token=office.boss)
        assert (reply.status, reply.error) == (404, message)
    path, missing = f"{collection}/actions/bulkUnpublish", {"documentIds": ["missing"]}
    assert (await office.ask("POST", path, missing, token=office.boss)).json == {"count": 0}


async def test_an_unknown_locale_is_an_error_before_a_missing_document(office: Office) -> None:
    for action in ("publish", "unpublish", "discard"):
        path = f"{PAPERS}/missing/actions/{action}?locale=xx"
        reply = await office.ask("POST", path, {}, token=office.boss)
        assert (reply.status, reply.error) == (400, "This locale doesn't exist")


async def test_documents_without_drafts_are_neither_published_nor_unpublished(
    office: Office,
) -> None:
    collection = f"/content-manager/collection-types/{WRITER}"
    made = await office.ask("POST", collection, {"name": "Ann"}, token=office.boss)
    document_id = made.data["documentId"]
    paths = [f"{document_id}/actions/{action}" for action in ("publish", "unpublish", "discard")]
    for path in (*paths, "actions/bulkPublish", "actions/bulkUnpublish"):
        body = {"documentIds": [document_id]} if "bulk" in path else {}
        reply = await office.ask("POST", f"{collection}/{path}", body, token=office.boss)
        assert reply.status == 400
        assert "has no drafts" in str(reply.error)


async def test_a_view_has_a_limited_number_of_columns(office: Office) -> None:
    configuration = f"/content-manager/content-types/{PAPER}/configuration"
    for layouts in (
        {"edit": [], "list": [*["title"] * 1_000, {}]},
        {"edit": [*[[]] * 1_000, "title"], "list": ["title"]},
        {"edit": [[*[{"name": "title", "size": 1}] * 1_000, None]], "list": ["title"]},
    ):
        changed = await office.ask("PUT", configuration, {"layouts": layouts}, token=office.boss)
        shown = await office.ask("GET", configuration, token=office.boss)
        assert (changed.status, shown.status) == (400, 200), changed.json


async def test_requests_with_one_idempotency_key_create_one_document(office: Office) -> None:
    key = {"idempotency-key": "3141592653-5897"}
    body = {"title": "Soundings", "price": 3}
    blind = await editor(office, grant("create", ["title", "price"]))

    async def create(token: str, headers: Mapping[str, str] | None = None) -> Reply:
        reply = await office.ask("POST", PAPERS, body, token=token, headers=headers)
        assert reply.status == 201, reply.json
        return reply

    first, *repeated = await gather(*(create(office.boss, key) for _ in range(4)))
    assert [reply.json for reply in repeated] == [first.json] * 3
    # The key is that of one administrator; who may not read the type is shown the entry, too.
    unread = await create(blind, key)
    assert (await create(blind, key)).json == unread.json
    await create(office.boss)
    assert await titles(office, office.boss) == ["Soundings"] * 3

    change = {"title": "Soundings, corrected"}
    path = f"{PAPERS}/{first.data['documentId']}"
    await office.ask("PUT", path, change, token=office.boss)
    assert (await create(office.boss, key)).data["title"] == "Soundings, corrected"
    # What others have changed since then is only for those who may read it.
    path = f"{PAPERS}/{unread.data['documentId']}"
    assert (await office.ask("PUT", path, change, token=office.boss)).status == 200
    assert not {"title", "price"} & (await create(blind, key)).data.keys()


async def test_another_request_with_a_used_idempotency_key_creates_another_document(
    office: Office,
) -> None:
    key = {"idempotency-key": "1618033988-7498"}
    bodies = {"Soundings": {"title": "Soundings", "price": 3}, "Depths": {"title": "Depths"}}
    replies = [
        await office.ask("POST", f"{PAPERS}?locale={locale}", body, token=office.boss, headers=key)
        for locale in ("en", "fr")
        for body in bodies.values()
    ]

    assert [reply.status for reply in replies] == [201] * 4
    assert len({reply.data["documentId"] for reply in replies}) == 4
    assert [reply.data["title"] for reply in replies] == [*bodies, *bodies]


async def test_a_publication_that_is_repeated_publishes_the_same_document(office: Office) -> None:
    key = {"idempotency-key": "2718281828-4590"}
    path, body = f"{PAPERS}/actions/publish", {"title": "Soundings", "price": 3}
    replies = [
        await office.ask("POST", path, body, token=office.boss, headers=key) for _ in range(2)
    ]
    draft = await office.ask("POST", PAPERS, body, token=office.boss, headers=key)

    assert [reply.status for reply in replies] == [200, 200]
    assert len({reply.data["documentId"] for reply in [*replies, draft]}) == 1
    assert draft.data["status"] == "published"
    assert await titles(office, office.boss) == ["Soundings"]


@pytest.mark.parametrize(
    "target",
    [
        "/admin/x/releases?state[]=open",
        f"/i18n/content-manager/get-fill-from-locale/{PAPER}?collectionType[]=x&locale=fr",
    ],
)
async def test_lists_are_no_values_of_parameters(office: Office, target: str) -> None:
    assert (await office.ask("GET", target, token=office.boss)).status == 400


async def test_who_may_create_entries_makes_that_of_a_single_type(office: Office) -> None:
    path, masthead = (
        "/content-manager/single-types/api::masthead.masthead",
        "api::masthead.masthead",
    )
    create = grant("create", None, uid=masthead)
    del create["properties"]["locales"]
    creator = await editor(office, create)
    reader = await editor(office, grant("read", None), email="rita@example.com")
    refused = await office.ask("PUT", path, {"motto": "All the news"}, token=reader)
    assert (refused.status, refused.json["error"]["name"]) == (403, "PolicyError")
    made = await office.ask("PUT", path, {"motto": "All the news"}, token=creator)
    assert made.status == 200, made.json
    again = await office.ask("PUT", path, {"motto": "Half the news"}, token=creator)
    assert (again.status, again.json["error"]["name"]) == (403, "ForbiddenError")
    shown = await office.ask("GET", path, token=office.boss)
    assert shown.data["motto"] == "All the news"
