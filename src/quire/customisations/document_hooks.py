"""Finds document middlewares and lifecycles that guard content, and what they guard.

Strapi calls document middlewares (``strapi.documents.use``) around the actions of the document
service, and lifecycles (``lifecycles.js``, ``strapi.db.lifecycles.subscribe``) around the queries
of these actions. Neither runs here.
"""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from os.path import normpath
from pathlib import Path

from msgspec import Struct
from msgspec.structs import replace

from quire.customisations.end_user_routes import END_USER_ACTIONS, END_USER_PREFIX, SERVICE_ACTIONS
from quire.customisations.findings import Finding, FindingKind
from quire.customisations.generated_files import is_empty
from quire.customisations.hook_analysis import require_no_guard
from quire.customisations.hook_guards import HookGuard
from quire.customisations.hook_values import (
    NOT_UNDERSTOOD,
    FindService,
    GuardingCodeError,
    HookCall,
    JavaScriptProject,
    exported_function,
)
from quire.customisations.javascript_files import (
    SourceFile,
    folders,
    named_sources,
    nested_sources,
    registered_name,
    resolve_source,
    sources,
)
from quire.hooks.policies import RuleAction
from quire.javascript.scope import Module, NotPlainError, bound_names, walk
from quire.javascript.syntax import (
    Array,
    Assign,
    Call,
    Declaration,
    Destructuring,
    Evaluate,
    Export,
    Expression,
    ForOf,
    Function,
    Import,
    Literal,
    Member,
    Name,
    Object,
    ObjectPattern,
    Opaque,
    Return,
    Spread,
    Unary,
)
from quire.schema.model import FILE_UID, USER_UID, ContentType, Schema, TypeKind

_NOT_OF_SERVER = frozenset({"admin"})
"""Folders of ``src`` with code of the browser."""
_DEEPEST_CALL = 4
_USES_OF_LISTS = 2
"""Uses of the name of a list that nothing changes: where it is declared, and in the loop."""
_RELATIVE_IMPORT = re.compile(r"""["'`](\.\.?/[^"'`\n]*)["'`]""")
_QUERIES = (
    *("Create", "CreateMany", "Update", "UpdateMany", "Delete", "DeleteMany"),
    *("FindOne", "FindMany", "Count"),
)
_LIFECYCLES = tuple(f"{phase}{query}" for query in _QUERIES for phase in ("before", "after"))
_EXPORT_WORDS = frozenset({"export", "exports", "module"})
_OF_DRAFTS: tuple[RuleAction, ...] = ("publish", "unpublish", "discard_draft")

_SERVICES = frozenset(
    {"documents", "db", "query", "entityService", "contentAPI", "sanitizers", "validators"}
)
"""Members of ``strapi`` that read, write or check documents."""
_STRAPI = (Name("strapi"), *(Member(Name(name), "strapi") for name in ("global", "globalThis")))
_READING_FUNCTIONS = frozenset({"keys", "values", "entries", "getOwnPropertyNames", "get", "has"})
_REPLACEMENT = re.compile(
    r"strapi\s*[.\[?][^;=(\n]*=[^=>]|(?:Object|Reflect)\.\w+\(\s*strapi\b|sanitizers|validators"
)
"""Text of code that may replace services; only such files are parsed for it."""

Actions = tuple[RuleAction, ...]
Members = Mapping[str, tuple[Module, Expression]]
"""The values of an object by key, with the scopes that they belong to."""


class _Hook(Struct, frozen=True):
    """A function that Strapi calls; ``function`` is ``None`` if it is unknown.

    ``types`` are those whose actions it is called for, ``line`` is where it is registered.
    """

    file: SourceFile
    module: Module
    function: Function | None
    types: tuple[ContentType, ...]
    calls: tuple[str, ...]
    """The actions of the document service, or the lifecycles, that it is called for."""
    line: int | None

    @property
    def is_middleware(self) -> bool:
        return self.calls == _MIDDLEWARE_CALLS

    @property
    def kind(self) -> FindingKind:
        return "document middleware" if self.is_middleware else "lifecycles"


