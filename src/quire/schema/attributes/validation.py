"""What the validation of values of all attribute types shares.

Each type says in its own module how the wire's form becomes the stored one (`ValueRules`). Drafts
and full entries have an `Acceptor` each: drafts are held to types, maxima and choices only. An
acceptor returns the value as columns take it, or raises `RefusedValue` with every reason; moments,
dates and times raise `ValidationError` at once, because such errors are answered alone.
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
"""What stands where a payload says nothing; ``None`` is the null that it may say."""


class Refusal(Struct, frozen=True, kw_only=True):
    """One reason why a value is not acceptable.

    ``message`` follows the path of the value (``must be an integer``), or stands alone when not
    ``after_path``. ``value`` is what is shown as offending, ``ABSENT`` for nothing; ``below`` leads
    from the attribute to the place inside of a structured value.
    """

    message: str
    value: object = ABSENT
    below: tuple[Step, ...] = ()
    after_path: bool = True


class RefusedValue(Exception):  # noqa: N818 - it is caught where the value is checked and never shown
    """A value is not acceptable; ``refusals`` says why, at least once."""

    def __init__(self, *refusals: Refusal) -> None:
        """Keep the reasons in the order in which they are shown."""
        super().__init__(*(refusal.message for refusal in refusals))
        self.refusals = refusals


Acceptor = Callable[[object], object]
"""Takes a value that is not null; returns it as columns take it. Raises `RefusedValue`."""

TextRule = Callable[[str], str | None]
"""Looks at a text; returns what is wrong with it as a sentence that follows the path."""


class ValueRules(Struct, frozen=True, kw_only=True):
    """How the values of one attribute are accepted.

    ``null`` is what is said of a null where a value is required; ``None`` when the type says no
    more than that it must be defined.
    """

    draft: Acceptor
    full: Acceptor
    null: str | None = None


def not_of_type(type_name: str, value: object, cast_from: object = ABSENT) -> str:
    """Say that a value is not of a type, and of which value it was cast if it was."""
    return mistyped(type_name, printed(value), cast_from)


def mistyped(type_name: str, shown: str, cast_from: object = ABSENT) -> str:
    """Say that a value, shown as ``shown``, is not of a type."""
    source = "" if cast_from is ABSENT else f" (cast from the value `{printed(cast_from)}`)"
    return f"must be a `{type_name}` type, but the final value was: `{shown}`{source}."


NUL_MESSAGE = "must not contain a NUL character"
"""Ours: the reference stores it where the database can, and fails where it cannot."""

LINE_BREAK_MESSAGE = "must not contain line breaks"
"""Ours: names and addresses of accounts end up in headers of mails and in lines of logs."""

NOT_TEXT_WHEN_NULL = not_of_type("string", None)


def has_line_break(text: str) -> bool:
    """Tell whether a text has a carriage return or a line feed in it."""
    return "\r" in text or "\n" in text


def accept_text(rules: Sequence[TextRule]) -> Acceptor:
    """Make an acceptor of text that nothing but text passes, and that keeps every rule."""

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
        found = waiting.pop()
        if isinstance(found, str):
            yield found
        elif isinstance(found, list):
            waiting.extend(found)
        elif isinstance(found, dict):
            waiting.extend(found)
            waiting.extend(found.values())
