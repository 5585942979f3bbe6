"""JavaScript values in Python, and the conversions between them.

Numbers, texts, booleans and ``null`` are Python's, objects are dictionaries, arrays are lists.
Uncertain behaviour raises `UnsupportedError`, which no code catches.
"""

import math
from collections.abc import Awaitable, Callable, Iterable, Iterator, Mapping
from datetime import UTC, datetime, timedelta

from quire.javascript.scope import UNDEFINED

_LARGEST_INTEGER = 2**53
_DIGITS_END = 1e21
_SMALLEST = 1e-6
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_PROTOTYPE = frozenset(
    {"constructor", "hasOwnProperty", "isPrototypeOf", "toString", "valueOf", "__proto__"}
)
"""Members of all objects that are not supported."""


class UnsupportedError(Exception):
    """Unsupported behaviour: the request fails."""


class ThrownError(Exception):
    """Code threw a value, which other code may catch."""

    def __init__(self, value: object) -> None:
        super().__init__(value)
        self.value = value


class ErrorValue:
    """An error object; ``cause`` is the error of the server that it represents.

    ``is_application`` distinguishes those of Strapi from those that ``ctx.throw`` makes.
    """

    def __init__(
        self,
        name: str,
        message: str,
        *,
        status: int | None = None,
        details: object = UNDEFINED,
        cause: Exception | None = None,
        is_application: bool = False,
    ) -> None:
        self.name = name
        self.message = message
        self.status = status
        self.details = details
        self.cause = cause
        self.is_application = is_application
        self.members: dict[str, object] = {}
        """Members that code has set, besides the message and the name."""

    def assign(self, name: str, value: object) -> None:
        """Set a member. Raises UnsupportedError for one that cannot be set."""
        if self.cause is not None or name in {"expose", "stack", "__proto__"}:
            raise UnsupportedError(f"sets {name} of an error")
        if name not in {"message", "name"}:
            self.members[name] = value
        elif not isinstance(value, str):
            raise UnsupportedError(f"sets {name} of an error to something else than a text")
        elif name == "message":
            self.message = value
        else:
            self.name = value


class Promise:
    """The result of an asynchronous call, which has run already: a value or an error."""

    def __init__(self, value: object = UNDEFINED, error: ThrownError | None = None) -> None:
        self._value = value
        self._error = error

    def settled(self) -> object:
        """Return the value. Raises ThrownError."""
        if self._error is not None:
            raise self._error
        return self._value


class DateValue:
    """A date: milliseconds since 1970, or not a number."""

    def __init__(self, milliseconds: float) -> None:
        self.milliseconds = milliseconds

    def moment(self) -> datetime:
        """Return the time, in UTC. Raises ThrownError for an invalid date."""
        if math.isnan(self.milliseconds):
            raise ThrownError(ErrorValue("RangeError", "Invalid time value"))
        return moment_of(self.milliseconds)

    def text(self) -> str:
        """Return the result of ``toISOString``."""
        moment = self.moment()
        return f"{moment:%Y-%m-%dT%H:%M:%S}.{moment.microsecond // 1000:03d}Z".rjust(24, "0")


class HostObject:
    """An object of the server: members by name, and nothing else."""

    def __init__(self, members: Mapping[str, object], writable: Iterable[str] = ()) -> None:
        self.members = dict(members)
        self._writable = frozenset(writable)

    def member(self, name: str) -> object:
        """Return a member. Raises UnsupportedError for an unknown one."""
        if name not in self.members:
            raise UnsupportedError(f"{name} of an object of the server")
        return self.members[name]

    def assign(self, name: str, value: object) -> None:
        """Set a member. Raises UnsupportedError for one that cannot be set."""
        if name not in self._writable:
            raise UnsupportedError(f"sets {name} of an object of the server")
        self.members[name] = value


class HostFunction:
    """A function of the server with the given arguments; its result is awaited."""

    def __init__(
        self, call: Callable[[list[object]], Awaitable[object]], *, is_async: bool = False
    ) -> None:
        self.call = call
        self.is_async = is_async


class CallableObject(HostObject):
    """An object that can be called, too, such as ``String``."""

    def __init__(self, function: HostFunction, members: Mapping[str, object]) -> None:
        super().__init__(members)
        self.function = function


class Secret:
    """Stands for a stored value that is never shown, such as a password hash."""


SECRET = Secret()


def moment_of(milliseconds: float) -> datetime:
    """Return the time of the milliseconds since 1970. Raises UnsupportedError if out of range."""
    try:
        return _EPOCH + timedelta(milliseconds=milliseconds)
    except OverflowError:
        raise UnsupportedError("a date out of range") from None


def type_error(message: str) -> ThrownError:
    """Return the error that JavaScript throws for a value of the wrong type."""
    return ThrownError(ErrorValue("TypeError", message))


def is_nullish(value: object) -> bool:
    """Whether a value is ``null`` or ``undefined``."""
    return value is None or value is UNDEFINED


def is_number(value: object) -> bool:
    """Whether a value is a number."""
    return isinstance(value, int | float) and not isinstance(value, bool)