def find_document_hooks(
    project: Path, schema: Schema, find_service: FindService
) -> Iterator[Finding]:
    """Find document middlewares and lifecycles that may guard content, with what they guard."""
    search = _HookSearch(project, schema)
    code = JavaScriptProject(project, find_service, set())
    attributes = frozenset(
        name
        for model in (*schema.content_types.values(), *schema.components.values())
        for name in model.attributes
    )
    findings: dict[tuple[str, str], Finding] = {}
    for hook in search.hooks():
        for finding in _findings(hook, code, attributes):
            key = (finding.file, finding.sentence)
            other = findings.get(key)
            findings[key] = finding if other is None else _join(other, finding)
    yield from findings.values()


def _join(finding: Finding, other: Finding) -> Finding:
    """Return one finding for several calls of the same code."""
    guards = {guard.uid: guard for guard in finding.guards}
    for guard in other.guards:
        first = guards.get(guard.uid, guard)
        actions = tuple(dict.fromkeys((*first.actions, *guard.actions)))
        guards[guard.uid] = replace(guard, actions=actions)
    closes = tuple(dict.fromkeys((*finding.closes, *other.closes)))
    return replace(finding, closes=closes, guards=tuple(guards.values()))


def _findings(
    hook: _Hook, code: JavaScriptProject, attributes: frozenset[str]
) -> Iterator[Finding]:
    """Yield a finding for each place of a hook that guards something."""
    by_place: dict[tuple[str, str], dict[tuple[str, str], None]] = {}
    for name in hook.calls:
        error: GuardingCodeError | None = None
        for index, content_type in enumerate(hook.types):
            if not index or code.types_used:
                code.types_used.clear()
                call = HookCall(content_type=content_type, action=name, attributes=attributes)
                error = _guard_in(hook, code, call)
            if error is not None:
                place = f"{error.file or hook.file.path}:{error.line or hook.line or 1}"
                calls = by_place.setdefault((place, error.reason), {})
                calls[content_type.uid, name] = None
    types = {content_type.uid: content_type for content_type in hook.types}
    for (place, reason), calls in by_place.items():
        yield _finding(hook, place, reason, [(types[uid], name) for uid, name in calls])


def _guard_in(hook: _Hook, code: JavaScriptProject, call: HookCall) -> GuardingCodeError | None:
    if hook.function is None:
        return GuardingCodeError(NOT_UNDERSTOOD, hook.file.path, hook.line)
    try:
        require_no_guard(code, hook.module, hook.function, call, is_middleware=hook.is_middleware)
    except GuardingCodeError as error:
        return error
    return None


def _finding(
    hook: _Hook, place: str, reason: str, calls: Sequence[tuple[ContentType, str]]
) -> Finding:
    actions_by_uid: dict[str, list[RuleAction]] = {}
    closed_names: list[str] = []
    for content_type, name in calls:
        if content_type.uid == FILE_UID:
            closed_names.append(FILE_UID)
            continue
        if hook.is_middleware:
            actions = _actions_of_middleware(content_type, name)
        else:
            actions = _actions_of_lifecycle(content_type, name)
            if content_type.uid == USER_UID:
                closed_names += (f"{END_USER_PREFIX}{action}" for action in _end_user_actions(name))
        actions_by_uid.setdefault(content_type.uid, []).extend(actions)
    subject = "document middleware" if hook.is_middleware else "lifecycle"
    guards = tuple(
        HookGuard(
            uid=uid,
            actions=tuple(dict.fromkeys(actions)),
            code=subject,
            reason=reason,
            place=place,
            file=hook.file.path,
            # Strapi's routes of end users do not go through the document service.
            in_admin=hook.is_middleware and uid == USER_UID,
        )
        for uid, actions in actions_by_uid.items()
        if actions
    )
    sentence = f"has a {subject} that {reason} ({place}), and does not run"
    return Finding(hook.file.path, hook.kind, "warning", sentence, tuple(closed_names), guards)


