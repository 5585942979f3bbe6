"""A write in hooks: one action on one locale of one document."""

from collections.abc import Collection
from typing import Generic, Literal, get_args

from msgspec import Struct

from quire.hooks.document import D, Input
from quire.hooks.errors import NotLoadedError, UnknownFieldError

WriteAction = Literal[
    "create", "update", "delete", "publish", "unpublish", "discard_draft", "clone"
]
WRITE_ACTIONS: tuple[WriteAction, ...] = get_args(WriteAction)
PrepareAction = Literal["create", "update", "clone"]
PREPARE_ACTIONS: tuple[PrepareAction, ...] = get_args(PrepareAction)
WITH_DATA: frozenset[str] = frozenset({"create", "update", "clone"})
"""Actions with data; the others use the stored values."""


class WriteData:
    """Holds the data of a write.

    They include private values and plain passwords. A class without a form in JSON makes it an
    error to encode a write, for example into a log or a request.
    """

    __slots__ = ("values",)

    def __init__(self, values: dict[str, object]) -> None:
        self.values = values


class Write(Struct, Generic[D, Input], kw_only=True, eq=False):
    """One action on one locale of a document.

    ``before`` is the entry that the action starts from, with the fields in ``needs`` of the hook:
    the draft for update, publish and discard_draft, the source for clone, what is removed for
    delete and unpublish; ``None`` for create. ``after`` is the entry that was written; ``None``
    before the write and where nothing is left. ``also_locales`` are the other locales that get the
    fields that all locales share, if these have changed; hooks are not called for them. ``Input``
    types the data that `set` takes.
    """

    uid: str
    action: WriteAction
    document_id: str
    locale: str | None
    origin: tuple[str, ...]
    _data: WriteData
    _fields: Collection[str]
    """The attributes of the content type that `set` may name."""
    before: D | None = None
    after: D | None = None
    also_locales: tuple[str, ...] = ()

    @property
    def data(self) -> dict[str, object]:
        """The attributes that are written, in the form of the content API.

        Before the write they are what the caller sent: any value may be null or of another type.
        """
        return self._data.values

    def value(self, name: str) -> object:
        """Return the new value of a field, else the old one, ``None`` without either.

        Raises NotLoadedError for an old value that is not in ``needs``, and UnknownFieldError for a
        field that the type does not have.
        """
        self._require(name)
        data = self._data.values
        if name in data:
            return data[name]
        if self.before is None:
            if self.action == "create":
                return None
            raise NotLoadedError(_not_loaded_message(name))
        return self.before[name]

    def changed(self, *names: str) -> bool:
        """Tell whether one of the fields gets a value that differs from the old one, if loaded.

        Raises UnknownFieldError for a field that the type does not have.
        """
        has_changed = False
        data, before = self._data.values, self.before
        for name in names:
            if name not in self._fields:
                self._require(name)
            if name in data and (
                before is None or name not in before or before[name] != data[name]
            ):
                has_changed = True
        return has_changed

    def set(self, data: Input | None = None, /, **values: object) -> None:
        """Set new values of fields, which are validated like those of the caller.

        They are those of ``data``, which type checkers check if the write has the type of its
        input, and those that are given by name.

        Raises UnknownFieldError for a field that the type does not have or nobody can write, and
        TypeError if the action takes no data, or has taken place.
        """
        if self.after is not None:
            message = "the document is written: change it with documents(...).update"
            raise TypeError(message)
        if self.action not in WITH_DATA:
            message = f"{self.action} takes no data: change the draft with documents(...).update"
            raise TypeError(message)
        new_values = values if data is None else {**data, **values}
        for name in new_values:
            if name not in self._fields:
                raise UnknownFieldError(self.uid, name, self._fields)
        self._data.values.update(new_values)

    def check_names(self, keys: Collection[str]) -> None:
        """Reject keys that hooks have put into ``data`` and that are not ``keys``.

        Raises UnknownFieldError for one that is not a writable field.
        """
        for name in self._data.values:
            if name not in self._fields and name not in keys:
                raise UnknownFieldError(self.uid, name, self._fields)

    def _require(self, name: str) -> None:
        if name not in self._fields and (self.before is None or name not in self.before):
            raise UnknownFieldError(self.uid, name, self._fields)

    def __repr__(self) -> str:
        """Return a description of the write, without its data."""
        locale = "" if self.locale is None else f" {self.locale}"
        return f"Write({self.action} {self.uid} {self.document_id}{locale})"


def _not_loaded_message(name: str) -> str:
    return f'the old value of "{name}" was not loaded: name it in `needs` of the hook'
