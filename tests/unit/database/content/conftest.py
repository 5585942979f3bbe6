"""A newspaper without any content, for each test anew."""

import pytest

from tests.unit.documents.press import Press


@pytest.fixture
def press() -> Press:
    return Press()
