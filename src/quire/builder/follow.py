"""Lets the schema files of a server follow a change of the model that another server has made.

Servers on several machines have a folder each. Whoever changes the model records the schema in the
database; the others write its files into their own folders, unless somebody has changed those.
"""

from pathlib import PurePosixPath

from quire.builder.file_transaction import FileTransaction
from quire.builder.files import file_changes
from quire.builder.schema_files import EditedFiles
from quire.database.migration.schema_record import SchemaRecord
from quire.schema.load import build_schema, in_file_order, read_sources
from quire.schema.model import Schema
from quire.settings import Settings
from quire.strapi_project.schema import load_options


def follow_record(settings: Settings, present: Schema, record: SchemaRecord) -> Schema | None:
    """Write the files of a recorded schema, in the place of those of the present one; return it.

    ``None`` where the files are not those of the present schema, or where the record does not make
    the schema that it says it is. Then nothing is changed. Raises SchemaError, and
    UnwritableFilesError when a file cannot be written.
    """
    options = load_options(settings)
    sources = read_sources(settings.project)
    if build_schema(sources, options).version != present.version:
        return None
    if not all(_is_schema_file(source.file) for source in record.sources):
        return None
    recorded = tuple(in_file_order(record.sources))
    schema = build_schema(recorded, options)
    if schema.version != record.version:
        return None
    drawn = EditedFiles(sources=recorded, models={}, attributes={})
    changes = file_changes(settings.project, sources, drawn)
    transaction = FileTransaction(settings.project, schema.version, changes)
    transaction.prepare()
    transaction.finish()
    return schema


def _is_schema_file(path: str) -> bool:
    """Tell whether a path of the record is one that a schema file may have."""
    parts = PurePosixPath(path).parts
    return parts[:1] == ("src",) and ".." not in parts and path.endswith(".json")
