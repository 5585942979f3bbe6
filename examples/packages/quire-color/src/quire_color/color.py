"""The attribute type ``color``, its options, and the rules that its values satisfy."""

import re
from functools import lru_cache
from typing import Any

from quire import AdminInput, AttributeOptions, AttributeType, ValidationError, attribute_type

_DIGITS = re.compile(r"#(?:[0-9a-f]{3,4}|[0-9a-f]{6}|[0-9a-f]{8})", re.IGNORECASE)
_OPAQUE = len("#rrggbb")


class ColorOptions(AttributeOptions):
    """The options of a color.

    ``alpha`` allows transparent colors. ``palette`` names the only colors that are allowed, such
    as ``"Sea #1d4ed8, Sand #fde68a"``. On ``background`` the color has a contrast of at least
    ``contrast`` to 1, as the Web Content Accessibility Guidelines define it.
    """

    alpha: bool = False
    palette: str = ""
    background: str = ""
    contrast: float = 4.5

    def __post_init__(self) -> None:
        """Check colors in options. Raises ValueError."""
        read_palette(self.palette)
        if self.background and len(normalize(self.background)) != _OPAQUE:
            raise ValueError(f"background must be opaque, not {self.background}")


def normalize(text: str) -> str:
    """Return a color as ``#rrggbb``, or ``#rrggbbaa`` if it is transparent.

    Raises ValueError if it is no color.
    """
    if not _DIGITS.fullmatch(text):
        raise ValueError(f"{text!r} is no color such as #1d4ed8")
    digits = text[1:].lower()
    if len(digits) <= len("rgba"):
        digits = "".join(digit * 2 for digit in digits)
    return f"#{digits[:6]}" if digits[6:] == "ff" else f"#{digits}"


@lru_cache
def read_palette(text: str) -> dict[str, str]:
    """Return the names of colors, by color. Raises ValueError if one of them is no color."""
    palette: dict[str, str] = {}
    for entry in filter(None, map(str.strip, text.split(","))):
        name, _, color = entry.rpartition(" ")
        palette[normalize(color)] = name.strip() or color
    return palette


def contrast(color: str, background: str) -> float:
    """Return the contrast of two colors, from 1 to 21; ``background`` must be opaque.

    Both are normalized. See https://www.w3.org/TR/WCAG22/#dfn-contrast-ratio.
    """
    below = _channels(background)
    red, green, blue, *rest = _channels(color)
    alpha = rest[0] if rest else 1.0
    blended = [alpha * a + (1 - alpha) * b for a, b in zip((red, green, blue), below, strict=True)]
    light, dark = sorted((_luminance(blended), _luminance(below)), reverse=True)
    return (light + 0.05) / (dark + 0.05)


def _channels(color: str) -> list[float]:
    return [byte / 255 for byte in bytes.fromhex(color[1:])]


def _luminance(channels: list[float]) -> float:
    red, green, blue = (
        channel / 12.92 if channel <= 0.04045 else ((channel + 0.055) / 1.055) ** 2.4
        for channel in channels
    )
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


@attribute_type("color")
class Color(AttributeType[str, ColorOptions]):
    """A color of CSS in hexadecimal digits, stored in lower case with two digits per channel."""

    stores = "string"
    admin = AdminInput(module="admin/color.js", element="quire-color")

    def parse(self, value: Any, options: ColorOptions) -> str:
        """Accept all hexadecimal forms of CSS."""
        try:
            color = normalize(value if isinstance(value, str) else "")
        except ValueError:
            raise ValidationError("must be a color such as #1d4ed8") from None
        if len(color) > _OPAQUE and not options.alpha:
            raise ValidationError(f"must be opaque, such as {color[:_OPAQUE]}")
        palette = read_palette(options.palette)
        if palette and color not in palette:
            allowed = ", ".join(f"{name} ({allowed})" for allowed, name in palette.items())
            raise ValidationError(f"must be one of {allowed}")
        if options.background:
            ratio = contrast(color, normalize(options.background))
            if ratio < options.contrast:
                raise ValidationError(
                    f"has a contrast of {ratio:.2f} to {options.background},"
                    f" but must have at least {options.contrast:.2f}"
                )
        return color

    def serialize(self, value: str, options: ColorOptions) -> str:
        """Show colors that another program has stored in the same form."""
        return normalize(value) if _DIGITS.fullmatch(value) else value
