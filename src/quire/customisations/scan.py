"""Finds JavaScript in a project with behaviour that is missing here, since Quire does not run it.

Code that guards content must not be lost unnoticed. A content type whose routes or controllers
contain code, or whose routes name a policy or a middleware of the project, is disabled until the
owner lists each of the files under ``[migration] ignore``; a middleware of ``config/middlewares``
disables all types. Document middlewares and lifecycles disable the actions that they may guard.
Code that only adds something (services, cron tasks, start-up code, plugins, configuration) is a
warning.

Nothing is run. A file that is exactly what the generator writes has no finding; router options, and
middlewares, policies and actions that only check or change a little, are understood and served.
Everything else counts as code. If it is unknown which types it concerns, it concerns them all.
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from fnmatch import fnmatchcase
from pathlib import Path
from types import MappingProxyType

from msgspec import Struct, field
from msgspec.structs import replace

from quire.customisations import generated_files
from quire.customisations.controllers import (
    Actions,
    Overrides,
    factory_methods,
    factory_object,
    read_controller,
    service_methods,
)
from quire.customisations.document_hooks import find_document_hooks
from quire.customisations.end_user_routes import END_USER_ACTIONS, END_USER_PREFIX
from quire.customisations.evaluated_code.checks import ScriptProject
from quire.customisations.evaluated_code.model import ServiceCode, has_single_rows
from quire.customisations.findings import Customisations, Effect, Finding, FindingKind, warning_of
from quire.customisations.hook_guards import HookGuard
from quire.customisations.javascript_files import (
    SourceFile,
    folders,
    named_sources,
    registered_name,
    sources,
)
from quire.customisations.pass_through_middlewares import require_pass_through
from quire.customisations.project_wide_code import (
    find_configuration,
    find_end_user_extension,
    find_project_code,
    find_start_up_changes,
    global_middlewares,
)
from quire.customisations.reads import ReadContext
from quire.customisations.route_config import GuardCode, GuardProblem
from quire.customisations.router_files import (
    ADMIN_PATHS,
    RouterFile,
    Routes,
    read_routes,
    request_paths,
    served_routes,
)
from quire.customisations.served_routes import CORE_ACTIONS, core_routes
from quire.customisations.statements import NotUnderstoodError
from quire.javascript.scope import Module
from quire.javascript.syntax import Function, Object
from quire.schema.model import USER_UID, ContentType, Schema
from quire.settings import Settings

_UID = re.compile(r"api::[\w-]+\.[\w-]+")

_QUOTED_PATH = re.compile(r"""['"`]/([\w-]+)""")

_KINDS_OF_PROBLEMS: Mapping[str, FindingKind] = {
    "routes": "routes",
    "policy": "policy",
    "middleware": "middleware",
}

Types = Mapping[str, ContentType]


class ServiceFiles:
    """Analyses the service files of a project, once each."""

    def __init__(self, project: Path) -> None:
        """Reads nothing yet."""
        self._project = project
        self._overrides_by_uid: dict[str, tuple[Module, Overrides] | None] = {}
        self.called: set[tuple[str, str]] = set()
        """The methods, by uid and name, that understood actions call."""
        self._code: dict[str, ServiceCode | None] = {}

    def find_service(self, uid: str) -> tuple[Module, Overrides] | None:
        """Return the module of a service and the methods that it adds to those of the core."""
        if uid not in self._overrides_by_uid:
            self._overrides_by_uid[uid] = self._read(uid)
        return self._overrides_by_uid[uid]

    def code(self, uid: str) -> ServiceCode | None:
        """Return the code of a service, ``None`` if it is not known for certain."""
        if uid not in self._code:
            self._code[uid] = self._service_code(uid)
        return self._code[uid]

    def _service_code(self, uid: str) -> ServiceCode | None:
        file = self._file(uid)
        if file is None or not file.module.is_known:
            return None
        module, exported = file.module, file.module.exported
        if isinstance(exported, Function | Object):
            return ServiceCode(module, exported, is_core=False)
        expression = factory_object(module, "createCoreService", uid)
        return None if expression is None else ServiceCode(module, expression, is_core=True)

    def note_call(self, uid: str, name: str) -> None:
        """Record that an understood action calls a method."""
        self.called.add((uid, name))

    def _read(self, uid: str) -> tuple[Module, Overrides] | None:
        file = self._file(uid)
        if file is None:
            return None
        methods = factory_methods(file.module, "createCoreService", uid)
        return None if methods is None else (file.module, methods)

    def _file(self, uid: str) -> SourceFile | None:
        api, _, name = uid.removeprefix("api::").partition(".")
        for folder in folders(self._project / "src" / "api"):
            if registered_name(folder.name) != api:
                continue
            for file in sources(self._project, folder / "services"):
                if file.name == name:
                    return file
        return None


def matches(path: str, pattern: str) -> bool:
    """Whether a pattern matches a path with slashes, or a folder that contains it."""
    return _match(path.split("/"), pattern.strip("/").removeprefix("./").split("/"))


def _match(parts: Sequence[str], patterns: Sequence[str]) -> bool:
    if not patterns:
        return True
    if patterns[0] == "**":
        other_patterns = patterns[1:]
        return any(_match(parts[start:], other_patterns) for start in range(len(parts) + 1))
    if not parts:
        return False
    return fnmatchcase(parts[0], patterns[0]) and _match(parts[1:], patterns[1:])


NOTHING_REPLACED: Mapping[str, str] = MappingProxyType({})


class _Api(Struct, frozen=True):
    """A folder of ``src/api``: its name as in uids, and its types."""

    name: str
    folder: Path
    types: tuple[ContentType, ...]


def find_customisations(
    settings: Settings, schema: Schema, replaced: Mapping[str, str] = NOTHING_REPLACED
) -> Customisations:
    """Find the project's JavaScript with more than the usual behaviour of content types.

    ``replaced`` are files that Python code takes the place of, with its places. Reads files and
    changes nothing. A project without JavaScript has no findings.
    """
    types = schema.content_types
    project = settings.project
    apis = [_build_api(folder, types) for folder in folders(project / "src" / "api")]
    services = ServiceFiles(project)
    scripts = _build_scripts(schema, services)
    controllers = _Controllers(
        ReadContext(schema, services.find_service, services.note_call), scripts
    )
    in_apis = [finding for api in apis for finding in _api_findings(project, api, controllers)]
    # These depend on the calls that all controllers contain.
    in_apis += [finding for api in apis for finding in _service_findings(project, api, services)]
    code = GuardCode(project, scripts)
    router_files = _router_files(project, apis)
    routes = read_routes(router_files, types, code, controllers.actions)
    hook_findings = list(find_document_hooks(project, schema, services.find_service))
    guarding_files = {finding.file for finding in hook_findings}
    in_apis = [
        finding
        for finding in in_apis
        if finding.kind != "lifecycles" or finding.file not in guarding_files
    ]
    extension_findings, extension_routes = find_end_user_extension(project, types)
    paths_by_name = request_paths(types, routes, settings.api.prefix)
    findings = [
        *_routes_findings(routes, apis, types),
        *(_missing_routes_findings(apis, routes, types) if router_files else ()),
        *in_apis,
        *_guard_findings(settings, apis, routes, code, types, paths_by_name),
        *find_project_code(project, types),
        *extension_findings,
        *find_start_up_changes(project, types, paths_by_name),
        *hook_findings,
        *find_configuration(settings),
    ]
    customisations = _apply_ignores(findings, settings.migration.ignore, replaced, types)
    core_routes_by_uid = served_routes(routes, controllers.actions, customisations.closed, types)
    return replace(
        customisations,
        routes=MappingProxyType(core_routes_by_uid),
        unserved=(*routes.unserved, *extension_routes),
    )


def _build_scripts(schema: Schema, services: ServiceFiles) -> ScriptProject:
    return ScriptProject(
        services.code,
        services.note_call,
        types=frozenset({*(content_type.uid for content_type in schema.api_types), USER_UID}),
        single_row_types=frozenset(
            content_type.uid for content_type in schema.api_types if has_single_rows(content_type)
        ),
    )


def _router_files(project: Path, apis: Iterable[_Api]) -> list[RouterFile]:
    return [
        RouterFile(api.name, file)
        for api in apis
        for file in sources(project, api.folder / "routes")
    ]


def _apply_ignores(
    findings: list[Finding], ignore: tuple[str, ...], replaced: Mapping[str, str], types: Types
) -> Customisations:
    """Leave out findings that the owner accepts or replaces, and collect what others disable."""
    weighed_findings = []
    guards: list[HookGuard] = []
    files_by_action: dict[str, list[str]] = {}
    for finding in sorted(
        findings, key=lambda finding: (finding.file, finding.kind, finding.sentence)
    ):
        closed_names = tuple(
            sorted(name for name in set(finding.closes) if _is_closable(name, types))
        )
        effect: Effect = "closed" if closed_names or finding.guards else "warning"
        if finding.file in replaced:
            effect = "replaced"
        elif any(matches(finding.file, pattern) for pattern in ignore):
            effect = "ignored"
        weighed_findings.append(
            replace(finding, effect=effect, closes=(*closed_names, *_guarded_names(finding)))
        )
        if effect == "closed":
            guards += finding.guards
            for name in closed_names:
                files_by_action.setdefault(name, []).append(finding.file)
    unused_patterns = tuple(
        pattern
        for pattern in ignore
        if not any(matches(finding.file, pattern) for finding in weighed_findings)
    )
    files = {name: tuple(dict.fromkeys(files_by_action[name])) for name in sorted(files_by_action)}
    found_files = {finding.file for finding in weighed_findings}
    unused_replacements = tuple(
        (location, file) for file, location in replaced.items() if file not in found_files
    )
    return Customisations(
        MappingProxyType(files),
        tuple(weighed_findings),
        unused_patterns,
        unused_replacements,
        guards=tuple(guards),
    )


def _guarded_names(finding: Finding) -> Iterator[str]:
    """Yield the names of the actions on documents that a finding disables."""
    for guard in finding.guards:
        yield from (f"{guard.uid}.{name}" for name in guard.core_actions)


def _is_closable(name: str, types: Types) -> bool:
    """Whether a name is that of a content type, or of one of its actions."""
    uid, _, action = name.rpartition(".")
    if name in types or name.removeprefix(END_USER_PREFIX) in END_USER_ACTIONS:
        return True
    return uid in types and action in {core_action for _, _, core_action in core_routes(types[uid])}


def _build_api(folder: Path, types: Types) -> _Api:
    name = registered_name(folder.name)
    api_types = tuple(
        content_type for uid, content_type in types.items() if uid.startswith(f"api::{name}.")
    )
    return _Api(name, folder, api_types)


def _guarded_types(router_file: RouterFile, api: "_Api", types: Types) -> frozenset[str]:
    """The types that routes with code may guard: those of the folder, and any that they name."""
    segments = set(_QUOTED_PATH.findall(router_file.file.text))
    by_path = {
        uid
        for uid, content_type in types.items()
        if content_type.is_api and content_type.route_name in segments
    }
    return frozenset(
        {content_type.uid for content_type in api.types}
        | set(_UID.findall(router_file.file.text))
        | by_path
    )


def _routes_findings(routes: Routes, apis: Iterable["_Api"], types: Types) -> Iterator[Finding]:
    folders_by_name = {api.name: api for api in apis}
    for router_file in routes.opaque:
        sentence = "has routes of its own, or options on the usual ones, that are not served"
        closes = _guarded_types(router_file, folders_by_name[router_file.api], types)
        yield warning_of(router_file.file, "routes", sentence, closes)
    problems = [
        (f"{registered_route.uid}.{registered_route.route.action}", problem)
        for registered_routes in routes.registered.values()
        for registered_route in registered_routes
        for problem in registered_route.problems
    ]
    by_problem: dict[GuardProblem, set[str]] = {}
    for action, problem in (*problems, *routes.problems):
        by_problem.setdefault(problem, set()).add(action)
    for problem, actions in by_problem.items():
        kind = _KINDS_OF_PROBLEMS[problem.kind]
        yield Finding(problem.file, kind, "warning", problem.sentence, tuple(sorted(actions)))


def _missing_routes_findings(
    apis: Iterable["_Api"], routes: Routes, types: Types
) -> Iterator[Finding]:
    """Types without routes in a project that has routes for others."""
    by_name = {api.name: api for api in apis}
    uids_with_routes = set(routes.registered)
    for router_file in routes.opaque:
        uids_with_routes |= _guarded_types(router_file, by_name[router_file.api], types)
    for content_type in (type_ for api in by_name.values() for type_ in api.types):
        if content_type.uid not in uids_with_routes:
            sentence = (
                "has no routes file, and so no routes in Strapi; here it has the usual ones, "
                "open to those whom a role or a token allows it"
            )
            yield Finding(content_type.file, "routes", "warning", sentence)


class _Controllers(Struct):
    """The controllers of content types that are not the core ones, by the uid of the type."""

    project: ReadContext
    scripts: ScriptProject
    actions: dict[str, Actions] = field(default_factory=dict)

    def take(self, file: SourceFile, uid: str) -> Iterator[Finding]:
        """Analyse a controller; yields what it disables and what of it does not run."""
        actions = self.actions[uid] = read_controller(file, uid, self.project, self.scripts)
        by_reason: dict[str, list[str]] = {}
        for name, reason in actions.closed.items():
            by_reason.setdefault(reason, []).append(f"{uid}.{name}")
        if len(by_reason) == 1 and len(actions.closed) == len(CORE_ACTIONS):
            by_reason = {reason: [uid] for reason in by_reason}
        for reason, closes in by_reason.items():
            yield warning_of(file, "controller", reason, closes)
        if actions.own:
            names = ", ".join(actions.own)
            yield warning_of(file, "controller", f"has actions of its own that do not run: {names}")


def _api_findings(project: Path, api: _Api, controllers: _Controllers) -> Iterator[Finding]:
    yield from _controller_findings(project, api, controllers)
    for folder in folders(api.folder / "content-types"):
        for file in named_sources(project, folder, "lifecycles"):
            if not generated_files.is_empty(file.exported):
                yield warning_of(file, "lifecycles", "has hooks that do not run")
    for file in named_sources(project, api.folder, "index"):
        if not generated_files.is_empty_start_up(file.exported):
            yield warning_of(file, "start-up", "has functions that do not run")


def _controller_findings(project: Path, api: _Api, controllers: _Controllers) -> Iterator[Finding]:
    """Find controllers that are not the core ones."""
    for file in sources(project, api.folder / "controllers"):
        uid = f"api::{api.name}.{file.name}"
        if generated_files.is_core_controller(file.exported, uid):
            continue
        if uid in {content_type.uid for content_type in api.types}:
            yield from controllers.take(file, uid)
        else:
            yield warning_of(file, "controller", "has actions of its own that do not run")


def _service_findings(project: Path, api: _Api, services: ServiceFiles) -> Iterator[Finding]:
    """Find services that are not the core ones."""
    for file in sources(project, api.folder / "services"):
        uid = f"api::{api.name}.{file.name}"
        if generated_files.is_core_service(file.exported, uid):
            continue
        methods = service_methods(file, uid)
        replaced_actions = [name for name in methods or () if name in CORE_ACTIONS]
        if replaced_actions:
            sentence = (
                f"replaces {', '.join(replaced_actions)} of the core by code that does not run"
            )
            closes = [f"{uid}.{name}" for name in replaced_actions]
            yield warning_of(file, "service", sentence, closes)
        elif methods is None or any((uid, name) not in services.called for name in methods):
            yield warning_of(file, "service", "has methods of its own that do not run")


def _guard_findings(
    settings: Settings,
    apis: list[_Api],
    routes: Routes,
    code: GuardCode,
    types: Types,
    paths_by_name: Mapping[str, Sequence[str]],
) -> Iterator[Finding]:
    """Find policies and middlewares: those before all routes, and those that routes may name."""
    global_findings = list(_global_middleware_findings(settings, apis, types, paths_by_name))
    yield from global_findings
    global_files = {finding.file for finding in global_findings}
    kinds: dict[str, FindingKind] = {"policies": "policy", "middlewares": "middleware"}
    for folder, kind in kinds.items():
        for api, file in _guard_files(settings.project, apis, folder):
            if file.path not in global_files:
                yield from _route_guard_findings(file, kind, api, routes, code)


def _global_middleware_findings(
    settings: Settings, apis: list[_Api], types: Types, paths_by_name: Mapping[str, Sequence[str]]
) -> Iterator[Finding]:
    """Find the middlewares before all routes; they disable the types whose requests they refuse."""
    middlewares = global_middlewares(settings)
    files = [
        file
        for api, file in _guard_files(settings.project, apis, "middlewares")
        if (api, file.name) in middlewares.names
    ]
    for file in (*files, *middlewares.files):
        headers: set[str] = set()
        closes_by_reason: dict[str, list[str]] = {}
        for name, paths in paths_by_name.items():
            try:
                for path in paths:
                    headers |= require_pass_through(file.module, path)
            except NotUnderstoodError as error:
                closes_by_reason.setdefault(str(error), []).append(name)
        for reason, closes in closes_by_reason.items():
            is_of_all = len(closes) == len(paths_by_name)
            guarded = "all routes" if is_of_all else "routes"
            sentence = f"is a global middleware that may guard {guarded}: it {reason}"
            yield warning_of(file, "middleware", sentence, types if is_of_all else closes)
        if not closes_by_reason:
            set_headers = ", ".join(sorted(headers))
            names = f", so that it does not set {set_headers}" if headers else ""
            guarded = "the admin panel, not content," if _guards_admin(file) else "nothing,"
            sentence = f"is a global middleware that guards {guarded} and does not run{names}"
            yield warning_of(file, "middleware", sentence)
    for config, name in middlewares.unknown:
        sentence = f"names the middleware {name}, which may guard all routes, and does not run"
        yield warning_of(config, "middleware", sentence, types)


def _guards_admin(file: SourceFile) -> bool:
    try:
        for path in ADMIN_PATHS:
            require_pass_through(file.module, path)
    except NotUnderstoodError:
        return True
    return False


def _guard_files(
    project: Path, apis: Iterable[_Api], folder: str
) -> Iterator[tuple[str, SourceFile]]:
    """Yield policies or middlewares with the API that they belong to, empty for the project."""
    for file in sources(project, project / "src" / folder):
        yield "", file
    for api in apis:
        for file in sources(project, api.folder / folder):
            yield api.name, file


def _route_guard_findings(
    file: SourceFile, kind: FindingKind, api: str, routes: Routes, code: GuardCode
) -> Iterator[Finding]:
    """The finding of a policy or middleware; ``api`` is empty for one of the whole project.

    Those that routes name and that are understood have none; those that are not understood are
    found with the routes.
    """
    if any(_names(router_file, file, api) for router_file in routes.opaque):
        yield warning_of(file, kind, "is named by routes and does not run")
    elif file.path not in code.named:
        yield warning_of(file, kind, "does not run; no route names it")


def _names(routes: RouterFile, guard: SourceFile, api: str) -> bool:
    prefix = "" if api in {"", routes.api} else f"api::{api}."
    return any(
        re.search(rf"(?<![\w-]){re.escape(prefix + name)}(?![\w-])", routes.file.text)
        for name in {guard.stem, guard.name}
    )
