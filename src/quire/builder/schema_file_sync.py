"""Updates the schema files of a server after another server has changed the model.

Servers on several machines have their own folders. A change of the model records the schema in the
database; the other servers write its files into their folders, unless somebody has changed those.
"""

from pathlib import PurePosixPath

from quire.builder.file_changes import file_changes
from quire.builder.file_transaction import FileTransaction
from quire.builder.schema_files import EditedFiles
from quire.database.migration.schema_record import SchemaRecord
from quire.schema.load import build_schema, in_file_order, read_sources
from quire.schema.model import Schema
from quire.settings import Settings
from quire.strapi_project.schema import load_options


def follow_record(
    settings: Settings, current_schema: Schema, record: SchemaRecord
) -> Schema | None:
    """Replace the present schema files by those of a recorded schema; return it.

    ``None`` if the files are not those of the present schema, or if the record does not result in
    the announced schema. Then nothing is changed. Raises SchemaError, and UnwritableFilesError when
    a file cannot be written.
    """
    options = load_options(settings)
    sources = read_sources(settings.project)
    if build_schema(sources, options).version != current_schema.version:
        return None
    if not all(_is_schema_file(source.file) for source in record.sources):
        return None
    recorded = tuple(in_file_order(record.sources))
    schema = build_schema(recorded, options)
    if schema.version != record.version:
        return None
    edited_files = EditedFiles(sources=recorded, models={}, attributes={})
    changes = file_changes(settings.project, sources, edited_files)
    transaction = FileTransaction(settings.project, schema.version, changes)
    transaction.prepare()
    transaction.finish()
    return schema


def _is_schema_file(path: str) -> bool:
    """Tell whether a path of the record is a valid path of a schema file."""
    parts = PurePosixPath(path).parts
    return parts[:1] == ("src",) and ".." not in parts and path.endswith(".json")
