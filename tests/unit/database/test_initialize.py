"""The first rows of a new database."""

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from quire.database.entries.entry_tables import open_store
from quire.database.initialize import FirstLocale, initial_rows
from quire.database.program import Program, Statement
from quire.database.settings_target import target_of
from quire.database.tables.ddl import create_program
from quire.database.tables.initial_values import permission_fields
from quire.database.tables.inspection import opening_program, wanted_tables
from quire.database.tables.metadata import build_metadata
from quire.database.tables.system_tables import CURRENT_MIGRATIONS
from quire.database.tables.table_map import map_tables
from quire.database.target import DatabaseKind
from quire.schema.model import Schema
from quire.settings import load_settings
from tests.databases.kind import Kind
from tests.databases.store import Store
from tests.unit.database.running import awkward_schema, component, content_type, schema_of

NOW = 1_700_000_000_123

SCHEMA = schema_of(
    content_type(
        "note",
        {
            "title": {"type": "string", "pluginOptions": {"i18n": {"localized": True}}},
            "secret": {"type": "string", "visible": False},
            "seo": {"type": "component", "component": "part.seo"},
            "zone": {"type": "dynamiczone", "components": ["part.seo"]},
        },
        pluginOptions={"i18n": {"localized": True}},
    ),
    content_type("tag", {"label": {"type": "string"}}),
    content_type(
        "hidden",
        {"label": {"type": "string"}},
        pluginOptions={"content-manager": {"visible": False}},
    ),
    component(
        "part.seo",
        {
            "text": {"type": "text"},
            "again": {"type": "component", "component": "part.seo"},
            "empty": {"type": "component", "component": "part.empty"},
        },
    ),
    component("part.empty", {}),
)


def document_ids() -> Iterator[str]:
    number = 0
    while True:
        number += 1
        yield f"a{number:023d}"


def first_rows(
    schema: Schema,
    kind: DatabaseKind,
    *,
    locale: FirstLocale | None = None,
    api_prefix: str = "/api",
) -> Program[None]:
    ids = document_ids()
    return initial_rows(
        open_store(schema, map_tables(schema), kind.dialect()),
        clock=lambda: NOW,
        new_id=lambda: next(ids),
        locale=locale or FirstLocale(),
        api_prefix=api_prefix,
    )


@pytest.fixture
def empty(open_store: Callable[[Schema], Store]) -> Store:
    """The tables, and nothing in them."""
    return open_store(SCHEMA)


@pytest.fixture
def database(empty: Store) -> Store:
    empty.run(first_rows(SCHEMA, empty.kind))
    return empty


def rows(database: Store, sql: str) -> list[tuple[object, ...]]:
    return database.execute(sql)


def setting(database: Store, key: str) -> object:
    sql = "SELECT value FROM strapi_core_store_settings WHERE key = ?"
    ((value,),) = database.execute(sql, (key,))
    return json.loads(str(value))


def moments(database: Store, *stored: Any) -> list[int | None]:  # noqa: ANN401 - as it comes
    """Read moments as epoch milliseconds."""
    return [database.dialect.epoch_ms(one) for one in stored]


async def test_the_driver_makes_a_database_that_a_start_accepts(kind: Kind, tmp_path: Path) -> None:
    project = tmp_path / "project"
    project.mkdir()
    kind.settle(project)
    target = target_of(load_settings(project, environ={}))
    schema = awkward_schema()
    table_map = map_tables(schema)

    def everything() -> Program[None]:
        metadata = build_metadata(schema, table_map, target.kind.column_types)
        yield from create_program(metadata, target.kind.ddl)
        yield from first_rows(schema, target.kind)

    async with target.new() as database:
        await database.write(everything())
        wanted = wanted_tables(table_map)
        opening = await database.read(lambda: opening_program(target.kind.inspector, wanted))
    kind.release(project)
    assert (opening.empty, opening.problem, opening.missing_tables) == (False, None, ())


def test_the_layout_is_written_down_as_the_current_one(database: Store) -> None:
    found = rows(database, "SELECT name, time FROM strapi_migrations_internal ORDER BY id")
    assert [name for name, _ in found] == [*CURRENT_MIGRATIONS]
    assert set(moments(database, *(at for _, at in found))) == {NOW}


