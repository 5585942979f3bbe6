"""Schema files as they were read."""

from collections.abc import Mapping

from msgspec import Struct

EXTENSION = "extension:"
"""The prefix of the uid of a source that overrides a built-in type."""


class SchemaFile(Struct, frozen=True):
    """One schema file: the uid it stands for, its path for messages, and its content."""

    uid: str
    file: str
    raw: Mapping[str, object]

    @property
    def is_component(self) -> bool:
        """Components have uids without a namespace."""
        return "::" not in self.uid
