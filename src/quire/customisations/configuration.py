"""Compares a project's ``config`` folder with the settings that are in force.

Quire does not run these files; what is plain data in them it takes as settings. Where one of them
says something that is not in force (it holds code, ``quire.toml`` says otherwise, there is no such
thing here), the owner should know.
"""

from collections.abc import Iterator, Mapping
from functools import reduce

from quire.javascript.modules import CODE, EnvironmentVariable
from quire.settings import Settings, UnfitValueError, known_settings
from quire.settings.project_config import COUNTERPARTS, leaves

# Of the admin panel or of the development server, so that the content API is the same without.
_ELSEWHERE = ("flags.", "autoOpen", "watchIgnoreFiles", "telemetryDisabled", "webhooks.")
_STANDARD_MIDDLEWARES = frozenset(
    f"strapi::{name}"
    for name in (
        *("logger", "errors", "security", "cors", "poweredBy", "query", "body", "session"),
        *("favicon", "public", "responseTime"),
    )
)


def differences(name: str, exported: object, source: str, settings: Settings) -> tuple[str, ...]:
    """What a configuration file says that is not in force here, as parts of a sentence.

    ``name`` is the file's name without suffix, ``exported`` what it exports, ``source`` its text.
    """
    if name == "database":
        return () if "DATABASE_" in source else ("it reads no variable named DATABASE_...",)
    if name == "middlewares":
        return tuple(_middlewares(exported))
    if isinstance(exported, dict):
        return tuple(_settings(exported, COUNTERPARTS.get(name, {}), settings))
    return ("it holds code",) if exported == CODE else ()


def _middlewares(exported: object) -> Iterator[str]:
    if not isinstance(exported, list):
        yield "it holds code"
        return
    for entry in exported:
        name = entry.get("name") if isinstance(entry, dict) else entry
        if name not in _STANDARD_MIDDLEWARES:
            yield f"the middleware {name} does not run"
        elif isinstance(entry, dict):
            yield f"the options of {name} are not read"


def _settings(
    exported: Mapping[str, object], counterparts: Mapping[str, str], settings: Settings
) -> Iterator[str]:
    for path, value in leaves(exported):
        name = counterparts.get(path)
        if name is not None:
            difference = _difference(path, value, name, settings)
        elif path.startswith(_ELSEWHERE):
            difference = None
        else:
            difference = f"{path} has no counterpart here"
        if difference:
            yield difference


def _difference(path: str, value: object, name: str, settings: Settings) -> str | None:
    known = known_settings()[name]
    if isinstance(value, EnvironmentVariable):
        return None
    try:
        wanted = known.kind.read(value)
    except UnfitValueError:
        wanted = value
    effective = reduce(getattr, name.split("."), settings)
    if known.private:
        source = f"the value of {known.variable}"
        return None if wanted == effective else f"{path} is not {source}"
    shown = next(row[1] for row in settings.explain() if row[0] == name)
    if wanted == effective or _shown(value) == shown:
        return None
    return f"{path} is {_shown(value)}, {name} is {shown}"


def _shown(value: object) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    return "none" if value is None else str(value)
