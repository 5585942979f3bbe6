"""A database per test."""

from collections.abc import Callable

import pytest

from quire.schema.model import Schema
from tests.databases.store import Store
from tests.unit.database.entries.links.linking import Linking, linking_schema


@pytest.fixture
def linking(open_store: Callable[[Schema], Store]) -> Linking:
    return Linking(open_store(linking_schema()))
