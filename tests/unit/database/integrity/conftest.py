"""The recorded database, a new copy for each test."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from quire.schema.load import load_schema
from quire.schema.model import Schema
from tests.databases.kind import Kind
from tests.databases.store import Store
from tests.unit.database.integrity.content import Content, NewContent, filled


@pytest.fixture(scope="session")
def recorded_schema(recorded: Path) -> Schema:
    return load_schema(recorded)


@pytest.fixture
def content(kind: Kind, recorded: Path, recorded_schema: Schema) -> Iterator[Content]:
    store = kind.recorded_store(recorded)
    yield Content(store, recorded_schema)
    store.close()


@pytest.fixture
def new_content(open_store: Callable[[Schema], Store]) -> NewContent:
    def make(schema: Schema, *statements: str) -> Content:
        return filled(Content(open_store(schema), schema), *statements)

    return make
