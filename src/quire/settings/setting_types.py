"""The types of settings: parsing, validation, and display of values.

A :class:`SettingType` converts a source's value (text from the environment and from ``.env``, typed
values from ``quire.toml`` and from the command line) to the value of a setting, or says what was
expected. This module knows neither the sources nor the existing settings.
"""

import ipaddress
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import timedelta
from pathlib import Path
from types import MappingProxyType
from typing import Any, Generic, TypeVar
from urllib.parse import urlsplit

T = TypeVar("T")

_UNITS = {
    "ms": timedelta(milliseconds=1),
    "s": timedelta(seconds=1),
    "m": timedelta(minutes=1),
    "h": timedelta(hours=1),
    "d": timedelta(days=1),
    "w": timedelta(weeks=1),
}
_DURATION = re.compile(r"([0-9]+)\s*(ms|s|m|h|d|w)")
_MAX_DIGITS = 18
_NONE = "none"


class InvalidValueError(Exception):
    """A value that a setting type does not accept; its ``expected`` says what it accepts."""


@dataclass(frozen=True, slots=True)
class SettingType(Generic[T]):
    """One type of values.

    ``expected`` completes the sentence "expected …". ``read`` takes a typed value, ``read_text``
    the text of an environment variable; both raise :class:`InvalidValueError`. ``show`` is the
    inverse of ``read_text`` if there is one.
    """

    expected: str
    read: Callable[[object], T]
    read_text: Callable[[str], T]
    show: Callable[[Any], str] = str


@dataclass(frozen=True, slots=True)
class Setting(Generic[T]):
    """The description of one setting, stored in the metadata of its dataclass field.

    ``variable`` is its environment variable. A setting that is ``private`` (a secret, a URL with a
    password in it) is never shown and not accepted from ``quire.toml``, which is usually committed.
    """

    kind: SettingType[T]
    sentence: str
    variable: str | None
    private: bool


METADATA_KEY = "setting"


def setting(
    kind: SettingType[T],
    sentence: str,
    *,
    default: T,
    variable: str | None = None,
    private: bool = False,
) -> T:
    """Declare a field of a section of the settings.

    Returns the dataclass field, typed as the value that it will hold, as ``dataclasses.field``
    does.
    """
    declaration = Setting(kind, sentence, variable, private)
    declared: Any = field(default_factory=lambda: default, metadata={METADATA_KEY: declaration})
    result: T = declared
    return result


def _text(value: object) -> str:
    if not isinstance(value, str):
        raise InvalidValueError
    return value


TEXT = SettingType("a string", _text, str)


def _path(value: object) -> Path:
    if isinstance(value, Path):
        return value
    if not isinstance(value, str) or not value or "\0" in value:
        raise InvalidValueError
    return Path(value)


PATH = SettingType("a path", _path, _path)


def _flag(value: object) -> bool:
    if not isinstance(value, bool):
        raise InvalidValueError
    return value


def _flag_from_text(text: str) -> bool:
    flag = {"true": True, "false": False}.get(text.strip().lower())
    if flag is None:
        raise InvalidValueError
    return flag


def _show_flag(value: object) -> str:
    return "true" if value else "false"


FLAG = SettingType("true or false", _flag, _flag_from_text, _show_flag)


MAX_INTEGER = 2**53 - 1
"""The largest integer that every reader of JSON and TOML represents exactly."""


def integer(minimum: int, maximum: int | None = None) -> SettingType[int]:
    """An integer from ``minimum`` to ``maximum``, both included; else to `MAX_INTEGER`."""
    upper_bound = MAX_INTEGER if maximum is None else maximum

    def read(value: object) -> int:
        if not isinstance(value, int) or isinstance(value, bool):
            raise InvalidValueError
        if value > upper_bound and maximum is None:
            raise InvalidValueError(f"expected at most {upper_bound}")
        if not minimum <= value <= upper_bound:
            raise InvalidValueError
        return value

    def read_text(text: str) -> int:
        if not re.fullmatch(r"\s*-?[0-9]+\s*", text):
            raise InvalidValueError
        # Python refuses to parse thousands of digits.
        return read(int(text) if len(text) <= _MAX_DIGITS else MAX_INTEGER + 1)

    upper = "up" if maximum is None else f"to {maximum}"
    return SettingType(f"a whole number from {minimum} {upper}", read, read_text)


