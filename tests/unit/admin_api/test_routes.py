"""Every route of the admin API rejects callers without permission.

The routes are those of the running application, so that a new one cannot be forgotten.
"""

from collections.abc import Mapping
from pathlib import Path

from quire.admin_api.router import SIGNED_IN, SUPER_ADMINS, AdminApi
from quire.content_api.routes import Route
from tests.databases.kind import Row
from tests.databases.kinds import rows_of
from tests.unit.admin_api.office import PASSWORD, Office, open_office
from tests.unit.admin_api.test_admin_users import clerk

OPEN = {
    ("GET", "admin/init"),
    ("GET", "admin/project-type"),
    ("GET", "admin/registration-info"),
    ("POST", "admin/login"),
    ("POST", "admin/access-token"),
    ("POST", "admin/register-admin"),
    ("POST", "admin/register"),
    ("POST", "admin/forgot-password"),
    ("POST", "admin/reset-password"),
}
"""Routes without a session: none of them does anything without a secret in the body or a cookie."""

FOR_EVERY_ADMINISTRATOR = {
    ("GET", "admin/users/me"),
    ("PUT", "admin/users/me"),
    ("GET", "admin/users/me/permissions"),
    ("GET", "admin/users/me/sessions"),
    ("DELETE", "admin/users/me/sessions"),
    ("DELETE", "admin/users/me/sessions/:id"),
    ("POST", "admin/permissions/check"),
    ("GET", "admin/permissions"),
    ("GET", "admin/information"),
    ("GET", "admin/homepage/key-statistics"),
    ("GET", "admin/homepage/layout"),
    ("PUT", "admin/homepage/layout"),
    ("GET", "admin/project-settings"),
    ("GET", "admin/telemetry-properties"),
    ("GET", "admin/content-api/permissions"),
    ("GET", "admin/content-api/routes"),
    ("GET", "users-permissions/permissions"),
    ("GET", "users-permissions/policies"),
    ("GET", "users-permissions/routes"),
    ("GET", "i18n/locales"),
    ("GET", "i18n/settings"),
    ("POST", "admin/logout"),
    ("GET", "admin/x/second-factor"),
    ("POST", "admin/x/second-factor"),
    ("POST", "admin/x/second-factor/confirm"),
    ("POST", "admin/x/second-factor/recovery-codes"),
    ("POST", "admin/x/second-factor/remove"),
    ("POST", "i18n/content-manager/actions/get-non-localized-fields"),
    ("GET", "upload/configuration"),
    ("GET", "admin/x/home"),
    ("GET", "admin/x/locale-coverage"),
    ("GET", "admin/x/locale-coverage/:uid"),
    ("GET", "admin/x/previews"),
    ("GET", "admin/x/openapi.json"),
    ("GET", "admin/x/views"),
    ("POST", "admin/x/views"),
    ("PUT", "admin/x/views/:id"),
    ("DELETE", "admin/x/views/:id"),
}
"""What shows the project or concerns whoever asks alone. Content asks again for each type."""

OF_CONTENT = {
    ("GET", "i18n/content-manager/get-fill-from-locale/:model"),
    ("GET", "admin/x/entry/:uid/:id"),
    ("GET", "admin/x/references/:uid/:id"),
    ("GET", "admin/x/difference/:uid/:id"),
    ("POST", "admin/x/publish-check/:uid/:id"),
    ("POST", "admin/x/bulk-edit/:uid"),
    ("POST", "admin/x/export/:uid"),
    ("POST", "admin/x/samples/:uid"),
    ("GET", "admin/x/revisions/:uid/:id"),
    ("GET", "admin/x/revisions/:uid/:id/:revision"),
    ("POST", "admin/x/revisions/:uid/:id/:revision/restore"),
}
"""What asks again for the content type in the path, as below ``/content-manager``."""

FOR_THOSE_WHO_MAY_CHANGE_A_FILE = {
    ("POST", "upload"),
    ("POST", "upload/files"),
    ("PUT", "upload/files/:id"),
    ("POST", "upload/files/:id/replace"),
    ("POST", "upload/actions/upload-from-urls"),
    ("POST", "admin/x/media/:id/crop"),
}
"""What asks again, since it depends on the file."""