@pytest.mark.parametrize(
    "table",
    [
        "strapi_database_schema",
        "strapi_migrations",
        "admin_users",
        "up_users",
        "strapi_api_tokens",
        "strapi_transfer_tokens",
    ],
)
def test_nobody_has_an_account_or_a_token_and_no_schema_is_stored(
    database: Store, table: str
) -> None:
    assert rows(database, f"SELECT * FROM {table}") == []


def test_settings_say_the_type_of_their_value(database: Store) -> None:
    found = rows(database, "SELECT key, type, environment, tag FROM strapi_core_store_settings")
    assert found == [
        ("strapi_unidirectional-join-table-repair-ran", "boolean", None, None),
        ("plugin_upload_settings", "object", None, None),
        ("plugin_upload_view_configuration", "object", None, None),
        ("plugin_i18n_default_locale", "string", None, None),
        ("plugin_users-permissions_grant", "object", None, None),
        ("plugin_users-permissions_email", "object", None, None),
        ("plugin_users-permissions_advanced", "object", None, None),
        ("core_admin_auth", "object", None, None),
    ]


def test_the_default_locale_is_english(database: Store) -> None:
    assert setting(database, "plugin_i18n_default_locale") == "en"
    found = rows(
        database,
        "SELECT name, code, created_at, updated_at, published_at, created_by_id, locale"
        " FROM i18n_locale",
    )
    ((name, code, *at, creator, locale),) = found
    assert (name, code, creator, locale) == ("English (en)", "en", None, None)
    assert moments(database, *at) == [NOW] * 3


def test_the_default_locale_can_be_another_one(empty: Store) -> None:
    french = FirstLocale(code="fr", name="French (fr)")
    empty.run(first_rows(SCHEMA, empty.kind, locale=french))
    assert setting(empty, "plugin_i18n_default_locale") == "fr"
    assert rows(empty, "SELECT code FROM i18n_locale") == [("fr",)]
    (properties,) = rows(empty, "SELECT properties FROM admin_permissions WHERE id = 1")
    assert json.loads(str(properties[0]))["locales"] == ["fr"]


def test_providers_call_back_under_the_prefix_of_the_api_and_only_email_is_enabled(
    empty: Store,
) -> None:
    empty.run(first_rows(SCHEMA, empty.kind, api_prefix="/content/v1/"))
    providers = setting(empty, "plugin_users-permissions_grant")
    assert isinstance(providers, dict)
    assert providers["github"]["callbackUrl"] == "content/v1/auth/github/callback"
    assert [name for name, provider in providers.items() if provider["enabled"]] == ["email"]


def test_mails_have_the_places_that_are_filled_in_when_they_are_sent(
    database: Store,
) -> None:
    mails = setting(database, "plugin_users-permissions_email")
    assert isinstance(mails, dict)
    assert "<%= URL %>?code=<%= TOKEN %>" in mails["reset_password"]["options"]["message"]
    message = mails["email_confirmation"]["options"]["message"]
    assert "<%= URL %>?confirmation=<%= CODE %>" in message


def test_end_users_may_sign_in_and_out_and_nothing_else(database: Store) -> None:
    found = rows(
        database,
        "SELECT r.type, p.action, l.permission_ord FROM up_permissions p"
        " JOIN up_permissions_role_lnk l ON l.permission_id = p.id"
        " JOIN up_roles r ON r.id = l.role_id ORDER BY p.id",
    )
    auth = "plugin::users-permissions.auth."
    assert found == [
        ("authenticated", f"{auth}logout", 1.0),
        ("authenticated", f"{auth}getSessions", 2.0),
        ("authenticated", f"{auth}revokeSession", 3.0),
        ("authenticated", "plugin::users-permissions.user.me", 4.0),
        ("authenticated", f"{auth}changePassword", 5.0),
        ("public", f"{auth}callback", 1.0),
        ("public", f"{auth}connect", 2.0),
        ("public", f"{auth}forgotPassword", 3.0),
        ("public", f"{auth}resetPassword", 4.0),
        ("public", f"{auth}register", 5.0),
        ("public", f"{auth}emailConfirmation", 6.0),
        ("public", f"{auth}sendEmailConfirmation", 7.0),
        ("public", f"{auth}refresh", 8.0),
    ]


