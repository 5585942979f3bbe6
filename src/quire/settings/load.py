"""Loads settings, each from the first source that contains it.

Command line > environment > ``.env`` > ``quire.toml`` > the files in ``config`` > defaults.

The only place where the environment and the files of settings are read. All errors are collected
before one :class:`SettingsError` lists them.
"""

import difflib
import json
import os
import tomllib
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, fields, is_dataclass, replace
from pathlib import Path
from types import MappingProxyType
from typing import Any, TypeVar

from quire.errors import ConfigurationError, list_problems, os_error_reason
from quire.javascript.modules import EnvironmentVariable
from quire.settings.dotenv import parse_dotenv
from quire.settings.model import Settings, known_settings
from quire.settings.setting_types import METADATA_KEY, InvalidValueError, Setting
from quire.settings.strapi_config import plain_value, read_config
from quire.settings.upload_providers import ConcatenatedText

SETTINGS_FILE = "quire.toml"
PROJECT_VARIABLE = "QUIRE_PROJECT"
OVERRIDES_VARIABLE = "QUIRE_OVERRIDES"

_ENVIRONMENT = "environment"
_COMMAND_LINE = "command line"
_PLACEHOLDER = "tobemodified"
_CODE_FOLDERS = ("config", "src")
_CODE_SUFFIXES = frozenset({".js", ".ts", ".json", ".py"})

S = TypeVar("S")


@dataclass(frozen=True, slots=True)
class SettingsProblem:
    """One error: the source, the key, and what is wrong with it."""

    source: str
    key: str
    message: str

    def __str__(self) -> str:
        place = f"{self.source}: {self.key}" if self.key else self.source
        return f"{place}: {self.message}"


class SettingsError(ConfigurationError):
    """Invalid settings; ``problems`` lists all errors."""

    def __init__(self, problems: Iterable[SettingsProblem]) -> None:
        """``problems`` is not empty."""
        self.problems = tuple(problems)
        super().__init__(list_problems(self.problems, "the settings"))


@dataclass(frozen=True, slots=True)
class _FoundSetting:
    """A value of a setting, and its source."""

    value: object
    origin: str


Layer = dict[str, _FoundSetting]


def load_settings(
    project: Path,
    *,
    overrides: Mapping[str, object] | None = None,
    environ: Mapping[str, str] | None = None,
) -> Settings:
    """Return the effective settings of the project in the folder ``project``.

    ``overrides`` are those of the command line, by dotted name (``{"server.port": 8080}``);
    ``environ`` replaces the environment of the process. An empty variable counts as not set.

    Raises :class:`SettingsError` with all errors, :class:`ConfigurationError` when there is no such
    folder. Missing secrets are no error here: see ``Settings.require_secrets``.
    """
    root = _project_folder(project)
    variables = os.environ if environ is None else environ
    declared_settings = known_settings()
    problems: list[SettingsProblem] = []
    notices: list[str] = []
    file, in_file = _read_dotenv(root, variables, problems, notices)
    layers = (
        _from_toml(root / SETTINGS_FILE, declared_settings, problems),
        _from_variables(in_file, file, declared_settings, problems, notices),
        _from_variables(variables, _ENVIRONMENT, declared_settings, problems, notices),
        _from_overrides(overrides or {}, declared_settings, problems),
    )
    if problems:
        raise SettingsError(problems)
    values: Layer = {}
    for layer in layers:
        values.update(layer)
    all_variables = {**in_file, **{name: text for name, text in variables.items() if text}}
    values = _from_config(root, values, all_variables, declared_settings) | values
    notices += _misspelt_variables(root, file, in_file, all_variables)
    notices += _placeholders(values, declared_settings)
    settings = _settings(root, values, tuple(notices))
    code = replace(settings.extensions, variables=MappingProxyType(all_variables))
    return replace(settings, extensions=code)


def load_settings_from_environment(environ: Mapping[str, str] | None = None) -> Settings:
    """Return the settings of the project that the environment names, for a worker process.

    Raises what :func:`load_settings` raises, and :class:`ConfigurationError` when the variable
    ``QUIRE_PROJECT`` is missing.
    """
    variables = os.environ if environ is None else environ
    project = variables.get(PROJECT_VARIABLE)
    if not project:
        raise ConfigurationError(f"{PROJECT_VARIABLE} is not set: it names the project's folder.")
    overrides = json.loads(variables.get(OVERRIDES_VARIABLE) or "{}")
    return load_settings(Path(project), overrides=overrides, environ=variables)


def hand_over_settings(settings: Settings, overrides: Mapping[str, object]) -> None:
    """Pass the settings to child processes, through the environment.

    They call :func:`load_settings_from_environment`; ``overrides`` are those of this process.
    """
    os.environ[PROJECT_VARIABLE] = str(settings.project)
    os.environ[OVERRIDES_VARIABLE] = json.dumps(dict(overrides))


def present_environment() -> Mapping[str, str]:
    """Return the environment of this process, for one that was forked from another."""
    return dict(os.environ)


