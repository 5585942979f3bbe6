"""A newspaper without content, new for each test."""

from collections.abc import Callable

import pytest

from quire.schema.model import Schema
from tests.databases.store import Store
from tests.unit.document_service.press import Press, press_schema


@pytest.fixture
def press(open_store: Callable[[Schema], Store]) -> Press:
    return Press(open_store(press_schema()))


@pytest.fixture
def other_press(open_store: Callable[[Schema], Store]) -> Press:
    return Press(open_store(press_schema()))
