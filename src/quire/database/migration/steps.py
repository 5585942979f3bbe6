"""The steps of a migration, described for people.

Names of tables and columns are those at the time of the step: earlier names up to the renaming,
later ones from there on. `Plan.steps` are in the order in which they are taken.
"""

from collections.abc import Iterator

from msgspec import Struct, field

from quire.database.integrity.findings import count_noun
from quire.schema.attributes.base import StorageKind


class DropRows(Struct, frozen=True, kw_only=True):
    """Components or links of media of a removed attribute; ``rows`` refer to entries.

    With ``component``, only this one is removed from the attribute.
    """

    uid: str
    attribute: str
    rows: int
    component: str | None = None

    def __str__(self) -> str:
        if self.component is not None:
            return f"remove {self.rows} of {self.component} in {self.attribute} of {self.uid}"
        return f"remove the values of {self.rows} entries in {self.attribute} of {self.uid}"


class EndDrafts(Struct, frozen=True, kw_only=True):
    """A type no longer has drafts.

    Drafts with a published version are removed, ``changed`` of them had unpublished changes;
    documents that were never published (``remaining``) stay, as they are.
    """

    uid: str
    rows: int
    changed: int
    remaining: int

    def __str__(self) -> str:
        return (
            f"remove {self.rows} drafts of {self.uid}, {self.changed} of them with unpublished "
            f"changes, and publish {self.remaining} documents that never were"
        )


class EndLocales(Struct, frozen=True, kw_only=True):
    """A type is no longer localized.

    The version in the default locale stays, or the oldest if there is none; ``rows`` are removed.
    """

    uid: str
    rows: int

    def __str__(self) -> str:
        return f"remove {self.rows} entries of {self.uid} in other locales"


class DropTable(Struct, frozen=True, kw_only=True):
    """A table that the schema no longer needs."""

    table: str
    rows: int

    def __str__(self) -> str:
        return f"drop the table {self.table} with {count_noun(self.rows, 'row')}"


class RenameTable(Struct, frozen=True, kw_only=True):
    """A table that keeps its rows under another name."""

    before: str
    after: str

    def __str__(self) -> str:
        return f"rename the table {self.before} to {self.after}"


class DropIndex(Struct, frozen=True, kw_only=True):
    """An index that is in the way, or no longer needed."""

    table: str
    index: str

    def __str__(self) -> str:
        return f"drop the index {self.index} of {self.table}"


class RenameColumn(Struct, frozen=True, kw_only=True):
    """A column that keeps its values under another name."""

    table: str
    before: str
    after: str

    def __str__(self) -> str:
        return f"rename the column {self.before} of {self.table} to {self.after}"


class DropColumn(Struct, frozen=True, kw_only=True):
    """A column that the schema no longer needs; ``rows`` have a value in it."""

    table: str
    column: str
    rows: int

    def __str__(self) -> str:
        return (
            f"drop the column {self.column} of {self.table} with {count_noun(self.rows, 'value')}"
        )


class ConvertColumn(Struct, frozen=True, kw_only=True):
    """A column whose values are converted to another kind; ``unfit`` of the ``rows`` cannot be."""

    table: str
    column: str
    before: StorageKind
    after: StorageKind
    rows: int
    unfit: int

    def __str__(self) -> str:
        text = (
            f"turn {self.rows} values of {self.column} in {self.table} "
            f"from {self.before} into {self.after}"
        )
        return f"{text}; {self.unfit} cannot be and are lost" if self.unfit else text


class CreateTable(Struct, frozen=True, kw_only=True):
    """A table that the database lacks."""

    table: str

    def __str__(self) -> str:
        return f"create the table {self.table}"


class AddColumn(Struct, frozen=True, kw_only=True):
    """A column that a table lacks."""

    table: str
    column: str

    def __str__(self) -> str:
        return f"add the column {self.column} to {self.table}"


class CreateIndex(Struct, frozen=True, kw_only=True):
    """An index that a table lacks."""

    table: str
    index: str

    def __str__(self) -> str:
        return f"create the index {self.index} of {self.table}"


class RenameField(Struct, frozen=True, kw_only=True):
    """An attribute whose name is stored in rows of components or media.

    ``uid`` is the later one.
    """

    uid: str
    before: str
    after: str

    def __str__(self) -> str:
        return f"rename {self.before} to {self.after} in links of entries of {self.uid}"


class RenameModel(Struct, frozen=True, kw_only=True):
    """A content type or component whose uid is stored in links, permissions or settings."""

    before: str
    after: str

    def __str__(self) -> str:
        return f"rename {self.before} to {self.after} in links, permissions and settings"


class BeginDrafts(Struct, frozen=True, kw_only=True):
    """A type that gets drafts: each of its entries gets one."""

    uid: str
    rows: int

    def __str__(self) -> str:
        return f"make a draft of each of {self.rows} entries of {self.uid}"


class BeginLocales(Struct, frozen=True, kw_only=True):
    """A type that becomes localized: its entries get the default locale."""

    uid: str
    rows: int
    locale: str

    def __str__(self) -> str:
        return f"put {self.rows} entries of {self.uid} into the locale {self.locale}"


Step = (
    DropRows
    | EndDrafts
    | EndLocales
    | DropTable
    | RenameTable
    | DropIndex
    | RenameColumn
    | DropColumn
    | ConvertColumn
    | CreateTable
    | AddColumn
    | CreateIndex
    | RenameField
    | RenameModel
    | BeginDrafts
    | BeginLocales
)


def rows_lost(step: Step) -> int:
    """Return how many rows or values of users a step removes."""
    match step:
        case DropRows() | EndLocales() | DropTable() | DropColumn():
            return step.rows
        case EndDrafts():
            return step.changed
        case ConvertColumn():
            return step.unfit
        case _:
            return 0


class MigrationNotice(Struct, frozen=True, kw_only=True):
    """Rows that no step changes, but that the later schema would not accept."""

    uid: str
    attribute: str
    rows: int
    rule: str

    def __str__(self) -> str:
        return f"{self.rows} entries of {self.uid} break a rule: {self.attribute} {self.rule}"


class SeveralDocuments(Struct, frozen=True, kw_only=True):
    """A collection type with several documents that becomes a single type, which serves one."""

    uid: str
    documents: int

    def __str__(self) -> str:
        return f"{self.uid} has {self.documents} documents, but a single type serves only one"


class Plan(Struct, frozen=True, kw_only=True):
    """Everything that a change of the schema does to a database."""

    steps: tuple[Step, ...] = ()
    notices: tuple[MigrationNotice, ...] = field(default_factory=tuple)
    several_documents: tuple[SeveralDocuments, ...] = ()

    @property
    def losses(self) -> tuple[Step, ...]:
        """The steps that remove content."""
        return tuple(step for step in self.steps if rows_lost(step))

    def lines(self) -> Iterator[str]:
        """Describe it for a terminal, one line for each step and notice."""
        yield from (str(step) for step in self.steps)
        yield from (str(notice) for notice in self.notices)
        yield from (str(conflict) for conflict in self.several_documents)
