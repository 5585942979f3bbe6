"""Databases to migrate, of each kind."""

from collections.abc import Callable

import pytest

from quire.schema.model import Schema
from tests.databases.store import Store
from tests.unit.database.migration.migrated_database import MigratedDatabase

MakeContext = Callable[[Schema], MigratedDatabase]


@pytest.fixture
def make_context(open_store: Callable[[Schema], Store]) -> MakeContext:
    """Makes a database with the tables of a schema and the metadata of every database."""

    def make(schema: Schema) -> MigratedDatabase:
        context = MigratedDatabase(store=open_store(schema), schema=schema)
        context.bring_up()
        return context

    return make
