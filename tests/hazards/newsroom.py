"""A small project with hidden data of every kind, and principals of every kind.

The newsroom publishes articles. Visitors may read articles and categories; authors, desks and files
are none of their business. What must not be seen carries a word of its own, so that a test can look
for the word wherever it likes.
"""

import asyncio
import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from quire.access.actions import all_actions
from quire.auth.jwt_and_api_tokens import hash_api_token
from quire.cli.create_credentials import CredentialRows, NewAdministrator, NewTokenRow
from quire.database.content_rows import ExistingContent
from quire.database.dialect import Dialect
from quire.database.entries.entry_tables import open_store
from quire.database.open import open_database
from quire.database.program import Program, Statement
from quire.database.settings_target import target_of
from quire.database.stores.auth_rows import Accounts
from quire.database.stores.builtin_type_table import ContentTables
from quire.database.tables.table_map import LinkEdge, TableMap, map_tables
from quire.database.target import DatabaseKind
from quire.ids import new_document_id
from quire.schema.model import ROLE_UID, USER_UID, Schema
from quire.seeding.import_content import seed
from quire.seeding.load import read_content
from quire.settings import Settings, load_settings
from quire.strapi_project.schema import load_project_schema
from tests.databases.kind import Kind
from tests.library.row_inserts import row_inserts
from tests.secrecy.watch import WATCH

JsonObject = dict[str, Any]

ARTICLE, AUTHOR, CATEGORY, DESK, MASTHEAD = (
    f"api::{name}.{name}" for name in ("article", "author", "category", "desk", "masthead")
)
PERMISSION_UID = "plugin::users-permissions.permission"

SECRET = "quicksilver"
"""In every private string of the project."""
PASSCODE_HASH = "$2a$10$Q7mWfF5yJd2sVqk0T1nUeO8hZbXcLgRtPiAaSsDdFfGgHhJjKkLl2"
"""In the password field of an article, in the passwords of administrators and end users."""
RESET_TOKEN = "tamarisk0reset0token"
UNPRINTED = "unprinted"
"""In every value that was never published."""
AUTHOR_WORD = "Zenobia"
"""In every value of an author; visitors may not find authors."""
DESK_WORD = "Cornice"
"""In every value of a desk; visitors may not find desks."""

NOW = 1_700_000_000_000

_LOCALIZED: JsonObject = {"pluginOptions": {"i18n": {"localized": True}}}


def _relation(kind: str, target: str, **more: object) -> JsonObject:
    return {"type": "relation", "relation": kind, "target": target, **more}


def _type(name: str, plural: str, attributes: JsonObject, **more: object) -> JsonObject:
    return {
        "kind": "collectionType",
        "collectionName": plural,
        "info": {"singularName": name, "pluralName": plural, "displayName": name.title()},
        "attributes": attributes,
        **more,
    }


