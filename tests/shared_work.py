"""Work that gives the same result each time, done once for all tests of a process.

Hundreds of tests start an application each, most of them for the same few projects: what depends
on the schema alone (the schema that files describe, the statements of a plan) is kept between them,
and so is whether a password has a hash. Hashes that tests make are as cheap as bcrypt allows.
"""

from collections.abc import Sequence
from functools import cache

import bcrypt
import orjson

import quire.api.reader
import quire.database.plans
import quire.schema.load
from quire.database.cache import BoundedCache
from quire.database.compile import NOTHING_PRESENTED, CompiledRead, Presented, compile_read
from quire.database.dialect import Dialect
from quire.database.dialects.postgresql.dialect import PostgresDialect
from quire.database.mapping import TableMap
from quire.errors import SchemaProblem
from quire.query.plan import ReadPlan
from quire.schema.load import LoadOptions, Source, build_schema
from quire.schema.model import Schema

full_salt, full_check = bcrypt.gensalt, bcrypt.checkpw
"""Make a salt for as many rounds as are asked for, and check a password each time anew."""

_FEWEST_ROUNDS = 4
_SCHEMAS, _READS = 32, 1000

_schemas: BoundedCache[tuple[object, ...], Schema] = BoundedCache(_SCHEMAS)
_reads: BoundedCache[tuple[object, ...], tuple[CompiledRead, Schema, TableMap]] = BoundedCache(
    _READS
)
"""By the plan, the dialect, and the identity of schema and tables, which the value keeps alive."""


def share_work() -> None:
    """Let all applications of this process share it from now on."""
    vars(quire.schema.load).update(build_schema=_build_schema)
    for module in (quire.api.reader, quire.database.plans):
        vars(module).update(compile_read=_compile_read)
    bcrypt.checkpw = cache(full_check)
    bcrypt.gensalt = _cheap_salt


def _build_schema(
    sources: Sequence[Source],
    options: LoadOptions | None = None,
    problems: Sequence[SchemaProblem] = (),
) -> Schema:
    options = options or LoadOptions()
    if problems:
        return build_schema(sources, options, problems)
    files = tuple((source.uid, source.file, orjson.dumps(source.raw)) for source in sources)
    key = (
        files,
        options.private_attributes,
        options.first_published,
        id(options.attribute_types),
    )
    schema = _schemas.get(key)
    if schema is None:
        schema = _schemas[key] = build_schema(sources, options)
    return schema


def _compile_read(
    plan: ReadPlan,
    schema: Schema,
    tables: TableMap,
    dialect: Dialect,
    presented: Presented = NOTHING_PRESENTED,
) -> CompiledRead:
    if presented is not NOTHING_PRESENTED:
        return compile_read(plan, schema, tables, dialect, presented)
    key = (plan, id(schema), id(tables), *_identity(dialect))
    found = _reads.get(key)
    if found is None:
        compiled = compile_read(plan, schema, tables, dialect)
        found = _reads[key] = (compiled, schema, tables)
    return found[0]


def _identity(dialect: Dialect) -> tuple[object, ...]:
    """Return what statements for two databases of a kind may differ in: the zone of moments."""
    if isinstance(dialect, PostgresDialect):
        return dialect.name, dialect._clock._zone  # noqa: SLF001 - nothing else says so
    return (dialect.name,)


def _cheap_salt(rounds: int = _FEWEST_ROUNDS, prefix: bytes = b"2b") -> bytes:
    return full_salt(min(rounds, _FEWEST_ROUNDS), prefix)
