"""Values that all locales of an entry share, for forms of a new locale."""

from collections.abc import Mapping

from quire.access.admin_ability import AdminAbility
from quire.content_manager.entry_status import DocumentVersions
from quire.content_manager.permissions import covers, read_permissions
from quire.content_manager.plan_nodes import CREATORS, SYSTEM_FIELDS
from quire.content_manager.read_plans import Planner
from quire.content_manager.sanitize import entry_origin
from quire.database.entries.row_comparison import columns_of
from quire.database.program import Program
from quire.document_service.relation_input import NO_ROW, row_id
from quire.document_service.unit_of_work import WriteEngine
from quire.errors import ApplicationError, NotFoundError, ValidationError
from quire.query.plan import ReadPlan
from quire.query.resolve.scope import Slots
from quire.schema.model import ContentType, Schema

_REQUIRED_PARAMETERS = ("model", "id", "locale")
_MAX_SAFE_INTEGER = 2**53


def localized_type(schema: Schema, body: object) -> ContentType:
    """Return the content type that a body names. Raises ValidationError, and ApplicationError."""
    parameters = body if isinstance(body, Mapping) else {}
    missing_names = [name for name in _REQUIRED_PARAMETERS if parameters.get(name) in (None, "")]
    if missing_names:
        problems = [_required_problem(name) for name in missing_names]
        first_message = str(problems[0]["message"])
        message = first_message if len(problems) == 1 else f"{len(problems)} errors occurred"
        raise ValidationError(message, {"errors": problems})
    content_type = schema.content_types.get(str(parameters["model"]))
    if content_type is None or not content_type.localized:
        raise ApplicationError(f"Model {parameters['model']} is not localized")
    return content_type


def shared_fields(
    engine: WriteEngine, ability: AdminAbility, content_type: ContentType, entry_id: object
) -> Program[dict[str, object]]:
    """Return the values that an entry shares with its other locales, and these locales.

    Raises NotFoundError for a row that is not a draft, or does not exist.
    """
    permissions, planner = read_permissions(ability, content_type), Planner(engine)
    permissions.require()
    shared = engine.store.layout(content_type.uid).shared
    slots = Slots()
    plan = ReadPlan(
        root=planner.shared_node(permissions, shared),
        entry=slots.add(_row_id(entry_id)),
        limit=slots.add(1),
        offset=slots.add(0),
    )
    entry = yield from planner.planned(plan, slots, ability).first()
    is_published = entry is not None and entry["publishedAt"] is not None
    if entry is None or (is_published and content_type.draft_and_publish):
        raise NotFoundError
    rules = permissions.require_on(entry_origin(entry))
    versions, _ = yield from planner.versions(
        ability, content_type, [entry["documentId"]]
    ).entries()
    other_locales = DocumentVersions(content_type, versions).localizations(entry)
    values = {
        name: _without_folder(value)
        for name, value in entry.items()
        if name not in SYSTEM_FIELDS and name not in CREATORS and covers(rules, name)
    }
    unset_names = yield from _unset_secrets(engine, content_type, entry["id"])
    values |= {name: None for name in unset_names if covers(rules, name)}
    names = ("id", "locale", "publishedAt")
    localizations = [{name: version[name] for name in names} for version in (*other_locales, entry)]
    return {"nonLocalizedFields": values, "localizations": localizations}


def _unset_secrets(
    engine: WriteEngine, content_type: ContentType, row_id: int
) -> Program[list[str]]:
    """Return the shared passwords that an entry does not have; existing ones are not shown."""
    layout = engine.store.layout(content_type.uid)
    names = [
        scalar.name
        for scalar in content_type.scalars
        if scalar.secret and scalar.name in layout.shared
    ]
    if not names:
        return names
    row = yield from columns_of(
        engine.store, layout, row_id, [layout.table.columns[name] for name in names]
    )
    return [name for name, value in zip(names, row, strict=True) if value is None]


def _row_id(value: object) -> int:
    number = row_id(value)
    return number if number < _MAX_SAFE_INTEGER else NO_ROW


def _without_folder(value: object) -> object:
    """Return a file in the form of a media value, without its folder."""
    if isinstance(value, dict):
        return {name: inner for name, inner in value.items() if name != "folder"}
    if isinstance(value, list):
        return [_without_folder(item) for item in value]
    return value


def _required_problem(name: str) -> dict[str, object]:
    message = f"{name} is a required field"
    return {"path": [name], "message": message, "name": ValidationError.name}
