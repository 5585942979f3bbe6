"""Validators of the values in request bodies, which report all problems at once.

A shape defines a valid value. If a value has the wrong type, only the first problem is reported;
otherwise every violated rule is, in the order of the rules.
"""

import re
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Annotated, ClassVar, Protocol, runtime_checkable

from msgspec import Meta, Struct, field

from quire.auth.passwords import MAX_BYTES
from quire.content_api.http_messages import Request
from quire.document_service.validate.problems import Problem, path_of, path_text
from quire.errors import NotFoundError, ValidationError
from quire.javascript.text import length
from quire.schema.attributes.text import is_email
from quire.schema.attributes.validation import (
    ABSENT,
    LINE_BREAK_MESSAGE,
    NUL_MESSAGE,
    Step,
    has_line_break,
    not_of_type,
)

ValuePath = tuple[Step, ...]
Rule = Callable[[object], str | None]
"""Checks a value; returns the problem as text that follows the path, ``None`` if it is valid.

The path is not put before a `FullMessage`.
"""


class FullMessage(str):
    """A message that is complete without the path of the value."""

    __slots__ = ()


REQUIRED = "is a required field"
UNSPECIFIED_KEYS = "field has unspecified keys: {keys}"
UNLIMITED = sys.maxsize
MAX_LENGTH = 10_000
_DEFAULT_LIMIT, _MAX_LIMIT = 50, 500
_LOWER, _UPPER, _DIGIT = re.compile("[a-z]"), re.compile("[A-Z]"), re.compile("[0-9]")


@runtime_checkable
class Validator(Protocol):
    """Checks the type of a value."""

    def problems(self, path: ValuePath, value: object) -> Iterator[Problem]:
        """Yield all problems of a value; it is ``ABSENT`` if it was not sent."""


def required(value: object) -> str | None:
    """Require a value that is neither missing nor an empty text."""
    return REQUIRED if value is ABSENT or value == "" else None


class MinLength(Struct, frozen=True):
    """Requires a minimum number of characters."""

    count: int

    def __call__(self, value: object) -> str | None:
        """See `Rule`."""
        is_too_short = isinstance(value, str) and length(value) < self.count
        return f"must be at least {self.count} characters" if is_too_short else None

    @property
    def json_schema(self) -> Mapping[str, object]:
        """The rule in JSON Schema."""
        return {"minLength": self.count}


class MaxLength(Struct, frozen=True):
    """Limits the number of characters."""

    count: int

    def __call__(self, value: object) -> str | None:
        """See `Rule`."""
        is_too_long = isinstance(value, str) and length(value) > self.count
        return f"must be at most {self.count} characters" if is_too_long else None

    @property
    def json_schema(self) -> Mapping[str, object]:
        """The rule in JSON Schema."""
        return {"maxLength": self.count}


class Email(Struct, frozen=True):
    """Requires an e-mail address, unless the text is empty."""

    json_schema: ClassVar[Mapping[str, object]] = {"format": "email"}

    def __call__(self, value: object) -> str | None:
        """See `Rule`."""
        is_invalid = isinstance(value, str) and value != "" and not is_email(value)
        return "must be a valid email" if is_invalid else None


def single_line(value: object) -> str | None:
    """Reject line breaks."""
    return LINE_BREAK_MESSAGE if isinstance(value, str) and has_line_break(value) else None


class OneOf(Struct, frozen=True):
    """Requires one of these texts."""

    values: tuple[str, ...]

    def __call__(self, value: object) -> str | None:
        """See `Rule`."""
        if value is ABSENT or value in self.values:
            return None
        return f"must be one of the following values: {', '.join(self.values)}"


def _pattern(pattern: re.Pattern[str], expected: str) -> Rule:
    return lambda value: (
        f"must contain at least one {expected}"
        if isinstance(value, str) and not pattern.search(value)
        else None
    )


def _check_byte_length(value: object) -> str | None:
    too_long = isinstance(value, str) and len(value.encode(errors="replace")) > MAX_BYTES
    return f"must be less than {MAX_BYTES + 1} bytes" if too_long else None


