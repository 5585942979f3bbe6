"""``quire port``: lists unsupported JavaScript of a project, and writes skeletons.

Nothing is translated: a skeleton has the decorator that the code belongs under, and raises until
somebody has implemented it.
"""

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path, PurePosixPath

from msgspec.structs import replace

from quire.cli.project_settings import require_project
from quire.cli.terminal import EXIT_OK, print_message, print_result
from quire.customisations import Customisations, Finding, UnservedRoute, find_customisations
from quire.extension_loading import load_extensions
from quire.schema.model import Schema
from quire.settings import load_settings
from quire.strapi_project.schema import load_project_schema

_ACTIONS = {
    "find": "find",
    "findOne": "find_one",
    "create": "create",
    "update": "update",
    "delete": "delete",
}
_PATH_PARAMETER = re.compile(r":([A-Za-z_]\w*)")
_PLAIN_PATH = re.compile(r"(/(:[A-Za-z_]\w*|[A-Za-z0-9._~-]+))+")

_ADVICE: Mapping[str, str] = {
    "controller": "a @route for actions of its own; a @rule or @before_write for core actions",
    "policy": "a @policy, or a @rule where it is about rows",
    "middleware": "an @asgi_middleware, or a @rule where it is about rows",
    "service": "a function in a module",
    "lifecycles": "@before_write, @after_write, or @after_commit for effects elsewhere; @around or "
    "a @rule for what is read",
    "document middleware": "@around, a @rule where it is about rows, or @before_write for input",
    "start-up": "a @schedule or a @job for work; nothing for what is registered",
    "extension": "a @before_write of the plugin's content type, or a @route for routes of its own",
    "plugin": "a package with Python code",
    "cron": "a @schedule",
}


def port_project(project: Path, *, write: bool) -> int:
    """Print each file with its decorator, or write skeletons as well."""
    settings = load_settings(project)
    require_project(settings)
    schema = load_project_schema(settings)
    replaced_files = load_extensions(settings.project, schema, settings).replaced
    customisations = find_customisations(settings, schema, replaced_files)
    handled_effects = {"ignored", "replaced"}
    findings = [
        finding
        for finding in customisations.findings
        if finding.kind in _ADVICE and finding.effect not in handled_effects
    ]
    for finding in findings:
        print_result(f"{finding}\n  port it to {_ADVICE[finding.kind]}")
    for route in customisations.unserved:
        print_result(f"{route}\n  port it to a @route")
    if not findings and not customisations.unserved:
        print_message("There is no JavaScript that is not understood.")
        return EXIT_OK
    if write:
        for path, text in skeletons(customisations, findings, schema).items():
            _write(settings.project, path, text)
    return EXIT_OK


def skeletons(
    customisations: Customisations, findings: Sequence[Finding], schema: Schema
) -> dict[str, str]:
    """Return Python files by path, one for each unsupported JavaScript file."""
    parts: dict[str, list[str]] = {}
    for finding in _join_findings(findings):
        make = _SKELETONS.get(finding.kind)
        if make is not None:
            parts.setdefault(finding.file, []).append(make(finding, schema))
    for route in customisations.unserved:
        if _PLAIN_PATH.fullmatch(route.path):
            parts.setdefault(route.file, []).append(_route(route))
    return {_path(file): _module(file, texts) for file, texts in parts.items()}


def _join_findings(findings: Sequence[Finding]) -> Iterable[Finding]:
    """Return one finding for those of the same kind in a file."""
    by_code: dict[tuple[str, str], Finding] = {}
    for finding in findings:
        key = (finding.file, finding.kind)
        first = by_code.setdefault(key, finding)
        if first is not finding:
            closes = tuple(dict.fromkeys((*first.closes, *finding.closes)))
            guards = (*first.guards, *finding.guards)
            by_code[key] = replace(first, closes=closes, guards=guards)
    return by_code.values()


def _write(project: Path, path: str, text: str) -> None:
    file = project / path
    if file.exists():
        print_message(f"{path} exists and stays as it is.")
        return
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text, encoding="utf-8")
    print_message(f"{path} was written.")


def _path(file: str) -> str:
    """Return the path of a skeleton: below ``src``, with a name that Python can import."""
    source = PurePosixPath(file)
    if source.parts[0] != "src":
        source = PurePosixPath("src", *source.parts)
    name = re.sub(r"\W", "_", source.name.partition(".")[0])
    return str(source.with_name(f"ported_{name}.py"))


def _module(file: str, texts: Sequence[str]) -> str:
    code = "\n\n".join(texts)
    names = sorted(name for name in _IMPORT_LINES if re.search(rf"\b{name}\b", code))
    notice = f"To be ported from {file}; list that file under [migration] ignore when it is done."
    if any(name in code for name in _REPLACING_DECORATORS):
        notice = f'To be ported from {file}; say replaces="{file}" when it is done.'
    if re.search(rf"^{_DISABLED}@", code, re.MULTILINE):
        notice += "\n\nFunctions whose decorators are comments are not called.\n"
    return f'"""{notice}"""\n\nfrom quire import {", ".join(names)}\n\n\n{code}'


