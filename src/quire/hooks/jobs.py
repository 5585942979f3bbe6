"""Jobs as values: the arguments of the decorator, and the checked definition."""

import inspect
import string
from collections.abc import Callable, Mapping
from typing import Any, get_type_hints

import msgspec
from msgspec import Struct

from quire.hooks.argument_types import undecodable_reason

_PARAMETER_KINDS = (inspect.Parameter.POSITIONAL_OR_KEYWORD, inspect.Parameter.KEYWORD_ONLY)


class JobMark(Struct, frozen=True, kw_only=True, eq=False):
    """The arguments of the decorator, unchecked."""

    retries: Any
    timeout: Any
    queue: Any
    one_at_a_time: Any

    @property
    def phase(self) -> str:
        """The name of the decorator."""
        return "job"


class NoArguments(Struct, frozen=True):
    """The arguments of a job that has none."""


class JobDefinition(Struct, frozen=True, kw_only=True, eq=False):
    """A function that runs in the background, later or in another server process.

    Functions of the project are defined by ``@job``; the server's own ones are made directly, see
    `quire.jobs.job`. ``name`` is unique and is stored with each job. ``arguments`` is the struct
    that its arguments are stored as; ``function`` is called with its fields by name. ``timeout`` is
    in seconds, ``None`` for that of the settings. Of jobs whose ``one_at_a_time`` gives the same
    text, one runs at a time. After one of its ``final_errors`` a job is not tried again.
    """

    name: str
    function: Callable[..., Any]
    arguments: type[Struct]
    retries: int = 5
    timeout: float | None = 300
    queue: str = "default"
    one_at_a_time: str | None = None
    final_errors: tuple[type[Exception], ...] = ()
    file: str = "quire"
    line: int = 0

    @property
    def place(self) -> str:
        """The file and line of the function."""
        return f"{self.file}:{self.line}"

    def encode(self, arguments: Struct, max_bytes: int) -> str:
        """Serialize arguments.

        Raises TypeError for a value of another type than its parameter has, and ValueError for more
        than ``max_bytes``.
        """
        try:
            encoded = msgspec.json.encode(arguments)
            msgspec.json.decode(encoded, type=self.arguments)
        except (msgspec.ValidationError, TypeError) as error:
            raise TypeError(f"{self.name}: {error}") from None
        if len(encoded) > max_bytes:
            message = (
                f"{self.name}: the arguments have {len(encoded)} bytes, more than {max_bytes} "
                "(extensions.argument_bytes): store the data, and pass the id"
            )
            raise ValueError(message)
        return encoded.decode()

    def decode(self, stored: str) -> dict[str, Any]:
        """Deserialize the arguments of a call. Raises msgspec.ValidationError for invalid ones."""
        arguments = msgspec.json.decode(stored, type=self.arguments)
        return {name: getattr(arguments, name) for name in arguments.__struct_fields__}

    def lock_key(self, arguments: Struct) -> str | None:
        """Return the lock key of a call: only one job with it runs at a time; ``None`` for any.

        Raises ValueError for a text of more than 255 characters.
        """
        if self.one_at_a_time is None:
            return None
        values = {name: getattr(arguments, name) for name in arguments.__struct_fields__}
        key = self.one_at_a_time.format(**values)
        if len(key) > 255:
            raise ValueError(f"{self.name}: one_at_a_time has more than 255 characters")
        return key


def arguments_of(name: str, function: Callable[..., Any]) -> type[Struct]:
    """Return the struct for the arguments of a function.

    Raises TypeError for parameters that cannot be stored; the message names the parameter.
    """
    hints = get_type_hints(function, include_extras=True)
    fields: list[Any] = []
    for parameter in inspect.signature(function).parameters.values():
        if parameter.kind not in _PARAMETER_KINDS:
            raise TypeError(f"the parameter {parameter.name} must have a name that it is passed by")
        if parameter.name not in hints:
            raise TypeError(
                f"the parameter {parameter.name} needs a type, such as {parameter.name}: str"
            )
        hint = hints[parameter.name]
        problem = undecodable_reason(hint)
        if problem is not None:
            raise TypeError(
                f"the parameter {parameter.name} has a type that cannot be stored: {problem}"
            )
        has_default = parameter.default is not parameter.empty
        fields.append((parameter.name, hint, *([parameter.default] if has_default else [])))
    return msgspec.defstruct(
        name.replace(".", "_"), fields, kw_only=True, frozen=True, forbid_unknown_fields=True
    )


def fields_of_template(template: str) -> list[str]:
    """Return the names in braces of a text. Raises ValueError for an invalid text."""
    return [name for _, name, *_ in string.Formatter().parse(template) if name is not None]


def bind(definition: JobDefinition, args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> Struct:
    """Return the arguments of a call of the function. Raises TypeError as the call would."""
    bound_arguments = inspect.signature(definition.function).bind(*args, **kwargs)
    return definition.arguments(**bound_arguments.arguments)
