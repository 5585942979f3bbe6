"""Finds code about the whole project: start-up, extensions, plugins, configuration."""

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from pathlib import Path

from msgspec import Struct

from quire.customisations import generated_files
from quire.customisations.config_folder import differences
from quire.customisations.end_user_extension import UnknownChangeError, analyse_extension
from quire.customisations.end_user_routes import (
    AUTHENTICATION,
    END_USER_PLUGIN,
    END_USER_PREFIX,
)
from quire.customisations.findings import Finding, warning_of
from quire.customisations.javascript_files import (
    SourceFile,
    folders,
    named_sources,
    nested_sources,
    registered_name,
    resolve_source,
    sources,
)
from quire.customisations.served_routes import UnservedRoute
from quire.customisations.start_up_code import changed_plugin_actions, guards_path
from quire.javascript.modules import plain_export
from quire.javascript.scope import walk
from quire.javascript.syntax import Function, Name
from quire.javascript.tokens import tokenise
from quire.settings import Settings

_PACKAGE_FILE = "package.json"
_PLUGIN = re.compile(
    r"(?:@[\w.-]+/)?(?:strapi-(?:v?5-)?plugin-|plugin-|strapi-).+|.+-strapi-plugin"
)
_OFFICIAL = "@strapi/plugin-"
_SUPPORTED_PLUGINS = frozenset({"i18n", "upload", "email", "users-permissions"})
_ONLY_IN_ADMIN = (
    *("ckeditor", "cloud", "color-picker", "config-sync", "documentation", "import-export"),
    *("location-picker", "preview-button", "schema-visualizer", "sentry", "seo"),
    *("sortable-entries", "tiptap", "tinymce", "multi-select", "provider"),
)
"""Parts of names of plugins for the admin panel or for uploads."""
_EFFECTS = {
    "graphql": "the GraphQL API is not served",
    "populate-deep": "populate=deep is not understood: name what to populate",
    "populate-all": "populate=all is not understood: name what to populate",
    "nested-populat": "what it populates by itself is not populated: name what to populate",
}

_IDENTITY = re.compile(r"""(?:['"]usestrict['"];?)?(?:module\.exports=|exportdefault)
    (?:\(?(\w+)(?::\w+)?\)?=>(?:\1|\{return\1;?\}));?""", re.VERBOSE)  # fmt: skip

_MIDDLEWARE_PATH = re.compile(r"(?:^|/)src/(?:api/([\w-]+)/)?middlewares/([\w-]+)")

_NOT_AT_START = frozenset({"admin"})
"""Folders of ``src`` with code of the browser."""
_VERSION = re.compile(r"[~^v]?([0-9]+)\.([0-9]+)[.0-9a-z-]*")
_FIRST_WITH_FACTORY = (5, 23)

_CONFIGURATION = ("admin", "api", "database", "features", "middlewares", "plugins", "server")


def find_plugins(project: Path) -> Iterator[Finding]:
    """Find the plugins of a project."""
    for folder in folders(project / "src" / "plugins"):
        path = folder.relative_to(project).as_posix()
        sentence = "is a plugin that does not run, and whose types and routes do not exist"
        yield Finding(path, "plugin", "warning", sentence)
    for name in sorted(_dependencies(project)):
        effect = _missing_plugin_effect(name)
        if effect is not None:
            yield Finding(_PACKAGE_FILE, "plugin", "warning", f"{name}: {effect}")


def _missing_plugin_effect(name: str) -> str | None:
    """Return the effect of a missing plugin, ``None`` if there is none."""
    if not _PLUGIN.fullmatch(name):
        return None
    is_official = name.startswith("@strapi/")
    if is_official and name.removeprefix(_OFFICIAL) in _SUPPORTED_PLUGINS:
        return None
    if is_official and not name.startswith(_OFFICIAL):
        return None
    for part, effect in _EFFECTS.items():
        if part in name:
            return effect
    if any(part in name for part in _ONLY_IN_ADMIN):
        return None
    return "a plugin that does not run: its tables stay, its routes are not served"


