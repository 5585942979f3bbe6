"""Databases to migrate, of each kind."""

from collections.abc import Callable

import pytest

from quire.schema.model import Schema
from tests.databases.store import Store
from tests.unit.database.migration.ground import Ground

MakeGround = Callable[[Schema], Ground]


@pytest.fixture
def make_ground(open_store: Callable[[Schema], Store]) -> MakeGround:
    """Makes a database with the tables of a schema and what every database says of itself."""

    def make(schema: Schema) -> Ground:
        ground = Ground(store=open_store(schema), schema=schema)
        ground.bring_up()
        return ground

    return make
