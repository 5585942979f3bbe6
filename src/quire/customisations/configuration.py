"""Compares a project's ``config`` folder with the settings that are in force.

Quire does not run these files. Where one of them says the same as the settings, nothing is lost;
where it says something else, the owner should know. The names on the left are those of the
configuration files, the names on the right those of ``docs/settings.md``.
"""

from collections.abc import Iterator, Mapping
from functools import reduce

from quire.javascript.modules import CODE, EnvironmentVariable
from quire.settings import Settings, UnfitValueError, known_settings

_COUNTERPARTS: Mapping[str, Mapping[str, str]] = {
    "admin": {
        "auth.secret": "secrets.admin_jwt_secret",
        "apiToken.salt": "secrets.api_token_salt",
        "transfer.token.salt": "secrets.transfer_token_salt",
        "secrets.encryptionKey": "secrets.encryption_key",
        "rateLimit.enabled": "admin.rate_limit.enabled",
        "rateLimit.max": "admin.rate_limit.max",
    },
    "api": {
        "rest.prefix": "api.prefix",
        "rest.defaultLimit": "api.default_limit",
        "rest.maxLimit": "api.max_limit",
        "rest.withCount": "api.with_count",
        "rest.strictParams": "api.strict_params",
        "responses.privateAttributes": "api.private_attributes",
    },
    "features": {"future.experimental_firstPublishedAt": "features.first_published_at"},
    "plugins": {
        "upload.config.sizeLimit": "uploads.size_limit",
        "users-permissions.config.jwtSecret": "secrets.jwt_secret",
        "users-permissions.config.jwt.expiresIn": "users.jwt_expires_in",
        "users-permissions.config.ratelimit.enabled": "users.rate_limit.enabled",
        "users-permissions.config.ratelimit.max": "users.rate_limit.max",
    },
    "server": {
        "host": "server.host",
        "port": "server.port",
        "url": "server.url",
        "app.keys": "secrets.app_keys",
        "dirs.public": "public.directory",
    },
}
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
        return tuple(_settings(exported, _COUNTERPARTS.get(name, {}), settings))
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
    for path, value in _flat(exported, ""):
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
        if value.name == known.variable:
            return None
        return f"{path} comes from the variable {value.name}, {name} does not"
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


def _flat(value: object, path: str) -> Iterator[tuple[str, object]]:
    """The leaves of nested objects by their dotted paths; an empty object says nothing."""
    if not isinstance(value, dict):
        yield path, value
        return
    for key, inner in value.items():
        yield from _flat(inner, f"{path}.{key}" if path else key)


def _shown(value: object) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    return "none" if value is None else str(value)