_ARTICLE = _type(
    "article",
    "articles",
    {
        "title": {"type": "string", **_LOCALIZED},
        "secret": {"type": "string", "private": True},
        "passcode": {"type": "password"},
        "code": {"type": "string", "unique": True, "regex": "^([a-zA-Z0-9-]+)*$"},
        "extra": {"type": "json"},
        "views": {"type": "biginteger"},
        "rank": {"type": "integer"},
        "price": {"type": "decimal"},
        "day": {"type": "date"},
        "hour": {"type": "time"},
        "happensAt": {"type": "datetime"},
        "open": {"type": "boolean"},
        "kind": {"type": "enumeration", "enum": ["news", "essay"]},
        "body": {"type": "richtext", **_LOCALIZED},
        "cover": {"type": "media"},
        "author": _relation("manyToOne", AUTHOR, inversedBy="articles"),
        "category": _relation("manyToOne", CATEGORY, inversedBy="articles"),
        "desk": _relation("manyToOne", DESK),
        "related": _relation("manyToMany", ARTICLE, inversedBy="relatedBy"),
        "relatedBy": _relation("manyToMany", ARTICLE, mappedBy="related"),
        "hiddenRelated": _relation("oneToMany", ARTICLE, private=True),
        "seo": {"type": "component", "component": "shared.seo", **_LOCALIZED},
        "sections": {
            "type": "dynamiczone",
            "components": ["shared.quote", "shared.panel"],
            **_LOCALIZED,
        },
    },
    options={"draftAndPublish": True},
    **_LOCALIZED,
)
_AUTHOR = _type(
    "author",
    "authors",
    {
        "name": {"type": "string"},
        "email": {"type": "email"},
        "income": {"type": "string", "private": True},
        "portrait": {"type": "media"},
        "articles": _relation("oneToMany", ARTICLE, mappedBy="author"),
    },
)
_CATEGORY = _type(
    "category",
    "categories",
    {
        "name": {"type": "string"},
        "budget": {"type": "string", "private": True},
        "parent": _relation("manyToOne", CATEGORY, inversedBy="children"),
        "children": _relation("oneToMany", CATEGORY, mappedBy="parent"),
        "articles": _relation("oneToMany", ARTICLE, mappedBy="category"),
    },
)
_DESK = _type(
    "desk",
    "desks",
    {"name": {"type": "string"}, "category": _relation("manyToOne", CATEGORY)},
)
_MASTHEAD = {
    **_type(
        "masthead",
        "mastheads",
        {"motto": {"type": "string"}, "ciphers": {"type": "string"}},
        options={"privateAttributes": ["ciphers"], "populateCreatorFields": True},
    ),
    "kind": "singleType",
}
_SEO = {
    "collectionName": "components_shared_seos",
    "info": {"displayName": "Seo"},
    "attributes": {
        "metaTitle": {"type": "string"},
        "note": {"type": "string", "private": True},
        "image": {"type": "media"},
        "owner": _relation("oneToOne", AUTHOR),
        "topic": _relation("oneToOne", CATEGORY),
    },
}
_QUOTE = {
    "collectionName": "components_shared_quotes",
    "info": {"displayName": "Quote"},
    "attributes": {
        "text": {"type": "text"},
        "source": {"type": "string", "private": True},
        "speaker": _relation("oneToOne", AUTHOR),
    },
}
_PANEL = {
    "collectionName": "components_shared_panels",
    "info": {"displayName": "Panel"},
    "attributes": {
        "heading": {"type": "string"},
        "images": {"type": "media", "multiple": True},
        "seo": {"type": "component", "component": "shared.seo"},
        "quotes": {"type": "component", "component": "shared.quote", "repeatable": True},
    },
}

SCHEMA_FILES: Mapping[str, JsonObject] = {
    "src/api/article/content-types/article/schema.json": _ARTICLE,
    "src/api/author/content-types/author/schema.json": _AUTHOR,
    "src/api/category/content-types/category/schema.json": _CATEGORY,
    "src/api/desk/content-types/desk/schema.json": _DESK,
    "src/api/masthead/content-types/masthead/schema.json": _MASTHEAD,
    "src/components/shared/seo.json": _SEO,
    "src/components/shared/quote.json": _QUOTE,
    "src/components/shared/panel.json": _PANEL,
}

