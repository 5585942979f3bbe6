"""Migrates a database to a schema."""

from collections.abc import Collection, Iterator, Mapping

from msgspec import Struct

from quire.database.compile.writes import Writes
from quire.database.dialect import Dialect
from quire.database.integrity.system_tables import DEFAULT_LOCALE_KEY
from quire.database.migration.apply import MigrationTarget, migrate, plan_migration, record
from quire.database.migration.component_changes import with_changed_components
from quire.database.migration.plan import PlannedMigration, RequestedMigration
from quire.database.migration.schema_diff import MigrationConflictError
from quire.database.migration.schema_pair import Renames, SchemaTables, schema_tables
from quire.database.migration.schema_record import SchemaRecord, recorded_schema
from quire.database.migration.steps import Plan
from quire.database.program import Program
from quire.database.stores.core_store import read_settings
from quire.database.target import DatabaseKind
from quire.errors import QuireError, SchemaError
from quire.schema.load import LoadOptions, build_schema
from quire.schema.model import Model, Schema
from quire.schema.source_files import EXTENSION, SchemaFile


def pending_renames(renames: Renames, before: Schema, after: Schema) -> Renames:
    """Return the renames that lead from one schema to another.

    Attributes may be named under the later or the earlier uid of their model. Raises
    MigrationConflictError for names that neither schema has, and for two new names of one thing.
    """
    if before.version == after.version:
        return Renames()
    models = dict(_to_do(renames.models, _uids(before), _uids(after), ""))
    requested_names: dict[str, dict[str, str]] = {}
    for named_uid, names in renames.attributes.items():
        uid = _later_uid(renames.models, named_uid)
        if _model(after, uid) is None:
            message = f"{named_uid} cannot have renamed attributes: the files have no such type"
            raise MigrationConflictError(message)
        all_names = requested_names.setdefault(uid, {})
        for new_name, old_name in names.items():
            if all_names.setdefault(new_name, old_name) != old_name:
                message = f"{uid}.{all_names[new_name]} and {old_name} cannot become {new_name}"
                raise MigrationConflictError(message)
    attributes = {
        uid: dict(
            _to_do(
                names,
                _attribute_names(before, models.get(uid, uid)),
                _attribute_names(after, uid),
                f"{uid}.",
            )
        )
        for uid, names in requested_names.items()
    }
    return Renames(
        models=models, attributes={uid: names for uid, names in attributes.items() if names}
    )


def _to_do(
    requested_renames: Mapping[str, str], before: frozenset[str], after: frozenset[str], prefix: str
) -> Iterator[tuple[str, str]]:
    new_names: dict[str, str] = {}
    for new_name, old_name in requested_renames.items():
        if new_names.setdefault(old_name, new_name) != new_name:
            message = f"{prefix}{old_name} cannot become {new_names[old_name]} and {new_name}"
            raise MigrationConflictError(message)
        if new_name not in after:
            message = (
                f"{prefix}{old_name} cannot become {new_name}: the files have no {prefix}{new_name}"
            )
            raise MigrationConflictError(message)
        if old_name in before:
            yield new_name, old_name
        elif new_name not in before:
            message = f"{prefix}{old_name} cannot become {new_name}: there is no {prefix}{old_name}"
            raise MigrationConflictError(message)


def _later_uid(models: Mapping[str, str], uid: str) -> str:
    """Return the later uid of a model that may be named by its earlier one."""
    return next((new_uid for new_uid, old_uid in models.items() if old_uid == uid), uid)


def _uids(schema: Schema) -> frozenset[str]:
    return frozenset(schema.content_types) | frozenset(schema.components)


def _model(schema: Schema, uid: str) -> Model | None:
    return schema.content_types.get(uid) or schema.components.get(uid)


def _attribute_names(schema: Schema, uid: str) -> frozenset[str]:
    model = _model(schema, uid)
    return frozenset() if model is None else frozenset(model.attributes)


class ConsentNeededError(QuireError):
    """A migration would remove content, and nobody has agreed to that."""

    def __init__(self, plan: Plan) -> None:
        """``plan`` is the planned migration."""
        self.plan = plan
        lines = "\n".join(f"  {step}" for step in plan.losses)
        super().__init__(f"The migration would remove content:\n{lines}")


class MigrationRequest(Struct, frozen=True, kw_only=True):
    """The target of a migration.

    ``options`` are those that the schema was loaded with. ``former`` is the present schema of the
    tables, if the caller knows it: it fills in what the database does not record. ``title``
    describes the migration in the archive. With ``may_lose`` rows and values may be removed.
    """

    schema: Schema
    options: LoadOptions
    renames: Renames
    former: Schema | None = None
    title: str = "migration"
    may_lose: bool = False


def plan_migration_to(kind: DatabaseKind, request: MigrationRequest) -> Program[PlannedMigration]:
    """Plan the migration of a database; changes nothing.

    Raises MigrationConflictError when a new table or column exists already, and for a rename of
    something that does not exist.
    """
    dialect = kind.dialect()
    change = yield from _change(kind, dialect, request)
    return (yield from plan_migration(MigrationTarget(kind=kind, dialect=dialect), change))


