"""Reads settings from the ``config`` folder of a Strapi project, without running it.

``config/<name>.js`` (or ``.ts``, ``.json``) and, over it, ``config/env/<environment>/<name>.js``.
Static values in a file are used: literals, constants and calls of ``env``. Computed values are left
to `quire.customisations`, which reports them.
"""

import json
import re
from collections.abc import Iterator, Mapping
from pathlib import Path

from msgspec import Struct

from quire.javascript.modules import CODE, EnvironmentVariable, read_module
from quire.settings.upload_providers import bucket_settings

COUNTERPARTS: Mapping[str, Mapping[str, str]] = {
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
    "middlewares": {
        "strapi::body.formLimit": "limits.form_body",
        "strapi::body.jsonLimit": "limits.json_body",
        "strapi::cors.expose": "cors.expose_headers",
        "strapi::cors.headers": "cors.headers",
        "strapi::cors.methods": "cors.methods",
        "strapi::cors.origin": "cors.origins",
        "strapi::security.contentSecurityPolicy": "security.content_security_policy",
    },
    "plugins": {
        "email.config.providerOptions.host": "mail.host",
        "email.config.providerOptions.port": "mail.port",
        "email.config.providerOptions.auth.user": "mail.username",
        "email.config.providerOptions.auth.pass": "mail.password",
        "email.config.settings.defaultFrom": "mail.sender",
        "upload.config.breakpoints": "uploads.breakpoints",
        "upload.config.sizeLimit": "uploads.size_limit",
        "upload.config.security.allowedTypes": "uploads.allowed_types",
        "upload.config.security.deniedTypes": "uploads.denied_types",
        "users-permissions.config.jwtSecret": "secrets.jwt_secret",
        "users-permissions.config.jwt.expiresIn": "users.jwt_expires_in",
        "users-permissions.config.jwtManagement": "users.jwt_management",
        "users-permissions.config.sessions.accessTokenLifespan": "users.sessions.access_expires_in",
        "users-permissions.config.sessions.idleRefreshTokenLifespan": "users.sessions.idle",
        "users-permissions.config.sessions.maxRefreshTokenLifespan": "users.sessions.longest",
        "users-permissions.config.sessions.httpOnly": "users.sessions.http_only",
        "users-permissions.config.sessions.cookie.name": "users.sessions.cookie_name",
        "users-permissions.config.sessions.cookie.path": "users.sessions.cookie_path",
        "users-permissions.config.sessions.cookie.domain": "users.sessions.cookie_domain",
        "users-permissions.config.sessions.cookie.sameSite": "users.sessions.cookie_same_site",
        "users-permissions.config.sessions.cookie.secure": "users.sessions.cookie_secure",
        "users-permissions.config.sessions.cookie.maxAge": "users.sessions.cookie_max_age",
        "users-permissions.config.register.allowedFields": "users.register_fields",
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
"""Settings by file and by the dotted path in it."""

_CAPITAL = re.compile("[A-Z]")
_SIZE = re.compile(r"([0-9]+(?:\.[0-9]+)?)\s*(b|kb|mb|gb)?")
_UNITS = {"b": 1, "kb": 1024, "mb": 1024**2, "gb": 1024**3}
_SUFFIXES = (".js", ".ts", ".json")


class ConfigValue(Struct, frozen=True):
    """The value of a setting in a file, or the variable that it comes from."""

    setting: str
    value: object
    file: str


def read_config(project: Path, environment: str) -> Iterator[ConfigValue]:
    """Yield the values of settings in the files; those of the environment come last."""
    for folder in (Path("config"), Path("config", "env", environment)):
        for name, counterparts in COUNTERPARTS.items():
            for file in (folder / f"{name}{suffix}" for suffix in _SUFFIXES):
                exported = _exported(project / file)
                for path, value in leaves(settings_in(name, exported)):
                    if path in counterparts and value is not CODE:
                        yield ConfigValue(counterparts[path], value, file.as_posix())
                for setting, text in bucket_settings(exported) if name == "plugins" else ():
                    yield ConfigValue(setting, text, file.as_posix())


def settings_in(name: str, exported: object) -> object:
    """Return the exports of a file as nested objects: middlewares are a list, by name there."""
    if name == "plugins" and isinstance(exported, dict):
        return {plugin: plugin_options(options) for plugin, options in exported.items()}
    if name != "middlewares" or not isinstance(exported, list):
        return exported
    options = {
        entry["name"]: entry.get("config", {})
        for entry in exported
        if isinstance(entry, dict) and isinstance(entry.get("name"), str)
    }
    return {prefix: _in_our_form(prefix, config) for prefix, config in options.items()}


def plugin_options(plugin: object) -> object:
    """Return the options of a plugin in the form of our settings.

    The breakpoints of uploads are one value; Strapi gives the age of a cookie in milliseconds.
    """
    if not isinstance(plugin, dict) or not isinstance(config := plugin.get("config"), dict):
        return plugin
    breakpoints, sessions = config.get("breakpoints"), config.get("sessions")
    if isinstance(breakpoints, dict):
        is_plain = all(isinstance(width, int) for width in breakpoints.values())
        config = {**config, "breakpoints": TableValue(breakpoints) if is_plain else CODE}
    cookie = sessions.get("cookie") if isinstance(sessions, dict) else None
    if isinstance(sessions, dict) and isinstance(cookie, dict) and "maxAge" in cookie:
        max_age = cookie["maxAge"]
        # The text of a variable would count as seconds.
        cookie = {**cookie, "maxAge": f"{max_age}ms" if isinstance(max_age, int) else CODE}
        config = {**config, "sessions": {**sessions, "cookie": cookie}}
    return {**plugin, "config": config}


def _in_our_form(middleware: str, config: object) -> object:
    """Return the options of a middleware in the form of our settings."""
    if not isinstance(config, dict):
        return config
    match middleware:
        case "strapi::security":
            return {**config, **_policy(config.get("contentSecurityPolicy"))}
        case "strapi::body":
            return {key: _bytes(value) for key, value in config.items()}
        case "strapi::cors" if isinstance(config.get("origin"), str):
            return {**config, "origin": [config["origin"]]}
        case _:
            return config


def _policy(value: object) -> dict[str, object]:
    """Return the directives of a content security policy, ``null`` as an empty list."""
    if not isinstance(value, dict) or not isinstance(value.get("directives"), dict):
        return {}
    directives = {
        _CAPITAL.sub(lambda match: f"-{match[0].lower()}", name): [] if sources is None else sources
        for name, sources in value["directives"].items()
    }
    is_plain = all(
        isinstance(sources, list) and all(isinstance(source, str) for source in sources)
        for sources in directives.values()
    )
    return {"contentSecurityPolicy": TableValue(directives) if is_plain else CODE}


def _bytes(value: object) -> object:
    """Return a size such as ``10mb`` in bytes; other values are unchanged."""
    match = _SIZE.fullmatch(value.strip().lower()) if isinstance(value, str) else None
    return int(float(match[1]) * _UNITS[match[2] or "b"]) if match else value


class TableValue(dict[str, object]):
    """An object that is one value, not settings by name."""


def leaves(exported: object, path: str = "") -> Iterator[tuple[str, object]]:
    """Yield the leaves of nested objects with their dotted paths; an empty object has none."""
    if not isinstance(exported, dict) or isinstance(exported, TableValue):
        if path:
            yield path, exported
        return
    for key, inner in exported.items():
        yield from leaves(inner, f"{path}.{key}" if path else key)


def plain_value(value: object) -> object:
    """Return the value of a file without the environment: for a variable, its default."""
    return value.default if isinstance(value, EnvironmentVariable) else value


def _exported(file: Path) -> object:
    """Return the exports of a file, or ``CODE``; empty for a missing or unreadable file."""
    try:
        text = file.read_text(encoding="utf-8")
        return json.loads(text) if file.suffix == ".json" else read_module(text, partial=True)
    except (OSError, ValueError):
        return CODE