_SEO_VALUES: JsonObject = {
    "metaTitle": "On tides",
    "note": f"{SECRET} note",
    "image": "cover.png",
    "owner": "zenobia",
    "topic": "sea",
}
_QUOTE_VALUES: JsonObject = {
    "text": "The sea is calm",
    "source": f"{SECRET} source",
    "speaker": "zenobia",
}
_TIDES_SECTIONS: list[JsonObject] = [
    {"__component": "shared.quote", **_QUOTE_VALUES},
    {
        "__component": "shared.panel",
        "heading": "Low water",
        "images": ["cover.png"],
        "seo": _SEO_VALUES,
        "quotes": [_QUOTE_VALUES],
    },
]
CONTENT_FILES: Mapping[str, object] = {
    "manifest.json": {
        "locales": [
            {"code": "en", "name": "English (en)", "default": True},
            {"code": "de", "name": "German (de)"},
        ],
        "documents": [
            {"contentType": AUTHOR, "files": ["authors.json"]},
            {"contentType": CATEGORY, "files": ["categories.json"]},
            {"contentType": DESK, "files": ["desks.json"]},
            {"contentType": ARTICLE, "files": ["articles.json"]},
            {"contentType": MASTHEAD, "files": ["masthead.json"]},
        ],
        "media": "media.json",
        "public": [
            f"{uid}.{action}" for uid in (ARTICLE, CATEGORY) for action in ("find", "findOne")
        ],
    },
    "media.json": [{"file": "cover.png"}, {"file": "map.png"}],
    "authors.json": [
        {
            "key": "zenobia",
            "data": {
                "name": AUTHOR_WORD,
                "email": f"{AUTHOR_WORD.lower()}@example.com",
                "income": f"{SECRET} income",
                "portrait": "cover.png",
            },
        },
        {"key": "second", "data": {"name": f"{AUTHOR_WORD} the Second"}},
    ],
    "categories.json": [
        {"key": "sea", "data": {"name": "Sea", "budget": f"{SECRET} budget"}},
        {"key": "harbour", "data": {"name": "Harbour", "parent": "sea"}},
    ],
    "desks.json": [{"key": "news", "data": {"name": DESK_WORD, "category": "sea"}}],
    "articles.json": [
        {
            "key": "never",
            "status": "draft",
            "data": {
                "secret": f"{SECRET} {UNPRINTED}",
                "code": f"{UNPRINTED}-1",
                "category": "sea",
                "cover": "cover.png",
            },
            "locales": {"en": {"data": {"title": f"Never {UNPRINTED}"}}},
        },
        {
            "key": "markets",
            "status": "modified",
            "data": {
                "secret": f"{SECRET} two",
                "code": "M-2",
                "views": "12",
                "rank": 2,
                "category": "harbour",
                "author": "second",
            },
            "locales": {
                "en": {
                    "data": {"title": r"100% [a-z] under_score back\slash", "body": "Fish"},
                    "draft": {"title": f"Markets {UNPRINTED}", "body": f"Fish {UNPRINTED}"},
                },
            },
        },
        {
            "key": "tides",
            "status": "published",
            "data": {
                "secret": f"{SECRET} one",
                "code": "T-1",
                "extra": {"a": {"b": 1}},
                "views": "9007199254740993",
                "rank": 1,
                "price": 9.5,
                "day": "2024-02-29",
                "hour": "06:30:00",
                "happensAt": "2024-02-29T06:30:00.000Z",
                "open": True,
                "kind": "news",
                "cover": "cover.png",
                "author": "zenobia",
                "category": "sea",
                "desk": "news",
            },
            "locales": {
                "en": {
                    "data": {
                        "title": "Tides",
                        "body": "Low and high",
                        "related": ["markets"],
                        "hiddenRelated": ["markets"],
                        "seo": _SEO_VALUES,
                        "sections": _TIDES_SECTIONS,
                    }
                },
                "de": {"status": "draft", "data": {"title": f"Gezeiten {UNPRINTED}"}},
            },
        },
        {"key": "empty", "status": "published", "locales": {"en": {"data": {}}}},
    ],
    "masthead.json": {"key": "m", "data": {"motto": "Print", "ciphers": f"{SECRET} ciphers"}},
}
_PIXEL = b"\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR\x00\x00\x00\x03\x00\x00\x00\x02\x08\x06" + bytes(99)

ENVIRONMENT = {
    "JWT_SECRET": "made-up-jwt-secret-that-is-long-enough-for-hs256",
    "API_TOKEN_SALT": "made-up-salt",
    "APP_KEYS": "a,b",
    "ADMIN_JWT_SECRET": "made-up-admin-secret",
    "TRANSFER_TOKEN_SALT": "made-up-transfer-salt",
    "ENCRYPTION_KEY": "made-up-encryption-key",
}
API_TOKENS = {"readonly": "1" * 256, "full": "2" * 256}
"""API tokens in clear, by what they are called here."""


@dataclass(frozen=True, slots=True)
class EndUser:
    """An end user; ``actions`` are the permissions of their role."""

    name: str
    actions: tuple[str, ...]


END_USERS = (
    EndUser(
        "reader", tuple(f"{uid}.{a}" for uid in (ARTICLE, AUTHOR) for a in ("find", "findOne"))
    ),
    EndUser("clerk", (f"{ARTICLE}.find",)),
    EndUser(
        "writer",
        (
            *(f"{ARTICLE}.{a}" for a in ("find", "findOne", "create", "update", "delete")),
            f"{CATEGORY}.find",
        ),
    ),
    EndUser("uploader", ("plugin::upload.content-api.upload",)),
)
USER_IDS = {user.name: position for position, user in enumerate(END_USERS, start=1)}


def write_project(folder: Path, kind: Kind) -> Settings:
    """Lay out the project with its database in a folder, and return its settings."""
    for name, raw in SCHEMA_FILES.items():
        write_json(folder / name, raw)
    for name, content in CONTENT_FILES.items():
        write_json(folder / "content" / name, content)
    for name in ("cover.png", "map.png"):
        (folder / "content" / "media").mkdir(exist_ok=True)
        (folder / "content" / "media" / name).write_bytes(_PIXEL)
    lines = "".join(f"{name}={value}\n" for name, value in ENVIRONMENT.items())
    (folder / ".env").write_text(lines, encoding="utf-8")
    for secret in (*ENVIRONMENT.values(), *API_TOKENS.values(), RESET_TOKEN):
        WATCH.keep(secret)
    kind.settle(folder)
    settings = load_settings(folder, environ={})
    asyncio.run(_fill(settings))
    kind.cipher(folder)
    return settings