def choice(*words: str) -> SettingType[Any]:
    """One of the given words."""

    def read(value: object) -> str:
        if not isinstance(value, str) or value not in words:
            raise InvalidValueError
        return value

    return SettingType(" or ".join(f'"{word}"' for word in words), read, read)


def _client(value: object) -> str:
    if value in {"sqlite", "postgres"}:
        return str(value)
    if value in {"mysql", "mariadb", "mysql2"}:
        raise InvalidValueError(
            'MySQL and MariaDB are not supported; expected "sqlite" or "postgres", '
            "whose database `quire import` fills from an archive of `strapi export`"
        )
    meant = {"better-sqlite3": "sqlite", "sqlite3": "sqlite", "postgresql": "postgres"}
    hint = meant.get(value) if isinstance(value, str) else None
    raise InvalidValueError(f'{value!r} is not a client; write "{hint}"' if hint else "")


CLIENT: SettingType[Any] = SettingType('"sqlite" or "postgres"', _client, _client)


def optional(kind: SettingType[T]) -> SettingType[T | None]:
    """``kind``, or the word "none", since TOML has no empty value."""

    def read(value: object) -> T | None:
        return None if value is None or value == _NONE else kind.read(value)

    def read_text(text: str) -> T | None:
        return None if text == _NONE else kind.read_text(text)

    def show(value: T | None) -> str:
        return _NONE if value is None else kind.show(value)

    return SettingType(f'{kind.expected} or "{_NONE}"', read, read_text, show)


MAX_DURATION = timedelta(days=36_500)
"""A century: times that far in the future can be written and compared everywhere."""


def _duration(value: object) -> timedelta:
    if isinstance(value, str):
        return _duration_from_text(value)
    if isinstance(value, int) and not isinstance(value, bool):
        return _duration_of(value, "s")
    if not isinstance(value, timedelta):
        raise InvalidValueError
    return _checked_duration(value)


def _checked_duration(value: timedelta | None) -> timedelta:
    if value is None or value > MAX_DURATION:
        raise InvalidValueError(f"expected at most {show_duration(MAX_DURATION)}")
    if value <= timedelta():
        raise InvalidValueError
    return value


def _duration_of(count: int, unit: str) -> timedelta:
    # The sum may exceed Python's range.
    fits = count <= MAX_DURATION // _UNITS[unit]
    return _checked_duration(count * _UNITS[unit] if fits else None)


def _duration_from_text(text: str) -> timedelta:
    if text.strip().isascii() and text.strip().isdigit():
        return _duration_of(_digits(text.strip()), "s")
    match = _DURATION.fullmatch(text.strip())
    if not match:
        raise InvalidValueError
    return _duration_of(_digits(match[1]), match[2])


def _digits(text: str) -> int:
    """Parse digits. Python refuses thousands of them; fewer are enough to be too many."""
    return int(text) if len(text) <= _MAX_DIGITS else 10**_MAX_DIGITS


def show_duration(value: timedelta) -> str:
    """Return ``value`` in the largest unit that divides it: ``30d``, ``90s``, ``1500ms``."""
    for name, unit in sorted(_UNITS.items(), key=lambda item: -item[1]):
        if name != "w" and value % unit == timedelta():
            return f"{value // unit}{name}"
    return f"{value.total_seconds()}s"


DURATION = SettingType(
    'seconds or a number with a unit, such as "90s", "15m", "12h", "30d"',
    _duration,
    _duration_from_text,
    show_duration,
)


def list_of(kind: SettingType[str], plural: str) -> SettingType[tuple[str, ...]]:
    """Any number of strings; in an environment variable they are separated by commas."""

    def read(value: object) -> tuple[str, ...]:
        if not isinstance(value, list | tuple):
            raise InvalidValueError
        return tuple(kind.read(item) for item in value)

    def read_text(text: str) -> tuple[str, ...]:
        inner = text.strip()
        if inner.startswith("[") and inner.endswith("]"):
            inner = inner[1:-1]
        parts = (part.strip().strip('"') for part in inner.split(","))
        return tuple(kind.read_text(part) for part in parts if part)

    def show(value: Sequence[str]) -> str:
        return ", ".join(value)

    return SettingType(f"a list of {plural}", read, read_text, show)


