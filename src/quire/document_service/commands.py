"""Commands: requested changes of documents, as frozen values, so that a retry starts equal.

Data stay in the form of the request until they are parsed and validated.
"""

from collections.abc import Callable, Iterable, Mapping
from copy import deepcopy
from enum import Enum

from msgspec import Struct, field

from quire.database.entries.versions_query import EntryRow
from quire.database.program import Statement

Data = Mapping[str, object] | list[object]
"""The attributes of an entry as in the request; validation rejects what is not an object."""

_IMMUTABLE_TYPES = frozenset({str, int, float, bool, type(None)})


def copy_data(data: Mapping[str, object]) -> dict[str, object]:
    """Return a deep copy of data, which functions of the project may change in place.

    The data are mostly JSON: `deepcopy` takes many times as long, and is for everything else.
    """
    copies = {}
    for name, value in data.items():
        copies[name] = value if type(value) in _IMMUTABLE_TYPES else _copy_value(value)
    return copies


def _copy_value(value: object) -> object:
    kind = type(value)
    if kind in _IMMUTABLE_TYPES:
        return value
    if kind is dict:
        return {key: _copy_value(inner) for key, inner in value.items()}  # type: ignore[attr-defined]  # a dict
    if kind is list:
        return [_copy_value(inner) for inner in value]  # type: ignore[attr-defined]  # a list
    return deepcopy(value)


class AllLocales(Enum):
    """All locales of a document."""

    LOCALE = "*"


class CreateDocument(Struct, frozen=True, kw_only=True):
    """Create a document of a content type, in one locale.

    ``locale`` counts for localized types; ``None`` is the default locale. ``publish`` counts for
    draft & publish types. ``document_id`` is set only where other commands refer to the
    document, or a request may be repeated; clients cannot choose it.
    """

    uid: str
    data: Data
    locale: str | None = None
    publish: bool = False
    document_id: str | None = None


class UpdateDocument(Struct, frozen=True, kw_only=True):
    """Change one locale of a document, or add the locale to it.

    ``document_id`` is ``None`` for the document of a single type, which is created if it is
    missing. ``expected`` are the tags of the versions that the change may be made to
    (``If-Match``); without any the last write wins.
    """

    uid: str
    document_id: str | None
    data: Data
    locale: str | None = None
    publish: bool = False
    expected: frozenset[str] | None = None


class DeleteDocument(Struct, frozen=True, kw_only=True):
    """Delete the versions of a document in one locale, or in every one.

    ``document_id`` is ``None`` for the document of a single type. ``locales`` are several locales,
    instead of ``locale``. ``narrowed`` makes, for a document id, the statement that returns the ids
    of all rows that may be deleted; ``None`` allows all.
    """

    uid: str
    document_id: str | None
    locale: str | AllLocales | None = None
    locales: tuple[str, ...] | None = None
    narrowed: Callable[[str], Statement] | None = None
    expected: frozenset[str] | None = None


class PublishDocument(Struct, frozen=True, kw_only=True):
    """Publish the drafts of a document, in one locale or in every one.

    ``locales`` are several locales, instead of ``locale``.
    """

    uid: str
    document_id: str
    locale: str | AllLocales | None = None
    locales: tuple[str, ...] | None = None


class UnpublishDocument(Struct, frozen=True, kw_only=True):
    """Remove the published version of a document, in one locale or in every one."""

    uid: str
    document_id: str
    locale: str | AllLocales | None = None


class DiscardDraft(Struct, frozen=True, kw_only=True):
    """Replace the draft of a document by the published version, in one locale or in every one."""

    uid: str
    document_id: str
    locale: str | AllLocales | None = None


class CloneDocument(Struct, frozen=True, kw_only=True):
    """Create a document from the drafts of another one, with ``data`` instead of its values."""

    uid: str
    document_id: str
    locale: str | AllLocales | None = AllLocales.LOCALE
    data: Mapping[str, object] = field(default_factory=dict)


Command = (
    CreateDocument
    | UpdateDocument
    | DeleteDocument
    | PublishDocument
    | UnpublishDocument
    | DiscardDraft
    | CloneDocument
)


class PreparationNeededError(Exception):
    """A command was created within a transaction, and has to be prepared before it."""

    def __init__(self, command: Command) -> None:
        super().__init__(command)
        self.command = command


class PreparedCommands:
    """The commands that replace others, with the data from `@prepare` functions."""

    def __init__(self) -> None:
        # Commands are kept with their results, so that no id is used a second time.
        self._results: dict[int, tuple[Command, Command]] = {}
        self._created: list[Command] = []
        self._unused: list[Command] = []

    def add(self, command: Command, prepared: Command) -> None:
        """Set the command that replaces another one."""
        self._results[id(command)] = (command, prepared)

    def restart_with(self, command: Command) -> None:
        """Keep a command that the program has created within the transaction.

        When the program starts again, it creates an equal one.
        """
        self._created.append(command)

    def start(self) -> None:
        """Start the program: every command that was kept can be used once."""
        self._unused = [*self._created]

    def all(self, commands: Iterable[Command]) -> list[Command]:
        """Return commands, with those that are prepared replaced."""
        return [self.get(command) or command for command in commands]

    def get(self, command: Command) -> Command | None:
        """Return the command that replaces another one; ``None`` if it is not prepared yet."""
        entry = self._results.get(id(command))
        if entry is not None:
            self._unused = [other for other in self._unused if other is not command]
            return entry[1]
        for number, created in enumerate(self._unused):
            if created == command:
                del self._unused[number]
                prepared = self._results[id(created)][1]
                self.add(command, prepared)
                return prepared
        return None


class WrittenEntry(Struct, frozen=True, kw_only=True):
    """An entry that an action wrote: the row to show as its result."""

    uid: str
    document_id: str
    entry_id: int
    locale: str | None
    published: bool


def written_entry(uid: str, row: EntryRow) -> WrittenEntry:
    """Return a row of a content type as an entry that was written."""
    return WrittenEntry(
        uid=uid,
        document_id=row.document_id,
        entry_id=row.id,
        locale=row.locale,
        published=row.published,
    )
