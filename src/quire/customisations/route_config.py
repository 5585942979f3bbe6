"""The ``config`` of a route: authentication, policies and middlewares."""

from collections.abc import Iterator, Mapping, Sequence
from enum import Enum
from pathlib import Path

from msgspec import Struct, field

from quire.customisations.evaluated_code.checks import ScriptProject, check_guard
from quire.customisations.evaluated_code.model import Script, ScriptKind
from quire.customisations.javascript_files import SourceFile, registered_name, sources
from quire.customisations.query_change_analysis import (
    understand_inline_middleware,
    understand_middleware,
)
from quire.customisations.query_changes import QueryStep
from quire.customisations.statements import NotUnderstoodError, is_harmless, statements_of
from quire.customisations.value_expressions import is_json
from quire.javascript.scope import UNDEFINED, Module, NotPlainError, is_truthy
from quire.javascript.syntax import (
    Call,
    Declaration,
    Expression,
    Function,
    If,
    Member,
    Name,
    Opaque,
    Return,
    Statement,
    Unary,
)

_KNOWN_MIDDLEWARES = frozenset({"plugin::users-permissions.rateLimit"})
"""Middlewares that pass every request unchanged, or only limit rates."""

_DESCRIPTION_KEYS = frozenset({"description", "summary", "tags", "tag", "notes", "name"})


class PolicyResult(Enum):
    """The result of a policy."""

    ALLOW = "allow"
    DENY = "deny"
    SIGNED_IN = "signed in"
    """Allows signed-in end users only."""


def understand_policy(module: Module) -> PolicyResult:
    """Return the result of a module's policy. Raises NotUnderstoodError."""
    exported = module.exported
    if not module.is_known or not isinstance(exported, Function):
        raise NotUnderstoodError("does not export a function alone")
    match exported.parameters:
        case (Name(context), *_):
            name = context
        case ():
            name = ""
        case _:
            raise NotUnderstoodError("is not a function of the context")
    statements = statements_of(exported)
    return _policy(module.inner(statements), name, statements)


def _policy(module: Module, context: str, statements: Sequence[Statement]) -> PolicyResult:
    for index, statement in enumerate(statements):
        match statement:
            case Declaration():
                continue
            case Return(value) if value is not None:
                return _policy_result(module, context, value)
            case If(test, then, ()):
                decision = _decision(module, context, test)
                other_statements = statements[index + 1 :]
                if decision is PolicyResult.ALLOW:
                    return _policy(module, context, then)
                if decision is PolicyResult.DENY:
                    return _policy(module, context, other_statements)
                result, other_result = (
                    _policy(module, context, then),
                    _policy(module, context, other_statements),
                )
                if (result, other_result) == (PolicyResult.ALLOW, PolicyResult.DENY):
                    return PolicyResult.SIGNED_IN
                raise NotUnderstoodError("decides by more than whether somebody is signed in")
            case _ if is_harmless(statement):
                continue
            case _:
                break
    raise NotUnderstoodError("decides by code that does not run")


def _policy_result(module: Module, context: str, value: Expression) -> PolicyResult:
    """Return the result of a policy that returns a value: only ``true`` allows."""
    match value:
        case Unary("!", _) | Call(Name("Boolean"), _):
            return _decision(module, context, value)
        case _:
            pass
    try:
        result = module.value(value)
    except NotPlainError:
        raise NotUnderstoodError("decides by code that does not run") from None
    if result is UNDEFINED:
        return PolicyResult.ALLOW
    return PolicyResult.ALLOW if result is True else PolicyResult.DENY


def _decision(module: Module, context: str, value: Expression) -> PolicyResult:
    match value:
        case Unary("!", Unary("!", inner)) | Call(Name("Boolean"), (inner,)):
            return _decision(module, context, inner)
        case Member(Member(Name(of), "state"), "user") if of == context and context:
            return PolicyResult.SIGNED_IN
    try:
        return PolicyResult.ALLOW if is_truthy(module.value(value)) else PolicyResult.DENY
    except NotPlainError:
        raise NotUnderstoodError("decides by code that does not run") from None


_KNOWN_POLICIES = {
    "plugin::users-permissions.isAuthenticated": PolicyResult.SIGNED_IN,
    # Administrators do not use the content API.
    "admin::isAuthenticatedAdmin": PolicyResult.DENY,
}


