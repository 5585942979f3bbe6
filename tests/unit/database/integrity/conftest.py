"""The recorded database, a fresh copy in memory for each test."""

from pathlib import Path

import apsw
import pytest

from quire.schema.load import load_schema
from quire.schema.model import Schema
from tests.conformance.corpus import unpack_project
from tests.unit.database.integrity.content import Content


@pytest.fixture(scope="session")
def recorded_project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return unpack_project(tmp_path_factory.mktemp("recorded"))


@pytest.fixture(scope="session")
def recorded_schema(recorded_project: Path) -> Schema:
    return load_schema(recorded_project)


@pytest.fixture
def content(recorded_project: Path, recorded_schema: Schema) -> Content:
    connection = apsw.Connection(":memory:")
    recorded = apsw.Connection(str(recorded_project / ".tmp/data.db"))
    with connection.backup("main", recorded, "main") as backup:
        backup.step()
    recorded.close()
    return Content(connection, recorded_schema)
