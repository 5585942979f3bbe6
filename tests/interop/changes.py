"""Content types change: one server migrates the tables, the other accepts them.

The kinds of change are made together, in a few groups: each takes one start of the reference.
"""

import shutil
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

from msgspec import Struct

from bench.servers import quire
from quire.clock import now_ms
from quire.database.integrity.check import examine_program
from quire.database.integrity.examined_tables import ExaminedTables
from quire.database.migration.migrate import MigrationRequest, migrate_to, plan_migration_to
from quire.database.migration.schema_pair import Renames
from quire.database.settings_target import target_of
from quire.database.tables.table_map import map_tables
from quire.schema.model import ContentType
from quire.settings import load_settings
from quire.strapi_project.schema import load_options, load_project_schema
from tests.conformance.client import Authorization
from tests.conformance.corpus import JSON, credentials
from tests.conformance.over_socket import SocketClient
from tests.databases.kind import Kind
from tests.interop.model_files import ModelFiles
from tests.interop.open_order import settled
from tests.interop.round_trip import Report, Trip
from tests.interop.rows import differences
from tests.interop.sites import application_of, complaints, rows, serving

_STRING: Mapping[str, object] = {"type": "string"}


class Group(Struct, frozen=True):
    """Changes that are made together, and what has another name by them."""

    name: str
    change: Callable[[ModelFiles], None]
    renames: Renames = Renames()


def _change_values(files: ModelFiles) -> None:
    """Attributes come, go and are renamed; they get other types and rules."""
    files.edit(
        "article", {"mood": {**_STRING, "default": "calm"}, "rating": _STRING}, gone=["featured"]
    )
    files.edit("author", {"born": _STRING, "bio": {"type": "richtext", "required": True}})
    files.edit("category", {"name": {**_STRING, "unique": True}})
    files.edit("tag", {"color": {"type": "enumeration", "enum": ["red", "green", "mauve"]}})
    files.rename("passport", {"number": "serial"})
    files.add("poster", {"motto": _STRING, "tags": _to("manyToMany", "tag")})


def _change_parts(files: ModelFiles) -> None:
    """Types and components are renamed, relations become others, components and media go."""
    files.rename_component("shared.link", "shared.anchor")
    files.edit("article", {}, gone=["gallery", "sources"])
    files.edit("author", {}, gone=["socials"])
    files.edit("review", {"article": _to("manyToOne", "article")})
    files.edit("category", {}, gone=["parent", "children"])
    files.rename_type("review", "opinion")


def _switch(files: ModelFiles) -> None:
    """Drafts and locales are switched on and off."""
    files.edit("author", {}, options={"draftAndPublish": True})
    files.edit("category", {}, options={"draftAndPublish": False})
    files.edit("review", {}, localized=True)
    files.edit("tag", {}, localized=False)


GROUPS = (
    Group(
        "values",
        _change_values,
        Renames(attributes={"api::passport.passport": {"serial": "number"}}),
    ),
    Group(
        "parts",
        _change_parts,
        Renames(
            models={"shared.anchor": "shared.link", "api::opinion.opinion": "api::review.review"}
        ),
    ),
    Group("drafts and locales", _switch),
)


async def changed_and_opened(
    folder: Path, installed: Path, kind: Kind, report: Report
) -> dict[str, Trip]:
    """Let one server bring the tables to changed files and the other one open what is there.

    Returns what has shown itself, under a sentence that says what was changed and by whom. Raises
    ServerError when a server does not start.
    """
    trips: dict[str, Trip] = {}
    for group in GROUPS:
        for name, trip in (
            (f"Quire changes {group.name}, Strapi goes on", _ours),
            (f"Strapi changes {group.name}, Quire goes on", _theirs),
        ):
            report(name)
            place = folder / str(len(trips))
            trips[name] = await trip(place, installed, kind, group)
            shutil.rmtree(place, ignore_errors=True)
    return trips


