"""The schema that a database was last migrated to, stored in it.

Two records are kept in the core store: ours, with everything that was loaded, and Strapi's, with
content types only, which it writes at each start. A change of the tables has to update both; Strapi
would otherwise repeat it.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import sqlalchemy as sa
from msgspec import Struct

from quire.database.compile.statements import StatementBuilder
from quire.database.compile.writes import Writes
from quire.database.migration.schema_pair import Renames
from quire.database.program import Program
from quire.database.schema_version import announce_schema
from quire.database.stores.core_store import read_settings, write_setting
from quire.database.tables.system_tables import DATABASE_SCHEMA
from quire.schema.model import ContentType, Model, Schema
from quire.schema.source_files import SchemaFile

OUR_RECORD = "quire_schema"
THEIR_RECORD = "strapi_content_types_schema"

_RECORDED_KEYS = ("kind", "collectionName", "info", "options", "pluginOptions")
_AUTOMATIC = (
    "createdAt",
    "updatedAt",
    "publishedAt",
    "firstPublishedAt",
    "createdBy",
    "updatedBy",
    "locale",
    "localizations",
)


class SchemaRecord(Struct, frozen=True, kw_only=True):
    """The schema that a database was last changed for, as far as it is known.

    ``version`` is `Schema.version` if we wrote it. ``sources`` lack the components of a database
    that we never changed; ``is_complete`` is false then. ``unseen`` are content
    types that we have created and Strapi has not seen: its record lacks them.
    """

    version: str | None
    sources: tuple[SchemaFile, ...]
    is_complete: bool
    unseen: tuple[SchemaFile, ...] = ()


def recorded_schema(writes: Writes) -> Program[SchemaRecord | None]:
    """Read the recorded schema of a database; ``None`` if there is none.

    For content types Strapi's record counts if there is one: each of its starts writes it, and so
    do we.
    """
    records = yield from read_settings(writes, (OUR_RECORD, THEIR_RECORD))
    our_record, their_record = records.get(OUR_RECORD), records.get(THEIR_RECORD)
    our_sources = list(_own_sources(our_record))
    if not isinstance(their_record, dict):
        if not isinstance(our_record, dict):
            return None
        return SchemaRecord(
            version=_version(our_record), sources=tuple(our_sources), is_complete=True
        )
    their_sources = list(_their_sources(their_record))
    unseen = [s for s in our_sources if s.uid.startswith("api::") and s.uid not in their_record]
    common_sources = [source for source in our_sources if source not in unseen]
    if isinstance(our_record, dict) and _api_types(common_sources) == _api_types(their_sources):
        return SchemaRecord(
            version=_version(our_record), sources=tuple(our_sources), is_complete=True
        )
    other_sources = [source for source in our_sources if not source.uid.startswith("api::")]
    return SchemaRecord(
        version=None,
        sources=(*their_sources, *other_sources),
        is_complete=isinstance(our_record, dict),
        unseen=tuple(unseen),
    )


def _api_types(sources: Sequence[SchemaFile]) -> dict[str, dict[str, object]]:
    return {s.uid: recorded_type(s.raw) for s in sources if s.uid.startswith("api::")}


def recorded_type(raw: Mapping[str, object]) -> dict[str, object]:
    """Read the record of a content type; its file may contain more."""
    return {key: raw[key] for key in (*_RECORDED_KEYS, "attributes") if raw.get(key)}


def record_schema(
    writes: Writes, schema: Schema, renames: Renames, *, extends: str | None = None
) -> Program[None]:
    """Record the schema of the tables, and notify servers.

    ``extends`` is the version of the former schema, if this one only extends it. Strapi's record of
    the tables is deleted: it creates a new one, and compares nothing with the old.
    """
    models: Sequence[Model] = [*schema.api_types, *schema.components.values()]
    sources = [[m.uid, m.file, m.raw] for m in models] + [
        [f"extension:{m.uid}", m.file, m.raw]
        for m in schema.content_types.values()
        if m.file.startswith("src/extensions/")
    ]
    yield from write_setting(writes, OUR_RECORD, {"version": schema.version, "sources": sources})
    yield from announce_schema(writes, schema.version, extends=extends)
    records = yield from read_settings(writes, (THEIR_RECORD,))
    their_record = records.get(THEIR_RECORD)
    if isinstance(their_record, dict):
        yield from write_setting(
            writes, THEIR_RECORD, _update_record(schema, their_record, renames)
        )
        yield from writes.run(("forget tables",), _all_of_database_schema)


def _all_of_database_schema(_: StatementBuilder) -> sa.ClauseElement:
    return sa.delete(sa.table(DATABASE_SCHEMA))


def _update_record(
    schema: Schema, their_record: Mapping[str, Any], renames: Renames
) -> dict[str, Any]:
    """Update Strapi's record; types that it has not seen yet are left out."""
    new_record = {uid: value for uid, value in their_record.items() if not uid.startswith("api::")}
    for content_type in schema.api_types:
        type_record = their_record.get(renames.earlier_uid(content_type.uid) or "")
        if isinstance(type_record, dict):
            new_record[content_type.uid] = _describe(content_type, type_record)
    return new_record


def _describe(content_type: ContentType, known_values: Mapping[str, Any]) -> dict[str, Any]:
    raw = content_type.raw
    raw_attributes = raw.get("attributes")
    attributes = dict(raw_attributes) if isinstance(raw_attributes, dict) else {}
    recorded_attributes = known_values.get("attributes")
    automatic = recorded_attributes if isinstance(recorded_attributes, dict) else {}
    values = {key: raw[key] for key in _RECORDED_KEYS if key in raw}
    return {
        **known_values,
        **values,
        "attributes": {
            **attributes,
            **{name: automatic[name] for name in _AUTOMATIC if name in automatic},
        },
        "uid": content_type.uid,
        "__schema__": {**values, "attributes": attributes},
    }


def _own_sources(our_record: object) -> Iterator[SchemaFile]:
    if not isinstance(our_record, dict):
        return
    for uid, file, raw in our_record.get("sources", ()):
        yield SchemaFile(uid, file, raw)


def _their_sources(their_record: Mapping[str, Any]) -> Iterator[SchemaFile]:
    for uid, type_record in their_record.items():
        if uid.startswith("api::") and isinstance(type_record, dict):
            raw = type_record.get("__schema__")
            if isinstance(raw, dict):
                yield SchemaFile(uid, f"(database) {uid}", raw)


def _version(our_record: object) -> str | None:
    version = our_record.get("version") if isinstance(our_record, dict) else None
    return version if isinstance(version, str) else None
