"""Settings of a project's own Python code: tables of ``quire.toml``, and variables for secrets.

``quire.settings("search", SearchSettings)`` reads ``[extensions.config.search]``; the variable
``SEARCH_KEY`` overrides its key ``key``. Only the code knows the keys, so this module only checks
that the values are tables.
"""

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any

from quire.settings.setting_types import InvalidValueError, SettingType, integer, setting

_SECTION = re.compile(r"[A-Za-z][A-Za-z0-9_-]*")
_SECRET_NAME = re.compile(r"key|secret|token|passw|pwd|credential|private|salt", re.IGNORECASE)
_PASSWORD_IN_URL = re.compile(r"://[^/@\s]+@")
_PACKAGE = re.compile(r"[A-Za-z0-9]+([._-][A-Za-z0-9]+)*")
_PACKAGE_KEYS = frozenset({"name", "version", "may", "record"})
_RECORD = re.compile(r"sha256:[0-9a-f]{64}")
HIDDEN = "(set)"

Tables = Mapping[str, Mapping[str, Any]]


def is_section_name(name: str) -> bool:
    """Tell whether a section name is valid: letters, digits, ``-`` and ``_``."""
    return _SECTION.fullmatch(name) is not None


def variable_of(section: str, key: str) -> str:
    """Return the environment variable of a key: ``SEARCH_KEY`` for ``key`` of ``search``."""
    return re.sub(r"[^A-Z0-9]", "_", f"{section}_{key}".upper())


def _read_tables(value: object) -> Tables:
    if not isinstance(value, Mapping):
        raise InvalidValueError
    for name, table in value.items():
        if not isinstance(table, Mapping) or not is_section_name(name):
            raise InvalidValueError
    return MappingProxyType({name: MappingProxyType(table) for name, table in value.items()})


def _not_from_text(_: str) -> Tables:
    raise InvalidValueError


def _show_tables(tables: Tables) -> str:
    return "; ".join(f"{name} = {text}" for name, text in _shown(tables, ""))


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
class AllowedPackage:
    """An installed package whose code is loaded: its name, the versions, and its permissions.

    ``may`` are the names of decorators, and ``as_system``; ``record`` is the hash of its list of
    files, ``None`` for any.
    """

    name: str
    version: str
    may: tuple[str, ...] = ()
    record: str | None = None


def _read_packages(value: object) -> tuple[AllowedPackage, ...]:
    if not isinstance(value, list | tuple):
        raise InvalidValueError
    packages = tuple(map(_read_package, value))
    if len({package.name for package in packages}) < len(packages):
        raise InvalidValueError("a package is named twice")
    return packages


def _read_package(value: object) -> AllowedPackage:
    if isinstance(value, AllowedPackage):
        return value
    if not isinstance(value, Mapping) or value.keys() - _PACKAGE_KEYS:
        raise InvalidValueError
    name, version, may = value.get("name"), value.get("version"), value.get("may", [])
    record = value.get("record")
    if not isinstance(name, str) or not _PACKAGE.fullmatch(name):
        raise InvalidValueError
    if not isinstance(version, str) or not version:
        raise InvalidValueError(f'{name} needs the versions that may be loaded, such as ">=1.2,<2"')
    if not isinstance(may, list | tuple) or not all(isinstance(item, str) for item in may):
        raise InvalidValueError
    if record is not None and not (isinstance(record, str) and _RECORD.fullmatch(record)):
        raise InvalidValueError(f'{name}: record must be "sha256:" and 64 hexadecimal digits')
    return AllowedPackage(
        name=re.sub(r"[-_.]+", "-", name).lower(), version=version, may=tuple(may), record=record
    )


def _no_packages(_: str) -> tuple[AllowedPackage, ...]:
    raise InvalidValueError


def _show_packages(packages: tuple[AllowedPackage, ...]) -> str:
    return ", ".join(f"{package.name} {package.version}" for package in packages)


PACKAGES: SettingType[tuple[AllowedPackage, ...]] = SettingType(
    "a list of tables with name, version, may and record",
    _read_packages,
    _no_packages,
    _show_packages,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class ExtensionSettings:
    """``[extensions]``: the project's own Python code."""

    packages: tuple[AllowedPackage, ...] = setting(
        PACKAGES,
        "Installed packages whose Python code is loaded, in this order.",
        default=(),
    )

    config: Tables = setting(
        TABLES,
        "Settings of that code, by section; variables such as `SEARCH_KEY` take precedence.",
        default=MappingProxyType({}),
    )
    hook_seconds: int = setting(
        integer(1),
        "Timeout in seconds of a hook, and of a transaction of a route or job: it blocks other "
        "writes.",
        default=2,
    )
    prepare_seconds: int = setting(
        integer(1),
        "Timeout in seconds of a function marked with `@prepare`, which runs before the "
        "transaction.",
        default=10,
    )
    route_seconds: int = setting(
        integer(1, 600), "Timeout in seconds of a route that has none of its own.", default=30
    )
    job_seconds: int = setting(
        integer(1, 86_400),
        "Timeout in seconds of a job or schedule that has none of its own.",
        default=300,
    )
    delivery_seconds: int = setting(
        integer(1, 3_600),
        "Timeout in seconds of one call of a function marked with `@after_commit`.",
        default=30,
    )
    statements: int = setting(
        integer(1),
        "Maximum number of statements that this code may run in one transaction.",
        default=200,
    )
    levels: int = setting(integer(1), "How deep hooks and jobs may trigger one another.", default=8)
    rows: int = setting(
        integer(1),
        "Maximum number of documents that one `find` in that code returns.",
        default=10_000,
    )
    argument_bytes: int = setting(
        integer(1), "Maximum size of the arguments of one job, in bytes, as JSON.", default=262_144
    )
    variables: Mapping[str, str] = field(
        default_factory=lambda: MappingProxyType({}), repr=False, compare=False
    )
    """The environment and ``.env``, from which code reads its secrets."""

    def explain_variables(self) -> Iterator[tuple[str, str, str]]:
        """Yield a row for each variable that overrides a key of a section, its value hidden."""
        for section in self.config:
            prefix = variable_of(section, "")
            for variable in sorted(self.variables):
                key = variable.removeprefix(prefix).lower()
                if variable.startswith(prefix) and key and self.variables[variable]:
                    name = f"extensions.config.{section}.{key}"
                    yield name, HIDDEN, f"environment {variable}"