def adopt_environment(environment: Mapping[str, str]) -> None:
    """Replace the environment variables of this process."""
    os.environ.update(environment)


def _project_folder(project: Path) -> Path:
    root = project.expanduser().absolute()
    if root.is_dir():
        return root.resolve()
    reason = "is not a folder" if root.exists() else "does not exist"
    raise ConfigurationError(f"{root} {reason}: name the folder of a project.")


def _read_dotenv(
    root: Path,
    variables: Mapping[str, str],
    problems: list[SettingsProblem],
    notices: list[str],
) -> tuple[str, Mapping[str, str]]:
    named_file = variables.get("ENV_PATH")
    name = named_file or ".env"
    path = root / name
    if not path.is_file():
        if named_file:
            notices.append(f"{path}, which ENV_PATH names, is no file.")
        return name, {}
    try:
        return name, parse_dotenv(path.read_text(encoding="utf-8-sig"))
    except (OSError, UnicodeDecodeError) as error:
        problems.append(_unreadable(name, error))
        return name, {}


def _unreadable(name: str, error: OSError | ValueError) -> SettingsProblem:
    if isinstance(error, UnicodeDecodeError):
        return SettingsProblem(name, "", "cannot be read: it is not UTF-8 text")
    reason = os_error_reason(error) if isinstance(error, OSError) else error
    return SettingsProblem(name, "", f"cannot be read: {reason}")


def _from_toml(
    path: Path, known_settings: Mapping[str, Setting[object]], problems: list[SettingsProblem]
) -> Layer:
    if not path.is_file():
        return {}
    try:
        content = tomllib.loads(path.read_text(encoding="utf-8-sig"))
    except (OSError, ValueError) as error:
        problems.append(_unreadable(SETTINGS_FILE, error))
        return {}
    layer: Layer = {}
    _walk_table(content, "", known_settings, layer, problems)
    return layer


def _walk_table(
    table: Mapping[str, object],
    prefix: str,
    known_settings: Mapping[str, Setting[object]],
    layer: Layer,
    problems: list[SettingsProblem],
) -> None:
    for key, value in table.items():
        name = f"{prefix}{key}"
        declared = known_settings.get(name)
        if declared is not None:
            message = _take_typed(name, declared, value, SETTINGS_FILE, layer)
        elif not any(other.startswith(f"{name}.") for other in known_settings):
            message = f"no such setting{_nearest(name, known_settings)}"
        elif isinstance(value, Mapping):
            _walk_table(value, f"{name}.", known_settings, layer, problems)
            continue
        else:
            message = f"expected a table, found {_shown(value)}"
        if message:
            problems.append(SettingsProblem(SETTINGS_FILE, name, message))


def _take_typed(
    name: str, declared: Setting[object], value: object, origin: str, layer: Layer
) -> str | None:
    """Add a typed value to the layer, or record its error."""
    if declared.private and origin == SETTINGS_FILE:
        return (
            f"belongs in the environment or in .env, as {declared.variable}, "
            f"because {SETTINGS_FILE} is a file that people share"
        )
    try:
        layer[name] = _FoundSetting(declared.kind.read(value), origin)
    except InvalidValueError as problem:
        return str(problem) or f"expected {declared.kind.expected}, found {_shown(value)}"
    return None


def _from_config(
    root: Path,
    values: Layer,
    variables: Mapping[str, str],
    known_settings: Mapping[str, Setting[object]],
) -> Layer:
    """Add the values of the project's own configuration.

    Unsupported values are ignored: these files were written for another server, which may accept
    more. Secrets are taken from the variables that the files name, never from the files.
    """
    layer: Layer = {}
    default = Settings(project=root).environment
    environment = values[_ENVIRONMENT].value if _ENVIRONMENT in values else default
    for message in read_config(root, str(environment)):
        declared = known_settings[message.setting]
        text = _text_of_variable(message.value, variables)
        try:
            if text is not None:
                layer[message.setting] = _FoundSetting(declared.kind.read_text(text), message.file)
            elif isinstance(message.value, ConcatenatedText):
                continue
            elif not declared.private and plain_value(message.value) is not None:
                value = declared.kind.read(plain_value(message.value))
                layer[message.setting] = _FoundSetting(value, message.file)
        except InvalidValueError:
            continue
    return layer


def _text_of_variable(value: object, variables: Mapping[str, str]) -> str | None:
    if isinstance(value, ConcatenatedText):
        return value.text(variables)
    if not isinstance(value, EnvironmentVariable):
        return None
    return variables.get(value.name) or None