PASSWORD_RULES: tuple[Rule, ...] = (
    MinLength(8),
    _check_byte_length,
    _pattern(_LOWER, "lowercase character"),
    _pattern(_UPPER, "uppercase character"),
    _pattern(_DIGIT, "number"),
)
"""The rules of administrators' passwords."""

AdminPassword = Annotated[str, PASSWORD_RULES, Meta(extra_json_schema={"format": "password"})]
"""A new password of an administrator."""


class Range(Struct, frozen=True):
    """The limits of the length of a list, or of a number."""

    minimum: int = 0
    maximum: int = 1000


class AnyValue(Struct, frozen=True, kw_only=True):
    """Any value."""

    rules: tuple[Rule, ...] = ()

    def problems(self, path: ValuePath, value: object) -> Iterator[Problem]:
        """See `Validator.problems`."""
        yield from _rule_problems(self.rules, path, value)


class Text(Struct, frozen=True, kw_only=True):
    """A text; ``null`` is allowed where ``nullable``."""

    rules: tuple[Rule, ...] = ()
    nullable: bool = False
    longest: int = MAX_LENGTH

    def problems(self, path: ValuePath, value: object) -> Iterator[Problem]:
        """See `Validator.problems`."""
        if value is None and self.nullable:
            return
        if value is not ABSENT and not isinstance(value, str):
            yield problem_at(path, not_of_type("string", value), value)
            return
        if isinstance(value, str):
            if "\0" in value:
                yield problem_at(path, NUL_MESSAGE, value)
            if len(value) > self.longest:
                yield problem_at(path, f"must be at most {self.longest} characters")
                return
        yield from _rule_problems(self.rules, path, value)


class Flag(Struct, frozen=True, kw_only=True):
    """True or false."""

    rules: tuple[Rule, ...] = ()

    def problems(self, path: ValuePath, value: object) -> Iterator[Problem]:
        """See `Validator.problems`."""
        if value is not ABSENT and not isinstance(value, bool):
            yield problem_at(path, not_of_type("boolean", value), value)
            return
        yield from _rule_problems(self.rules, path, value)


class WholeNumber(Struct, frozen=True, kw_only=True):
    """An integer between two limits."""

    minimum: int
    maximum: int
    rules: tuple[Rule, ...] = ()

    def problems(self, path: ValuePath, value: object) -> Iterator[Problem]:
        """See `Validator.problems`."""
        if value is ABSENT:
            yield from _rule_problems(self.rules, path, value)
        elif not isinstance(value, int) or isinstance(value, bool):
            yield problem_at(path, not_of_type("number", value), value)
        elif not self.minimum <= value <= self.maximum:
            yield problem_at(path, f"must be between {self.minimum} and {self.maximum}", value)


class RowId(Struct, frozen=True, kw_only=True):
    """The id of a row, as a number or as text; ``null`` is allowed where ``nullable``."""

    rules: tuple[Rule, ...] = ()
    nullable: bool = False

    def problems(self, path: ValuePath, value: object) -> Iterator[Problem]:
        """See `Validator.problems`."""
        if value is None and self.nullable:
            return
        if value is not ABSENT and id_of(value) is None:
            yield problem_at(path, "must be an id", value)


class Items(Struct, frozen=True, kw_only=True):
    """A list whose items have one shape, ``minimum`` of them at least."""

    item: Validator | None = None
    minimum: int = 0
    maximum: int = 1000
    rules: tuple[Rule, ...] = ()
    nullable: bool = False

    def problems(self, path: ValuePath, value: object) -> Iterator[Problem]:
        """See `Validator.problems`."""
        if value is None and self.nullable:
            return
        if value is ABSENT:
            yield from _rule_problems(self.rules, path, value)
            return
        if not isinstance(value, list):
            yield problem_at(path, not_of_type("array", value), value)
            return
        if len(value) < self.minimum:
            yield problem_at(path, f"field must have at least {self.minimum} items", value)
        if len(value) > self.maximum:
            yield problem_at(path, f"field must have at most {self.maximum} items")
            return
        has_problems = False
        for index, item in enumerate(value):
            for problem in self.item.problems((*path, index), item) if self.item else ():
                has_problems = True
                yield problem
        if not has_problems:
            yield from _rule_problems(self.rules, path, value)


