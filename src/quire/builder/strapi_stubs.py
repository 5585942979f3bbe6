"""The JavaScript files that Strapi requires for a content type.

Without them it serves no routes of the type. Quire needs none of them; they are created if a
project has such files or a package.json, and deleted with a type as long as nobody has edited them.
"""

from collections.abc import Iterator
from pathlib import Path

from quire.customisations import generated_files
from quire.customisations.javascript_files import sources

_FACTORIES = {
    "controllers": "createCoreController",
    "routes": "createCoreRouter",
    "services": "createCoreService",
}
_JAVASCRIPT = """'use strict';

module.exports = require('@strapi/strapi').factories.{factory}('{uid}');
"""
_TYPESCRIPT = """import {{ factories }} from '@strapi/strapi';

export default factories.{factory}('{uid}');
"""


def wants_core_files(project: Path) -> bool:
    """Tell whether Strapi serves a project as well."""
    if (project / "package.json").is_file():
        return True
    return any(
        next(project.glob(f"src/api/*/{folder}/*.{suffix}"), None) is not None
        for folder in _FACTORIES
        for suffix in ("js", "ts")
    )


def core_files(project: Path, uid: str) -> Iterator[tuple[str, str]]:
    """Yield path and content of each file of a new content type; paths are from the project's."""
    is_typed = (project / "tsconfig.json").is_file()
    template, suffix = (_TYPESCRIPT, "ts") if is_typed else (_JAVASCRIPT, "js")
    api, name = _parts(uid)
    for folder, factory in _FACTORIES.items():
        path = f"src/api/{api}/{folder}/{name}.{suffix}"
        yield path, template.format(factory=factory, uid=uid)


def untouched_core_files(project: Path, uid: str) -> Iterator[str]:
    """Yield the paths of the files of a type that nobody has edited."""
    api, name = _parts(uid)
    for folder in _FACTORIES:
        for file in sources(project, project / "src" / "api" / api / folder):
            if Path(file.path).stem == name and _is_core(folder, file.exported, uid):
                yield file.path


def type_of_core_file(project: Path, file: Path) -> str | None:
    """Return the uid of the type of an unedited stub, ``None`` for any other file."""
    match file.relative_to(project).parts:
        case ("src", "api", api, folder, _) if folder in _FACTORIES:
            uid = f"api::{api}.{file.stem}"
            path = file.relative_to(project).as_posix()
            return uid if path in untouched_core_files(project, uid) else None
        case _:
            return None


def _is_core(folder: str, exported: object, uid: str) -> bool:
    if folder == "routes":
        return generated_files.routed_uid(exported) == uid
    if folder == "controllers":
        return generated_files.is_core_controller(exported, uid)
    return generated_files.is_core_service(exported, uid)


def _parts(uid: str) -> tuple[str, str]:
    api, _, name = uid.partition("::")[2].partition(".")
    return api, name
