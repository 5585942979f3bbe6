"""Values of JavaScript as Python has them, and the conversions between them.

Numbers, texts, booleans and ``null`` are Python's, objects are dictionaries, arrays are lists.
Whatever is not known for certain raises `UnsupportedError`, which no code catches.
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
"""Members that every object has, and that are not evaluated."""


class UnsupportedError(Exception):
    """Something that is not evaluated: the request fails."""


class ThrownError(Exception):
    """Code threw a value, which other code may catch."""

    def __init__(self, value: object) -> None:
        super().__init__(value)
        self.value = value


class ErrorValue:
    """An error object; ``cause`` is an error of the server that it stands for.

    ``is_application`` tells those of Strapi from those that ``ctx.throw`` makes.
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
        """What code has set, beside the message and the name."""

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
    """What an asynchronous call gives: it has run already, to a value or to an error."""

    def __init__(self, value: object = UNDEFINED, error: ThrownError | None = None) -> None:
        self._value = value
        self._error = error

    def settled(self) -> object:
        """Return the value that it has come to. Raises ThrownError."""
        if self._error is not None:
            raise self._error
        return self._value


class DateValue:
    """A date: milliseconds since 1970, or not a number."""

    def __init__(self, milliseconds: float) -> None:
        self.milliseconds = milliseconds

    def moment(self) -> datetime:
        """Return the moment, in UTC. Raises ThrownError for an invalid date."""
        if math.isnan(self.milliseconds):
            raise ThrownError(ErrorValue("RangeError", "Invalid time value"))
        return moment_of(self.milliseconds)

    def text(self) -> str:
        """Return what ``toISOString`` gives."""
        moment = self.moment()
        return f"{moment:%Y-%m-%dT%H:%M:%S}.{moment.microsecond // 1000:03d}Z".rjust(24, "0")


class HostObject:
    """An object that the server has made: members by name, and nothing else."""

    def __init__(self, members: Mapping[str, object], writable: Iterable[str] = ()) -> None:
        self.members = dict(members)
        self._writable = frozenset(writable)

    def member(self, name: str) -> object:
        """Return a member. Raises UnsupportedError for one that is not known."""
        if name not in self.members:
            raise UnsupportedError(f"{name} of an object of the server")
        return self.members[name]

    def assign(self, name: str, value: object) -> None:
        """Set a member. Raises UnsupportedError for one that cannot be set."""
        if name not in self._writable:
            raise UnsupportedError(f"sets {name} of an object of the server")
        self.members[name] = value


class HostFunction:
    """A function of the server, given the arguments; what it gives is waited for."""

    def __init__(
        self, call: Callable[[list[object]], Awaitable[object]], *, is_async: bool = False
    ) -> None:
        self.call = call
        self.is_async = is_async


class CallableObject(HostObject):
    """An object that is a function, too, such as ``String``."""

    def __init__(self, function: HostFunction, members: Mapping[str, object]) -> None:
        super().__init__(members)
        self.function = function


class Secret:
    """Stands for a stored value that is never shown, such as the hash of a password."""


SECRET = Secret()


def moment_of(milliseconds: float) -> datetime:
    """Return a moment of the milliseconds since 1970. Raises UnsupportedError for far ones."""
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
    """Return what a value is as a condition."""
    if value is SECRET:
        raise UnsupportedError("a value that is never shown")
    if is_nullish(value) or value is False or value == "":
        return False
    if isinstance(value, int | float) and not isinstance(value, bool):
        return not (value == 0 or math.isnan(value))
    return True


def number(value: float) -> int | float:
    """Return a number in its usual form: whole ones are integers."""
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
    """Return a value as text. Raises UnsupportedError for those with a text of their own."""
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
    """Return a value as a number, not a number where it is none."""
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
            return _parsed(value.strip())
        case DateValue():
            return number(value.milliseconds)
        case _:
            raise UnsupportedError("an object as a number")


def _parsed(text: str) -> int | float:
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
    found = set(indexes)
    yield from (key for key in value if key not in found)


def key_of(value: object) -> str:
    """Return the key of a member that a value stands for. Raises UnsupportedError."""
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
    """Return a value as JSON encodes it. Raises UnsupportedError for what it does not know."""
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