NOTES = ("strapi_sessions", "quire_audit")
"""Tables in which is noted who came, and what was refused to them."""

ASKING_AGAIN = (
    "content-manager/",
    *(f"admin/x/{name}" for name in ("releases", "entry-releases", "review/", "schedule")),
)


def routes(office: Office) -> list[Route]:
    content = office.app.content
    assert content is not None
    api = content._other_api  # noqa: SLF001 - the table that requests are found in
    assert isinstance(api, AdminApi)
    return sorted(api.routes.routes, key=lambda route: route.path == "admin/logout")


def named(route: Route) -> tuple[str, str]:
    return route.method, route.path.strip("/")


async def call(office: Office, route: Route, token: str | None) -> int:
    parts = route.path.strip("/").split("/")
    target = "/" + "/".join("1" if part.startswith(":") else part for part in parts)
    body: object = {} if route.method in {"POST", "PUT"} else None
    return (await office.ask(route.method, target, body, token=token)).status


def contents(folder: Path) -> Mapping[str, list[Row]]:
    """All rows of all tables but those of sessions and of the audit log."""
    with rows_of(folder) as rows:
        return {
            table: sorted(rows.execute(f'SELECT * FROM "{table}"'), key=str)
            for table in rows.tables()
            if table not in NOTES
        }


def asks_again(route: Route) -> bool:
    """Whether what may be done depends on what the path names."""
    path = route.path.strip("/")
    of_content = path.startswith(ASKING_AGAIN) and ":" in path
    return of_content or named(route) in FOR_THOSE_WHO_MAY_CHANGE_A_FILE | OF_CONTENT


def is_closed(route: Route) -> bool:
    return route.action not in {None, SIGNED_IN}


async def test_every_route_is_open_on_purpose(office: Office) -> None:
    unprotected = {named(route) for route in routes(office) if route.action is None}
    signed_in = {named(route) for route in routes(office) if route.action == SIGNED_IN}
    beyond = {route for route in signed_in if not route[1].startswith(ASKING_AGAIN)}

    assert unprotected == OPEN
    assert beyond == FOR_EVERY_ADMINISTRATOR | FOR_THOSE_WHO_MAY_CHANGE_A_FILE | OF_CONTENT


async def test_who_is_no_administrator_gets_nowhere(tmp_path: Path) -> None:
    async with open_office(tmp_path) as office:
        body = {"name": "Site", "type": "full-access"}
        made = await office.ask("POST", "/admin/api-tokens", body, token=office.boss)
        strangers = (None, "x", "0" * 256, made.data["accessKey"])
        for token in strangers:  # the first use of a token is noted with it
            await office.ask("GET", "/api/papers", token=token)
        before = contents(tmp_path)
        for route in routes(office):
            if route.action is not None:
                for token in strangers:
                    assert await call(office, route, token) == 401, named(route)
        assert contents(tmp_path) == before


async def test_administrators_without_permissions_do_nothing_but_what_is_theirs(
    tmp_path: Path,
) -> None:
    async with open_office(tmp_path) as office:
        _, token = await clerk(office)
        before = contents(tmp_path)
        for route in routes(office):
            if is_closed(route):
                assert await call(office, route, token) == 403, named(route)
            elif asks_again(route):
                assert await call(office, route, token) in {400, 403, 404}, named(route)
        assert contents(tmp_path) == before


async def test_each_action_opens_its_own_routes_and_no_others(office: Office) -> None:
    closed = {str(route.action) for route in routes(office) if is_closed(route)}
    actions = sorted(closed - {SUPER_ADMINS})
    admin_user, _ = await clerk(office, email="keys@example.com")
    shown = await office.ask("GET", f"/admin/users/{admin_user}", token=office.boss)
    path = f"/admin/roles/{shown.data['roles'][0]['id']}/permissions"
    token = (await office.sign_in("keys@example.com", PASSWORD)).data["token"]
    for action in actions:
        granted = {"permissions": [{"action": action, "subject": None}]}
        reply = await office.ask("PUT", path, granted, token=office.boss)
        assert reply.status == 200, (action, reply.json)
        for route in routes(office):
            if is_closed(route) and (route.method == "GET" or route.action != action):
                status = await call(office, route, token)
                assert (status == 403) is (route.action != action), (action, named(route))
