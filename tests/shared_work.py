"""Deterministic work that all tests of a process share.

Hundreds of tests start an application each, most of them for the same few projects: what depends
on the schema alone (the schema that files describe, its tables, the text of statements) is kept
between them, and so is whether a password has a hash. Hashes that tests make are as cheap as bcrypt
allows. HTTP clients share the certificates that they trust: to read them takes 20 ms.
"""

from collections import deque
from collections.abc import Sequence
from functools import cache
from typing import cast

import bcrypt
import httpx._transports.default
import orjson
import sqlalchemy as sa
from sqlalchemy.sql.cache_key import CacheKey
from sqlalchemy.sql.compiler import SQLCompiler

import quire.cli.check_database
import quire.cli.index
import quire.database.copying.copy
import quire.database.copying.pages
import quire.database.copying.state
import quire.database.initialize
import quire.database.migration.schema_pair
import quire.database.tables.metadata
import quire.database.tables.table_map
import quire.document_service.read_planner
import quire.schema.load
from quire.database.bounded_cache import BoundedCache
from quire.database.compile.compiled_read import CompiledRead
from quire.database.compile.compiler import NO_SERIALIZERS, ValueSerializers, compile_read
from quire.database.compile.statements import Query, StatementBuilder
from quire.database.copying.pages import NamedStatement
from quire.database.dialect import Dialect
from quire.database.dialects.postgresql.dialect import PostgresDialect
from quire.database.tables.metadata import ColumnTypes, build_metadata
from quire.database.tables.table_map import TableMap
from quire.errors import SchemaProblem
from quire.query.plan import ReadPlan
from quire.schema.load import LoadOptions, build_schema
from quire.schema.model import Schema
from quire.schema.source_files import SchemaFile
from tests.shared_integrity_rules import share_integrity_rules

_full_finish = StatementBuilder.finish
full_salt, full_check = bcrypt.gensalt, bcrypt.checkpw
"""Make a salt for as many rounds as are asked for, and check a password each time anew."""

_FEWEST_ROUNDS = 4
_SCHEMAS, _TABLES, _READS, _STATEMENTS = 64, 64, 1000, 5000

_schemas: BoundedCache[tuple[object, ...], Schema] = BoundedCache(_SCHEMAS)
_reads: BoundedCache[tuple[object, ...], tuple[CompiledRead, Schema, TableMap]] = BoundedCache(
    _READS
)
"""By the plan, the dialect, and the identity of schema and tables, which the value keeps alive."""
_metadata: BoundedCache[tuple[object, ...], tuple[sa.MetaData, Schema, TableMap]] = BoundedCache(
    _TABLES
)
_statements: BoundedCache[tuple[object, ...], SQLCompiler] = BoundedCache(_STATEMENTS)


def share_work() -> None:
    """Let all applications of this process share it from now on."""
    vars(quire.schema.load).update(build_schema=_build_schema)
    vars(quire.document_service.read_planner).update(compile_read=_compile_read)
    # Tables are known by their identity, so as many of them are kept.
    quire.database.tables.table_map._recent_maps = deque(maxlen=_SCHEMAS)  # noqa: SLF001 - few are kept otherwise
    for module in (
        quire.cli.check_database,
        quire.cli.index,
        quire.database.copying.copy,
        quire.database.initialize,
        quire.database.migration.schema_pair,
        quire.database.tables.metadata,
    ):
        vars(module).update(build_metadata=_build_metadata)
    for module in (quire.database.copying.pages, quire.database.copying.state):
        vars(module).update(compile_expression=_compile_expression)
    StatementBuilder.finish = _finish  # type: ignore[method-assign]
    share_integrity_rules(lambda layout: _identity(layout.dialect))
    bcrypt.checkpw = cache(full_check)
    bcrypt.gensalt = _cheap_salt
    transports = vars(httpx._transports.default)  # noqa: SLF001 - where clients look for it
    transports.update(create_ssl_context=cache(transports["create_ssl_context"]))


def _build_schema(
    sources: Sequence[SchemaFile],
    options: LoadOptions | None = None,
    problems: Sequence[SchemaProblem] = (),
) -> Schema:
    options = options or LoadOptions()
    files = tuple((source.uid, source.file, orjson.dumps(source.raw)) for source in sources)
    if problems or any(b'"customField"' in content for _, _, content in files):
        return build_schema(sources, options, problems)  # other files have a say in it
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
    presented: ValueSerializers = NO_SERIALIZERS,
) -> CompiledRead:
    if presented is not NO_SERIALIZERS:
        return compile_read(plan, schema, tables, dialect, presented)
    key = (plan, id(schema), id(tables), *_identity(dialect))
    found = _reads.get(key)
    if found is None:
        compiled = compile_read(plan, schema, tables, dialect)
        found = _reads[key] = (compiled, schema, tables)
    return found[0]


def _build_metadata(schema: Schema, tables: TableMap, types: ColumnTypes) -> sa.MetaData:
    key = (id(schema), id(tables), id(types))
    found = _metadata.get(key)
    if found is None:
        found = _metadata[key] = (build_metadata(schema, tables, types), schema, tables)
    return found[0]


def _finish(self: StatementBuilder, statement: sa.ClauseElement) -> Query:
    return _full_finish(self, cast("sa.ClauseElement", _Shared(statement)))


def _compile_expression(query: sa.ClauseElement, dialect: Dialect) -> NamedStatement:
    compiled = cast("SQLCompiler", _Shared(query).compile(dialect.sqlalchemy_dialect()))
    return NamedStatement(str(compiled), tuple(compiled.positiontup or ()), compiled.params)


class _Shared:
    """A statement that is compiled once with all that differ from it in bound values alone."""

    def __init__(self, statement: sa.ClauseElement) -> None:
        self._statement = statement

    def compile(self, dialect: sa.Dialect) -> object:
        key = self._statement._generate_cache_key()  # noqa: SLF001 - as SQLAlchemy's connections do
        if key is None:
            return self._statement.compile(dialect=dialect)
        known = (dialect.name, key.key)
        compiled = _statements.get(known)
        if compiled is None:
            compiler = self._statement._compiler(dialect, cache_key=key)  # noqa: SLF001 - likewise
            compiled = _statements[known] = cast("SQLCompiler", compiler)
        if compiled.post_compile_params:
            return self._statement.compile(dialect=dialect)  # its text depends on its values
        return _Compiled(compiled, key)


class _Compiled:
    """The text of a statement, with the values that it binds itself."""

    def __init__(self, compiled: SQLCompiler, key: CacheKey) -> None:
        self._text = str(compiled)
        self.positiontup = compiled.positiontup
        self.params = compiled.construct_params(extracted_parameters=key.bindparams, _check=False)

    def __str__(self) -> str:
        return self._text


def _identity(dialect: Dialect) -> tuple[object, ...]:
    """Return what statements for two databases of a kind may differ in: the zone of moments."""
    if isinstance(dialect, PostgresDialect):
        return dialect.name, dialect._clock._zone  # noqa: SLF001 - nothing else says so
    return (dialect.name,)


def _cheap_salt(rounds: int = _FEWEST_ROUNDS, prefix: bytes = b"2b") -> bytes:
    return full_salt(min(rounds, _FEWEST_ROUNDS), prefix)
