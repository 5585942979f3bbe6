"""Validation that values of all attribute types share.

Each type defines in its own module how the request form becomes the stored one (`ValueRules`).
Drafts and published entries have an `Acceptor` each: drafts are checked for types, maximum values
and choices only. An acceptor returns the value in column form, or raises `RefusedValue` with every
reason; dates and times raise `ValidationError` at once, because such errors are reported alone.
"""

from collections.abc import Callable, Iterator, Sequence
from enum import Enum
from typing import Final

from msgspec import Struct

from quire.javascript.text import printed

Step = str | int
"""One step of a path: the name of an attribute, or the index in a list."""


class AbsentType(Enum):
    """The type of `ABSENT`."""

    ABSENT = "absent"


ABSENT: Final = AbsentType.ABSENT
"""A missing value of a payload; ``None`` is an explicit null."""


class Refusal(Struct, frozen=True, kw_only=True):
    """One reason why a value is invalid.

    ``message`` follows the path of the value (``must be an integer``), or stands alone when not
    ``after_path``. ``value`` is the shown value, ``ABSENT`` for none; ``value_path`` is the path
    from the attribute into a structured value.
    """

    message: str
    value: object = ABSENT
    value_path: tuple[Step, ...] = ()
    after_path: bool = True


class RefusedValue(Exception):  # noqa: N818 - it is caught where the value is checked and never shown
    """A value is invalid; ``refusals`` has at least one reason."""

    def __init__(self, *refusals: Refusal) -> None:
        """``refusals`` are in the order in which they are shown."""
        super().__init__(*(refusal.message for refusal in refusals))
        self.refusals = refusals


Acceptor = Callable[[object], object]
"""Takes a value that is not null; returns it in column form. Raises `RefusedValue`."""

TextRule = Callable[[str], str | None]
"""Checks a text; returns a message that follows the path, if it is invalid."""


class ValueRules(Struct, frozen=True, kw_only=True):
    """How the values of one attribute are accepted.

    ``null`` is the message about a null if a value is required; ``None`` for the general one.
    """

    draft: Acceptor
    full: Acceptor
    null: str | None = None


def not_of_type(type_name: str, value: object, cast_from: object = ABSENT) -> str:
    """Return the message that a value does not have a type, with its value before a cast."""
    return mistyped(type_name, printed(value), cast_from)


def mistyped(type_name: str, text: str, cast_from: object = ABSENT) -> str:
    """Return the message that a value, shown as ``text``, does not have a type."""
    source = "" if cast_from is ABSENT else f" (cast from the value `{printed(cast_from)}`)"
    return f"must be a `{type_name}` type, but the final value was: `{text}`{source}."


NUL_MESSAGE = "must not contain a NUL character"
"""Our own rule: Strapi stores it if the database can, and fails otherwise."""

LINE_BREAK_MESSAGE = "must not contain line breaks"
"""Our own rule: names and addresses of accounts are used in mail headers and log lines."""

NOT_TEXT_WHEN_NULL = not_of_type("string", None)


def has_line_break(text: str) -> bool:
    """Tell whether a text contains a carriage return or a line feed."""
    return "\r" in text or "\n" in text


def accept_text(rules: Sequence[TextRule]) -> Acceptor:
    """Make an acceptor of text with rules."""

    def accept(value: object) -> object:
        if not isinstance(value, str):
            raise RefusedValue(Refusal(message=not_of_type("string", value), value=value))
        if "\0" in value:
            raise RefusedValue(Refusal(message=NUL_MESSAGE, value=value))
        broken = [message for rule in rules if (message := rule(value)) is not None]
        if broken:
            raise RefusedValue(*(Refusal(message=message, value=value) for message in broken))
        return value

    return accept


def accept_structured(value: object) -> object:
    """Accept any JSON value without NUL characters."""
    if any("\0" in text for text in texts_in(value)):
        raise RefusedValue(Refusal(message=NUL_MESSAGE, value=value))
    return value


def texts_in(value: object) -> Iterator[str]:
    """Yield every text in a JSON value, keys of objects included."""
    waiting = [value]
    while waiting:
        item = waiting.pop()
        if isinstance(item, str):
            yield item
        elif isinstance(item, list):
            waiting.extend(item)
        elif isinstance(item, dict):
            waiting.extend(item)
            waiting.extend(item.values())
