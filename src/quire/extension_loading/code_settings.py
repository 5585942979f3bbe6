"""``settings``: the settings of a project's own code, as a struct, checked on import."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any, TypeVar

import msgspec

from quire.errors import QuireError
from quire.hooks.errors import nearest
from quire.settings import Settings, is_section_name, variable_of

T = TypeVar("T", bound=msgspec.Struct)


class CodeSettingsError(QuireError):
    """Settings of a project's code are missing or invalid; the message lists all of them."""


class _SettingsAccess(msgspec.Struct, frozen=True, eq=False):
    """The settings for modules that are being imported, and the sections that they have read."""

    settings: Settings
    sections: set[str]


_reading: ContextVar[_SettingsAccess | None] = ContextVar("code_settings", default=None)


@contextmanager
def code_settings(settings: Settings) -> Iterator[set[str]]:
    """Set the settings for modules that are imported in the block.

    Yields the sections they read.
    """
    access = _SettingsAccess(settings, set())
    token = _reading.set(access)
    try:
        yield access.sections
    finally:
        _reading.reset(token)


def settings(section: str, type: type[T], /) -> T:
    """Return ``[extensions.config.<section>]`` of ``quire.toml`` as a struct.

    For each field, an environment variable such as ``SEARCH_KEY`` (section ``search``, field
    ``key``) takes precedence; secrets belong there. To be called where a module of the project is
    imported::

        search = settings("search", SearchSettings)

    A field that is missing or of another type, and a key that the struct does not have, keep the
    project from starting; the message names file and line of the call.
    """
    access = _reading.get()
    if access is None:
        message = "settings() is called at the top of a module, while the project's code is loaded"
        raise CodeSettingsError(message)
    _check_arguments(section, type)
    access.sections.add(section)
    extension_settings = access.settings.extensions
    table = extension_settings.config.get(section, {})
    values, problems = _values(section, type, table, extension_settings.variables)
    if problems:
        raise CodeSettingsError("; ".join(problems))
    try:
        return type(**values)
    except (TypeError, ValueError) as error:  # what the struct's own __post_init__ may reject
        message = f"[extensions.config.{section}]: {error}"
        raise CodeSettingsError(message) from None


def _check_arguments(section: object, type_: object) -> None:
    if not isinstance(section, str) or not is_section_name(section):
        message = f"a section is a name of letters, digits, - and _, not {section!r}"
        raise CodeSettingsError(message)
    if not isinstance(type_, type) or not issubclass(type_, msgspec.Struct):
        message = f'settings("{section}", …) takes a subclass of msgspec.Struct, not {type_!r}'
        raise CodeSettingsError(message)


def _values(
    section: str,
    type_: type[msgspec.Struct],
    table: Mapping[str, Any],
    variables: Mapping[str, str],
) -> tuple[dict[str, Any], list[str]]:
    """Return the values of a struct's fields, and their problems."""
    place = f"[extensions.config.{section}]"
    fields = {field.encode_name: field for field in msgspec.structs.fields(type_)}
    problems = [
        f"{place} has the key {key}, which {type_.__name__} does not have{nearest(key, fields)}"
        for key in table
        if key not in fields
    ]
    values: dict[str, Any] = {}
    for key, field in fields.items():
        variable = variable_of(section, key)
        text = variables.get(variable)
        try:
            if text:
                values[field.name] = _parse_text(text, field.type)
            elif key in table:
                values[field.name] = msgspec.convert(_convert_toml(table[key]), field.type)
            elif field.required:
                problems.append(f"{place} lacks {key}; it may also be the variable {variable}")
        except msgspec.ValidationError as error:
            location = variable if text else f"{place} {key}"
            # The message of an unknown value quotes it, and variables hold secrets.
            detail = "not one of the values that it may have" if text else str(error)
            message = str(error) if str(error).startswith("Expected") else detail
            problems.append(f"{location}: {message}")
    return values, problems


def _parse_text(text: str, type_: Any) -> Any:  # noqa: ANN401 - any annotation
    """Parse a variable: as text, number or boolean, else as JSON."""
    try:
        return msgspec.convert(text, type_, strict=False)
    except msgspec.ValidationError:
        if text.lstrip()[:1] not in {"[", "{"}:
            raise
    try:
        return msgspec.json.decode(text, type=type_)
    except msgspec.ValidationError:
        raise
    except msgspec.DecodeError:
        message = "Expected JSON"
        raise msgspec.ValidationError(message) from None


def _convert_toml(value: Any) -> Any:  # noqa: ANN401 - a value of TOML
    """Return a value with dictionaries as tables, which can be converted to structs."""
    if isinstance(value, Mapping):
        return {key: _convert_toml(item) for key, item in value.items()}
    return [_convert_toml(item) for item in value] if isinstance(value, list) else value
