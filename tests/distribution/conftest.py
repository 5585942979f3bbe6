"""The wheel, built and installed once for the tests of a process."""

import sys
from pathlib import Path

import pytest

from tests.distribution.wheel import build_wheel, install_wheel


@pytest.fixture(scope="session")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A wheel of this checkout."""
    return build_wheel(tmp_path_factory.mktemp("dist"))


@pytest.fixture(scope="session")
def command(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The program of an environment that the wheel is installed in."""
    return install_wheel(wheel, tmp_path_factory.mktemp("wheel") / "venv", sys.executable) / "quire"
