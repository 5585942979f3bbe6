"""The small project, new for each test."""

from pathlib import Path

import pytest

from tests.unit.seeding.harbour import Project


@pytest.fixture
def project(tmp_path: Path) -> Project:
    return Project(tmp_path)