class Fields(Struct, frozen=True, kw_only=True):
    """An object with fields by name; a ``closed`` one has no others.

    Unknown keys are reported before problems of the fields, unless ``keys_last``. Their problem
    has the object as its value, unless it is ``secret``.
    """

    fields: Mapping[str, Validator] = field(default_factory=dict)
    closed: bool = True
    keys_last: bool = False
    secret: bool = False
    rules: tuple[Rule, ...] = ()
    nullable: bool = False

    def problems(self, path: ValuePath, value: object) -> Iterator[Problem]:
        """See `Validator.problems`."""
        if value is None and self.nullable:
            return
        if value is ABSENT:
            yield from _rule_problems(self.rules, path, value)
            return
        if not isinstance(value, Mapping):
            yield problem_at(path, not_of_type("object", value), value)
            return
        if not self.keys_last:
            yield from self._unknown_key_problems(path, value)
        yield from _rule_problems(self.rules, path, value)
        for name, shape in self.fields.items():
            yield from shape.problems((*path, name), value.get(name, ABSENT))
        if self.keys_last:
            yield from self._unknown_key_problems(path, value)

    def _unknown_key_problems(
        self, path: ValuePath, value: Mapping[object, object]
    ) -> Iterator[Problem]:
        unknown_names = [str(name) for name in value if name not in self.fields]
        if self.closed and unknown_names:
            text = UNSPECIFIED_KEYS.format(keys=", ".join(unknown_names))
            shown_value = ABSENT if self.secret else value
            yield Problem(path_of(path), f"{path_text(path)} {text}", shown_value)


class Members(Struct, frozen=True, kw_only=True):
    """An object with members of any name, whose values have one shape."""

    item: Validator
    rules: tuple[Rule, ...] = ()
    nullable: bool = False

    def problems(self, path: ValuePath, value: object) -> Iterator[Problem]:
        """See `Validator.problems`."""
        object_validator = Fields(closed=False, rules=self.rules, nullable=self.nullable)
        yield from object_validator.problems(path, value)
        for name, member in value.items() if isinstance(value, Mapping) else ():
            yield from self.item.problems((*path, str(name)), member)


def id_of(value: object) -> int | None:
    """Parse the id of a row; ``None`` if it is invalid."""
    if isinstance(value, bool):
        return None
    if isinstance(value, str) and value.isascii() and value.isdecimal() and len(value) < 17:
        value = int(value)
    return value if isinstance(value, int) and 0 <= value < 2**53 else None


def path_id(request: Request, message: str | None = None, *, name: str = "id") -> int:
    """Return the id of a row in the path. Raises NotFoundError for an invalid one."""
    row_id = id_of(request.parameters[name])
    if row_id is None:
        raise NotFoundError(message)
    return row_id


def number_in(query: Mapping[str, object], name: str) -> int | None:
    """Return an integer of a query string, ``None`` without it. Raises ValidationError."""
    if name not in query:
        return None
    number = id_of(query[name])
    if number is None:
        raise ValidationError(f"{name} must be a whole number")
    return number


def log_page(query: Mapping[str, object]) -> tuple[int | None, int]:
    """Return the page parameters of a log: the id before which rows are listed, and the limit.

    They are ``before`` and ``limit`` of a query string: without them, the latest 50. Raises
    ValidationError.
    """
    limit = number_in(query, "limit")
    return number_in(query, "before"), min(_DEFAULT_LIMIT if limit is None else limit, _MAX_LIMIT)


def ids_of(values: object) -> list[int]:
    """Parse a list of ids, without duplicates and invalid ones."""
    items: Sequence[object] = values if isinstance(values, list) else ()
    ids = (id_of(value) for value in items)
    return list(dict.fromkeys(row_id for row_id in ids if row_id is not None))


def _rule_problems(rules: Sequence[Rule], path: ValuePath, value: object) -> Iterator[Problem]:
    for rule in rules:
        message = rule(value)
        if message is not None:
            yield problem_at(path, message, value)


def problem_at(path: ValuePath, message: str, value: object = ABSENT) -> Problem:
    """Return a problem of the value at a place; see `Rule` for the message."""
    full_text = str(message) if isinstance(message, FullMessage) else f"{path_text(path)} {message}"
    return Problem(path_of(path), full_text, value)
