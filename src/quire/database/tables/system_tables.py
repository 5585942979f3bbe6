"""The tables that no content type describes: settings, webhooks, migrations, history.

Their names and fields, and the names of the migrations that a database of the current layout has.
This module needs neither a database nor SQLAlchemy.
"""

from collections.abc import Mapping
from types import MappingProxyType

from msgspec import Struct

from quire.schema.attributes.base import StorageKind

CORE_STORE = "strapi_core_store_settings"
MIGRATIONS = "strapi_migrations"
INTERNAL_MIGRATIONS = "strapi_migrations_internal"
DATABASE_SCHEMA = "strapi_database_schema"
HISTORY_VERSIONS = "strapi_history_versions"
WEBHOOKS = "strapi_webhooks"
OWN_PREFIX = "quire_"
"""The prefix of the names of Quire's own tables."""

LOG_MARK_KEY = "quire_log_mark"
"""The key in the core store of what identifies the log of a PostgreSQL server."""


class SystemColumn(Struct, frozen=True):
    """A column of a plain table; ``required`` columns accept no NULL."""

    name: str
    kind: StorageKind
    required: bool = False


def _text(name: str, *, required: bool = False) -> SystemColumn:
    return SystemColumn(name, StorageKind.STRING, required)


def _long(name: str) -> SystemColumn:
    return SystemColumn(name, StorageKind.TEXT)


def _time(name: str) -> SystemColumn:
    return SystemColumn(name, StorageKind.DATETIME)


def _json(name: str, *, required: bool = False) -> SystemColumn:
    return SystemColumn(name, StorageKind.JSON, required)


PLAIN_TABLES: Mapping[str, tuple[SystemColumn, ...]] = MappingProxyType(
    {
        MIGRATIONS: (_text("name"), _time("time")),
        INTERNAL_MIGRATIONS: (_text("name"), _time("time")),
        DATABASE_SCHEMA: (_json("schema"), _time("time"), _text("hash")),
        CORE_STORE: (
            _text("key"),
            _long("value"),
            _text("type"),
            _text("environment"),
            _text("tag"),
        ),
        WEBHOOKS: (
            _text("name"),
            _long("url"),
            _json("headers"),
            _json("events"),
            SystemColumn("enabled", StorageKind.BOOLEAN),
        ),
        "strapi_ai_metadata_jobs": (
            _text("status", required=True),
            _time("created_at"),
            _time("completed_at"),
        ),
        "strapi_ai_localization_jobs": (
            _text("content_type", required=True),
            _text("related_document_id", required=True),
            _text("source_locale", required=True),
            _json("target_locales", required=True),
            _text("status", required=True),
            _time("created_at"),
            _time("updated_at"),
        ),
        HISTORY_VERSIONS: (
            _text("content_type", required=True),
            _text("related_document_id"),
            _text("locale"),
            _text("status"),
            _json("data"),
            _json("schema"),
            _time("created_at"),
        ),
    }
)
"""The fields of each table except ``id``. The history also has a creator (``created_by_id``)."""

NEEDED_MIGRATIONS = (
    "5.0.0-rename-identifiers-longer-than-max-length",
    "5.0.0-02-created-document-id",
    "5.0.0-03-created-locale",
    "5.0.0-04-created-published-at",
    "core::5.0.0-discard-drafts",
)
"""Internal migrations without which rows have another meaning."""

CURRENT_MIGRATIONS = (
    "5.0.0-rename-identifiers-longer-than-max-length",
    "5.0.0-02-created-document-id",
    "5.0.0-03-created-locale",
    "5.0.0-04-created-published-at",
    "5.0.0-05-drop-slug-fields-index",
    "5.0.0-06-add-document-id-indexes",
    "core::5.0.0-discard-drafts",
    "admin::migrate-prefered-language-dk-to-da",
)
"""The internal migrations of a database of the current layout, in order.

When one is missing, Strapi runs it at its next start; the last but one of them, run on content of
the current layout, would give every published document a second draft.
"""

KNOWN_MIGRATIONS = frozenset(CURRENT_MIGRATIONS) | {
    "content-releases::5.0.0-add-entry-document-id-to-release-actions"
}
"""These, and the ones that only some installations have."""
