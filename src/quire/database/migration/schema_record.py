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
    ours, theirs = records.get(OUR_RECORD), records.get(THEIR_RECORD)
    own = list(_own_sources(ours))
    if not isinstance(theirs, dict):
        if not isinstance(ours, dict):
            return None
        return SchemaRecord(version=_version(ours), sources=tuple(own), is_complete=True)
    described = list(_their_sources(theirs))
    unseen = [s for s in own if s.uid.startswith("api::") and s.uid not in theirs]
    seen = [source for source in own if source not in unseen]
    if isinstance(ours, dict) and _api_types(seen) == _api_types(described):
        return SchemaRecord(version=_version(ours), sources=tuple(own), is_complete=True)
    others = [source for source in own if not source.uid.startswith("api::")]
    return SchemaRecord(
        version=None,
        sources=(*described, *others),
        is_complete=isinstance(ours, dict),
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
    theirs = records.get(THEIR_RECORD)
    if isinstance(theirs, dict):
        yield from write_setting(writes, THEIR_RECORD, _described(schema, theirs, renames))
        yield from writes.run(("forget tables",), _all_of_database_schema)


def _all_of_database_schema(_: StatementBuilder) -> sa.ClauseElement:
    return sa.delete(sa.table(DATABASE_SCHEMA))


def _described(schema: Schema, theirs: Mapping[str, Any], renames: Renames) -> dict[str, Any]:
    """Update Strapi's record; types that it has not seen yet are left out."""
    later = {uid: value for uid, value in theirs.items() if not uid.startswith("api::")}
    for content_type in schema.api_types:
        known = theirs.get(renames.earlier_uid(content_type.uid) or "")
        if isinstance(known, dict):
            later[content_type.uid] = _describe(content_type, known)
    return later


def _describe(content_type: ContentType, known_values: Mapping[str, Any]) -> dict[str, Any]:
    raw = content_type.raw
    own = raw.get("attributes")
    attributes = dict(own) if isinstance(own, dict) else {}
    former = known_values.get("attributes")
    automatic = former if isinstance(former, dict) else {}
    described = {key: raw[key] for key in _RECORDED_KEYS if key in raw}
    return {
        **known_values,
        **described,
        "attributes": {
            **attributes,
            **{name: automatic[name] for name in _AUTOMATIC if name in automatic},
        },
        "uid": content_type.uid,
        "__schema__": {**described, "attributes": attributes},
    }


def _own_sources(ours: object) -> Iterator[SchemaFile]:
    if not isinstance(ours, dict):
        return
    for uid, file, raw in ours.get("sources", ()):
        yield SchemaFile(uid, file, raw)


def _their_sources(theirs: Mapping[str, Any]) -> Iterator[SchemaFile]:
    for uid, described in theirs.items():
        if uid.startswith("api::") and isinstance(described, dict):
            raw = described.get("__schema__")
            if isinstance(raw, dict):
                yield SchemaFile(uid, f"(database) {uid}", raw)


def _version(ours: object) -> str | None:
    version = ours.get("version") if isinstance(ours, dict) else None
    return version if isinstance(version, str) else None