def _from_variables(
    variables: Mapping[str, str],
    source: str,
    known_settings: Mapping[str, Setting[object]],
    problems: list[SettingsProblem],
    notices: list[str],
) -> Layer:
    layer: Layer = {}
    for name, declared in known_settings.items():
        variable = declared.variable
        text = variables.get(variable) if variable else None
        if not variable or not text:
            continue
        origin = f"{source} {variable}"
        if name == "environment" and text not in {"production", "development"}:
            notices.append(f"{origin} is {_shown(text)}, which is served as production.")
            text = "production"
        try:
            layer[name] = _FoundSetting(declared.kind.read_text(text), origin)
        except InvalidValueError as problem:
            value_text = "" if declared.private else f", found {_shown(text)}"
            message = str(problem) or f"expected {declared.kind.expected}{value_text}"
            problems.append(SettingsProblem(source, variable, message))
    return layer


def _from_overrides(
    overrides: Mapping[str, object],
    known_settings: Mapping[str, Setting[object]],
    problems: list[SettingsProblem],
) -> Layer:
    layer: Layer = {}
    for name, value in overrides.items():
        declared = known_settings.get(name)
        if declared is None:
            message: str | None = f"no such setting{_nearest(name, known_settings)}"
        else:
            message = _take_typed(name, declared, value, _COMMAND_LINE, layer)
        if message:
            problems.append(SettingsProblem(_COMMAND_LINE, name, message))
    return layer


def _nearest(name: str, known_names: Iterable[str]) -> str:
    """Return a suggestion for a misspelt name: from its own section, or by its last word."""
    section, _, last = name.rpartition(".")
    complete = list(known_names)
    sections = {part.rpartition(".")[0] for part in complete} - {""}
    close = difflib.get_close_matches(name, [*complete, *sections], n=1, cutoff=0.8)
    if not close:
        by_last = {full.rpartition(".")[2]: full for full in reversed(complete)}
        words = difflib.get_close_matches(last, by_last, n=1, cutoff=0.75)
        close = [by_last[word] for word in words]
    if not close:
        siblings = [full for full in complete if section and full.startswith(f"{section}.")]
        return f"; [{section}] has {_names_of(siblings)}" if siblings else ""
    return f"; did you mean {close[0]}?"


def _names_of(siblings: Iterable[str]) -> str:
    return ", ".join(full.rpartition(".")[2] for full in siblings)


def _shown(value: object) -> str:
    text = json.dumps(value, default=str, ensure_ascii=False)
    return text if len(text) <= 60 else f"{text[:57]}..."


def _misspelt_variables(
    root: Path, file: str, in_file: Mapping[str, str], variables: Mapping[str, str]
) -> Iterator[str]:
    """Yield a notice for each variable of ``.env`` that nothing reads, and that is like a setting.

    The project's own files may read others.
    """
    known_names = {declared.variable for declared in known_settings().values()} - {None}
    unset_names = [name for name in known_names if not variables.get(str(name))]
    for name in sorted(in_file.keys() - known_names):
        close = difflib.get_close_matches(name, map(str, unset_names), n=1, cutoff=0.9)
        if close and not _is_mentioned(root, name):
            yield f"{file} {name} is read by nothing; did you mean {close[0]}?"


def _is_mentioned(root: Path, name: str) -> bool:
    """Tell whether a file of the project's code contains a name; unreadable files do not count."""
    for folder in _CODE_FOLDERS:
        for file in (root / folder).rglob("*.*"):
            if file.suffix in _CODE_SUFFIXES and file.is_file():
                with suppress(OSError):
                    if name.encode() in file.read_bytes():
                        return True
    return False


def is_placeholder(value: str) -> bool:
    """Tell whether a secret is one of the example file of a new Strapi project."""
    return value.lower().startswith(_PLACEHOLDER)


def _placeholders(layer: Layer, known_settings: Mapping[str, Setting[object]]) -> list[str]:
    notices = []
    for name, origin_value in layer.items():
        if not known_settings[name].private or origin_value.value is None:
            continue
        values = (
            origin_value.value if isinstance(origin_value.value, tuple) else (origin_value.value,)
        )
        if any(is_placeholder(str(value)) for value in values):
            notices.append(
                f"{origin_value.origin} still holds the placeholder of an example file: anybody "
                "can forge what it protects."
            )
    return notices


def _settings(root: Path, layer: Layer, notices: tuple[str, ...]) -> Settings:
    origins = MappingProxyType({name: value.origin for name, value in layer.items()})
    values = _section_values(Settings(project=root), "", root, layer)
    return Settings(project=root, notices=notices, origins=origins, **values)


def _section(default: S, prefix: str, root: Path, layer: Layer) -> S:
    """Return a section like ``default`` with the found values, its paths made absolute."""
    return type(default)(**_section_values(default, prefix, root, layer))


def _section_values(default: object, prefix: str, root: Path, layer: Layer) -> dict[str, Any]:
    values: dict[str, Any] = {}
    if not is_dataclass(default):
        return values
    for declared in fields(default):
        name = f"{prefix}{declared.name}"
        value = getattr(default, declared.name)
        if METADATA_KEY in declared.metadata:
            value = layer[name].value if name in layer else value
            values[declared.name] = root / value if isinstance(value, Path) else value
        elif is_dataclass(value):
            values[declared.name] = _section(value, f"{name}.", root, layer)
    return values