def _actions_of_middleware(content_type: ContentType, name: str) -> Actions:
    """Return the actions on documents that a call of the document service is part of.

    The document of a single type is created by an update.
    """
    is_single = content_type.kind is TypeKind.SINGLE
    match name:
        case "findMany":
            return ("find",)
        case "findOne":
            return ("find", "find_one") if is_single else ("find_one",)
        case "findFirst":
            return ("find",) if is_single else ()
        case "count":
            return ("count",) if is_single else ("find", "count")
        case "create":
            return ("create", "update") if is_single else ("create",)
        case "update" | "delete" | "clone":
            return (name,)
        case "publish" | "unpublish":
            return (name,) if content_type.draft_and_publish else ()
        case _:
            return ("discard_draft",) if content_type.draft_and_publish else ()


_MIDDLEWARE_CALLS = (
    *("findMany", "findOne", "findFirst", "count", "create", "update", "delete", "clone"),
    *("publish", "unpublish", "discardDraft"),
)


def _actions_of_lifecycle(content_type: ContentType, name: str) -> Actions:
    """Return the actions on documents that a query is part of.

    Publishing and discarding a draft delete the version of before and create a new one, and each
    write reads the rows that it writes. No action runs the queries ``createMany`` and
    ``updateMany``; ``deleteMany`` is for other code.
    """
    is_single = content_type.kind is TypeKind.SINGLE
    of_drafts = _OF_DRAFTS if content_type.draft_and_publish else ()
    replacing = tuple(action for action in of_drafts if action != "unpublish")
    match name.removeprefix("before").removeprefix("after"):
        case "Create":
            is_created_by_update = content_type.localized or is_single
            updating: Actions = ("update",) if is_created_by_update else ()
            return ("create", "clone", *replacing, *updating)
        case "Update":
            is_stamped = "firstPublishedAt" in content_type.attributes
            return ("update", "publish") if is_stamped else ("update",)
        case "Delete":
            return ("delete", *of_drafts)
        case "DeleteMany":
            return ("delete",)
        case "FindOne":
            reads: Actions = ("find_one", "find") if is_single else ("find_one",)
            return (*reads, "create", "update", "delete", "clone", *of_drafts)
        case "FindMany":
            localized: Actions = ("create", "update") if content_type.localized else ()
            return ("find", "delete", "clone", *of_drafts, *localized)
        case "Count":
            # Values that must be unique are counted.
            return ("find", "count", "create", "update", "clone", *replacing)
        case _:
            return ()


def _end_user_actions(lifecycle: str) -> frozenset[str]:
    """Return the actions of the plugin for end users that a query of a user is part of."""
    methods = SERVICE_ACTIONS["user"]
    match lifecycle.removeprefix("before").removeprefix("after"):
        case "Create":
            return methods["add"]
        case "Update":
            return methods["edit"]
        case "Delete" | "DeleteMany":
            return methods["remove"]
        case "CreateMany" | "UpdateMany":
            return frozenset()
        case _:
            return frozenset(
                action for action in END_USER_ACTIONS if action.startswith(("user.", "auth."))
            )