class GuardProblem(Struct, frozen=True):
    """Why a route is disabled: the file with the code, and the reason."""

    file: str
    kind: str
    sentence: str


class RouteGuard(Struct):
    """The checks of a request before the core action, as far as they are understood.

    ``is_open`` stands for ``auth: false``, ``is_refused`` for a policy that nobody passes.
    ``problems`` lists the code that is not understood; a route with any of them is disabled.
    """

    is_open: bool = False
    permission: str | None = None
    needs_user: bool = False
    is_refused: bool = False
    steps: tuple[QueryStep, ...] = ()
    policies: tuple[Script, ...] = ()
    middlewares: tuple[Script | tuple[QueryStep, ...], ...] = ()
    problems: list[GuardProblem] = field(default_factory=list)

    @property
    def has_scripts(self) -> bool:
        """Whether code is evaluated before the action."""
        return bool(self.policies) or any(
            isinstance(middleware, Script) for middleware in self.middlewares
        )


class GuardCode:
    """The policies and middlewares of a project, each analysed once."""

    def __init__(self, project: Path, scripts: ScriptProject) -> None:
        self._project = project
        self._scripts = scripts
        self._files: dict[tuple[str, str], dict[str, SourceFile]] = {}
        self._steps: dict[str, tuple[QueryStep, ...] | str] = {}
        self._policies: dict[str, PolicyResult | str] = {}
        self.named: set[str] = set()
        """The files that some route names."""

    def guard(self, config: object, api: str, file: SourceFile) -> RouteGuard:
        """Return the guard of a route from its ``config`` in a file of an API."""
        guard = RouteGuard()
        if not isinstance(config, dict):
            guard.problems.append(
                GuardProblem(file.path, "routes", "computes the options of a route")
            )
            return guard
        for name, value in config.items():
            if name == "auth":
                self._authentication(guard, value, file)
            elif name == "policies":
                self._check(guard, value, api, file)
            elif name == "middlewares":
                self._change(guard, value, api, file)
            elif name not in _DESCRIPTION_KEYS:
                sentence = f"has the option {name} on a route, which is not known"
                guard.problems.append(GuardProblem(file.path, "routes", sentence))
        return guard

    def _authentication(self, guard: RouteGuard, value: object, file: SourceFile) -> None:
        match value:
            case False:
                guard.is_open = True
            case {"scope": [str() as action]} if action.count(".") > 1 or "::" in action:
                guard.permission = action
            case True | {}:
                if value not in (True, {}):
                    sentence = "has authentication of its own on a route"
                    guard.problems.append(GuardProblem(file.path, "routes", sentence))
            case _:
                sentence = "has authentication of its own on a route"
                guard.problems.append(GuardProblem(file.path, "routes", sentence))

    def _check(self, guard: RouteGuard, value: object, api: str, file: SourceFile) -> None:
        for policy in _entries(value):
            policy_result, problem = self._policy(policy, api, file)
            if problem is not None:
                guard.problems.append(problem)
            elif isinstance(policy_result, Script):
                guard.policies += (policy_result,)
            elif policy_result is PolicyResult.SIGNED_IN:
                guard.needs_user = True
            elif policy_result is PolicyResult.DENY:
                guard.is_refused = True

    def _policy(
        self, policy: object, api: str, file: SourceFile
    ) -> tuple[PolicyResult | Script | None, GuardProblem | None]:
        name = _name_of(policy)
        if name is None:
            return None, GuardProblem(file.path, "routes", "has a policy of its own on a route")
        if name in _KNOWN_POLICIES:
            return _KNOWN_POLICIES[name], None
        code = self._find("policies", name, api)
        if code is None:
            return None, GuardProblem(
                file.path, "routes", f"names the policy {name}, which is not known"
            )
        if code.path not in self._policies:
            try:
                self._policies[code.path] = understand_policy(code.module)
            except NotUnderstoodError as error:
                self._policies[code.path] = str(error)
        result = self._policies[code.path]
        if not isinstance(result, str):
            return result, None
        return self._script(code, ScriptKind.POLICY, policy)

    def _script(
        self, code: SourceFile, kind: ScriptKind, entry: object
    ) -> tuple[Script | None, GuardProblem | None]:
        """Return a policy or middleware that is evaluated for each request."""
        module = code.module
        exported = module.exported if module.is_known else None
        try:
            config = _config_of(entry)
            return check_guard(module, exported or Opaque(), kind, self._scripts, config), None
        except NotUnderstoodError as error:
            return None, GuardProblem(code.path, kind.value, f"is named by routes and {error}")

    def _change(self, guard: RouteGuard, value: object, api: str, file: SourceFile) -> None:
        for middleware in _entries(value):
            steps, problem = self._middleware(middleware, api, file)
            if isinstance(steps, Script):
                guard.middlewares += (steps,)
            elif steps:
                guard.steps += steps
                guard.middlewares += (steps,)
            if problem is not None:
                guard.problems.append(problem)

    def _middleware(
        self, middleware: object, api: str, file: SourceFile
    ) -> tuple[tuple[QueryStep, ...] | Script, GuardProblem | None]:
        if isinstance(middleware, Function):
            return self._inline(middleware, file)
        name = _name_of(middleware)
        if name in _KNOWN_MIDDLEWARES:
            return (), None
        if name is None:
            return (), GuardProblem(file.path, "routes", "has a middleware of its own on a route")
        code = self._find("middlewares", name, api)
        if code is None:
            sentence = f"names the middleware {name}, which is not known"
            return (), GuardProblem(file.path, "routes", sentence)
        if code.path not in self._steps:
            try:
                self._steps[code.path] = understand_middleware(code.module)
            except NotUnderstoodError as error:
                self._steps[code.path] = str(error)
        steps = self._steps[code.path]
        if not isinstance(steps, str):
            return steps, None
        script, problem = self._script(code, ScriptKind.MIDDLEWARE, middleware)
        return script or (), problem

    def _inline(
        self, middleware: Function, file: SourceFile
    ) -> tuple[tuple[QueryStep, ...] | Script, GuardProblem | None]:
        try:
            return understand_inline_middleware(file.module, middleware), None
        except NotUnderstoodError:
            pass
        try:
            module, kind = file.module, ScriptKind.HANDLER
            return check_guard(module, middleware, kind, self._scripts, {}), None
        except NotUnderstoodError as error:
            return (), GuardProblem(
                file.path, "routes", f"has a middleware on a route that {error}"
            )

    def _find(self, folder: str, name: str, api: str) -> SourceFile | None:
        """Find a policy or middleware by the name that a route of an API uses."""
        namespace, _, local_name = name.partition("::")
        if namespace == "global" and local_name:
            places = [("", local_name)]
        elif namespace == "api" and local_name:
            owner, _, own_name = local_name.partition(".")
            places = [(owner, own_name)]
        elif not local_name:
            places = [(api, name), ("", name)]
        else:
            return None
        for owner, own_name in places:
            file = self._files_by_name(owner, folder).get(registered_name(own_name))
            if file is not None:
                self.named.add(file.path)
                return file
        return None

    def _files_by_name(self, api: str, folder: str) -> Mapping[str, SourceFile]:
        key = (api, folder)
        if key not in self._files:
            self._files[key] = {file.name: file for file in self._sources(api, folder)}
        return self._files[key]

    def _sources(self, api: str, folder: str) -> Iterator[SourceFile]:
        source = self._project / "src"
        if not api:
            yield from sources(self._project, source / folder)
            return
        for path in sorted((source / "api").iterdir()):
            if path.is_dir() and registered_name(path.name) == api:
                yield from sources(self._project, path / folder)


def _entries(value: object) -> Sequence[object]:
    return value if isinstance(value, list) else [value]


def _config_of(entry: object) -> Mapping[str, object]:
    """Return the options of a policy or middleware. Raises NotUnderstoodError."""
    config = entry.get("config", {}) if isinstance(entry, dict) else {}
    if not isinstance(config, dict) or not is_json(config):
        raise NotUnderstoodError("is given something that is computed")
    return config


def _name_of(entry: object) -> str | None:
    """Return the name in an entry of ``policies`` or ``middlewares``, with options or without."""
    if isinstance(entry, dict):
        entry = entry.get("name")
    return entry if isinstance(entry, str) else None
