"""Nodes with draft & publish and plain entries, with every kind of relation."""

from collections.abc import Collection, Iterable, Sequence
from functools import cache
from typing import TypeVar

from quire.database.compile.writes import Writes
from quire.database.entries.links.link_change import (
    LinkAnchor,
    LinkChange,
    LinkedRow,
    LinkTarget,
    RowLinkChange,
)
from quire.database.entries.links.link_store import Links
from quire.database.program import Program, Row
from quire.database.tables.table_map import map_tables
from quire.schema.model import Schema
from tests.databases.store import Store
from tests.library.model import component, content_type, relation
from tests.unit.database.running import schema_of

T = TypeVar("T")

NODE, PLAIN, BOX = "api::node.node", "api::plain.plain", "shared.box"

SOURCES = (
    content_type(
        "node",
        {
            "mplains": relation("manyToMany", PLAIN, inversedBy="mnodes"),
            "up": relation("manyToOne", PLAIN, inversedBy="nodes"),
            "onePlain": relation("oneToOne", PLAIN, inversedBy="oneNode"),
            "likes": relation("manyToMany", NODE, inversedBy="likedBy"),
            "likedBy": relation("manyToMany", NODE, mappedBy="likes"),
            "refs": {"type": "relation", "relation": "morphToMany"},
            "ref": {"type": "relation", "relation": "morphToOne"},
            "keeper": relation("oneToOne", PLAIN, inversedBy="kept", useJoinTable=False),
            "shelf": relation("manyToOne", PLAIN, inversedBy="shelved", useJoinTable=False),
            "cover": {"type": "media", "multiple": False},
            "gallery": {"type": "media", "multiple": True},
            "title": {"type": "string"},
        },
        draft_and_publish=True,
    ),
    content_type(
        "plain",
        {
            "mnodes": relation("manyToMany", NODE, mappedBy="mplains"),
            "nodes": relation("oneToMany", NODE, mappedBy="up"),
            "oneNode": relation("oneToOne", NODE, mappedBy="onePlain"),
            "uniNodes": relation("manyToMany", NODE),
            "uniNode": relation("manyToOne", NODE),
            "picks": relation("oneToMany", NODE),
            "pick": relation("oneToOne", NODE),
            "kept": relation("oneToOne", NODE, mappedBy="keeper"),
            "shelved": relation("oneToMany", NODE, mappedBy="shelf"),
            "mm": relation("morphMany", NODE, morphBy="refs"),
            "mo": relation("morphOne", NODE, morphBy="ref"),
            "several": relation("morphMany", NODE, morphBy="ref"),
        },
    ),
    component(BOX, {"image": {"type": "media"}, "node": relation("oneToOne", NODE)}),
)


@cache
def linking_schema() -> Schema:
    """Return the schema."""
    return schema_of(*SOURCES)


Target = int | LinkTarget
"""A target of a payload: a row by its id, or all that may be said of one."""


def targets(given: Iterable[Target]) -> tuple[LinkTarget, ...]:
    """Let ids stand for targets of one row."""
    return tuple(t if isinstance(t, LinkTarget) else LinkTarget(rows=(t,)) for t in given)


def group(*rows: int, uid: str | None = None) -> LinkTarget:
    """Make a target that several rows stand for, or a row of a type."""
    return LinkTarget(rows=rows, uid=uid)


def before(row: int, anchor: int) -> LinkTarget:
    """Make a target that goes before another one."""
    return LinkTarget(rows=(row,), before=LinkAnchor((anchor,)))


def after(row: int, anchor: int) -> LinkTarget:
    """Make a target that goes after another one."""
    return LinkTarget(rows=(row,), after=LinkAnchor((anchor,)))


def first(row: int) -> LinkTarget:
    """Make a target that goes to the beginning."""
    return LinkTarget(rows=(row,), start=True)


class Linking:
    """A database with rows, and what is done to their links."""

    def __init__(self, store: Store) -> None:
        """The tables of `linking_schema` are there, and empty."""
        self._tables = map_tables(linking_schema())
        self.store = store
        self.links = Links(linking_schema(), self._tables, Writes(store.dialect))
        self.statements = 0

    def rows(self, uid: str, documents: dict[str, Sequence[int]]) -> None:
        """Insert rows with given ids, by their documents."""
        table = self._tables[uid].name
        for document, ids in documents.items():
            for row_id in ids:
                self.store.execute(
                    f'INSERT INTO "{table}" (id, document_id) VALUES (?, ?)', (row_id, document)
                )

    def nodes(self, *ids: int) -> None:
        """Insert nodes, each a document of its own."""
        self.rows(NODE, {f"n{row_id}": [row_id] for row_id in ids})

    def plains(self, *ids: int) -> None:
        """Insert plain entries."""
        self.rows(PLAIN, {f"p{row_id}": [row_id] for row_id in ids})

    def set(
        self,
        uid: str,
        attribute: str,
        row_id: int,
        rows: Iterable[Target],
        *,
        creating: bool = False,
        siblings: Collection[int] = (),
    ) -> None:
        """Link a row to exactly these targets."""
        change = LinkChange(set=targets(rows))
        row_change = RowLinkChange(row_id=row_id, change=change, siblings=siblings)
        self.run(self.links.apply_all(uid, attribute, [row_change], creating=creating))

    def change(
        self,
        uid: str,
        attribute: str,
        row_id: int,
        connect: Iterable[Target] = (),
        disconnect: Iterable[Target] = (),
        *,
        creating: bool = False,
        strict: bool = True,
    ) -> None:
        """Connect and disconnect targets of a row."""
        change = LinkChange(connect=targets(connect), disconnect=targets(disconnect), strict=strict)
        self.run(self.links.apply(uid, attribute, row_id, change, creating=creating))

    def read(self, uid: str, attribute: str, *row_ids: int) -> dict[int, list[LinkedRow]]:
        """Read the links of rows."""
        return self.run(self.links.read(uid, attribute, row_ids))

    def run(self, program: Program[T]) -> T:
        """Run a program in a transaction, counting its statements; an error undoes all of it."""
        self.statements = 0
        with self.store.transaction():
            return self.store.run(self._counted(program))

    def _counted(self, program: Program[T]) -> Program[T]:
        response = None
        while True:
            try:
                statement = next(program) if response is None else program.send(response)
            except StopIteration as done:
                result: T = done.value
                return result
            self.statements += 1
            response = yield statement

    def table(self, name: str) -> list[Row]:
        """Return the rows of a link table without the links' own ids, in the order of those."""
        return [row[1:] for row in self.store.execute(f"SELECT * FROM {name} ORDER BY id")]

    def links_by_id(self, name: str) -> dict[int, Row]:
        """Return the rows of a link table by the links' own ids."""
        return {row[0]: row[1:] for row in self.store.execute(f"SELECT * FROM {name}")}

    def columns(self, name: str, *columns: str) -> list[Row]:
        """Return columns of all rows of a table."""
        listed = ", ".join(columns)
        return self.store.execute(f"SELECT {listed} FROM {name} ORDER BY id")
