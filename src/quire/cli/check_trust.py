"""``quire check --trust``: where Python code of a project acts without permissions."""

import ast
import inspect
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

from quire.cli.project_settings import load_logged, require_project
from quire.cli.terminal import EXIT_OK, print_message, print_result
from quire.extension_loading import check_extensions, import_modules
from quire.hooks.registry import Extensions
from quire.strapi_project.schema import load_project_schema

_SYSTEM = "as_system"


def list_trust(project: Path) -> int:
    """Print each place that acts as the system, each public route, and what fields reveal.

    Raises ExtensionError for mistakes in the code.
    """
    settings = load_logged(project)
    require_project(settings)
    modules = import_modules(settings.project, settings)
    extensions = check_extensions(modules, load_project_schema(settings))
    lines = [
        *(line for file, module in modules.files.items() for line in _system_lines(file, module)),
        *_public_lines(extensions),
        *_revealing_lines(extensions),
    ]
    for line in lines:
        print_result(line)
    if not lines:
        print_message("No Python code acts as the system, and no route is public.")
    return EXIT_OK


def _system_lines(file: str, module: ModuleType) -> Iterator[str]:
    source = Path(inspect.getsourcefile(module) or file).read_text(encoding="utf-8")
    for line, reason in sorted(system_places(source)):
        yield f"{file}:{line}  as_system  {reason}"


def system_places(source: str) -> Iterator[tuple[int, str]]:
    """Yield each line of Python source that uses `as_system` by any name, with the reason given.

    A use that is not a call with a literal text has no known reason.
    """
    tree = ast.parse(source)
    names = {_SYSTEM, *_other_names(tree)}
    call_targets: set[ast.AST] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and _is_system(node.func, names):
            call_targets.add(node.func)
            yield node.lineno, _reason(node)
    for node in ast.walk(tree):
        if node not in call_targets and (_is_system(node, names) or _is_text(node)):
            yield getattr(node, "lineno", 1), "used without a call"


def _other_names(tree: ast.AST) -> Iterator[str]:
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom):
            for alias in node.names:
                if alias.name == _SYSTEM and alias.asname is not None:
                    yield alias.asname


def _is_system(node: ast.AST, names: set[str]) -> bool:
    match node:
        case ast.Name(id=name, ctx=ast.Load()):
            return name in names
        case ast.Attribute(attr=name):
            return name == _SYSTEM
        case _:
            return False


def _is_text(node: ast.AST) -> bool:
    """Tell whether a node is the name as a text, as for ``getattr``."""
    return isinstance(node, ast.Constant) and node.value == _SYSTEM


def _reason(call: ast.Call) -> str:
    arguments = [*call.args, *(keyword.value for keyword in call.keywords)]
    if arguments and isinstance(arguments[0], ast.Constant) and isinstance(arguments[0].value, str):
        return arguments[0].value
    return ast.unparse(arguments[0]) if arguments else "without a reason"


def _public_lines(extensions: Extensions) -> Iterator[str]:
    for route in extensions.routes:
        if route.public:
            yield f"{route.place}  public route  {route.method} /{route.path}"


def _revealing_lines(extensions: Extensions) -> Iterator[str]:
    for fields in extensions.computed.values():
        for field in fields.values():
            if field.reveals:
                names = ", ".join(field.reveals)
                yield (f"{field.place}  computed field {field.name} reveals {names} of {field.uid}")
