"""Settings of the media library that administrators change.

Both are values of the core store, in Strapi's form.
"""

from collections.abc import Mapping

from msgspec import Struct

from quire.database.entries.entry_tables import EntryStore
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
"""The possible orders of the list of files."""

SWITCHES = ("sizeOptimization", "responsiveDimensions", "autoOrientation", "aiMetadata")
"""The switches. ``aiMetadata`` is stored for Strapi, and has no effect here."""

_DEFAULTS: Mapping[str, object] = {
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
    """Parse the stored settings; missing and invalid ones get their defaults."""
    values = stored if isinstance(stored, dict) else {}
    return LibrarySettings(
        size_optimization=values.get("sizeOptimization") is not False,
        responsive_dimensions=values.get("responsiveDimensions") is not False,
        auto_orientation=values.get("autoOrientation") is True,
    )


def image_rules(
    settings: LibrarySettings,
    *,
    boxes: Mapping[str, int],
    variants: tuple[str, ...],
    max_pixels: int,
) -> ImageRules:
    """Return how images are processed under these settings."""
    return ImageRules(
        lighter=settings.size_optimization,
        other_sizes=settings.responsive_dimensions,
        upright=settings.auto_orientation,
        boxes=boxes,
        variants=variants,
        max_pixels=max_pixels,
    )


def stored_settings(store: EntryStore) -> Program[dict[str, object]]:
    """Return the stored switches, or their defaults."""
    setting = yield from read_setting(store.writes, SETTINGS_KEY)
    return dict(setting) if isinstance(setting, dict) else dict(_DEFAULTS)


def change_settings(store: EntryStore, values: Mapping[str, object]) -> Program[dict[str, object]]:
    """Store the given switches; returns all of them."""
    switches = {name: values[name] for name in SWITCHES if name in values}
    yield from write_setting(store.writes, SETTINGS_KEY, switches)
    return switches


def stored_view(store: EntryStore) -> Program[dict[str, object]]:
    """Return the view of the list of files."""
    setting = yield from read_setting(store.writes, VIEW_KEY)
    return dict(setting) if isinstance(setting, dict) else dict(_FIRST_VIEW)


def change_view(store: EntryStore, values: Mapping[str, object]) -> Program[None]:
    """Store the view of the list of files."""
    yield from write_setting(store.writes, VIEW_KEY, dict(values))
