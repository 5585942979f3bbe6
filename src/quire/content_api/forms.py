"""Request bodies with a few text fields; all problems are reported at once.

A form defines its fields and their rules. If the type of a value is wrong, only that is reported;
otherwise every violated rule is.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence

from msgspec import Struct

from quire.auth.passwords import MAX_BYTES
from quire.document_service.validate import ABSENT, Problem, validation_error
from quire.javascript.text import length
from quire.schema.attributes.text import is_email
from quire.schema.attributes.validation import NUL_MESSAGE, not_of_type

PASSWORD_TOO_LONG = f"Password must be less than {MAX_BYTES + 1} bytes"
DIFFERENT = "Passwords do not match"

Rule = Callable[[str, str], str | None]
"""Takes the name and the value of a field; returns the problem as a sentence."""


class TextField(Struct, frozen=True, kw_only=True):
    """A text of a form. ``same_as`` names the field that it has to repeat."""

    name: str
    required: bool = True
    rules: tuple[Rule, ...] = ()
    same_as: str | None = None


def email_rule(name: str, value: str) -> str | None:
    """Require an e-mail address, unless it is empty."""
    return f"{name} must be a valid email" if value and not is_email(value) else None


def not_empty_rule(name: str, value: str) -> str | None:
    """Require at least one character."""
    return None if length(value) else f"{name} must be at least 1 characters"


def password_rule(_: str, value: str) -> str | None:
    """Reject a password that is longer than the hashed part."""
    return PASSWORD_TOO_LONG if len(value.encode()) > MAX_BYTES else None


def read_form(body: object, fields: Sequence[TextField], *, closed: bool = False) -> dict[str, str]:
    """Return the fields of a body, including the required ones.

    A ``closed`` form has no other fields. Raises ValidationError with all problems.
    """
    values: Mapping[str, object] = body if isinstance(body, Mapping) else {}
    problems = form_problems(values, fields)
    unknown = [name for name in values if name not in {field.name for field in fields}]
    if closed and unknown:
        message = f"this field has unspecified keys: {', '.join(unknown)}"
        problems.append(Problem((), message))
    if problems:
        raise validation_error(problems)
    return {field.name: str(values[field.name]) for field in fields if field.name in values}


def form_problems(values: Mapping[str, object], fields: Sequence[TextField]) -> list[Problem]:
    """Return all problems of the fields of a body, in their order."""
    return [problem for field in fields for problem in _problems(field, values)]


def _problems(field: TextField, values: Mapping[str, object]) -> Iterator[Problem]:
    name = field.name
    value = values.get(name, ABSENT)
    if value is ABSENT:
        if field.required:
            yield Problem((name,), f"{name} is a required field")
        return
    if not isinstance(value, str):
        yield Problem((name,), f"{name} {not_of_type('string', value)}", value)
        return
    for message in _messages(field, value, values):
        yield Problem((name,), message, value)


def _messages(field: TextField, value: str, values: Mapping[str, object]) -> Iterator[str]:
    if field.required and not value:
        yield f"{field.name} is a required field"
    if "\0" in value:
        yield f"{field.name} {NUL_MESSAGE}"
    for rule in field.rules:
        message = rule(field.name, value)
        if message is not None:
            yield message
    if field.same_as is not None and value and value != values.get(field.same_as):
        yield DIFFERENT