class _HookSearch:
    """The search for the hooks of a project."""

    def __init__(self, project: Path, schema: Schema) -> None:
        self._project = project
        self._types = schema.content_types

    def hooks(self) -> Iterator[_Hook]:
        """Yield the hooks of all files."""
        for api in folders(self._project / "src" / "api"):
            for folder in folders(api / "content-types"):
                uid = f"api::{registered_name(api.name)}.{registered_name(folder.name)}"
                if uid in self._types:
                    yield from self._lifecycles_files(folder, self._types[uid])
        for file in self._source_files():
            if not file.is_readable or _replaces_services(file):
                yield self._middleware(file, file.module, None, None)
                continue
            if "documents" in file.text and "use" in file.text:
                yield from self._middlewares(file)
            if "lifecycles" in file.text:
                yield from self._subscribers(file)

    def _lifecycles_files(self, folder: Path, content_type: ContentType) -> Iterator[_Hook]:
        for file in named_sources(self._project, folder, "lifecycles"):
            if not is_empty(file.exported):
                members = _exported_members(file.module)
                yield from self._lifecycles(file, members, (content_type,), None)

    def _source_files(self) -> Iterator[SourceFile]:
        """Yield the files with code of the server."""
        source = self._project / "src"
        files = [*sources(self._project, source)]
        for folder in folders(source):
            if folder.name not in _NOT_OF_SERVER:
                files += nested_sources(self._project, folder)
        for folder in self._plugin_folders():
            files += nested_sources(self._project, folder)
        files = [file for file in files if not file.path.endswith(".json")]
        known_paths = {file.path for file in files}
        for file in files:
            for origin in _RELATIVE_IMPORT.findall(file.text):
                path = normpath(Path(file.path).parent / origin)
                other = None if path.startswith(("src/", "..")) else self._source(path)
                if other is not None and other.path not in known_paths:
                    known_paths.add(other.path)
                    files.append(other)
        return iter(files)

    def _plugin_folders(self) -> Iterator[Path]:
        """Yield the folders of plugins outside of ``src`` that the configuration names."""
        root = self._project.resolve()
        for file in nested_sources(self._project, self._project / "config"):
            for origin in _RELATIVE_IMPORT.findall(file.text):
                path = normpath(origin)
                is_outside = not path.startswith(("src", "..", "config")) and path != "."
                if is_outside and (root / path).resolve().is_relative_to(root):
                    yield self._project / path

    def _source(self, path: str) -> SourceFile | None:
        file = resolve_source(self._project, path)
        return None if file is None or file.path.endswith(".json") else file

    def _middlewares(self, file: SourceFile) -> Iterator[_Hook]:
        lists = _lists_by_item(file.module)
        for scope, line, arguments in _calls(file, "documents", "use"):
            if len(arguments) != 1:
                yield self._middleware(file, scope, None, line)
                continue
            for middleware in _items_of(scope, arguments[0], lists):
                yield self._middleware(file, *_function_of(scope, middleware), line)

    def _middleware(
        self, file: SourceFile, module: Module, function: Function | None, line: int | None
    ) -> _Hook:
        types = tuple(
            content_type
            for uid, content_type in self._types.items()
            if content_type.is_api or uid == USER_UID
        )
        return _Hook(file, module, function, types=types, calls=_MIDDLEWARE_CALLS, line=line)

    def _subscribers(self, file: SourceFile) -> Iterator[_Hook]:
        types = tuple(
            content_type
            for uid, content_type in self._types.items()
            if content_type.is_api or uid in {USER_UID, FILE_UID}
        )
        for module, line, arguments in _calls(file, "lifecycles", "subscribe"):
            resolved = None if len(arguments) != 1 else _resolve(module, arguments[0])
            scope, function = module, None
            if resolved is not None:
                scope, function = _function_of(*resolved)
            if function is not None:
                yield _Hook(file, scope, function, types=types, calls=_LIFECYCLES, line=line)
                continue
            members = None if not arguments else _members_of(module, arguments[0])
            models = None if members is None else _models(members)
            chosen_types = tuple(one for one in types if models is None or one.uid in models)
            yield from self._lifecycles(file, members, chosen_types, line)
        for module, line, name, method, value in _assigned_lifecycles(file):
            members = {method: (module, value)} if method else _members_of(module, value)
            uid = {"user": USER_UID, "file": FILE_UID}.get(name or "", name)
            chosen_types = tuple(one for one in types if one.uid == uid)
            if uid not in self._types:
                chosen_types = types
            yield from self._lifecycles(file, members, chosen_types, line)

    def _lifecycles(
        self,
        file: SourceFile,
        members: Members | None,
        types: tuple[ContentType, ...],
        line: int | None,
    ) -> Iterator[_Hook]:
        """Yield the functions of an object of lifecycles, ``None`` for an unknown object."""
        if not types:
            return
        if members is None:
            yield _Hook(file, file.module, None, types=types, calls=_LIFECYCLES, line=line)
            return
        for name, (module, value) in members.items():
            if name in _LIFECYCLES:
                scope, function = _function_of(module, value)
                yield _Hook(file, scope, function, types=types, calls=(name,), line=line)


