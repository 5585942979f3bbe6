"""Invariants of a project's database after any writes, as SQL.

It reads the project's schema files and the tables, and nothing of what wrote them, so that a
mistake there cannot hide itself here.
"""

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from tests.databases.kind import Rows
from tests.databases.kinds import rows_of

_FILES = "files_related_mph"


@dataclass(frozen=True, slots=True)
class _Model:
    """The tables of a project: of its components and its content types by uid."""

    components: Mapping[str, str]
    content_types: Mapping[str, str]
    with_drafts: frozenset[str]
    """The tables whose documents have a draft and a published version."""


def problems(project: Path) -> list[str]:
    """Return in words what is wrong with the rows of a project: nothing if they are as they should.

    The database is only read. The names of tables are not shortened here: the project's have to be
    short enough. Its schema is read but once.
    """
    with rows_of(project) as database:
        return problems_among(database, project)


def problems_among(database: Rows, project: Path) -> list[str]:
    """Return what is wrong with the rows of a project, whose database is open already."""
    model = _read_model(project)
    return [
        *database.damage(),
        *_component_problems(database, model),
        *_file_problems(database, model),
        *_version_problems(database, model),
        *_link_problems(database, model),
    ]


@cache
def _read_model(project: Path) -> _Model:
    components = {
        f"{file.parent.name}.{file.stem}": json.loads(file.read_bytes())["collectionName"]
        for file in sorted((project / "src/components").glob("*/*.json"))
    }
    content_types = {}
    with_drafts = set()
    for file in sorted((project / "src/api").glob("*/content-types/*/schema.json")):
        schema = json.loads(file.read_bytes())
        content_types[f"api::{file.parents[2].name}.{file.parent.name}"] = schema["collectionName"]
        if schema.get("options", {}).get("draftAndPublish", False):
            with_drafts.add(schema["collectionName"])
    return _Model(components, content_types, frozenset(with_drafts))


def _component_problems(database: Rows, model: _Model) -> Iterator[str]:
    """Every component belongs to one entry or component, and what they refer to is there."""
    owners = " UNION ALL ".join(
        f'SELECT cmp_id, component_type FROM "{table}"' for table in _tables(database, "_cmps")
    )
    shared = " UNION ALL ".join(
        f"SELECT '{table}', c.id, count(o.cmp_id) FROM \"{table}\" AS c LEFT JOIN owners AS o"
        f" ON o.cmp_id = c.id AND o.component_type = '{uid}'"
        " GROUP BY c.id HAVING count(o.cmp_id) <> 1"
        for uid, table in model.components.items()
    )
    for table, row, count in database.execute(f"WITH owners AS ({owners}) {shared}"):
        yield f"{table} row {row} belongs to {count} others"
    lost = " UNION ALL ".join(
        f"SELECT '{table}', o.cmp_id FROM owners AS o WHERE o.component_type = '{uid}'"
        f' AND NOT EXISTS (SELECT 1 FROM "{table}" AS c WHERE c.id = o.cmp_id)'
        for uid, table in model.components.items()
    )
    for table, row in database.execute(f"WITH owners AS ({owners}) {lost}"):
        yield f"there is no row {row} of {table}, and something refers to it"


def _file_problems(database: Rows, model: _Model) -> Iterator[str]:
    """What a file is used by is there."""
    lost = " UNION ALL ".join(
        f"SELECT '{table}', f.related_id FROM {_FILES} AS f WHERE f.related_type = '{uid}'"
        f' AND NOT EXISTS (SELECT 1 FROM "{table}" AS t WHERE t.id = f.related_id)'
        for uid, table in {**model.components, **model.content_types}.items()
    )
    for table, row in database.execute(lost):
        yield f"a file is used by row {row} of {table}, which is not there"


def _version_problems(database: Rows, model: _Model) -> Iterator[str]:
    """A document has one draft in each locale and at most one published version of it."""
    versions = " UNION ALL ".join(
        f"SELECT '{table}', document_id, locale, count(*) - count(published_at),"
        f' count(published_at) FROM "{table}" GROUP BY document_id, locale'
        for table in model.content_types.values()
    )
    for table, document, locale, drafts, published in database.execute(versions):
        wanted = {(1, 0), (1, 1)} if table in model.with_drafts else {(0, 1)}
        if (drafts, published) not in wanted:
            yield (
                f"{table} has {drafts} drafts and {published} published rows"
                f" of {document} in {locale}"
            )


def _link_problems(database: Rows, model: _Model) -> Iterator[str]:
    """Drafts lead to drafts, and published entries to published ones."""
    mixed = " UNION ALL ".join(
        f"SELECT '{link}', l.id, '{one}', a.id, '{other}', b.id FROM \"{link}\" AS l"
        f' JOIN "{one}" AS a ON a.id = l."{one_column}"'
        f' JOIN "{other}" AS b ON b.id = l."{other_column}"'
        " WHERE (a.published_at IS NULL) <> (b.published_at IS NULL)"
        for link, ((one_column, one), (other_column, other)) in _links(database)
        if model.with_drafts.issuperset((one, other))
    )
    for link, row, one, source, other, target in database.execute(mixed):
        yield (
            f"{link} row {row} joins row {source} of {one} and row {target} of {other},"
            " and one of them is a draft"
        )


def _links(database: Rows) -> Iterator[tuple[str, list[tuple[str, str]]]]:
    """Iterate over the tables of links with the two columns of each, and where they lead."""
    for link in _tables(database, "_lnk"):
        yield link, list(database.references(link).items())


def _tables(database: Rows, ending: str) -> list[str]:
    return [name for name in database.tables() if name.endswith(ending)]
