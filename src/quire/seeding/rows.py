"""Makes rows of content: programs that insert documents, components, links, files and permissions.

A document with draft & publish has a draft row and, where something is published, a second row of
the same document; components and links belong to one of the two and are never shared. Rows are
written in the order in which the content API would write them.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field

from quire.clock import iso_from_ms
from quire.database.accounts import Accounts
from quire.database.contents import Contents
from quire.database.mapping import (
    COMPONENT_ENTITY,
    COMPONENT_ID,
    COMPONENT_TYPE,
    FIELD,
    ORDER,
    ColumnEdge,
    LinkEdge,
    MorphTargetEdge,
    TableMap,
)
from quire.database.program import Program
from quire.database.rows import RowInserts
from quire.errors import SeedingError
from quire.schema.attributes.base import (
    ComponentAttribute,
    DynamicZoneAttribute,
    MediaAttribute,
    RelationAttribute,
    ScalarAttribute,
)
from quire.schema.model import FILE_UID, LOCALE_UID, ContentType, Model, Schema
from quire.seeding.check import (
    as_list,
    components_of,
    is_own,
    target_locale,
)
from quire.seeding.content import Content, Document, Status, Values, Version
from quire.seeding.media import Upload
from quire.seeding.scalars import stored_scalar

PERMISSION_UID = "plugin::users-permissions.permission"
_PUBLIC_ROLE = "public"

Reference = tuple[str, str, str | None]
"""A version of a document: content type, key and locale."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Target:
    """Where rows go: the tables of a schema, and what fills the columns that content leaves open.

    ``now`` is the instant of all rows, in epoch milliseconds; ``new_id`` makes document ids.
    """

    schema: Schema
    tables: TableMap
    inserts: RowInserts
    accounts: Accounts
    contents: Contents
    now: int
    new_id: Callable[[], str]


def seed_program(
    content: Content, uploads: Mapping[str, Upload], target: Target, advance: Callable[[str], None]
) -> Program[None]:
    """Write all content into a database that has none.

    ``uploads`` are the media files by name; ``advance`` is called with the key of each document
    that was written. Raises SeedingError when the database lacks the role of visitors.
    """
    rows = _Rows(content=content, target=target)
    yield from rows.locales()
    for name, upload in uploads.items():
        yield from rows.file(name, upload)
    for document in content.documents:
        yield from rows.document(document)
        advance(document.key)
    yield from rows.permissions()


@dataclass(frozen=True, slots=True)
class _VersionRows:
    """The rows of a version; without draft & publish the one row counts as published."""

    draft: int | None
    published: int | None


@dataclass(frozen=True, slots=True, kw_only=True)
class _Entry:
    """The entry that is being written: components refer to others on its behalf."""

    content_type: ContentType
    key: str
    locale: str | None
    published: bool

    @property
    def version(self) -> Reference:
        return self.content_type.uid, self.key, self.locale


@dataclass(frozen=True, slots=True, kw_only=True)
class _Part:
    """A component that waits to be attached; ``order`` is ``None`` outside lists."""

    uid: str
    id: int
    field: str
    order: int | None


