"""The upload settings of administrators, and the image rules that follow from them."""

from collections.abc import Mapping

from msgspec import Struct

from quire.uploads.processing import ImageRules

SETTINGS_KEY = "plugin_upload_settings"


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
