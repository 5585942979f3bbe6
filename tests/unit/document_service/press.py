"""A small newspaper, with every kind of relation between every kind of content type.

Every type has a ``name``. Entries are shown by it, the published ones with a star: ``"Alps*"``.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence
from functools import cache
from itertools import count
from typing import Any, TypeVar

from sqlalchemy import MetaData

from quire.database.dialects.sqlite.ddl import COLUMN_TYPES
from quire.database.entries.entry_tables import open_store
from quire.database.program import Program
from quire.database.tables.metadata import build_metadata, column_kind
from quire.database.tables.table_map import map_tables
from quire.document_service.commands import (
    AllLocales,
    Command,
    CreateDocument,
    DeleteDocument,
    DiscardDraft,
    PublishDocument,
    UnpublishDocument,
    UpdateDocument,
    WrittenEntry,
)
from quire.document_service.password_hashing import Password, passwords_of
from quire.document_service.service import run_command, run_commands, run_in_bulk
from quire.document_service.unit_of_work import UnitOfWork, WriteEngine, WriteProgram
from quire.schema.attributes.base import StorageKind
from quire.schema.load import build_schema
from quire.schema.model import FILE_UID, Schema
from quire.schema.source_files import SchemaFile
from quire.webhooks.events import Event
from tests.databases.store import Store
from tests.library.model import LOCALIZED, component, content_type, relation

STORY, TOPIC, BADGE = "api::story.story", "api::topic.topic", "api::badge.badge"
REVIEW, PERSON, NOTE = "api::review.review", "api::person.person", "api::note.note"
LABEL = "api::label.label"
BOX, MARK = "shared.box", "shared.mark"

T = TypeVar("T")

FILES = (1, 2, 3)
_DECODED = frozenset({StorageKind.DATETIME, StorageKind.TIMESTAMP})
START_MS = 1_000_000
STEP_MS = 10

NAME = {"type": "string", "required": True}
LOCAL = {"pluginOptions": LOCALIZED}
BY_COLUMN = {"useJoinTable": False}


def _localized(name: str, attributes: Mapping[str, Any], *, drafts: bool) -> SchemaFile:
    return content_type(
        name, attributes, draft_and_publish=drafts, pluginOptions={"i18n": {"localized": True}}
    )


SOURCES = (
    _localized(
        "story",
        {
            "name": {**NAME, **LOCAL},
            "rating": {"type": "integer", "max": 9},
            "code": {"type": "string", "unique": True, **LOCAL},
            "pin": {"type": "password", **LOCAL},
            "cover": {"type": "media"},
            "pictures": {"type": "media", "multiple": True, **LOCAL},
            "author": relation("manyToOne", PERSON, inversedBy="stories"),
            "topics": relation("manyToMany", TOPIC, inversedBy="stories"),
            "labels": relation("manyToMany", LABEL),
            "badge": relation("oneToOne", BADGE, inversedBy="story"),
            "related": relation("manyToMany", STORY, inversedBy="relatedBy"),
            "relatedBy": relation("manyToMany", STORY, mappedBy="related"),
            "box": {"type": "component", "component": BOX, **LOCAL},
            "boxes": {"type": "component", "component": BOX, "repeatable": True, **LOCAL},
            "zone": {"type": "dynamiczone", "components": [BOX, MARK], **LOCAL},
            "facts": {"type": "component", "component": MARK, "repeatable": True},
        },
        drafts=True,
    ),
    content_type(
        "topic",
        {
            "name": NAME,
            "stories": relation("manyToMany", STORY, mappedBy="topics"),
            "parent": relation("manyToOne", TOPIC, inversedBy="children"),
            "children": relation("oneToMany", TOPIC, mappedBy="parent"),
        },
        draft_and_publish=True,
    ),
    content_type(
        "badge",
        {"name": NAME, "story": relation("oneToOne", STORY, mappedBy="badge")},
        draft_and_publish=True,
    ),
    content_type(
        "review",
        {
            "name": NAME,
            "topic": relation("oneToOne", TOPIC),
            "pinned": relation("manyToOne", TOPIC, **BY_COLUMN),
            "boxes": {"type": "component", "component": BOX, "repeatable": True},
        },
        draft_and_publish=True,
    ),
    content_type(
        "person",
        {
            "name": {**NAME, "unique": True},
            "stories": relation("oneToMany", STORY, mappedBy="author"),
            "favourites": relation("oneToMany", TOPIC),
            "box": {"type": "component", "component": BOX},
            "spouse": relation("oneToOne", PERSON, **BY_COLUMN),
        },
    ),
    content_type("note", {"name": NAME, "about": {"type": "relation", "relation": "morphToMany"}}),
    _localized("label", {"name": {**NAME, **LOCAL}}, drafts=False),
    component(
        BOX,
        {
            "name": NAME,
            "key": {"type": "string", "unique": True},
            "topic": relation("oneToOne", TOPIC),
            "picture": {"type": "media"},
            "mark": {"type": "component", "component": MARK},
        },
    ),
    component(MARK, {"name": {"type": "string"}, "person": relation("oneToOne", PERSON)}),
)


@cache
def press_schema() -> Schema:
    """Return the schema of the newspaper."""
    return build_schema(SOURCES)


@cache
def _press_metadata() -> MetaData:
    """Return the tables, whose columns are of the same kinds in all databases."""
    schema = press_schema()
    return build_metadata(schema, map_tables(schema), COLUMN_TYPES)


class Press:
    """A database in memory, and the actions on documents; every action is one transaction."""

    def __init__(self, store: Store) -> None:
        """The tables of `press_schema` are there, and empty."""
        self.schema = press_schema()
        self.tables = map_tables(self.schema)
        self._metadata = _press_metadata()
        self.store = store
        self.store.execute(
            "INSERT INTO files (id, document_id, name) VALUES (1, 'f1', 'one'), (2, 'f2', 'two'),"
            " (3, 'f3', 'three')"
        )
        self.store.execute(
            "INSERT INTO i18n_locale (id, document_id, code) VALUES (1, 'l1', 'en'),"
            " (2, 'l2', 'fr'), (3, 'l3', 'de'), (4, 'l4', 'es')"
        )
        numbers = count(1)
        self.engine = WriteEngine(
            store=open_store(self.schema, self.tables, store.dialect),
            new_id=lambda: f"document{next(numbers):016}",
            default_locale="en",
        )
        self.now = START_MS
        self.listening = False
        """Whether events have their entries, as if there was a webhook."""
        self.events: list[Event] = []
        """What the last action reported."""
        self.statements: list[str] = []
        """What the last action sent to the database."""

    def do(self, *commands: Command) -> list[WrittenEntry]:
        """Do things in one transaction; returns the entries that the last of them wrote."""

        def act(unit: UnitOfWork) -> Program[list[WrittenEntry]]:
            written: list[WrittenEntry] = []
            for command in commands:
                written = yield from run_command(unit, command)
            return written

        return self._act(act, commands)

    def _act(self, act: WriteProgram[T], commands: Sequence[Command] = ()) -> T:
        self.now += STEP_MS
        unit = UnitOfWork(
            engine=self.engine,
            clock=lambda: self.now,
            hashed=dict(self._hashes(commands)),
            listening=self.listening,
        )
        with self.store.transaction():
            self.statements = []
            result = self._run(act(unit), self.statements)
        self.events = unit.events
        return result

    def _hashes(self, commands: Iterable[Command]) -> Iterable[tuple[Password, str]]:
        for password in passwords_of(self.schema, commands):
            yield password, f"hash of {password.text}"

    def _run(self, program: Program[T], sent: list[str]) -> T:
        return self.store.run(_noting(program, sent))

    def create(
        self, uid: str, *, publish: bool = False, locale: str | None = None, **data: object
    ) -> str:
        """Make a document; returns its id."""
        command = CreateDocument(uid=uid, data=data, locale=locale, publish=publish)
        return self.do(command)[0].document_id

    def update(
        self,
        uid: str,
        document: str,
        *,
        publish: bool = False,
        locale: str | None = None,
        **data: object,
    ) -> WrittenEntry:
        """Change a document."""
        command = UpdateDocument(
            uid=uid, document_id=document, data=data, locale=locale, publish=publish
        )
        return self.do(command)[0]

    def update_all(self, commands: Sequence[UpdateDocument]) -> None:
        """Change documents together, in one transaction."""
        self._act(lambda unit: run_commands(unit, commands), commands)

    def publish(
        self, uid: str, document: str, locale: str | AllLocales | None = None
    ) -> list[WrittenEntry]:
        """Publish a document."""
        return self.do(PublishDocument(uid=uid, document_id=document, locale=locale))

    def publish_in_bulk(self, uid: str, documents: Sequence[str]) -> bool:
        """Publish documents by the same statements; tells whether that was possible."""
        return self._in_bulk(
            [PublishDocument(uid=uid, document_id=document) for document in documents]
        )

    def update_in_bulk(self, commands: Sequence[UpdateDocument]) -> bool:
        """Change documents by the same statements; tells whether that was possible."""
        return self._in_bulk(commands)

    def _in_bulk(self, commands: Sequence[Command]) -> bool:
        def note(_written: list[list[WrittenEntry]]) -> Program[bool]:
            yield from ()
            return True

        def act(unit: UnitOfWork) -> Program[bool]:
            return bool((yield from run_in_bulk(unit, commands, note)))

        return self._act(act, commands)

    def unpublish(
        self, uid: str, document: str, locale: str | AllLocales | None = None
    ) -> list[WrittenEntry]:
        """Take the published version of a document away."""
        return self.do(UnpublishDocument(uid=uid, document_id=document, locale=locale))

    def discard(
        self, uid: str, document: str, locale: str | AllLocales | None = None
    ) -> list[WrittenEntry]:
        """Make the draft of a document what is published."""
        return self.do(DiscardDraft(uid=uid, document_id=document, locale=locale))

    def delete(
        self, uid: str, document: str, locale: str | AllLocales | None = None
    ) -> list[WrittenEntry]:
        """Delete a document."""
        return self.do(DeleteDocument(uid=uid, document_id=document, locale=locale))

    @property
    def table_names(self) -> list[str]:
        """Name all tables."""
        return sorted(self._metadata.tables)

    def rows(self, table: str) -> list[dict[str, Any]]:
        """Return the rows of a table by columns, in the order of their ids; moments as numbers."""
        columns = self._metadata.tables[table].c
        decode = self.store.dialect.decode_value
        return [
            {
                name: decode(column_kind(columns[name]), value)
                if column_kind(columns[name]) in _DECODED
                else value
                for name, value in row.items()
            }
            for row in self.store.records(f'SELECT * FROM "{table}" ORDER BY id')
        ]

    def entry(
        self, uid: str, document: str, *, published: bool = False, locale: str | None = None
    ) -> dict[str, Any] | None:
        """Return the row of one version, ``None`` where there is none."""
        content_type = self.schema.content_types[uid]
        found = [
            row
            for row in self.rows(self.tables[uid].name)
            if row["document_id"] == document
            and (row["locale"] == (locale or "en") or not content_type.localized)
            and (not content_type.draft_and_publish or published == bool(row["published_at"]))
        ]
        assert len(found) <= 1, f"{len(found)} rows of one version"
        return found[0] if found else None

    def draft(self, uid: str, document: str, locale: str | None = None) -> dict[str, Any]:
        """Return the row of a draft, or of an entry without versions."""
        row = self.entry(uid, document, locale=locale)
        assert row is not None
        return row

    def live(self, uid: str, document: str, locale: str | None = None) -> dict[str, Any]:
        """Return the row of a published entry."""
        row = self.entry(uid, document, published=True, locale=locale)
        assert row is not None
        return row

    def versions(self, uid: str, document: str) -> list[str]:
        """Return the rows of a document, shown as their locales, published ones with a star."""
        rows = [r for r in self.rows(self.tables[uid].name) if r["document_id"] == document]
        return sorted(f"{row['locale']}{'*' if row['published_at'] else ''}" for row in rows)

    def linked(self, uid: str, attribute: str, row: Mapping[str, Any] | int) -> list[str]:
        """Show what a row is linked with, in order."""
        row_id = row if isinstance(row, int) else row["id"]
        program = self.engine.store.links.read(uid, attribute, [row_id])
        model = self.schema.model(uid).attributes[attribute]
        target = getattr(model, "target", None) or FILE_UID
        found = self._run(program, []).get(row_id, [])
        return [self._shown(link.uid or target, link.row) for link in found]

    def _shown(self, uid: str, row_id: int) -> str:
        rows = {row["id"]: row for row in self.rows(self.tables[uid].name)}
        if row_id not in rows:
            return f"no {uid} {row_id}"
        content_type = self.schema.content_types[uid]
        star = content_type.draft_and_publish and rows[row_id]["published_at"]
        return f"{rows[row_id]['name']}{'*' if star else ''}"

    def components(self, uid: str, attribute: str, row: Mapping[str, Any]) -> list[dict[str, Any]]:
        """Return the components in an attribute of a row, in order, as rows with their ``uid``."""
        table = self.tables[uid].components_table
        links = [
            link
            for link in self.rows(table)
            if link["entity_id"] == row["id"] and link["field"] == attribute
        ]
        links.sort(key=lambda link: (link["order"] or 0, link["id"]))
        found = []
        for link in links:
            (inner,) = (
                one
                for one in self.rows(self.tables[link["component_type"]].name)
                if one["id"] == link["cmp_id"]
            )
            found.append({"uid": link["component_type"], **inner})
        return found

    def counted(self, uids: Collection[str] = (BOX, MARK)) -> list[int]:
        """Count the rows of models, used or not."""
        return [len(self.rows(self.tables[uid].name)) for uid in uids]


def _noting(program: Program[T], sent: list[str]) -> Program[T]:
    """Write down the statements of a program as it runs."""
    try:
        statement = next(program)
        while True:
            sent.append(statement.sql)
            rows = yield statement
            statement = program.send(rows)
    except StopIteration as done:
        result: T = done.value
        return result
