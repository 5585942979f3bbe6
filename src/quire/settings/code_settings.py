"""Settings of a project's own Python code: tables of ``quire.toml``, and variables for secrets.

``quire.settings("search", SearchSettings)`` reads ``[extensions.config.search]``; the variable
``SEARCH_KEY`` stands in for its key ``key``. Which keys there are is known to the code alone, so
nothing is checked here but that the values are tables.
"""

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any

from quire.settings.setting_types import SettingType, UnfitValueError, setting

_SECTION = re.compile(r"[A-Za-z][A-Za-z0-9_-]*")
_SECRET_NAME = re.compile(r"key|secret|token|passw|pwd|credential|private|salt", re.IGNORECASE)
_PASSWORD_IN_URL = re.compile(r"://[^/@\s]+@")
HIDDEN = "(set)"

Tables = Mapping[str, Mapping[str, Any]]


def is_section_name(name: str) -> bool:
    """Tell whether a section may have a name: letters, digits, ``-`` and ``_``."""
    return _SECTION.fullmatch(name) is not None


def variable_of(section: str, key: str) -> str:
    """Return the environment variable of a key: ``SEARCH_KEY`` for ``key`` of ``search``."""
    return re.sub(r"[^A-Z0-9]", "_", f"{section}_{key}".upper())


def _read_tables(value: object) -> Tables:
    if not isinstance(value, Mapping):
        raise UnfitValueError
    for name, table in value.items():
        if not isinstance(table, Mapping) or not is_section_name(name):
            raise UnfitValueError
    return MappingProxyType({name: MappingProxyType(table) for name, table in value.items()})


def _not_from_text(_: str) -> Tables:
    raise UnfitValueError


def _show_tables(tables: Tables) -> str:
    return "; ".join(f"{name} = {shown}" for name, shown in _shown(tables, ""))


def _shown(table: Mapping[str, Any], prefix: str) -> Iterator[tuple[str, str]]:
    """Yield the dotted name and the value of each key; those of secrets are hidden."""
    for key, value in table.items():
        name = f"{prefix}{key}"
        if prefix and _SECRET_NAME.search(key):
            yield name, HIDDEN
        elif isinstance(value, Mapping):
            yield from _shown(value, f"{name}.")
        else:
            text = json.dumps(value, default=str, ensure_ascii=False)
            yield name, HIDDEN if _PASSWORD_IN_URL.search(text) else text


TABLES: SettingType[Tables] = SettingType(
    "a table of tables, such as [extensions.config.search]",
    _read_tables,
    _not_from_text,
    _show_tables,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class ExtensionSettings:
    """``[extensions]``: the project's own Python code."""

    config: Tables = setting(
        TABLES,
        "Settings of that code, by section; variables such as `SEARCH_KEY` take precedence.",
        default=MappingProxyType({}),
    )
    variables: Mapping[str, str] = field(
        default_factory=lambda: MappingProxyType({}), repr=False, compare=False
    )
    """The environment and ``.env``, in which code looks for its secrets."""

    def explain_variables(self) -> Iterator[tuple[str, str, str]]:
        """Yield a row for each variable that stands in for a key of a section, its value hidden."""
        for section in self.config:
            prefix = variable_of(section, "")
            for variable in sorted(self.variables):
                key = variable.removeprefix(prefix).lower()
                if variable.startswith(prefix) and key and self.variables[variable]:
                    name = f"extensions.config.{section}.{key}"
                    yield name, HIDDEN, f"environment {variable}"