def migrate_to(
    kind: DatabaseKind, request: MigrationRequest, *, now: int
) -> Program[PlannedMigration]:
    """Plan the migration of a database and carry it out; run it in one transaction.

    Raises what `plan_migration_to` raises, and ConsentNeededError; then nothing is changed.
    """
    migration = yield from plan_migration_to(kind, request)
    if migration.plan.losses and not request.may_lose:
        raise ConsentNeededError(migration.plan)
    place = MigrationTarget(kind=kind, dialect=kind.dialect())
    renames = migration.change.renames
    if migration.plan.steps or renames.models or renames.attributes:
        yield from migrate(place, migration, title=request.title, now=now)
    else:
        yield from record(Writes(place.dialect), migration.change)
    return migration


def _change(
    kind: DatabaseKind, dialect: Dialect, request: MigrationRequest
) -> Program[RequestedMigration]:
    writes = Writes(dialect)
    recorded = yield from recorded_schema(writes)
    settings = yield from read_settings(writes, (DEFAULT_LOCALE_KEY,))
    locale = settings.get(DEFAULT_LOCALE_KEY)
    tables = yield from kind.inspector.table_names()
    if recorded is not None and recorded.is_complete:
        present = request.schema if request.former is None else request.former
        renames = request.renames if request.former is None else Renames()
        former = _former_schema(kind, recorded, request, tables)
        recorded = yield from with_changed_components(kind, recorded, former, present, renames)
    before = _former_schema(kind, recorded, request, tables)
    renames = Renames() if before is None else request.renames
    if before is not None and request.former is None:
        renames = pending_renames(renames, before.schema, request.schema)
    return RequestedMigration(
        before=before,
        after=schema_tables(request.schema, kind.column_types),
        renames=renames,
        default_locale=locale if isinstance(locale, str) else None,
    )


def _former_schema(
    kind: DatabaseKind,
    recorded: SchemaRecord | None,
    request: MigrationRequest,
    tables: Collection[str],
) -> SchemaTables | None:
    """Build the schema that the database was made for; ``None`` if it is unknown."""
    if recorded is None:
        return None if request.former is None else schema_tables(request.former, kind.column_types)
    sources = list(recorded.sources)
    if not recorded.is_complete:
        recorded_uids = {source.uid for source in sources}
        sources += [s for s in _unrecorded_sources(request, tables) if s.uid not in recorded_uids]
    # Strapi may have removed the tables of types that it had not seen.
    for known_sources in ([*sources, *recorded.unseen], sources):
        try:
            return schema_tables(build_schema(known_sources, request.options), kind.column_types)
        except SchemaError:
            continue
    return None


def _unrecorded_sources(request: MigrationRequest, tables: Collection[str]) -> list[SchemaFile]:
    """Return components and extensions, which Strapi's record of the schema lacks.

    Where they are unknown, they are taken to be as they are now, except for their names.
    """
    schema, renames = request.schema, request.renames
    if request.former is not None:
        schema, renames = request.former, Renames()
    components = [
        SchemaFile(renames.models.get(m.uid, m.uid), m.file, _before_renaming(m, renames, tables))
        for m in schema.components.values()
    ]
    extended = [
        SchemaFile(f"{EXTENSION}{m.uid}", m.file, m.raw)
        for m in schema.content_types.values()
        if m.file.startswith("src/extensions/")
    ]
    return [*components, *extended]


def _before_renaming(
    model: Model, renames: Renames, tables: Collection[str]
) -> Mapping[str, object]:
    """Return the description of a component with the earlier names of all that it names.

    A renamed one whose table is missing was in the table that Strapi names after it.
    """
    names = renames.attributes.get(model.uid, {})
    raw_attributes = model.raw.get("attributes")
    attributes = raw_attributes if isinstance(raw_attributes, Mapping) else {}
    raw = dict(model.raw)
    if model.uid in renames.models and model.collection_name not in tables:
        default_names = (
            name for name in _default_tables(renames.models[model.uid]) if name in tables
        )
        raw["collectionName"] = next(default_names, model.collection_name)
    return {
        **raw,
        "attributes": {
            names.get(name, name): _with_earlier_uids(raw, renames.models)
            for name, raw in attributes.items()
        },
    }


def _default_tables(uid: str) -> Iterator[str]:
    """Yield the names that Strapi may have given to the table of a component."""
    base = f"components_{uid.replace('.', '_').replace('-', '_')}"
    yield from (f"{base}s", f"{base}es", f"{base.removesuffix('y')}ies", base)


def _with_earlier_uids(attribute: object, models: Mapping[str, str]) -> object:
    if not isinstance(attribute, Mapping):
        return attribute
    return {
        key: models.get(value, value) if isinstance(value, str) else value
        for key, value in attribute.items()
    }
