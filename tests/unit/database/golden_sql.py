"""Recorded SQL of a dozen reads: ``tests/golden/sql/<database>/<name>.sql``.

After a wanted change, ``python -m tests.unit.database.golden_sql`` writes the files again; the
commit says why they changed.
"""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import NamedTuple

from quire.database.compile.compiled_read import CompiledNode, CompiledRead
from quire.database.compile.compiler import compile_read
from quire.database.compile.statements import Query
from quire.database.dialect import Dialect
from quire.database.dialects.postgresql.dialect import PostgresDialect
from quire.database.dialects.sqlite.dialect import SqliteDialect
from quire.database.execute.prepared_read import bind_read
from quire.query.querystring import parse_query
from quire.query.resolve import ResolvedRead
from quire.query.resolve.scope import ReadLimits
from quire.schema.model import USER_UID
from tests.library.model import BOOK, HOMEPAGE, NOTE, PERSON, QUOTE, library_schema, library_tables
from tests.library.queries import resolver

FOLDER = Path(__file__).parents[2] / "golden" / "sql"

DIALECTS: Mapping[str, Dialect] = {"sqlite": SqliteDialect(), "postgresql": PostgresDialect()}


class Read(NamedTuple):
    """A read by its query; ``document`` is the id of the one document that is requested."""

    query: str
    uid: str = BOOK
    document: str | None = None
    mode: str = "list"


READS: Mapping[str, Read] = {
    "list": Read("fields=title&sort=rating:desc&pagination[page]=2"),
    "list-in-order-of-ids": Read("fields=title&sort=id:desc"),
    "list-deep": Read("fields=title&pagination[start]=100"),
    "list-looked-up": Read("fields=title&filters[slug]=a&sort=rating"),
    "document": Read("fields=title&populate=author&status=draft", document="abc"),
    "single-type": Read("fields=heading", HOMEPAGE, mode="single"),
    "window": Read("fields=username&limit=2", USER_UID, mode="window"),
    "filters-numbers": Read(
        "fields=id&filters[rating][$between]=1&filters[rating][$between]=5&filters[price][$gt]=1.5"
        "&filters[copies][$ne]=7&filters[lent]=true&filters[happens][$lte]=2024-05-21"
        "&filters[kind][$in]=novel&filters[kind][$in]=poem&filters[weight][$null]=true"
    ),
    "filters-texts": Read(
        "fields=id&filters[title][$contains]=50%25_off&filters[slug][$startsWith]=a"
        "&filters[slug][$endsWithi]=B&filters[contact][$eqi]=A&filters[rating][$contains]=1"
        "&filters[price][$eqi]=1.0&filters[summary][$notContainsi]=x"
    ),
    "filters-groups": Read(
        "fields=id&filters[$or][0][title]=a&filters[$or][1][$not][rating]=1"
        "&filters[$or][1][$not][lent]=true&filters[$and][0][title][$ne][0]=b"
        "&filters[$and][0][title][$ne][1]=c"
    ),
    "filters-through": Read(
        "fields=id&filters[author][name]=a&filters[tags][label][$null]=true"
        "&filters[seo][image][name]=b&filters[sequel][$null]=true&filters[links][to][$notNull]=true"
        "&filters[localizations][locale]=fr"
    ),
    "sort-related": Read("fields=id&sort=author.name:desc,links.to.title"),
    "search": Read("fields=id&_q=10%25"),
    "versions": Read("fields=id&publicationFilter=modified&status=draft&locale=en&locale=fr"),
    "populate-relations": Read(
        "fields=id&populate[author][fields]=name&populate[prequel][fields]=title"
        "&populate[tags][fields]=label&populate[tags][sort]=label"
        "&populate[tags][filters][label][$ne]=x&populate[localizations][fields]=title"
    ),
    "populate-inverse": Read(
        "fields=id&populate[books][fields]=title&populate[edited][count]=true", PERSON
    ),
    "populate-files-and-components": Read(
        "fields=id&populate[cover][fields]=url&populate[links][populate][to][fields]=title"
        f"&populate[sections][on][{QUOTE}][populate]=by&populate[seo][count]=true"
    ),
    "populate-any-type": Read("fields=id&populate=about,subject", NOTE),
}


def names(database: str) -> list[str]:
    """Return the reads written down for a database: PostgreSQL finds text in text alone."""
    return [name for name in READS if database == "sqlite" or name != "filters-texts"]


def golden(name: str, dialect: Dialect) -> str:
    """Write the statements of a read with what is bound to them."""
    read = READS[name]
    resolved = _resolve(read)
    compiled = compile_read(resolved.plan, library_schema(), library_tables(), dialect)
    parts = [f"-- {read.uid}: {read.query}", *_page(compiled, resolved)]
    if compiled.count is not None:
        parts.append(_statement("count", compiled.count, resolved))
    parts += _below(compiled.node, resolved, ())
    return "\n\n".join(parts) + "\n"


def _page(compiled: CompiledRead, resolved: ResolvedRead) -> Iterator[str]:
    """Write the statement of a page, and those that read one which may be costly to find."""
    yield _statement("page", compiled.page, resolved)
    pages = bind_read(compiled, resolved, ReadLimits(rows=1000)).pages
    if pages is None:
        return
    if pages.id_scan is not None:
        yield _statement("page in the order of ids", pages.id_scan(), resolved)
    if pages.id_sort is not None:
        yield _statement("keys, collected", pages.id_sort().keys, resolved)
    keyed = pages.keys()
    yield _statement("keys", keyed.keys, resolved)
    yield _statement("keys from the end", keyed.backward, resolved)
    yield _statement("rows", keyed.rows, resolved)


def _resolve(read: Read) -> ResolvedRead:
    asked, query = resolver(read.uid), parse_query(read.query)
    if read.document is not None:
        return asked.document(query, read.document)
    match read.mode:
        case "single":
            return asked.single(query)
        case "window":
            return asked.window(query)
        case _:
            return asked.list(query)


def _statement(what: str, query: Query, resolved: ResolvedRead) -> str:
    keys = {position: f"(parents by {key})" for position, key in query.keyed}
    if query.parents >= 0:
        keys[query.parents] = "(parents)"
    bound = enumerate(query.bind(resolved.values))
    values = ", ".join(keys.get(position, repr(value)) for position, value in bound)
    return f"-- {what}\n{_tidy(query.sql)};\n-- values: {values}"


def _below(node: CompiledNode, resolved: ResolvedRead, path: tuple[str, ...]) -> Iterator[str]:
    for query in node.union_queries:
        yield _statement(" > ".join((*path, "together")), query, resolved)
    for position, edge in enumerate(node.edges):
        if edge.links is not None:
            yield _statement(f"links of edge {position}", edge.links, resolved)
        for below in edge.nodes:
            here = (*path, below.uid)
            if below.query is not None:
                yield _statement(" > ".join(here), below.query, resolved)
            yield from _below(below, resolved, here)


def _tidy(sql: str) -> str:
    return "\n".join(line.rstrip() for line in sql.splitlines())


def write() -> None:
    """Write all files again."""
    for database, dialect in DIALECTS.items():
        folder = FOLDER / database
        folder.mkdir(parents=True, exist_ok=True)
        for name in names(database):
            (folder / f"{name}.sql").write_text(golden(name, dialect), encoding="utf-8")


if __name__ == "__main__":
    write()
