"""Compares a project's ``config`` folder with the effective settings.

Quire does not run these files; their static values are used as settings. If a value is not in
effect (it is computed, ``quire.toml`` overrides it, there is no such setting here), this is
reported.
"""

from collections.abc import Iterator, Mapping
from functools import reduce

from quire.javascript.modules import CODE, EnvironmentVariable
from quire.settings import InvalidValueError, Settings, known_settings
from quire.settings.strapi_config import COUNTERPARTS, leaves, plugin_options, settings_in
from quire.settings.upload_providers import bucket_settings

# Keys of the admin panel or the development server, without effect on the content API.
_SWITCHES = (".enabled", ".useDefaults", ".contentSecurityPolicy.useDefaults", ".enable")
"""Options that ask for behaviour that is served anyway."""
_READ_BY_OTHER_MODULES = (
    "preview.",
    "auth.sessions.",
    "flags.",
    "autoOpen",
    "watchIgnoreFiles",
    "telemetryDisabled",
    "webhooks.",
)
_SERVED_PLUGINS = frozenset({"email", "i18n", "upload", "users-permissions"})
_WITHOUT_EFFECT = frozenset({"cloud", "config-sync", "documentation", "preview-button", "sentry"})
"""Plugins of the admin panel and of the development server."""
_OUR_PROVIDERS = frozenset({"local", "nodemailer", "smtp"})
_BUILTIN_MIDDLEWARES = {
    "upload": "new files are kept where uploads.storage says, such as s3://bucket/folder; "
    "those that are there stay",
    "email": "set the server that takes mails under [mail]",
}
_STANDARD_MIDDLEWARES = frozenset(
    f"strapi::{name}"
    for name in (
        *("logger", "errors", "security", "cors", "poweredBy", "query", "body", "session"),
        *("favicon", "public", "responseTime"),
    )
)


def differences(name: str, exported: object, source: str, settings: Settings) -> tuple[str, ...]:
    """Return the parts of a configuration file that are not in effect, as parts of a sentence.

    ``name`` is the file's name without suffix, ``exported`` its exports, ``source`` its text.
    """
    if name == "database":
        return () if "DATABASE_" in source else ("it reads no variable named DATABASE_...",)
    if name == "middlewares":
        return tuple(_middlewares(exported, settings))
    if name == "plugins":
        return tuple(_plugins(exported, settings))
    if isinstance(exported, dict):
        return tuple(_settings(exported, COUNTERPARTS.get(name, {}), settings))
    return ("it holds code",) if exported == CODE else ()


def _middlewares(exported: object, settings: Settings) -> Iterator[str]:
    if not isinstance(exported, list):
        yield "it holds code"
        return
    names = [entry.get("name") if isinstance(entry, dict) else entry for entry in exported]
    for name in names:
        if name not in _STANDARD_MIDDLEWARES:
            yield f"the middleware {'that is computed' if name is CODE else name} does not run"
    options = settings_in("middlewares", exported)
    if isinstance(options, dict):
        standard_options = {
            name: value for name, value in options.items() if name in _STANDARD_MIDDLEWARES
        }
        yield from _settings(standard_options, COUNTERPARTS["middlewares"], settings)


def _plugins(exported: object, settings: Settings) -> Iterator[str]:
    if not isinstance(exported, dict):
        yield "it holds code"
        return
    for name, options in exported.items():
        if name == "...":
            yield "it adds what is computed"
        elif isinstance(options, dict) and options.get("enabled") is False:
            continue
        elif name in _SERVED_PLUGINS:
            provider, other_options = _provider(options)
            is_bucket = any(
                setting == "uploads.storage" for setting, _ in bucket_settings({name: options})
            )
            if is_bucket and settings.uploads.storage != "local":
                provider = None
            if provider is not None:
                yield f"{name} goes through the provider {provider}: {_BUILTIN_MIDDLEWARES[name]}"
            options_by_plugin = {name: plugin_options(other_options)}
            yield from _settings(options_by_plugin, COUNTERPARTS["plugins"], settings)
        elif name == "graphql":
            yield "the GraphQL API is not served"
        elif name not in _WITHOUT_EFFECT:
            yield f"the plugin {name} does not run"


def _provider(options: object) -> tuple[str | None, object]:
    """Return the provider of uploads or mails that is not supported, and the other options."""
    config = options.get("config") if isinstance(options, dict) else None
    if not isinstance(config, dict) or not isinstance(config.get("provider"), str):
        return None, options
    provider = str(config["provider"]).rpartition("provider-upload-")[2]
    ignored_keys = {"provider"} if provider in _OUR_PROVIDERS else {"provider", "providerOptions"}
    other_options = {key: value for key, value in config.items() if key not in ignored_keys}
    return None if provider in _OUR_PROVIDERS else provider, {"config": other_options}


def _settings(
    exported: Mapping[str, object], counterparts: Mapping[str, str], settings: Settings
) -> Iterator[str]:
    for path, value in leaves(exported):
        name = counterparts.get(path)
        if value is CODE:
            difference: str | None = f"{path} is computed"
        elif name is not None:
            difference = _difference(path, value, name, settings)
        elif path.startswith(_READ_BY_OTHER_MODULES) or path.endswith(_SWITCHES):
            difference = None
        else:
            difference = f"{path} has no counterpart here"
        if difference:
            yield difference


def _difference(path: str, value: object, name: str, settings: Settings) -> str | None:
    setting = known_settings()[name]
    if isinstance(value, EnvironmentVariable):
        return None
    try:
        expected = setting.kind.read(value)
    except InvalidValueError:
        expected = value
    effective = reduce(getattr, name.split("."), settings)
    if setting.private:
        source = f"the value of {setting.variable}"
        return None if expected == effective else f"{path} is not {source}"
    effective_text = next(row[1] for row in settings.explain() if row[0] == name)
    if expected == effective or _format_value(value) == effective_text:
        return None
    return f"{path} is {_format_value(value)}, {name} is {effective_text}"


def _format_value(value: object) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    return "none" if value is None else str(value)