def _exported_members(module: Module) -> Members | None:
    """Return the members of what a module exports, ``None`` for unknown ones."""
    members: dict[str, tuple[Module, Expression]] = {
        name: (module, Name(name)) for name in module.bindings if name in _LIFECYCLES
    }
    for statement in module.statements:
        match statement:
            case Evaluate(Assign("=", Member(target, str() as name), value)) if _is_exports(target):
                members[name] = (module, value)
            case Evaluate(Assign("=", target, _)) if _is_exports(target):
                continue
            case Declaration() | Export() | Import():
                continue
            case Opaque(names) if type(statement) is Opaque and names & _EXPORT_WORDS:
                return None
            case _ if any(map(_is_exports, walk(statement))):
                return None
            case _:
                continue
    exported = module.exported
    if exported is None:
        return members if members or module.is_empty else None
    exported_members = _members_of(module, exported)
    return None if exported_members is None else {**members, **exported_members}


def _is_exports(value: object) -> bool:
    return value in (Name("exports"), Member(Name("module"), "exports"))


def _function_of(module: Module, value: Expression) -> tuple[Module, Function | None]:
    """Return the scope of an expression, and the function that it is, ``None`` if it is unknown."""
    resolved = _resolve(module, value)
    if resolved is None:
        return module, None
    scope, function = resolved
    return (scope, function) if isinstance(function, Function) else (module, None)


def _members_of(module: Module, value: Expression) -> Members | None:
    """Return the members of an object, ``None`` for unknown ones."""
    imported_module = _imported_module(module, value)
    if imported_module is not None:
        return _exported_members(imported_module)
    resolved = _resolve(module, value)
    if resolved is None:
        return None
    scope, known_object = resolved
    if not isinstance(known_object, Object):
        return None
    members: dict[str, tuple[Module, Expression]] = {}
    for member in known_object.members:
        if isinstance(member, Spread):
            spread_members = _members_of(scope, member.value)
            if spread_members is None:
                return None
            members |= spread_members
        elif isinstance(member.key, str):
            members[member.key] = (scope, member.value)
        else:
            return None
    return members


def _imported_module(module: Module, value: Expression) -> Module | None:
    """Return the module of the project whose exports an expression is."""
    match value:
        case Call(Name("require"), (Literal(str() as origin),)):
            return module.other(origin)
        case Name(name) if name in module.imports:
            origin, imported_name = module.imports[name]
            return module.other(origin) if imported_name in {"default", "*"} else None
        case _:
            return None


def _models(members: Members) -> frozenset[str] | None:
    """Return the types that the members of a subscriber name, ``None`` for all."""
    if "models" not in members:
        return None
    module, models = members["models"]
    try:
        value = module.value(models)
    except NotPlainError:
        return None
    if isinstance(value, list) and all(isinstance(uid, str) for uid in value):
        return frozenset(value)
    return None


