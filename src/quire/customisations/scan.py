"""Finds the JavaScript in a project that does what Quire, which does not run it, leaves undone.

Code that guards content must not be lost unnoticed. A content type whose routes or controllers hold
code of their own, or whose routes name a policy or a middleware of the project, is closed until the
owner lists each of the files under ``[migration] ignore``. What only adds something (services,
lifecycles, cron tasks, start-up code, plugins, configuration) is a warning.

Nothing is run and nothing is understood in depth: a file is either exactly what the generator
writes, or counts as code. Where it is open which types a file concerns, it concerns them all.
"""

import re
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from types import MappingProxyType

from msgspec import Struct

from quire.customisations import templates
from quire.customisations.configuration import differences
from quire.customisations.findings import Customisations, Effect, Finding, FindingKind
from quire.customisations.patterns import matches
from quire.customisations.tree import (
    SourceFile,
    folders,
    named_sources,
    registered_name,
    sources,
)
from quire.schema.model import ContentType
from quire.settings import Settings

_UID = re.compile(r"api::[\w-]+\.[\w-]+")
_QUOTED_PATH = re.compile(r"""['"`]/([\w-]+)""")
_IDENTITY = re.compile(r"""(?:['"]usestrict['"];?)?(?:module\.exports=|exportdefault)
    (?:\(?(\w+)(?::\w+)?\)?=>(?:\1|\{return\1;?\}));?""", re.VERBOSE)  # fmt: skip
_CONFIGURATION = ("admin", "api", "database", "features", "middlewares", "plugins", "server")

Types = Mapping[str, ContentType]


class _Api(Struct, frozen=True):
    """A folder of ``src/api``: its name as it stands in uids, and the types it declares."""

    name: str
    folder: Path
    types: tuple[ContentType, ...]


class _Routes(Struct, frozen=True):
    """A file of routes: which types it serves as usual, and which it holds code for."""

    api: str
    file: SourceFile
    serves: frozenset[str]
    guards: frozenset[str]
    is_code: bool


def find_customisations(settings: Settings, content_types: Iterable[ContentType]) -> Customisations:
    """What the project's JavaScript does beyond what every content type has.

    Reads the files of the tree and changes nothing. A project without JavaScript has no findings
    and is open.
    """
    types = {one.uid: one for one in content_types}
    project = settings.project
    apis = [_api(folder, types) for folder in folders(project / "src" / "api")]
    routes = [found for api in apis for found in _routes(project, api, types)]
    found = [
        *_routes_findings(routes),
        *_unserved(apis, routes),
        *(finding for api in apis for finding in _api_findings(project, api)),
        *_guards(project, apis, routes),
        *_whole_project(project, types),
        *_configuration(settings),
    ]
    return _weighed(found, settings.migration.ignore, types)


def _weighed(found: list[Finding], ignore: tuple[str, ...], types: Types) -> Customisations:
    """Leave out what the owner accepts, and sum up what is closed by the rest."""
    weighed = []
    closed: dict[str, list[str]] = {}
    for finding in sorted(found, key=lambda one: (one.file, one.kind)):
        closes = tuple(sorted(types.keys() & set(finding.closes)))
        is_ignored = any(matches(finding.file, pattern) for pattern in ignore)
        effect: Effect = "ignored" if is_ignored else "closed" if closes else "warning"
        weighed.append(Finding(finding.file, finding.kind, effect, finding.sentence, closes))
        for uid in closes if effect == "closed" else ():
            closed.setdefault(uid, []).append(finding.file)
    unused = tuple(
        pattern for pattern in ignore if not any(matches(one.file, pattern) for one in weighed)
    )
    files = {uid: tuple(dict.fromkeys(closed[uid])) for uid in sorted(closed)}
    return Customisations(MappingProxyType(files), tuple(weighed), unused)


def _finding(
    file: SourceFile, kind: FindingKind, sentence: str, closes: Iterable[str] = ()
) -> Finding:
    return Finding(file.path, kind, "warning", sentence, tuple(closes))


def _api(folder: Path, types: Types) -> _Api:
    name = registered_name(folder.name)
    own = tuple(one for uid, one in types.items() if uid.startswith(f"api::{name}."))
    return _Api(name, folder, own)


def _routes(project: Path, api: _Api, types: Types) -> Iterator[_Routes]:
    for file in sources(project, api.folder / "routes"):
        uid = templates.routed_uid(file.exported)
        if uid is not None:
            yield _Routes(api.name, file, frozenset({uid}), frozenset(), is_code=False)
        elif templates.is_without_routes(file.exported):
            yield _Routes(api.name, file, frozenset(), frozenset(), is_code=False)
        else:
            core = [one for one in api.types if templates.are_core_routes(file.exported, one)]
            served = frozenset(one.uid for one in core)
            guards = frozenset() if core else _concerned(file, api, types)
            yield _Routes(api.name, file, served, guards, is_code=not core)


