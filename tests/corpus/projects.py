"""One Strapi project: whether it opens, and which content types are served."""

import asyncio
import json
import shutil
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

from msgspec import Struct

from quire.app import build_app
from quire.customisations import Customisations, find_customisations
from quire.customisations.coverage import ServiceLevel, TypeSummary, summarize
from quire.database.tables.table_map import map_tables
from quire.errors import QuireError, SchemaError
from quire.schema.model import Schema, TypeKind
from quire.seeding.import_content import seed
from quire.seeding.load import read_content
from quire.settings import Settings, SettingsError, load_settings
from quire.strapi_project.schema import load_project_schema
from tests.conformance.client import running

_CODE = ("src", "config", "package.json", "quire.toml")
_SECRETS = {"API_TOKEN_SALT": "salt", "JWT_SECRET": "secret"}
_SQLITE = {"database.client": "sqlite", "database.filename": ".tmp/data.db"}


class ProjectResult(Struct, kw_only=True):
    """What became of one project; ``problems`` keep it from opening."""

    name: str
    problems: tuple[str, ...] = ()
    types: tuple[TypeSummary, ...] = ()
    wrong: tuple[str, ...] = ()
    """Routes that responded with something else than they should."""

    @property
    def complete(self) -> int:
        """How many types are served completely."""
        return sum(one.served is ServiceLevel.COMPLETELY for one in self.types)


def find_projects(directory: Path) -> Iterator[Path]:
    """Yield the Strapi projects that a directory is or holds."""
    if (directory / "src" / "api").is_dir():
        yield directory
        return
    for inner in sorted(directory.iterdir()):
        if (inner / "src" / "api").is_dir():
            yield inner


def try_project(project: Path, *, serve: bool) -> ProjectResult:
    """Load a project and read its code; with ``serve``, also run it on a new database."""
    result = ProjectResult(name=project.name)
    try:
        settings = load_settings(project, overrides=_SQLITE, environ={})
        schema = load_project_schema(settings)
        map_tables(schema)
    except SchemaError as error:
        result.problems = tuple(map(str, error.problems))
    except SettingsError as error:
        result.problems = tuple(map(str, error.problems))
    else:
        found = find_customisations(settings, schema)
        result.types = summarize(found, schema)
        if serve:
            _serve(project, result, _guarded_paths(found))
    return result


def _guarded_paths(found: Customisations) -> frozenset[str]:
    """Return the paths below the API whose code may refuse the request of a visitor."""
    return frozenset(
        route.path.strip("/")
        for routes in found.routes.values()
        for route in routes
        if route.needs_user or route.is_refused or route.is_scripted or route.steps or route.read
    )


def _serve(project: Path, result: ProjectResult, guarded: frozenset[str]) -> None:
    with TemporaryDirectory() as folder:
        copy = Path(folder) / "site"
        copy.mkdir()
        for name in _CODE:
            if (project / name).is_dir():
                shutil.copytree(project / name, copy / name)
            elif (project / name).exists():
                shutil.copy(project / name, copy / name)
        try:
            result.wrong = tuple(asyncio.run(_responses(copy, result, guarded)))
        except QuireError as error:
            result.problems = (str(error),)


async def _responses(project: Path, result: ProjectResult, guarded: frozenset[str]) -> list[str]:
    """Return what routes respond with that should list content, or refuse to.

    Where code stands before a route, it may refuse the request, but not fail.
    """
    lines = (f"{name}={value}" for name, value in _SECRETS.items())
    (project / ".env").write_text("\n".join(lines), encoding="utf-8")
    settings = load_settings(project, overrides=_SQLITE, environ={})
    schema = load_project_schema(settings)
    await _make_database(settings, schema)
    closed = {f"{one.uid}.{action}" for one in result.types for action in one.closed_actions}
    wrong = []
    prefix = settings.api.prefix.rstrip("/")
    app = build_app(settings)
    async with running(app) as client:
        for route in app.routes:
            if route.method != "GET" or route.uid is None or ":" in route.path:
                continue
            if not route.uid.startswith("api::"):
                continue
            response = await client.request("GET", f"{prefix}/{route.path}", {}, b"")
            single = schema.content_types[route.uid].kind is TypeKind.SINGLE
            is_granted = route.action in {None, f"{route.uid}.find"}
            expected = (
                403 if not is_granted or f"{route.uid}.find" in closed else 404 if single else 200
            )
            refuses = route.path in guarded and 400 <= response.status < 500
            if response.status != expected and not (refuses and expected != 403):
                wrong.append(f"GET {prefix}/{route.path}: {response.status} in place of {expected}")
    return wrong


async def _make_database(settings: Settings, schema: Schema) -> None:
    manifest = {
        "locales": [{"code": "en", "name": "English (en)", "default": True}],
        "documents": [],
        "public": [f"{one.uid}.find" for one in schema.api_types],
    }
    content = settings.project / "content"
    content.mkdir()
    (content / "manifest.json").write_text(json.dumps(manifest), encoding="utf-8")
    await seed(settings, schema, read_content(content, schema), lambda _: None)
