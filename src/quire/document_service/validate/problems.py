"""Problems of an entry, and the error that lists all of them."""

from collections.abc import Sequence

from msgspec import Struct

from quire.errors import ValidationError
from quire.schema.attributes.validation import ABSENT, Step

ValuePath = tuple[Step, ...]
"""The position of a value in an entry: names of attributes and indices in lists."""

MAX_REPORTED = 1000
"""How many problems an error lists: a body of a million bytes can have tens of thousands."""

UNIQUE_MESSAGE = "This attribute must be unique"


class Problem(Struct, frozen=True):
    """One invalid value.

    ``path`` is its position, with indices as text; ``value`` is its shown form, ``ABSENT`` for
    nothing at all.
    """

    path: tuple[str, ...]
    message: str
    value: object = ABSENT


def path_text(path: ValuePath) -> str:
    """Write a position as in messages: ``links[0].text``, ``this`` for the entry itself."""
    text = "".join(f"[{step}]" if isinstance(step, int) else f".{step}" for step in path)
    return text.removeprefix(".") or "this"


def path_of(path: ValuePath) -> tuple[str, ...]:
    """Return a position as a path of texts."""
    return tuple(str(step) for step in path)


def validation_error(problems: Sequence[Problem]) -> ValidationError:
    """Return the error that lists the problems, up to `MAX_REPORTED`; there is at least one.

    The message of a single problem is also the message of the error; several are counted.
    """
    count = len(problems)
    message = problems[0].message if count == 1 else f"{count} errors occurred"
    errors = [_describe_problem(problem) for problem in problems[:MAX_REPORTED]]
    return ValidationError(message, {"errors": errors})


def _describe_problem(problem: Problem) -> dict[str, object]:
    description: dict[str, object] = {
        "path": list(problem.path),
        "message": problem.message,
        "name": ValidationError.name,
    }
    if problem.value is not ABSENT:
        description["value"] = problem.value
    return description
