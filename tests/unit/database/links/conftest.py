"""A database per test."""

from collections.abc import Iterator

import pytest

from tests.unit.database.links.linking import Linking


@pytest.fixture
def linking() -> Iterator[Linking]:
    database = Linking()
    yield database
    database.close()
