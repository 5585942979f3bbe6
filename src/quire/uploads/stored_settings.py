"""Settings of the media library that administrators change.

Both are values of the core store, in the form that the reference server keeps them in.
"""

from collections.abc import Mapping

from msgspec import Struct

from quire.database.entries.store import EntryStore
from quire.database.program import Program
from quire.database.stores.core_store import read_setting, write_setting
from quire.uploads.processing import ImageRules

SETTINGS_KEY = "plugin_upload_settings"

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


class LibrarySettings(Struct, frozen=True, kw_only=True):
    """The switches of the media library, in the order in which they are shown."""

    size_optimization: bool = True
    responsive_dimensions: bool = True
    auto_orientation: bool = False


def library_settings(stored: object) -> LibrarySettings:
    """Read what is stored; what is missing or odd is as it is at first."""
    known = stored if isinstance(stored, dict) else {}
    return LibrarySettings(
        size_optimization=known.get("sizeOptimization") is not False,
        responsive_dimensions=known.get("responsiveDimensions") is not False,
        auto_orientation=known.get("autoOrientation") is True,
    )


def image_rules(
    settings: LibrarySettings,
    *,
    boxes: Mapping[str, int],
    variants: tuple[str, ...],
    most_pixels: int,
) -> ImageRules:
    """Say what is made of pictures under these settings."""
    return ImageRules(
        lighter=settings.size_optimization,
        other_sizes=settings.responsive_dimensions,
        upright=settings.auto_orientation,
        boxes=boxes,
        variants=variants,
        most_pixels=most_pixels,
    )


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