_REPLACING_DECORATORS = ("@policy(", "@before_write(", "@around(", "@asgi_middleware(", "@route.")
"""Decorators with the option ``replaces``."""
_IMPORT_LINES = (
    *("Call", "Document", "PolicyContext", "Proceed", "Write", "after_write", "around"),
    *("asgi_middleware", "before_write", "policy", "route", "schedule"),
)


_DISABLED = "# "
"""Precedes decorators of functions that guard nothing: unwritten, they would break what works."""


def _function(decorators: str, signature: str, file: str, returns: str = "None") -> str:
    return (
        f"{decorators}\n{signature} -> {returns}:\n"
        f'    """To be written: what {file} does."""\n'
        f"    raise NotImplementedError\n"
    )


def _policy(finding: Finding, schema: Schema) -> str:
    by_type: dict[str, list[str]] = {}
    for name in finding.closes:
        uid, _, action = name.rpartition(".")
        if name in schema.content_types:
            by_type[name] = [*_ACTIONS.values()]
        elif action in _ACTIONS:
            by_type.setdefault(uid, []).append(_ACTIONS[action])
    decorators = "\n".join(
        f'@policy("{uid}", on={_join_names(sorted(set(actions)))})'
        for uid, actions in by_type.items()
    )
    decorators = decorators or f"@policy(None, on={_join_names(sorted(_ACTIONS.values()))})"
    name = _identifier(finding.file)
    return _function(decorators, f"def {name}(context: PolicyContext)", finding.file, "bool | None")


def _document_middleware(finding: Finding, schema: Schema) -> str:  # noqa: ARG001 - as for all
    actions_by_uid: dict[str, list[str]] = {}
    for guard in finding.guards:
        actions_by_uid.setdefault(guard.uid, []).extend(guard.actions)
    if not actions_by_uid:
        actions_by_uid = {"api::*": ["create", "update"]}
    decorators = "\n".join(
        f'{_DISABLED}@around("{uid}", on={_join_names(list(dict.fromkeys(actions)))})'
        for uid, actions in actions_by_uid.items()
    )
    signature = "async def around_call(call: Call[Document], proceed: Proceed[Document])"
    return _function(decorators, signature, finding.file, "object")


def _lifecycles(finding: Finding, schema: Schema) -> str:
    folder = PurePosixPath(finding.file).parent.name
    uids = [uid for uid in schema.content_types if uid.endswith(f".{folder}")]
    uids = list(dict.fromkeys(guard.uid for guard in finding.guards)) or uids
    uid = uids[0] if len(uids) == 1 else "api::*"
    before_function = _function(
        f'{_DISABLED}@before_write("{uid}", on=["create", "update"])',
        "def before(write: Write[Document])",
        finding.file,
    )
    after_function = _function(
        f'{_DISABLED}@after_write("{uid}", on=["create", "update", "delete"])',
        "async def after(write: Write[Document])",
        finding.file,
    )
    return f"{before_function}\n\n{after_function}"


def _cron(finding: Finding, schema: Schema) -> str:  # noqa: ARG001 - as for all kinds
    decorator = f'{_DISABLED}@schedule("0 3 * * *")'
    return _function(decorator, "async def task()", finding.file)


def _middleware(finding: Finding, schema: Schema) -> str:
    if finding.closes:
        return _policy(finding, schema)
    name = _identifier(finding.file)
    decorator = f"{_DISABLED}@asgi_middleware()"
    return _function(decorator, f"def {name}(app: object)", finding.file, "object")


def _route(route: UnservedRoute) -> str:
    parameters = ", ".join(f"{name}: str" for name in _PATH_PARAMETER.findall(route.path))
    name = _identifier(route.handler.rpartition(".")[2] or route.path)
    method = route.method.lower()
    action = "" if route.file.startswith("src/api/") else f', action="api::ported.ported.{name}"'
    decorator = f'@route.{method}("{route.path}"{action})'
    signature = f"async def {name}({parameters})"
    return _function(decorator, signature, route.file, "dict[str, object]")


def _join_names(names: Sequence[str]) -> str:
    return "[" + ", ".join(f'"{name}"' for name in names) + "]"


def _identifier(text: str) -> str:
    """Return a function name: that of a file without its suffix, or of a handler."""
    stem = PurePosixPath(text).name.partition(".")[0]
    name = re.sub(r"\W+", "_", stem).strip("_")
    return name if name.isidentifier() else f"ported_{name}"


_SKELETONS: Mapping[str, Callable[[Finding, Schema], str]] = {
    "policy": _policy,
    "middleware": _middleware,
    "lifecycles": _lifecycles,
    "document middleware": _document_middleware,
    "cron": _cron,
}
