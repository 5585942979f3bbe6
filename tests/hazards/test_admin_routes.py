"""Every route of the admin API, called by every principal, on every kind of database.

The routes are those of the running application, so that a new one cannot be forgotten. What is not
granted changes nothing, and tells nothing.
"""

import json
from collections.abc import AsyncIterator, Mapping
from typing import Any

import pytest

from quire.content_api.routes import Route
from quire.database.tables.initial_values import AUTHOR, EDITOR
from tests.databases.kind import Kind
from tests.databases.kinds import rows_of
from tests.unit.admin_api.office import PASSWORD, Office, SharedOffices
from tests.unit.admin_api.test_admin_users import clerk, invited
from tests.unit.admin_api.test_content_manager import PAPERS, editor, grant, paper
from tests.unit.admin_api.test_routes import OPEN, is_closed, named, routes
from tests.unit.kiosk import PAPER, WRITER

SECRET = "xyzzy"
"""In whatever somebody may not see."""

NOTES = {"strapi_sessions", "quire_audit"}
PERSONAL = "admin::is-creator"
CONTENT = ("content-manager/", "admin/x/", "i18n/content-manager/")
SIGNING_IN = {"admin/login", "admin/logout", "admin/access-token"}
PROFILE = "admin/users/me"
PROJECT = ("admin_", "strapi_", "up_", "i18n_")
"""What the names of tables that are no content begin with."""
MAKING = {
    ("POST", "content-manager/collection-types/:uid"),
    ("POST", "content-manager/collection-types/:uid/actions/publish"),
    ("POST", "admin/x/views"),
}
"""What makes something new, which belongs to whoever makes it."""


@pytest.fixture
async def office(kind: Kind, shared_offices: SharedOffices) -> AsyncIterator[Office]:
    async with shared_offices.lend(kind) as lent:
        yield lent


def contents(office: Office) -> dict[str, list[tuple[object, ...]]]:
    """All rows of all tables, but of those in which is noted who came."""
    with rows_of(office.app.settings.project) as rows:
        found = {
            table: sorted(rows.execute(f'SELECT * FROM "{table}"'), key=str)
            for table in rows.tables()
            if table not in NOTES
        }
    return {table: listed for table, listed in found.items() if listed}


def target(route: Route, document_id: str) -> str:
    """The address of a route, about a paper where it is about content."""
    about_content = route.path.strip("/").startswith(CONTENT)
    names: Mapping[str, str] = {
        ":uid": PAPER,
        ":model": PAPER,
        ":field": "writer",
        ":id": document_id if about_content else "1",
    }
    parts = route.path.strip("/").split("/")
    return "/" + "/".join(names.get(part, "1") if part.startswith(":") else part for part in parts)


def body(document_id: str) -> dict[str, Any]:
    """A body that is sufficient for any content route."""
    changed = {"title": "taken", "margin": "taken", "price": 9}
    return {
        **changed,
        "data": changed,
        "documentIds": [document_id],
        "contentTypeUID": PAPER,
        "model": PAPER,
        "uid": PAPER,
        "field": "title",
        "value": "x",
        "name": "x",
        "locale": "fr",
        "id": 1,
    }


async def call(
    office: Office, route: Route, document_id: str, token: str | None
) -> tuple[int, str]:
    sent = body(document_id) if route.method in {"POST", "PUT"} else None
    if sent is not None and route.path.endswith("collection-types/:uid"):
        sent.pop("id")
    reply = await office.ask(route.method, target(route, document_id), sent, token=token)
    return reply.status, json.dumps(reply.json) if reply.status != 204 else ""


async def hidden_paper(office: Office) -> str:
    """A paper of another user, with hidden values in every field and locale."""
    made = await office.ask(
        "POST",
        f"/content-manager/collection-types/{WRITER}",
        {"name": f"{SECRET} writer"},
        token=office.boss,
    )
    document_id = await paper(
        office,
        title=f"{SECRET} title",
        margin=f"{SECRET} margin",
        price=77,
        lines=[{"text": f"{SECRET} line"}],
        writer={"connect": [{"documentId": made.data["documentId"]}]},
    )
    french = f"{PAPERS}/{document_id}?locale=fr"
    await office.ask("PUT", french, {"title": f"{SECRET} titre"}, token=office.boss)
    published = f"{PAPERS}/{document_id}/actions/publish"
    assert (await office.ask("POST", published, {}, token=office.boss)).status == 200
    return document_id


async def end_user(office: Office) -> str:
    """An access token of a user who is not an administrator."""
    form = {"username": "ann", "email": "ann@example.com", "password": "Correct1horse"}
    made = await office.ask("POST", "/api/auth/local/register", form)
    assert made.status == 200, made.json
    token: str = made.json["jwt"]
    return token


async def test_h038_who_is_no_administrator_gets_nowhere(office: Office) -> None:
    document_id = await hidden_paper(office)
    wanted = {"name": "Site", "type": "full-access"}
    made = await office.ask("POST", "/admin/api-tokens", wanted, token=office.boss)
    strangers = (None, "x", "0" * 256, made.data["accessKey"], await end_user(office))
    for token in strangers:  # the first use of a token is noted with it
        await office.ask("GET", "/api/papers", token=token)
    before = contents(office)
    for route in routes(office):
        for token in strangers:
            status, text = await call(office, route, document_id, token)
            assert SECRET not in text, named(route)
            if route.action is not None:
                assert status == 401, named(route)
            else:
                assert named(route) in OPEN
    assert contents(office) == before


