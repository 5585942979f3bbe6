"""The recorded project with two models, and the migration of its database.

In the wider model tags have a colour, and there are posters.
"""

import json
from pathlib import Path
from typing import Any

from quire.database.compile.writes import Writes
from quire.database.interface import Database
from quire.database.program import Program, Statement
from quire.database.schema_version import announce_schema
from quire.database.settings_target import target_of
from quire.database.tables.metadata import build_metadata
from quire.database.tables.table_map import map_tables
from quire.schema.model import Schema
from quire.settings import Settings
from quire.strapi_project.schema import load_project_schema
from tests.unit.schema.trees import type_file, write_tree

TAG = "src/api/tag/content-types/tag/schema.json"
POSTER = type_file("poster", {"motto": {"type": "string"}})
_POSTER_FILE = next(iter(POSTER))
_COLOUR: dict[str, Any] = {"type": "string"}


class Model:
    """The model of a project: its files, and what goes with them in the database."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self.is_wide = False

    @property
    def _project(self) -> Path:
        return self._settings.project

    def write_files(self, *, wide: bool) -> Schema:
        """Write the files of a model; returns its schema."""
        path = self._project / TAG
        raw = json.loads(path.read_bytes())
        raw["attributes"].pop("colour", None)
        if wide:
            raw["attributes"]["colour"] = _COLOUR
            write_tree(self._project, POSTER)
        else:
            (self._project / _POSTER_FILE).unlink(missing_ok=True)
        # Readers find the one file or the other, never half of one.
        written = path.with_suffix(".new")
        written.write_text(json.dumps(raw), encoding="utf-8")
        written.replace(path)
        self.is_wide = wide
        return load_project_schema(self._settings)

    def make_posters(self) -> Program[None]:
        """Make the table of posters, which stays in both models; the files are of the wide one."""
        schema = load_project_schema(self._settings)
        kind = target_of(self._settings).kind
        metadata = build_metadata(schema, map_tables(schema), kind.column_types)
        yield Statement(kind.ddl.create_table(metadata.tables["poster_rows"]))

    def change(
        self,
        database: Database,
        schema: Schema,
        *,
        tables: bool = True,
        extends: str | None = None,
    ) -> Program[None]:
        """Bring the database to the model whose files are there, and announce it."""
        if tables:
            act = "ADD COLUMN colour VARCHAR(255)" if self.is_wide else "DROP COLUMN colour"
            yield Statement(f"ALTER TABLE tags {act}")
        yield from announce_schema(Writes(database.dialect), schema.version, extends=extends)
