"""The schema of an archive: compared with that of a project, or written if there is none."""

import re
from collections.abc import Iterator, Mapping, Sequence

from msgspec import Struct

from quire.builder.definitions import file_of
from quire.builder.file_changes import FileChange, file_changes
from quire.builder.schema_files import EditedFiles
from quire.errors import SchemaError, TransferError
from quire.schema.attributes.base import (
    Attribute,
    ComponentAttribute,
    DynamicZoneAttribute,
    MediaAttribute,
    RelationAttribute,
)
from quire.schema.builtin import builtin_schemas
from quire.schema.load import build_schema, in_file_order, read_sources
from quire.schema.model import ContentType, Model, Schema
from quire.schema.source_files import EXTENSION, SchemaFile
from quire.settings import Settings
from quire.strapi_project.schema import load_options
from quire.transfer.archive_format import ArchiveStage
from quire.transfer.unpacking import UnpackedArchive

_AUTOMATIC = frozenset(
    {
        "createdAt",
        "updatedAt",
        "publishedAt",
        "createdBy",
        "updatedBy",
        "locale",
        "localizations",
    }
)
_TYPE_KEYS = ("kind", "collectionName", "info", "options", "pluginOptions")
_COMPONENT_KEYS = ("collectionName", "info", "options")
_MAX_LISTED = 20

_UID = re.compile(r"(api::)?[A-Za-z0-9][A-Za-z0-9_-]*\.[A-Za-z0-9][A-Za-z0-9_-]*")
"""Valid uids of content types and components of projects, which become file paths."""
_TABLE = re.compile(r"[A-Za-z0-9_-]+")
_OTHER_TYPES = ("plugin::", "admin::")
"""No files are written for these, unless they are built-in types."""


class ArchivedSchema(Struct, frozen=True):
    """The schema of an archive, and the files that give it to a project."""

    schema: Schema
    sources: tuple[SchemaFile, ...]


def read_archived_schema(archive: UnpackedArchive, settings: Settings) -> ArchivedSchema:
    """Read the schema of an archive.

    Raises TransferError when it has none, or an invalid one.
    """
    lines = list(archive.raw_lines(ArchiveStage.SCHEMAS))
    if not lines:
        raise TransferError("The archive has no schema, so that nobody can say what its rows are.")
    builtin_models = {uid: raw for uid, _, raw in builtin_schemas()}
    sources = in_file_order(_sources(lines, builtin_models))
    try:
        schema = build_schema(sources, load_options(settings))
    except SchemaError as error:
        raise TransferError(f"The schema of the archive is not understood.\n{error}") from error
    return ArchivedSchema(schema, tuple(sources))


def missing_files(archived: ArchivedSchema, settings: Settings) -> list[FileChange]:
    """Return the schema files to create: those of the archive for a project without models."""
    if read_sources(settings.project):
        return []
    edited_files = EditedFiles(sources=archived.sources, models={}, attributes={})
    return file_changes(settings.project, [], edited_files)


def require_same_schema(archived: Schema, schema: Schema) -> None:
    """Check that the project can store everything in an archive.

    The project may have more types and attributes than the archive. Raises TransferError with every
    difference that would lose or change values.
    """
    problems = list(_differences(archived, schema))
    if not problems:
        return
    problem_lines = [f"  {line}" for line in problems[:_MAX_LISTED]]
    if len(problems) > _MAX_LISTED:
        problem_lines.append(f"  and {len(problems) - _MAX_LISTED} more")
    problem_text = "\n".join(problem_lines)
    raise TransferError(f"The content types differ from those of the archive:\n{problem_text}")


def _sources(
    lines: Sequence[Mapping[str, object]], builtin: Mapping[str, Mapping[str, object]]
) -> Iterator[SchemaFile]:
    for line in lines:
        uid = str(line.get("uid"))
        if uid not in builtin and not uid.startswith(_OTHER_TYPES) and not _UID.fullmatch(uid):
            raise TransferError(f"The archive has a content type of an impossible uid: {uid!r}.")
        table = line.get("collectionName")
        if isinstance(table, str) and not _TABLE.fullmatch(table):
            raise TransferError(f"The archive has a table of an impossible name: {table!r}.")
        if uid.startswith("api::"):
            yield SchemaFile(uid, file_of(uid), _file_content(line, _TYPE_KEYS))
        elif "::" not in uid:
            raw = {**_file_content(line, _COMPONENT_KEYS), "config": {}}
            yield SchemaFile(uid, file_of(uid), raw)
        elif uid in builtin and _own_attributes(line).keys() - _attributes(builtin[uid]).keys():
            extension = f"{EXTENSION}{uid}"
            yield SchemaFile(extension, file_of(extension), _file_content(line, _TYPE_KEYS))


def _file_content(line: Mapping[str, object], keys: Sequence[str]) -> dict[str, object]:
    """Return the content of a schema file, from a line with the server's additions."""
    raw = {key: line[key] for key in keys if key in line}
    return {**raw, "attributes": _own_attributes(line)}


def _own_attributes(line: Mapping[str, object]) -> dict[str, object]:
    attributes = _attributes(line)
    if "::" not in str(line.get("uid")):
        return attributes
    return {name: value for name, value in attributes.items() if name not in _AUTOMATIC}


def _attributes(raw: Mapping[str, object]) -> dict[str, object]:
    attributes = raw.get("attributes")
    return dict(attributes) if isinstance(attributes, Mapping) else {}


def _differences(archived_schema: Schema, schema: Schema) -> Iterator[str]:
    for model in archived_schema.models():
        if model.uid.startswith("admin::"):
            continue
        project_model = schema.content_types.get(model.uid) or schema.components.get(model.uid)
        if project_model is None:
            yield f"{model.uid} is missing in the project"
            continue
        yield from _model_differences(model, project_model)


def _model_differences(model: Model, own_model: Model) -> Iterator[str]:
    if isinstance(model, ContentType) and isinstance(own_model, ContentType):
        for property_name in ("kind", "draft_and_publish", "localized"):
            value, own_value = getattr(model, property_name), getattr(own_model, property_name)
            if value != own_value:
                label = property_name.replace("_", " ")
                yield f"{model.uid}: {label} is {own_value}, and {value} in the archive"
    for name, attribute in model.attributes.items():
        own_attribute = own_model.attributes.get(name)
        if own_attribute is None:
            yield f"{model.uid}.{name} is missing in the project"
        elif _form(own_attribute) != _form(attribute):
            yield (
                f"{model.uid}.{name} is {_describe(own_attribute)}, "
                f"and {_describe(attribute)} in the archive"
            )
        elif isinstance(attribute, DynamicZoneAttribute) and isinstance(
            own_attribute, DynamicZoneAttribute
        ):
            for uid in sorted(set(attribute.components) - set(own_attribute.components)):
                yield f"{model.uid}.{name} does not take the component {uid}"


def _form(attribute: Attribute) -> tuple[object, ...]:
    """Return the properties of an attribute that have to agree for equal values."""
    match attribute:
        case RelationAttribute():
            return attribute.type.name, attribute.relation, attribute.target
        case ComponentAttribute():
            return attribute.type.name, attribute.component, attribute.repeatable
        case MediaAttribute():
            return attribute.type.name, attribute.multiple
        case _:
            return (attribute.type.name,)


def _describe(attribute: Attribute) -> str:
    return " ".join(str(part) for part in _form(attribute))
