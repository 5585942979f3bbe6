"""Settings of the media library that administrators change.

Both are values of the core store, in the form that the reference server keeps them in.
"""

from collections.abc import Mapping

from quire.database.entries.store import EntryStore
from quire.database.program import Program
from quire.database.stores.core_store import read_setting, write_setting
from quire.uploads.upload_settings import SETTINGS_KEY

VIEW_KEY = "plugin_upload_view_configuration"
SORTS = tuple(
    f"{name}:{order}"
    for name, order in (
        ("createdAt", "DESC"),
        ("createdAt", "ASC"),
        ("name", "ASC"),
        ("name", "DESC"),
        ("updatedAt", "DESC"),
        ("updatedAt", "ASC"),
    )
)
"""The orders that files can be listed in."""

SWITCHES = ("sizeOptimization", "responsiveDimensions", "autoOrientation", "aiMetadata")
"""What can be switched. ``aiMetadata`` is kept for the reference server, and does nothing here."""

_FIRST: Mapping[str, object] = {
    "sizeOptimization": True,
    "responsiveDimensions": True,
    "autoOrientation": False,
    "aiMetadata": True,
}
_FIRST_VIEW: Mapping[str, object] = {"pageSize": 10, "sort": SORTS[0]}


def stored_settings(store: EntryStore) -> Program[dict[str, object]]:
    """Return the switches as they are stored, or as they are at first."""
    stored = yield from read_setting(store.writes, SETTINGS_KEY)
    return dict(stored) if isinstance(stored, dict) else dict(_FIRST)


def change_settings(store: EntryStore, values: Mapping[str, object]) -> Program[dict[str, object]]:
    """Store the switches that are given, and no others; returns them."""
    chosen = {name: values[name] for name in SWITCHES if name in values}
    yield from write_setting(store.writes, SETTINGS_KEY, chosen)
    return chosen


def stored_view(store: EntryStore) -> Program[dict[str, object]]:
    """Return how files are listed."""
    stored = yield from read_setting(store.writes, VIEW_KEY)
    return dict(stored) if isinstance(stored, dict) else dict(_FIRST_VIEW)


def change_view(store: EntryStore, values: Mapping[str, object]) -> Program[None]:
    """Store how files are listed."""
    yield from write_setting(store.writes, VIEW_KEY, dict(values))