def write_json(path: Path, value: object) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(value), encoding="utf-8")


async def _fill(settings: Settings) -> None:
    schema = load_project_schema(settings)
    content = read_content(settings.project / "content", schema)
    await seed(settings, schema, content, lambda _: None)
    tables = map_tables(schema)
    database = await open_database(settings, tables)
    try:
        await database.write(
            _EndUserRows(schema, tables, database.dialect, target_of(settings).kind).program()
        )
    finally:
        await database.close()


class _EndUserRows:
    """Those who may look, and what content files cannot hold: passwords and tokens."""

    def __init__(
        self, schema: Schema, tables: TableMap, dialect: Dialect, kind: DatabaseKind
    ) -> None:
        self._schema = schema
        self._tables = tables
        self._dialect = dialect
        self._kind = kind
        self._inserts = row_inserts(schema, tables, kind)
        self._contents = ExistingContent(tables, dialect)
        self._accounts = Accounts(open_store(schema, tables, dialect))

    def program(self) -> Program[None]:
        yield from self._credentials()
        for user in END_USERS:
            yield from self._end_user(user)
        yield Statement(f"UPDATE articles SET passcode = '{PASSCODE_HASH}'")
        # As rows of an older server may have it: a published entry that is linked with a draft.
        yield Statement(
            "INSERT INTO articles_related_lnk (article_id, inv_article_id, article_ord) "
            "SELECT a.id, b.id, 2 FROM articles a, articles b WHERE a.title = 'Tides' "
            f"AND a.published_at IS NOT NULL AND b.title = 'Never {UNPRINTED}'"
        )
        # Whoever made the rows has secrets too.
        yield Statement(f"UPDATE admin_users SET reset_password_token = '{RESET_TOKEN}'")
        for table in ("articles", "categories", "authors", "mastheads"):
            yield Statement(f"UPDATE {table} SET created_by_id = 1, updated_by_id = 1")

    def _credentials(self) -> Program[None]:
        store = open_store(self._schema, self._tables, self._dialect)
        tables = ContentTables(store=store, new_id=new_document_id)
        rows = CredentialRows(tables=tables, now=NOW)
        yield from rows.administrator(
            NewAdministrator(
                email=f"{SECRET}@example.com",
                firstname="Ada",
                lastname=None,
                password=PASSCODE_HASH,
                role="strapi-super-admin",
            )
        )
        for name, kind in (("readonly", "read-only"), ("full", "full-access")):
            yield from rows.api_token(
                NewTokenRow(
                    name=name,
                    description="",
                    type=kind,
                    access_key=hash_api_token(API_TOKENS[name], ENVIRONMENT["API_TOKEN_SALT"]),
                    encrypted_key=None,
                )
            )

    def _end_user(self, user: EndUser) -> Program[None]:
        assert set(user.actions) <= all_actions(self._schema)
        role = yield from self._row(ROLE_UID, {"name": user.name, "type": user.name})
        for action in user.actions:
            permission = yield from self._row(PERMISSION_UID, {"action": action})
            yield from self._link(PERMISSION_UID, permission, role)
        values = {
            "username": user.name,
            "email": f"{user.name}@example.com",
            "provider": "local",
            "password": PASSCODE_HASH,
            "resetPasswordToken": RESET_TOKEN,
            "confirmationToken": RESET_TOKEN,
            "confirmed": True,
            "blocked": False,
        }
        id_ = yield from self._row(USER_UID, values)
        assert id_ == USER_IDS[user.name]
        yield from self._link(USER_UID, id_, role)

    def _row(self, uid: str, values: Mapping[str, object]) -> Program[int]:
        table = self._tables[uid]
        moments = {"createdAt": NOW, "updatedAt": NOW, "publishedAt": NOW}
        given = {"documentId": new_document_id(), **values, **moments}
        row = {table.columns[name]: value for name, value in given.items()}
        return (yield from self._inserts.insert(table.name, row))

    def _link(self, uid: str, source_id: int, target_id: int) -> Program[None]:
        edge = self._tables[uid].edges["role"]
        assert isinstance(edge, LinkEdge)
        yield from self._inserts.insert(
            edge.table, {edge.source_column: source_id, edge.target_column: target_id}
        )