def _calls(  # noqa: C901, PLR0912 - a case for each form
    file: SourceFile, owner: str, method: str
) -> Iterator[tuple[Module, int | None, Sequence[Expression]]]:
    """Yield the calls of a method of a member of ``strapi``: scope, line and arguments.

    Code that is not parsed, and has both names, may be such a call.
    """
    module = file.module
    parts = list(walk(module.statements))
    names = {owner} if owner == "documents" else set[str]()
    for part in parts:
        match part:
            case Declaration(Name(name), value) | Assign(_, Name(name), value) if _is_member(
                value, owner, names
            ):
                names.add(name)
            case ObjectPattern(pairs):
                names |= {name for key, name in pairs if key == owner}
            case Destructuring(members=members):
                names |= {
                    inner.text for key, inner in members if key == owner and isinstance(inner, Name)
                }
            case _:
                continue
    scope = _flat_scope(module, parts)
    line: int | None = None
    called: set[int] = set()
    for part in parts:
        line = _line(module, part) or line
        match part:
            case Call(Member(inner, key) as callee, arguments) if key == method and _is_member(
                inner, owner, names
            ):
                called.add(id(callee))
                yield scope, line, arguments
            case Member(inner, key) if key == method and _is_member(inner, owner, names):
                if id(part) not in called:
                    yield scope, line, ()
            case Declaration(ObjectPattern(pairs), value) if _is_member(value, owner, names):
                if any(key == method for key, _ in pairs):
                    yield scope, line, ()
            case Call(_, arguments) if any(_is_of_strapi(value, owner) for value in arguments):
                yield scope, line, ()
            case Opaque(skipped) if type(part) is Opaque and skipped >= {owner, method}:
                yield scope, line, ()
            case _:
                continue


def _lists_by_item(module: Module) -> Mapping[str, Expression]:
    """Return the lists that loops go through, by the name of their item, if nothing else has it."""
    lists: dict[str, Expression] = {}
    counts: Counter[str] = Counter()
    for part in walk(module.statements):
        match part:
            case Call(Member(items, "forEach" | "map"), (Function((Name(name), *_)),)):
                lists[name] = items
            case ForOf(target=Name(name), items=items):
                lists[name] = items
                counts[name] += 1
            case Declaration(target):
                counts.update(bound_names(target))
            case Function(parameters):
                counts.update(bound_names(parameters))
            case _:
                continue
    return {name: items for name, items in lists.items() if counts[name] == 1}


def _items_of(
    scope: Module, middleware: Expression, lists: Mapping[str, Expression]
) -> Sequence[Expression]:
    """Return the middlewares that the item of a loop stands for, or the middleware itself."""
    callee = middleware.callee if isinstance(middleware, Call) else middleware
    if not isinstance(callee, Name) or callee.text not in lists:
        return (middleware,)
    value = lists[callee.text]
    if isinstance(value, Name) and _uses(scope, value) <= _USES_OF_LISTS:
        value = scope.bindings.get(value.text, value)
    if not isinstance(value, Array):
        return (middleware,)
    if isinstance(middleware, Call):
        return [Call(item, middleware.arguments) for item in value.items]
    return value.items


def _uses(scope: Module, name: Name) -> int:
    """Return how often a module has a name, also in code that is not parsed."""
    return sum(
        part == name or (type(part) is Opaque and name.text in part.names)
        for part in walk(scope.statements)
    )


def _replaces_services(file: SourceFile) -> bool:
    """Whether code replaces what reads and writes documents, or adds sanitizers or validators."""
    return _REPLACEMENT.search(file.text) is not None and any(
        map(_is_replacement, walk(file.module.statements))
    )


def _is_replacement(part: object) -> bool:
    match part:
        case Assign(_, Member(_, str()) as target, _) if _is_service(target):
            return True
        case Call(Member(Name("Object" | "Reflect"), method), (target, *_)):
            return method not in _READING_FUNCTIONS and (
                target in _STRAPI or (isinstance(target, Member) and _is_service(target))
            )
        case Member(inner, "sanitizers" | "validators"):
            return inner in _STRAPI
        case Opaque(names) if type(part) is Opaque:
            return "strapi" in names and not names.isdisjoint(("sanitizers", "validators"))
        case _:
            return False


def _is_service(target: Member) -> bool:
    """Whether an expression is a service of ``strapi`` for documents, or a member of one."""
    names: list[str] = []
    value: Expression = target
    while isinstance(value, Member) and value not in _STRAPI:
        names.append(value.key if isinstance(value.key, str) else "")
        value = value.object
    return value in _STRAPI and names[-1] in {*_SERVICES, ""} and "lifecycles" not in names


def _is_of_strapi(value: Expression, owner: str) -> bool:
    """Whether an expression is ``strapi.documents`` or ``strapi.db.lifecycles``."""
    match value:
        case Member(Name("strapi" | "db") | Member(_, "strapi" | "db"), key):
            return key == owner
        case _:
            return False