def table_of(kind: SettingType[T], described: str) -> SettingType[Mapping[str, T]]:
    """A table of names to values of one type; only ``quire.toml`` can contain one."""

    def read(value: object) -> Mapping[str, T]:
        if not isinstance(value, Mapping):
            raise InvalidValueError
        return MappingProxyType({str(key): kind.read(item) for key, item in value.items()})

    def read_text(_: str) -> Mapping[str, T]:
        raise InvalidValueError

    def show(value: Mapping[str, T]) -> str:
        return "; ".join(f"{key} = {kind.show(item)}" for key, item in value.items())

    return SettingType(f"a table of {described}", read, read_text, show)


def _network(value: object) -> str:
    text = _text(value)
    if text == "*":
        return text
    try:
        ipaddress.ip_network(text, strict=False)
    except ValueError:
        raise InvalidValueError from None
    return text


NETWORKS = list_of(SettingType("a network", _network, _network), 'addresses or networks, or ["*"]')


def _origin(value: object) -> str:
    text = _text(value)
    if text == "*":
        return text
    try:
        parts = urlsplit(text)
        is_origin = f"{parts.scheme}://{parts.netloc}" == text and bool(parts.hostname)
        _ = parts.port
    except ValueError:
        raise InvalidValueError from None
    if not is_origin or not parts.scheme or "@" in parts.netloc:
        raise InvalidValueError
    return text


ORIGINS = list_of(
    SettingType("an origin", _origin, _origin), 'origins such as "https://example.org", or ["*"]'
)


def _url(value: object) -> str:
    text = _text(value)
    try:
        parts = urlsplit(text)
        good = parts.scheme in {"http", "https"} and bool(parts.hostname)
        _ = parts.port
    except ValueError:
        raise InvalidValueError from None
    if not good or parts.query or parts.fragment:
        raise InvalidValueError
    return text.rstrip("/")


def _header_value(value: object) -> str:
    text = _text(value)
    if not re.fullmatch(r"[!-~]+( [!-~]+)*", text):
        raise InvalidValueError
    return text


HEADER_VALUE = SettingType("the value of a header", _header_value, _header_value)

URL = SettingType('an address such as "https://example.org"', _url, _url)


def _prefix(value: object) -> str:
    text = _text(value)
    if not re.fullmatch(r"(/[A-Za-z0-9._~-]+)+", text):
        raise InvalidValueError
    return text


PREFIX = SettingType('a path such as "/api"', _prefix, _prefix)


_BUCKET = re.compile(r"(s3|gs|az)://[A-Za-z0-9][A-Za-z0-9._-]*(/[A-Za-z0-9._/-]*)?")


STORAGE_NAME = re.compile(r"[a-z][a-z0-9-]*")
"""Names of storage backends; "local" is the folder."""


def _storage(value: object) -> str:
    if not isinstance(value, str) or not (
        STORAGE_NAME.fullmatch(value) or _BUCKET.fullmatch(value)
    ):
        raise InvalidValueError
    return value


STORAGE = SettingType(
    '"local", a bucket such as "s3://bucket/folder", or the name of a storage backend',
    _storage,
    _storage,
)


def _sizes(value: object) -> tuple[int, ...]:
    if not isinstance(value, Sequence) or isinstance(value, str):
        raise InvalidValueError
    side = integer(1, 4096)
    return tuple(side.read(item) for item in value)


def _sizes_from_text(text: str) -> tuple[int, ...]:
    side = integer(1, 4096)
    return tuple(side.read_text(part) for part in text.split(",") if part.strip())


def _show_sizes(value: Sequence[int]) -> str:
    return ", ".join(map(str, value))


SIZES = SettingType("a list of whole numbers from 1 to 4096", _sizes, _sizes_from_text, _show_sizes)