async def test_h038_a_role_without_permissions_sees_and_changes_no_content(office: Office) -> None:
    document_id = await hidden_paper(office)
    _, token = await clerk(office)
    before = contents(office)
    for route in routes(office):
        if named(route)[1] in SIGNING_IN or named(route)[1].startswith(PROFILE):
            continue
        status, text = await call(office, route, document_id, token)
        assert SECRET not in text, named(route)
        if is_closed(route):
            assert status == 403, named(route)
        if route.method != "GET" and named(route) not in OPEN:
            assert status != 201, named(route)
    assert contents(office) == before


async def test_h038_an_author_neither_sees_nor_changes_what_others_have_made(
    office: Office,
) -> None:
    document_id = await hidden_paper(office)
    verbs = ("create", "read", "update", "delete", "publish")
    grants = [grant(verb, None, PERSONAL) for verb in verbs]
    token = await editor(office, *grants)
    await nothing_of_others_reaches(office, document_id, token)


async def test_h038_the_author_of_a_new_project_neither_sees_nor_changes_what_others_have_made(
    office: Office,
) -> None:
    document_id = await hidden_paper(office)
    token = await member(office, AUTHOR)
    await nothing_of_others_reaches(office, document_id, token)
    await beyond_uploads_all_is_closed(office, document_id, token)


async def test_h038_the_editor_of_a_new_project_has_no_say_in_the_project(office: Office) -> None:
    document_id = await hidden_paper(office)
    token = await member(office, EDITOR)
    before = contents(office)
    for route in routes(office):
        name = named(route)[1]
        if is_closed(route) or name in SIGNING_IN or name.startswith(PROFILE):
            continue
        status, _ = await call(office, route, document_id, token)
        assert status != 401 or route.action is None, named(route)
    await beyond_uploads_all_is_closed(office, document_id, token)
    after = contents(office)
    of_the_project = {name for name in before.keys() | after if name.startswith(PROJECT)}
    assert {"admin_users", "admin_permissions", "strapi_core_store_settings"} <= of_the_project
    for name in of_the_project:
        assert after.get(name) == before.get(name), name


async def nothing_of_others_reaches(office: Office, document_id: str, token: str) -> None:
    before = contents(office)
    for route in routes(office):
        if is_closed(route) or route.action is None or named(route) in MAKING:
            continue
        if named(route)[1] in SIGNING_IN or named(route)[1].startswith(PROFILE):
            continue
        _, text = await call(office, route, document_id, token)
        assert SECRET not in text, named(route)
    assert contents(office) == before


async def beyond_uploads_all_is_closed(office: Office, document_id: str, token: str) -> None:
    for route in routes(office):
        if is_closed(route) and not str(route.action).startswith("plugin::upload."):
            status, _ = await call(office, route, document_id, token)
            assert status == 403, named(route)
    reply = await office.ask("PUT", "/upload/settings", {}, token=token)
    assert reply.status == 403


async def member(office: Office, code: str) -> str:
    """An access token of an administrator with a default role."""
    listed = (await office.ask("GET", "/admin/roles", token=office.boss)).data
    (role,) = (one["id"] for one in listed if one["code"] == code)
    admin_user = await invited(office, "ned@example.com", role)
    change = {"password": PASSWORD, "isActive": True}
    await office.ask("PUT", f"/admin/users/{admin_user}", change, token=office.boss)
    token: str = (await office.sign_in("ned@example.com")).data["token"]
    return token


async def test_h038_a_role_changes_and_sees_its_fields_and_locales_alone(office: Office) -> None:
    document_id = await hidden_paper(office)
    plain = {"title": "plain"}
    await office.ask("PUT", f"{PAPERS}/{document_id}", plain, token=office.boss)
    await office.ask("POST", f"{PAPERS}/{document_id}/actions/publish", {}, token=office.boss)
    verbs = ("create", "read", "update")
    token = await editor(office, *(grant(verb, ["title"], locales=["en"]) for verb in verbs))
    for route in routes(office):
        if is_closed(route) or route.action is None or named(route)[1] in SIGNING_IN:
            continue
        if named(route)[1].startswith(PROFILE):
            continue
        _, text = await call(office, route, document_id, token)
        assert SECRET not in text, named(route)
        french = f"{target(route, document_id)}?locale=fr"
        if route.path.strip("/").startswith(CONTENT):
            sent = body(document_id) if route.method in {"POST", "PUT"} else None
            reply = await office.ask(route.method, french, sent, token=token)
            assert SECRET not in json.dumps(reply.json), named(route)
    for locale, title in (("en", None), ("fr", f"{SECRET} titre")):
        path = f"{PAPERS}/{document_id}?locale={locale}"
        shown = (await office.ask("GET", path, token=office.boss)).data
        assert (shown["margin"], shown["price"]) == (f"{SECRET} margin", 77)
        assert title is None or shown["title"] == title


async def test_h038_super_admins_get_everywhere(office: Office) -> None:
    document_id = await hidden_paper(office)
    for route in routes(office):
        if route.method == "GET":
            status, _ = await call(office, route, document_id, office.boss)
            assert status not in {401, 403}, named(route)