def _dependencies(project: Path) -> Mapping[str, str]:
    """Return the packages that a project depends on, with their versions."""
    try:
        package = json.loads((project / _PACKAGE_FILE).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    dependencies = package.get("dependencies") if isinstance(package, dict) else None
    if not isinstance(dependencies, dict):
        return {}
    return {name: version for name, version in dependencies.items() if isinstance(version, str)}


def find_project_code(project: Path, types: Iterable[str]) -> Iterator[Finding]:
    """Find code that runs at the start, changes plugins, or belongs to them; ``types`` are uids."""
    source = project / "src"
    for file in named_sources(project, source, "index"):
        if not generated_files.is_empty_start_up(file.exported):
            yield warning_of(file, "start-up", "has functions that do not run at the start")
    for folder in folders(source / "extensions"):
        if folder.name == END_USER_PLUGIN:
            continue
        plugin_types = [uid for uid in types if uid.startswith(f"plugin::{folder.name}.")]
        for file in named_sources(project, folder, "strapi-server"):
            if not _IDENTITY.fullmatch(re.sub(r"\s+", "", file.text)):
                sentence = f"changes the plugin {folder.name} with code that does not run"
                yield warning_of(file, "extension", sentence, plugin_types)
    yield from find_plugins(project)


def find_end_user_extension(
    project: Path, types: Iterable[str]
) -> tuple[list[Finding], list[UnservedRoute]]:
    """Find what the extension of the plugin for end users closes, and the routes that it adds.

    ``types`` are the uids of all content types.
    """
    findings: list[Finding] = []
    routes: list[UnservedRoute] = []
    folder = project / "src" / "extensions" / END_USER_PLUGIN
    all_types = tuple(types)
    for file in named_sources(project, folder, "strapi-server"):
        try:
            changes = analyse_extension(
                file.module, ignores_members_of_factories=ignores_members_of_factories(project)
            )
        except UnknownChangeError as error:
            sentence = f"changes the plugin {END_USER_PLUGIN}, and {error}"
            closes = _closed_names(None, all_types)
            findings.append(warning_of(file, "extension", sentence, closes))
            continue
        if changes.actions:
            sentence = f"has actions of the plugin {END_USER_PLUGIN} that do not run"
            if AUTHENTICATION in changes.actions:
                sentence = "changes the authentication of all requests by code that does not run"
            closes = _closed_names(changes.actions, all_types)
            findings.append(warning_of(file, "extension", sentence, closes))
        findings += [warning_of(file, "extension", note) for note in sorted(changes.notes)]
        routes += [
            UnservedRoute(route.method, route.path, route.action, file.path)
            for route in changes.routes
        ]
    return findings, routes


def find_start_up_changes(
    project: Path, types: Iterable[str], paths_by_name: Mapping[str, Sequence[str]]
) -> Iterator[Finding]:
    """Find code that changes the plugin for end users, or adds middlewares, at the start.

    What an extension changes of its plugin before that is left out. ``types`` are the uids of all
    content types, ``paths_by_name`` are the paths of requests by uid or name of an account action.
    """
    all_types = tuple(types)
    source = project / "src"
    files = [*sources(project, source)]
    for folder in folders(source):
        if folder.name not in _NOT_AT_START:
            files += nested_sources(project, folder)
    for file in files:
        if file.path.endswith(".json"):
            continue
        if "server" in file.text and ".use" in file.text:
            guarded_names = [
                name
                for name, paths in paths_by_name.items()
                if any(guards_path(file.module, path) for path in paths)
            ]
            is_of_all = len(guarded_names) == len(paths_by_name)
            guarded = "all routes" if is_of_all else "routes"
            sentence = f"adds a middleware to the server, which may guard {guarded}"
            if guarded_names:
                closed_names = all_types if is_of_all else guarded_names
                yield warning_of(file, "start-up", f"{sentence}, and does not run", closed_names)
        if END_USER_PLUGIN not in file.text:
            continue
        closes = _closed_names(changed_plugin_actions(file.module), all_types)
        if closes:
            sentence = f"changes the plugin {END_USER_PLUGIN} by code that does not run"
            yield warning_of(file, "start-up", sentence, closes)


def _closed_names(actions: AbstractSet[str] | None, types: Sequence[str]) -> list[str]:
    """Return the types and actions that changes of the plugin for end users close.

    ``actions`` are those that have changed, ``None`` stands for the whole plugin.
    """
    if actions is None:
        return [uid for uid in types if uid.startswith(END_USER_PREFIX)]
    if AUTHENTICATION in actions:
        return [*types]
    return [f"{END_USER_PREFIX}{action}" for action in sorted(actions)]


def ignores_members_of_factories(project: Path) -> bool:
    """Whether the project's Strapi makes its controller ``auth`` with a function.

    Other members of that function, such as ``auth.callback = …`` in an extension, have no effect.
    """
    versions = _dependencies(project)
    name = f"@strapi/plugin-{END_USER_PLUGIN}"
    version = _VERSION.fullmatch(versions.get(name, versions.get("@strapi/strapi", "")))
    return version is not None and (int(version[1]), int(version[2])) >= _FIRST_WITH_FACTORY


class GlobalMiddlewares(Struct, frozen=True):
    """The middlewares that ``config/middlewares`` puts before all routes, but those of Strapi.

    ``names`` are those of the project: the API, empty for those in ``src/middlewares``, and the
    name. ``files`` are others that are files of the project. ``unknown`` are the names of all
    others, with the files that name them.
    """

    names: frozenset[tuple[str, str]]
    files: tuple[SourceFile, ...]
    unknown: tuple[tuple[SourceFile, str], ...]


def global_middlewares(settings: Settings) -> GlobalMiddlewares:
    """Return the middlewares that ``config/middlewares`` puts before all routes.

    A name that the file mentions counts, also one in an expression: whether that uses it is not
    known. Strapi ignores ``enabled`` of middlewares, and so does this.
    """
    config = settings.project / "config"
    names: set[tuple[str, str]] = set()
    files: dict[str, SourceFile] = {}
    unknown: list[tuple[SourceFile, str]] = []
    for folder in (config, config / "env" / settings.environment):
        for file in named_sources(settings.project, folder, "middlewares"):
            if not file.is_readable:
                unknown.append((file, "of an unreadable file"))
            imported_files = list(_imported_files(settings.project, file))
            mentioned_names = _listed_middlewares(file)
            for source in (file, *imported_files):
                mentioned_names += _mentioned_middlewares(source)
            for name in dict.fromkeys(mentioned_names):
                own_name = _middleware_name(name)
                resolved_file = resolve_source(settings.project, name)
                if own_name is not None:
                    names.add(own_name)
                elif resolved_file is None:
                    unknown.append((file, name))
                else:
                    files[resolved_file.path] = resolved_file
            if _has_handler(file.module.statements) or any(
                _has_handler(source.module.statements, next_name="next")
                for source in imported_files
            ):
                unknown.append((file, "(ctx, next) => …"))
    return GlobalMiddlewares(frozenset(names), tuple(files.values()), tuple(unknown))


def _imported_files(project: Path, file: SourceFile) -> Iterator[SourceFile]:
    """Yield the files of the project that a file imports, directly or not."""
    seen, pending = {file.path}, [file]
    while pending:
        source = pending.pop()
        folder = source.path.rpartition("/")[0]
        for token in tokenise(source.text):
            if token.kind == "string" and token.text.startswith("."):
                imported_file = resolve_source(project, f"{folder}/{token.text}")
                if imported_file is not None and imported_file.path not in seen:
                    seen.add(imported_file.path)
                    pending.append(imported_file)
                    yield imported_file


def _listed_middlewares(file: SourceFile) -> list[str]:
    """Return the names in an exported list, without those of Strapi's middlewares."""
    is_json = file.path.endswith(".json")
    exported = file.exported if is_json else plain_export(file.module, partial=True)
    entries = exported if isinstance(exported, list) else []
    names = [
        entry.get("name") or entry.get("resolve") if isinstance(entry, dict) else entry
        for entry in entries
    ]
    return [name for name in names if isinstance(name, str) and not name.startswith("strapi::")]


def _mentioned_middlewares(file: SourceFile) -> list[str]:
    """Return what code may add to a list: middlewares of the project and of plugins, and paths."""
    tokens = tokenise(file.text)
    return [
        token.text
        for index, token in enumerate(tokens)
        if token.kind == "string"
        and (
            _middleware_name(token.text) is not None
            or token.text.startswith("plugin::")
            or [before.text for before in tokens[index - 2 : index]] == ["resolve", ":"]
        )
    ]


def _has_handler(part: object, *, next_name: str | None = None) -> bool:
    """Whether code contains a function of a context and the next handler, of this name."""
    return any(
        isinstance(function, Function)
        and len(function.parameters) > 1
        and (next_name is None or function.parameters[1] == Name(next_name))
        for function in walk(part)
    )


def _middleware_name(text: str) -> tuple[str, str] | None:
    namespace, _, name = text.partition("::")
    if namespace == "global":
        return "", registered_name(name)
    if namespace == "api":
        api, _, name = name.partition(".")
        return registered_name(api), registered_name(name)
    path = _MIDDLEWARE_PATH.search(text)
    return path and (registered_name(path[1] or ""), registered_name(path[2]))


def find_configuration(settings: Settings) -> Iterator[Finding]:
    """Find the configuration that is not in effect, and tasks."""
    project = settings.project
    config = project / "config"
    for folder in (config, config / "env" / settings.environment):
        for file in sources(project, folder):
            if "cron" in file.stem:
                yield warning_of(file, "cron", "has tasks that do not run")
            elif file.stem in _CONFIGURATION:
                exported = file.exported
                if not file.path.endswith(".json"):
                    exported = plain_export(file.module, partial=True)
                result = differences(file.stem, exported, file.text, settings)
                if result:
                    yield warning_of(
                        file, "configuration", f"is not all in force: {'; '.join(result)}"
                    )
    for file in sources(project, config / "functions"):
        yield warning_of(file, "cron", "has functions that do not run")
