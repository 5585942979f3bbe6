"""Modules imported at the start: none that only some requests or servers need."""

import subprocess
import sys

import pytest


@pytest.fixture(scope="module")
def imported() -> list[str]:
    """The names of all modules there are once a server could be started."""
    program = "import quire.app, quire.cli.serve, sys; print(*sys.modules)"
    run = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )
    return run.stdout.split()


@pytest.mark.parametrize(
    "name", ["quire.openapi", "httpx", "httpcore", "obstore", "opentelemetry", "prometheus_client"]
)
def test_nothing_is_imported_before_somebody_asks(imported: list[str], name: str) -> None:
    assert "quire.app" in imported
    assert name not in imported
