"""Requests for transformed images: parsing, limits, signatures.

Only sizes that the project lists are available to everybody; others need a signature, so that
nobody can overload the server. A request is a value here; `transform_cache` makes the images.
"""

import hashlib
import hmac
from collections.abc import Mapping
from types import MappingProxyType
from typing import Literal
from urllib.parse import parse_qs

from msgspec import Struct

from quire.errors import ForbiddenError, ValidationError

FitMode = Literal["inside", "cover"]

MAX_SIDE = 4096
"""The maximum pixels of a side."""

DEFAULT_QUALITY = 80
QUALITIES = frozenset({40, 50, 60, 70, 80, 90})
"""The values that are allowed without a signature."""

SIGNATURE = "s"
_WIDTH, _HEIGHT, _FIT, _FORMAT, _QUALITY = "w", "h", "fit", "format", "q"
TRANSFORM_PARAMETERS = (_WIDTH, _HEIGHT, _FIT, _FORMAT, _QUALITY)
"""The parameters of a transformation."""

FORMATS: Mapping[str, str] = MappingProxyType(
    {
        "jpeg": "image/jpeg",
        "png": "image/png",
        "webp": "image/webp",
        "avif": "image/avif",
    }
)
"""The output formats, with their types."""

UNKNOWN_SIZE = "w and h must be among the sizes of the project, or be signed"
BAD_SIGNATURE = "The signature does not fit"


class RequestedTransform(Struct, frozen=True, kw_only=True):
    """A requested image; a missing side follows from the other.

    ``format`` is ``None`` for that of the original.
    """

    width: int | None
    height: int | None
    fit: FitMode = "inside"
    format: str | None = None
    quality: int = DEFAULT_QUALITY

    def name(self) -> str:
        """Return a unique name of the transformation, in letters and digits."""
        parts = (self.width, self.height, self.fit, self.format, self.quality)
        return "-".join("0" if part is None else str(part) for part in parts)


class TransformRules(Struct, frozen=True, kw_only=True):
    """The allowed requests: ``sizes`` for everybody, anything with a signature by ``key``."""

    sizes: frozenset[int]
    key: str | None


def parse_transform(path: str, raw_query: bytes, rules: TransformRules) -> RequestedTransform:
    """Parse the request for an image at a path.

    Raises ValidationError for invalid parameters, ForbiddenError for a missing signature.
    """
    query = parse_qs(raw_query.decode("latin-1"), keep_blank_values=True)
    values: dict[str, str] = {}
    for name in (*TRANSFORM_PARAMETERS, SIGNATURE):
        value = query.get(name, [])
        if len(value) > 1:
            raise ValidationError(f"{name} must be given once")
        if value:
            values[name] = value[0]
    transform = understand_transform(values)
    if SIGNATURE in values:
        _require_signature(path, values, rules.key)
    else:
        _require_listed(transform, rules.sizes)
    return transform


def understand_transform(values: Mapping[str, str]) -> RequestedTransform:
    """Parse the requested transformation. Raises ValidationError for invalid parameters."""
    transform = RequestedTransform(
        width=_parse_side(values, _WIDTH),
        height=_parse_side(values, _HEIGHT),
        fit=_parse_fit(values.get(_FIT, "inside")),
        format=_format(values.get(_FORMAT)),
        quality=_number(values, _QUALITY, 100) or DEFAULT_QUALITY,
    )
    if transform.fit == "cover" and (transform.width is None or transform.height is None):
        raise ValidationError("fit=cover needs w and h")
    return transform


def transform_parameters(
    transform: RequestedTransform, path: str, rules: TransformRules
) -> dict[str, str]:
    """Return the parameters that transform an image at a path, with a signature if needed.

    Raises ForbiddenError for a request that needs a signature if the project has no key.
    """
    values = {
        name: str(value)
        for name, value in (
            (_WIDTH, transform.width),
            (_HEIGHT, transform.height),
            (_FIT, transform.fit if transform.fit != "inside" else None),
            (_FORMAT, transform.format),
            (_QUALITY, transform.quality if transform.quality != DEFAULT_QUALITY else None),
        )
        if value is not None
    }
    try:
        _require_listed(transform, rules.sizes)
    except ForbiddenError:
        if rules.key is None:
            raise
        values[SIGNATURE] = signature_of(path, values, rules.key)
    return values


def signature_of(path: str, values: Mapping[str, str], key: str) -> str:
    """Sign a request: the path and the parameters, sorted by name, as in the URL."""
    shaping = "&".join(
        f"{name}={values[name]}" for name in sorted(TRANSFORM_PARAMETERS) if name in values
    )
    return hmac.digest(key.encode(), f"{path}?{shaping}".encode(), hashlib.sha256).hex()


def _require_signature(path: str, values: Mapping[str, str], key: str | None) -> None:
    if key is None:
        raise ForbiddenError(BAD_SIGNATURE)
    expected = signature_of(path, values, key)
    if not hmac.compare_digest(expected.encode(), values[SIGNATURE].encode()):
        raise ForbiddenError(BAD_SIGNATURE)


def _require_listed(transform: RequestedTransform, sizes: frozenset[int]) -> None:
    sides = {side for side in (transform.width, transform.height) if side is not None}
    if not sides or not sides <= sizes or transform.quality not in QUALITIES:
        raise ForbiddenError(UNKNOWN_SIZE)


def _parse_side(values: Mapping[str, str], name: str) -> int | None:
    return _number(values, name, MAX_SIDE)


def _number(values: Mapping[str, str], name: str, limit: int) -> int | None:
    text = values.get(name)
    if text is None:
        return None
    number = int(text) if text.isascii() and text.isdigit() and len(text) <= 5 else 0
    if not 1 <= number <= limit:
        raise ValidationError(f"{name} must be a whole number from 1 to {limit}")
    return number


def _parse_fit(text: str) -> FitMode:
    if text == "inside":
        return "inside"
    if text == "cover":
        return "cover"
    raise ValidationError("fit must be inside or cover")


def _format(text: str | None) -> str | None:
    if text is not None and text not in FORMATS:
        raise ValidationError(f"format must be one of {', '.join(FORMATS)}")
    return text