def is_truthy(value: object) -> bool:
    """Return the truth value of a value."""
    if value is SECRET:
        raise UnsupportedError("a value that is never shown")
    if is_nullish(value) or value is False or value == "":
        return False
    if isinstance(value, int | float) and not isinstance(value, bool):
        return not (value == 0 or math.isnan(value))
    return True


def number(value: float) -> int | float:
    """Return a number in its usual form: integers as int."""
    if abs(value) > _LARGEST_INTEGER:
        return float(value)
    return int(value) if float(value).is_integer() else value


def number_text(value: float) -> str:
    """Return a number as text."""
    if not float(value).is_integer():
        if math.isnan(value):
            return "NaN"
        if math.isinf(value):
            return "Infinity" if value > 0 else "-Infinity"
        text = repr(value)
        if "e" in text or abs(value) < _SMALLEST:
            raise UnsupportedError("a number in exponential form")
        return text
    if abs(value) >= _DIGITS_END:
        raise UnsupportedError("a number in exponential form")
    return str(int(value))


def text_of(value: object) -> str:
    """Return a value as text. Raises UnsupportedError for objects with a toString."""
    if value is UNDEFINED:
        return "undefined"
    match value:
        case str():
            return value
        case bool():
            return "true" if value else "false"
        case int() | float():
            return number_text(value)
        case None:
            return "null"
        case ErrorValue():
            return f"{value.name}: {value.message}" if value.message else value.name
        case list():
            return ",".join("" if is_nullish(item) else text_of(item) for item in value)
        case dict():
            if "toString" in value:
                raise UnsupportedError("an object with toString")
            return "[object Object]"
        case _:
            raise UnsupportedError("an object as text")


def number_of(value: object) -> int | float:
    """Return a value as a number, NaN if it is none."""
    if value is UNDEFINED:
        return math.nan
    match value:
        case bool():
            return int(value)
        case int() | float():
            return value
        case None:
            return 0
        case str():
            return _parse_number(value.strip())
        case DateValue():
            return number(value.milliseconds)
        case _:
            raise UnsupportedError("an object as a number")


def _parse_number(text: str) -> int | float:
    if not text:
        return 0
    if not text.isascii() or "_" in text or any(letter in text.lower() for letter in "xobn"):
        if text.lower()[:2] in {"0x", "0o", "0b"} or text.lstrip("+-") == "Infinity":
            raise UnsupportedError("a number in another form")
        return math.nan
    try:
        return number(float(text))
    except ValueError:
        return math.nan


def strictly_equal(left: object, right: object) -> bool:
    """Return ``left === right``."""
    if left is SECRET or right is SECRET:
        raise UnsupportedError("a value that is never shown")
    if is_number(left) and is_number(right):
        return left == right
    if isinstance(left, str) and isinstance(right, str):
        return left == right
    return left is right


def loosely_equal(left: object, right: object) -> bool:
    """Return ``left == right``. Raises UnsupportedError where an object would be converted."""
    if is_nullish(left) or is_nullish(right):
        return is_nullish(left) and is_nullish(right)
    primitive = (str, int, float, bool)
    if type(left) is type(right) or not (
        isinstance(left, primitive) or isinstance(right, primitive)
    ):
        return strictly_equal(left, right)
    if isinstance(left, primitive) and isinstance(right, primitive):
        return number_of(left) == number_of(right)
    raise UnsupportedError("compares an object with something else")


def own_keys(value: Mapping[str, object]) -> Iterator[str]:
    """Yield the keys of an object in their order: indexes first."""
    indexes = [key for key in value if key.isdigit() and (key == "0" or key[0] != "0")]
    yield from sorted(indexes, key=int)
    keys = set(indexes)
    yield from (key for key in value if key not in keys)


def key_of(value: object) -> str:
    """Return the key of a member. Raises UnsupportedError."""
    if isinstance(value, str):
        key = value
    elif isinstance(value, int | float | bool) or value is None or value is UNDEFINED:
        key = text_of(value)
    else:
        raise UnsupportedError("an object as a key")
    if key == "__proto__":
        raise UnsupportedError("__proto__")
    return key


def member_of(value: Mapping[str, object], key: str) -> object:
    """Return a member of a plain object. Raises UnsupportedError for inherited ones."""
    if key in value:
        return value[key]
    if key in _PROTOTYPE:
        raise UnsupportedError(f"{key} of an object")
    return UNDEFINED


def as_json(value: object) -> object:
    """Return the JSON form of a value. Raises UnsupportedError for unsupported ones."""
    match value:
        case None | str() | bool() | int():
            return value
        case float():
            return value if math.isfinite(value) else None
        case list():
            return [None if item is UNDEFINED else as_json(item) for item in value]
        case dict():
            if "toJSON" in value:
                raise UnsupportedError("an object with toJSON")
            return {
                key: as_json(value[key]) for key in own_keys(value) if value[key] is not UNDEFINED
            }
        case DateValue():
            return None if math.isnan(value.milliseconds) else value.text()
        case _:
            raise UnsupportedError("a value that JSON does not know")