def _assigned_lifecycles(
    file: SourceFile,
) -> Iterator[tuple[Module, int | None, str | None, str, Expression]]:
    """Yield what is assigned to lifecycles of a type: scope, line, type, lifecycle, value.

    The lifecycle is empty if all are assigned.
    """
    parts = list(walk(file.module.statements))
    line: int | None = None
    for part in parts:
        line = _line(file.module, part) or line
        match part:
            case Assign("=", Member(owner, "lifecycles"), value):
                yield _flat_scope(file.module, parts), line, _name_of_type(owner), "", value
            case Assign("=", Member(Member(owner, "lifecycles"), str() as method), value):
                yield _flat_scope(file.module, parts), line, _name_of_type(owner), method, value
            case _:
                continue


def _name_of_type(value: Expression) -> str | None:
    """Return the name or uid of the type that an expression looks up, ``None`` if unknown."""
    match value:
        case Member(_, str() as name) | Call(_, (Literal(str() as name),)):
            return name
        case _:
            return None


def _line(module: Module, part: object) -> int | None:
    return module.line_of(part)  # type: ignore[arg-type]  # other parts have no line


def _is_member(value: Expression, owner: str, names: Iterable[str]) -> bool:
    match value:
        case Name(name):
            return name in names
        case Member(inner, key):
            return key == owner or (not isinstance(key, str) and inner == Name("strapi"))
        case Call(Member(_, "get"), (Literal(name),)):
            return name == owner
        case Unary("()", inner):
            return _is_member(inner, owner, names)
        case _:
            return False


def _flat_scope(module: Module, parts: Iterable[object]) -> Module:
    """Return a scope with the constants of all functions that are declared once."""
    return module.inner(
        part
        for part in parts
        if isinstance(part, Declaration)
        and isinstance(part.target, Name)
        and part.target.text not in module.ambiguous_names
    )


def _resolve(module: Module, value: Expression, depth: int = 0) -> tuple[Module, Expression] | None:
    """Return the function or object that an expression is, with its module."""
    if depth > _DEEPEST_CALL:
        return None
    match value:
        case Function() | Object():
            return module, value
        case Unary("()", inner):
            return _resolve(module, inner, depth + 1)
        case Name(name) if name in module.imports:
            return _resolve_import(module, *module.imports[name], depth)
        case Name():
            followed = module.followed(value)
            return None if followed == value else _resolve(module, followed, depth + 1)
        case Member(Name(name), str() as key) if name in module.imports:
            other = module.other(module.imports[name][0])
            return None if other is None else exported_function(other, key)
        case Call(Name("require"), (Literal(str() as origin),)):
            return _resolve_import(module, origin, "*", depth)
        case Call(callee, _, False):
            return _resolve_result(module, callee, depth)
        case _:
            return None


def _resolve_import(
    module: Module, origin: str, name: str, depth: int
) -> tuple[Module, Expression] | None:
    """Return what a module of the project exports under a name."""
    other = module.other(origin)
    if other is None:
        return None
    function = exported_function(other, name)
    if function is not None:
        return function
    exported = other.exported if name in {"default", "*"} else Name(name)
    return None if exported is None else _resolve(other, exported, depth + 1)


def _resolve_result(
    module: Module, callee: Expression, depth: int
) -> tuple[Module, Expression] | None:
    """Return what a function of the project returns."""
    resolved = _resolve(module, callee, depth + 1)
    if resolved is None:
        return None
    scope, function = resolved
    if not isinstance(function, Function):
        return None
    body = function.body
    if not isinstance(body, tuple):
        return None if isinstance(body, Opaque) else _resolve(scope, body, depth + 1)
    *declarations, last = body or (Opaque(),)
    if not isinstance(last, Return) or last.value is None:
        return None
    if not all(isinstance(statement, Declaration) for statement in declarations):
        return None
    return _resolve(scope.inner(declarations), last.value, depth + 1)
