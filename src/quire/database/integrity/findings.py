"""The kinds of damage, as values."""

from enum import StrEnum

from msgspec import Struct

MAX_IDS = 20
"""How many ids a finding lists at most; ``count`` counts all of them."""


class DamageKind(StrEnum):
    """The kinds of damage."""

    DEFAULT_LOCALE = "default locale"
    MIGRATIONS = "migrations"
    NO_DOCUMENT_ID = "no document id"
    NO_LOCALE = "no locale"
    SEVERAL_LOCALES = "several locales"
    SEVERAL_DOCUMENTS = "several documents"
    DUPLICATE = "duplicate"
    ORPHAN_COMPONENT = "orphan component"
    SHARED_COMPONENT = "shared component"
    DANGLING_COMPONENT_LINK = "dangling component link"
    DOUBLE_COMPONENT_LINK = "double component link"
    UNKNOWN_COMPONENT = "unknown component"
    UNKNOWN_FIELD = "unknown field"
    DANGLING_LINK = "dangling link"
    DOUBLE_LINK = "double link"
    DANGLING_MORPH_LINK = "dangling morph link"
    DANGLING_TARGET = "dangling target"
    UNKNOWN_TYPE = "unknown type"
    DANGLING_REFERENCE = "dangling reference"
    DANGLING_CREATOR = "dangling creator"
    NO_DRAFT = "no draft"
    FOREIGN_KEY = "foreign key"


_HARMLESS = frozenset(
    {
        DamageKind.MIGRATIONS,
        DamageKind.UNKNOWN_COMPONENT,
        DamageKind.UNKNOWN_FIELD,
        DamageKind.UNKNOWN_TYPE,
    }
)


class Damage(Struct, frozen=True, kw_only=True):
    """Rows of one table with one kind of damage.

    ``ids`` are the first of them, at most `MAX_IDS`, in order; ``count`` is how many there are.
    ``sentence`` describes the problem, with the count. ``repair`` describes the repair, and is
    ``None`` where only a person can decide; with ``needs_consent`` it is done only on request,
    because it deletes content. ``details`` has more about single rows, a line each.
    """

    kind: DamageKind
    table: str
    count: int
    ids: tuple[int, ...]
    sentence: str
    repair: str | None = None
    needs_consent: bool = False
    details: tuple[str, ...] = ()

    @property
    def grave(self) -> bool:
        """Whether content may be shown wrongly or lost because of it.

        Rows of types that the schema lacks are harmless: they may belong to a plugin.
        """
        return self.kind not in _HARMLESS

    def __str__(self) -> str:
        """One line for a terminal, without the details."""
        return f"{self.table}: {self.sentence}{self._format_ids()}"

    def _format_ids(self) -> str:
        if not self.ids:
            return ""
        ids = ", ".join(map(str, self.ids))
        suffix = ", ..." if self.count > len(self.ids) else ""
        return f" ({'id' if self.count == 1 else 'ids'} {ids}{suffix})"


def count_noun(count: int, noun: str) -> str:
    """Write a count with its noun: ``1 row``, ``2 rows``."""
    return f"{count} {noun}{'' if count == 1 else 's'}"