def granted(database: Store, role: str) -> list[tuple[object, ...]]:
    return rows(
        database,
        "SELECT replace(p.action, 'plugin::content-manager.explorer.', ''), p.subject,"
        " p.conditions FROM admin_permissions p"
        " JOIN admin_permissions_role_lnk l ON l.permission_id = p.id"
        f" JOIN admin_roles r ON r.id = l.role_id WHERE r.code = '{role}'"
        " ORDER BY l.permission_ord",
    )


UPLOADS = (
    "read",
    "configure-view",
    "assets.create",
    "assets.update",
    "assets.download",
    "assets.copy-link",
)


def test_editors_may_do_everything_with_all_content(database: Store) -> None:
    subjects = ("api::note.note", "api::tag.tag")
    verbs = ("create", "read", "update", "delete", "publish")
    assert granted(database, "strapi-editor") == [
        *((verb, subject, "[]") for verb in verbs for subject in subjects),
        *((f"plugin::upload.{action}", None, "[]") for action in UPLOADS),
    ]


def test_authors_may_edit_what_they_made_and_not_publish(database: Store) -> None:
    own = '["admin::is-creator"]'
    found = granted(database, "strapi-author")
    content = [row for row in found if row[1] is not None]
    assert {verb for verb, _, _ in content} == {"create", "read", "update", "delete"}
    assert all(conditions == own for _, _, conditions in content)
    uploads = {str(action).removeprefix("plugin::upload."): c for action, s, c in found if not s}
    assert uploads == {name: own if name in {"read", "assets.update"} else "[]" for name in UPLOADS}


def test_super_admins_have_a_role_whose_permissions_are_worked_out_elsewhere(
    database: Store,
) -> None:
    codes = rows(database, "SELECT code FROM admin_roles ORDER BY id")
    assert codes == [("strapi-super-admin",), ("strapi-editor",), ("strapi-author",)]
    assert granted(database, "strapi-super-admin") == []


def test_permissions_name_fields_and_for_localized_types_locales(
    database: Store,
) -> None:
    found = {
        (str(action).rpartition(".")[2], subject): json.loads(str(properties))
        for action, subject, properties in rows(
            database, "SELECT action, subject, properties FROM admin_permissions WHERE id < 11"
        )
    }
    fields = ["title", "seo.text", "seo.again", "seo.empty", "zone"]
    assert found["create", "api::note.note"] == {"fields": fields, "locales": ["en"]}
    assert found["create", "api::tag.tag"] == {"fields": ["label"]}
    assert found["delete", "api::note.note"] == {"locales": ["en"]}
    assert found["delete", "api::tag.tag"] == {}


def test_fields_of_components_within_components_are_named_by_their_path() -> None:
    schema = awkward_schema()
    fields = permission_fields(schema, schema.content_types["api::node.node"])
    assert [name for name in fields if name.startswith("part")] == [
        "part.title",
        "part.leaf.text",
        "part.leaf.links",
        "part.leaf.one",
        "part.leaves.text",
        "part.leaves.links",
        "part.leaves.one",
        "part.files",
        "part.many",
    ]
    assert not {"id", "documentId", "createdAt", "createdBy", "locale"} & set(fields)


def test_every_row_has_a_document_id_of_its_own(database: Store) -> None:
    tables = ("i18n_locale", "up_roles", "up_permissions", "admin_roles", "admin_permissions")
    ids = [row[0] for table in tables for row in rows(database, f"SELECT document_id FROM {table}")]
    assert len(ids) == len(set(ids)) == 1 + 2 + 13 + 3 + 30


def test_the_same_clock_and_ids_make_the_same_rows(empty: Store) -> None:
    first, second = (statements(first_rows(SCHEMA, empty.kind)) for _ in range(2))
    assert first == second


def statements(program: Program[None]) -> list[Statement]:
    """Run a program without a database, each row getting the next id."""
    seen: list[Statement] = []
    try:
        statement = next(program)
        while True:
            seen.append(statement)
            statement = program.send([(len(seen),)])
    except StopIteration:
        return seen