def _concerned(file: SourceFile, api: _Api, types: Types) -> frozenset[str]:
    """The types that routes with code may guard: those of the folder, and any that they name."""
    segments = set(_QUOTED_PATH.findall(file.text))
    by_path = {uid for uid, one in types.items() if one.is_api and one.route_name in segments}
    return frozenset({one.uid for one in api.types} | set(_UID.findall(file.text)) | by_path)


def _routes_findings(routes: Iterable[_Routes]) -> Iterator[Finding]:
    for one in routes:
        if one.is_code:
            sentence = "has routes of its own, or options on the usual ones, that are not served"
            yield _finding(one.file, "routes", sentence, one.guards)


def _unserved(apis: Iterable[_Api], routes: list[_Routes]) -> Iterator[Finding]:
    """Types that have no routes in a project that has routes for others."""
    served = frozenset[str]().union(*(one.serves | one.guards for one in routes))
    for content_type in (one for api in apis for one in api.types):
        if routes and content_type.uid not in served:
            sentence = (
                "has no routes file, and so no routes in Strapi; here it has the usual ones, "
                "open to those whom a role or a token allows it"
            )
            yield Finding(content_type.file, "routes", "warning", sentence)


def _api_findings(project: Path, api: _Api) -> Iterator[Finding]:
    for file in sources(project, api.folder / "controllers"):
        uid = f"api::{api.name}.{file.name}"
        if not templates.is_core_controller(file.exported, uid):
            yield _finding(file, "controller", "has actions of its own that do not run", {uid})
    for file in sources(project, api.folder / "services"):
        if not templates.is_core_service(file.exported, f"api::{api.name}.{file.name}"):
            yield _finding(file, "service", "has methods of its own that do not run")
    for folder in folders(api.folder / "content-types"):
        for file in named_sources(project, folder, "lifecycles"):
            if not templates.is_empty(file.exported):
                yield _finding(file, "lifecycles", "has hooks that do not run")
    for file in named_sources(project, api.folder, "index"):
        if not templates.is_empty_start_up(file.exported):
            yield _finding(file, "start-up", "has functions that do not run")


def _guards(project: Path, apis: list[_Api], routes: list[_Routes]) -> Iterator[Finding]:
    """Policies and middlewares; each closes the types whose routes name it."""
    kinds: dict[str, FindingKind] = {"policies": "policy", "middlewares": "middleware"}
    for folder, kind in kinds.items():
        for file in sources(project, project / "src" / folder):
            yield _guard(file, kind, "", routes)
        for api in apis:
            for file in sources(project, api.folder / folder):
                yield _guard(file, kind, api.name, routes)


def _guard(file: SourceFile, kind: FindingKind, api: str, routes: list[_Routes]) -> Finding:
    """The finding of a policy or middleware; ``api`` is empty for one of the whole project."""
    closes: set[str] = set()
    for one in routes:
        if one.is_code and _names(one, file, api):
            closes |= one.guards
    if closes:
        return _finding(file, kind, "is named by routes and does not run", closes)
    return _finding(file, kind, "does not run; no route names it")


def _names(routes: _Routes, guard: SourceFile, api: str) -> bool:
    prefix = "" if api in {"", routes.api} else f"api::{api}."
    return any(
        re.search(rf"(?<![\w-]){re.escape(prefix + name)}(?![\w-])", routes.file.text)
        for name in {guard.stem, guard.name}
    )


def _whole_project(project: Path, types: Types) -> Iterator[Finding]:
    source = project / "src"
    for file in named_sources(project, source, "index"):
        if not templates.is_empty_start_up(file.exported):
            yield _finding(file, "start-up", "has functions that do not run at the start")
    for folder in folders(source / "extensions"):
        own = [uid for uid in types if uid.startswith(f"plugin::{folder.name}.")]
        for file in named_sources(project, folder, "strapi-server"):
            if not _IDENTITY.fullmatch(re.sub(r"\s+", "", file.text)):
                sentence = f"changes the plugin {folder.name} with code that does not run"
                yield _finding(file, "extension", sentence, own)
    for folder in folders(source / "plugins"):
        path = folder.relative_to(project).as_posix()
        sentence = "is a plugin that does not run, and whose types and routes do not exist"
        yield Finding(path, "plugin", "warning", sentence)


def _configuration(settings: Settings) -> Iterator[Finding]:
    project = settings.project
    config = project / "config"
    for folder in (config, config / "env" / settings.environment):
        for file in sources(project, folder):
            if "cron" in file.stem:
                yield _finding(file, "cron", "has tasks that do not run")
            elif file.stem in _CONFIGURATION:
                found = differences(file.stem, file.exported, file.text, settings)
                if found:
                    yield _finding(
                        file, "configuration", f"is not all in force: {'; '.join(found)}"
                    )
    for file in sources(project, config / "functions"):
        yield _finding(file, "cron", "has functions that do not run")