@dataclass(frozen=True, slots=True, kw_only=True)
class _Rows:
    content: Content
    target: Target
    _versions: dict[Reference, _VersionRows] = field(default_factory=dict, init=False)
    _files: dict[str, Mapping[str, object]] = field(default_factory=dict, init=False)
    _positions: dict[tuple[str, Reference], dict[Reference, int]] = field(
        default_factory=dict, init=False
    )

    # What stands around the documents --------------------------------------------------------

    def locales(self) -> Program[None]:
        """Add the locales that the database does not know."""
        known = yield from self.target.contents.locale_codes()
        for locale in self.content.locales:
            if locale.code not in known:
                yield from self._plain(LOCALE_UID, {"name": locale.name, "code": locale.code})

    def file(self, name: str, upload: Upload) -> Program[None]:
        """Add a file to the media library, at its root."""
        document_id, id_ = yield from self._plain(FILE_UID, {**upload.values, "folderPath": "/"})
        now = iso_from_ms(self.target.now)
        self._files[name] = {
            "id": id_,
            "documentId": document_id,
            **upload.values,
            "createdAt": now,
            "updatedAt": now,
            "publishedAt": now,
        }

    def permissions(self) -> Program[None]:
        """Grant visitors what they may do."""
        accounts = self.target.accounts
        role = yield from accounts.role_of_type(_PUBLIC_ROLE)
        if role is None:
            raise SeedingError("The database has no role Public to grant anything to.")
        granted = yield from accounts.role_actions(role)
        edge = self.target.tables[PERMISSION_UID].edges["role"]
        if not isinstance(edge, LinkEdge) or edge.inverse_order is None:
            raise TypeError(f"{PERMISSION_UID}.role is not a sorted link")
        position = yield from self.target.contents.last_position(edge, role)
        for action in self.content.public:
            if action in granted:
                continue
            position += 1
            _, id_ = yield from self._plain(PERMISSION_UID, {"action": action})
            link = {edge.near: id_, edge.far: role, edge.inverse_order: position}
            yield from self.target.inserts.insert(edge.table, link)

    def _plain(self, uid: str, values: Values) -> Program[tuple[str, int]]:
        """Write the one row of a document of a built-in type; returns its document id and id."""
        document_id, now = self.target.new_id(), self.target.now
        moments = {"createdAt": now, "updatedAt": now, "publishedAt": now}
        table = self.target.tables[uid]
        given = {"documentId": document_id, **values, **moments}
        row = {table.columns[name]: value for name, value in given.items()}
        return document_id, (yield from self.target.inserts.insert(table.name, row))

    # Documents -------------------------------------------------------------------------------

    def document(self, document: Document) -> Program[None]:
        """Write a document in all of its locales."""
        document_id = self.target.new_id()
        content_type = self.target.schema.content_types[document.content_type]
        for version in document.versions:
            reference = (content_type.uid, document.key, version.locale)
            draft = yield from self._entry(
                content_type, document.key, document_id, version, published=False
            )
            published = yield from self._entry(
                content_type, document.key, document_id, version, published=True
            )
            self._versions[reference] = _VersionRows(draft, published)

    def _entry(
        self,
        content_type: ContentType,
        key: str,
        document_id: str,
        version: Version,
        *,
        published: bool,
    ) -> Program[int | None]:
        values = version.published if published else version.draft
        if values is None:
            return None
        entry = _Entry(
            content_type=content_type, key=key, locale=version.locale, published=published
        )
        now = self.target.now
        # A draft is known to differ from what is published by having been changed after it.
        changed = not published and version.status is Status.MODIFIED
        automatic = {
            "documentId": document_id,
            "createdAt": now,
            "updatedAt": now + 1 if changed else now,
            "publishedAt": now if published else None,
            "locale": version.locale,
        }
        return (yield from self._model(content_type, values, automatic, entry))

    def _model(
        self, model: Model, values: Values, automatic: Values, entry: _Entry
    ) -> Program[int]:
        """Write a row with everything that belongs to it: its components first, its links last."""
        table = self.target.tables[model.uid]
        parts = yield from self._components(model, values, entry)
        row = {table.columns[name]: value for name, value in automatic.items()}
        row |= {
            table.columns[attribute.name]: self._stored(attribute, values)
            for attribute in model.scalars
            if is_own(attribute.name)
        }
        row |= self._reference_columns(model, values, entry)
        id_ = yield from self.target.inserts.insert(table.name, row)
        for part in parts:
            link = {
                COMPONENT_ENTITY: id_,
                COMPONENT_ID: part.id,
                COMPONENT_TYPE: part.uid,
                FIELD: part.field,
                ORDER: part.order,
            }
            yield from self.target.inserts.insert(table.components_table, link)
        yield from self._links(model, id_, values, entry)
        yield from self._media(model, id_, values)
        return id_

    def _stored(self, attribute: ScalarAttribute, values: Values) -> object:
        """Return what goes into the column of a scalar; the default when nothing is said of it."""
        value = values.get(attribute.name, attribute.default)
        if isinstance(value, list) and attribute.type.name == "blocks":
            return [self._block(block) for block in value]
        return stored_scalar(attribute, value)

    def _block(self, block: object) -> object:
        """Let the image of a block carry all that is known of the file."""
        match block:
            case {"type": "image", "image": {"file": str(name)}, "children": children}:
                return {"type": "image", "image": self._files[name], "children": children}
            case _:
                return block

    def _components(self, model: Model, values: Values, entry: _Entry) -> Program[list[_Part]]:
        parts: list[_Part] = []
        for name, attribute in model.attributes.items():
            if not isinstance(attribute, ComponentAttribute | DynamicZoneAttribute):
                continue
            found = components_of(self.target.schema, attribute, values.get(name))
            for position, (component, inner) in enumerate(found, start=1):
                id_ = yield from self._model(component, inner, {}, entry)
                order = position if attribute.to_many else None
                parts.append(_Part(uid=component.uid, id=id_, field=name, order=order))
        return parts

    # Relations and media ---------------------------------------------------------------------

    def _links(self, model: Model, id_: int, values: Values, entry: _Entry) -> Program[None]:
        for attribute in model.relations:
            edge = self.target.tables[model.uid].edges[attribute.name]
            if attribute.name not in values or not isinstance(edge, LinkEdge):
                continue
            found = self._targets(attribute, values[attribute.name], entry)
            for position, (reference, row) in enumerate(found, start=1):
                link: dict[str, object] = {edge.near: id_, edge.far: row}
                if edge.order is not None:
                    link[edge.order] = position
                if edge.inverse_order is not None:
                    link[edge.inverse_order] = self._position(edge.table, reference, entry)
                yield from self.target.inserts.insert(edge.table, link)

    def _position(self, table: str, reference: Reference, entry: _Entry) -> int:
        """Return the place of an entry among those that refer to a version: after all before it.

        The draft and the published entry of one version have the same place.
        """
        places = self._positions.setdefault((table, reference), {})
        return places.setdefault(entry.version, len(places) + 1)

    def _reference_columns(
        self, model: Model, values: Values, entry: _Entry
    ) -> Iterator[tuple[str, int]]:
        """Iterate over the columns that hold the id of a related row."""
        for attribute in model.relations:
            edge = self.target.tables[model.uid].edges[attribute.name]
            if attribute.name in values and isinstance(edge, ColumnEdge):
                for _, row in self._targets(attribute, values[attribute.name], entry):
                    yield edge.column, row

    def _targets(
        self, attribute: RelationAttribute, value: object, entry: _Entry
    ) -> Iterator[tuple[Reference, int]]:
        """Iterate over the rows that a relation leads to.

        An entry with draft & publish refers to rows of its own status, one without it to the draft
        and the published row alike.
        """
        target = self.target.schema.content_types[str(attribute.target)]
        default = self.content.locales[0].code
        locale = target_locale(entry.content_type, entry.locale, target, default)
        for key in as_list(value):
            reference = (target.uid, str(key), locale)
            rows = self._versions[reference]
            found = [rows.draft, rows.published]
            if target.draft_and_publish and entry.content_type.draft_and_publish:
                found = [rows.published if entry.published else rows.draft]
            yield from ((reference, row) for row in found if row is not None)

    def _media(self, model: Model, id_: int, values: Values) -> Program[None]:
        for name, attribute in model.attributes.items():
            edge = self.target.tables[model.uid].edges.get(name)
            if not isinstance(attribute, MediaAttribute) or not isinstance(edge, MorphTargetEdge):
                continue
            for position, file in enumerate(as_list(values.get(name)), start=1):
                link = {
                    edge.far: self._files[str(file)]["id"],
                    edge.near_id: id_,
                    edge.near_type: edge.type_value,
                    FIELD: edge.field,
                    ORDER: position,
                }
                yield from self.target.inserts.insert(edge.table, link)
