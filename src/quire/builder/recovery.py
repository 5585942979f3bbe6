"""Completes or reverts schema files after an interrupted change of the model."""

from quire.builder.file_transaction import has_file_transactions, recover
from quire.database.compile.writes import Writes
from quire.database.schema_version import announced_schema
from quire.database.settings_target import target_of
from quire.settings import Settings
from quire.strapi_project.schema import load_project_schema


async def is_announced(settings: Settings) -> bool:
    """Tell whether the schema files are those of the model that the database has.

    Raises SchemaError for files with faults, and DatabaseOpenError.
    """
    schema = load_project_schema(settings)
    return schema.version == await _announced(settings)


async def recover_files(settings: Settings) -> list[str]:
    """Let the schema files be those of the model that the database has.

    Returns the paths of files that were put in place. Does nothing but look for a journal where
    there is none. Raises DatabaseOpenError, and OSError when a file cannot be written.
    """
    if not has_file_transactions(settings.project):
        return []
    return recover(settings.project, await _announced(settings))


async def _announced(settings: Settings) -> str | None:
    target = target_of(settings)
    if not await target.has_tables():
        return None
    async with target.look() as looking:
        return await looking.run(announced_schema(Writes(target.kind.dialect())))