async def _ours(folder: Path, installed: Path, kind: Kind, group: Group) -> Trip:
    project = kind.recorded(folder / "first")
    group.change(ModelFiles(project))
    await migrate(project, group.renames)
    kind.cipher(project)
    copied = kind.copy(project, folder / "second")
    reader = application_of(copied, folder / "strapi", installed)
    before = rows(copied)
    with serving(reader) as theirs:
        after = rows(copied)
        complained = complaints(reader)
        with serving(quire(project)) as ours:
            responses = await _differing(project, kind, ours, theirs)
    changed = (*differences(before, after), *(await _problems(project)))
    found = Trip(complained, changed, tuple(responses))
    for one in (project, copied):
        kind.release(one)
    return found


async def _theirs(folder: Path, installed: Path, kind: Kind, group: Group) -> Trip:
    project = kind.recorded(folder / "first")
    group.change(ModelFiles(project))
    application = application_of(project, folder / "strapi", installed)
    with serving(application):
        pass
    before = rows(project)
    left = await _left_to_do(project)
    kind.cipher(project)
    copied = kind.copy(project, folder / "second")
    with serving(quire(copied)) as ours, serving(application) as theirs:
        after = rows(copied)
        responses = await _differing(copied, kind, ours, theirs)
    changed = (*left, *differences(before, after))
    for one in (project, copied):
        kind.release(one)
    return Trip((), changed, tuple(responses))


async def migrate(project: Path, renames: Renames) -> None:
    """Bring the tables of a project to its files."""
    target = target_of(load_settings(project, environ={}))
    wanted = _migration_request(project, renames)
    database = await target.open()
    await database.write(migrate_to(target.kind, wanted, now=now_ms()))
    await database.close()


async def _left_to_do(project: Path) -> list[str]:
    """Say what Quire would still do to a database that the reference has brought to the files."""
    target = target_of(load_settings(project, environ={}))
    async with target.look() as connection:
        planned = await connection.run(
            plan_migration_to(target.kind, _migration_request(project, Renames()))
        )
    return [f"left to do: {step}" for step in planned.plan.steps]


async def _problems(project: Path) -> list[str]:
    """Say what ``quire check`` would say of the rows."""
    settings = load_settings(project, environ={})
    target, schema = target_of(settings), load_project_schema(settings)
    async with target.look() as connection:
        found = await connection.run(target.kind.inspector.tables())
        tables, dialect = map_tables(schema), target.kind.dialect()
        layout = ExaminedTables(
            schema=schema, tables=tables, existing_tables=found, dialect=dialect
        )
        return [str(one) for one in await connection.run(examine_program(layout))]


def _migration_request(project: Path, renames: Renames) -> MigrationRequest:
    settings = load_settings(project, environ={})
    return MigrationRequest(
        schema=load_project_schema(settings),
        options=load_options(settings),
        renames=renames,
        may_lose=True,
    )


async def _differing(
    project: Path, kind: Kind, ours: SocketClient, theirs: SocketClient
) -> list[str]:
    """Read every type of the project from both; returns a line for each read that differs."""
    schema = load_project_schema(load_settings(project, environ={}))
    reported = []
    for type_ in schema.api_types:
        for target in _targets(type_):
            one, other = [await _read(client, target) for client in (ours, theirs)]
            if (one[0], settled(one[1], kind.name)) != (other[0], settled(other[1], kind.name)):
                reported.append(f"GET {target}: Quire {one[0]}, Strapi {other[0]}")
    return reported


def _targets(type_: ContentType) -> Iterator[str]:
    for status in ("published", "draft"):
        for locale in ("", "&locale=fr"):
            query = f"status={status}{locale}&populate=*&sort=id&pagination[pageSize]=100"
            yield f"/api/{type_.route_name}?{query}"


async def _read(client: SocketClient, target: str) -> tuple[int, JSON]:
    headers = await Authorization(client, credentials()).headers("full")
    response = await client.request("GET", target, headers)
    return response.status, response.json


def _to(relation: str, name: str) -> Mapping[str, object]:
    return {"type": "relation", "relation": relation, "target": f"api::{name}.{name}"}
