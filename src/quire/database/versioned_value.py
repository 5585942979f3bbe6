"""A value that is valid in one version of the content.

Everything that holds "until somebody commits" is kept in a `VersionedValue`: cached responses,
totals and pages, verified credentials, settings read from the database. The version is that of
`quire.database.connection.Database.version`, which the caller has learned before it reads.

A value may show a later state, when somebody commits while it is read. That does no harm: versions
do not come back, so nobody asks for the former one any more. It never shows an earlier state.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Generic, TypeVar

V = TypeVar("V")


class VersionedValue(Generic[V]):
    """One value with the version of the content that it is valid in, for the event loop alone."""

    __slots__ = ("_value", "_version")

    def __init__(self) -> None:
        self._version: int | None = None
        self._value: V | None = None

    def get(self, version: int | None) -> V | None:
        """Return the value if it is valid in a version; ``None`` while that is unknown."""
        return self._value if version is not None and version == self._version else None

    def set(self, version: int | None, value: V) -> None:
        """Replace the value; nothing is kept for an unknown version."""
        self._version = version
        self._value = None if version is None else value

    def get_or_make(self, version: int | None, make: Callable[[], V]) -> V | None:
        """Return the value of a version, made anew if the former one is of another version.

        ``None`` means that the version is unknown. The former value is replaced and not cleared: a
        read that is under way still adds to the one that it began with, which nobody sees then.
        """
        if version is None:
            return None
        if version == self._version:
            return self._value
        value = make()
        self._version, self._value = version, value
        return value
