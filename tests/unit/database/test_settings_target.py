"""The database target of settings, and invalid settings."""

import subprocess
import sys
from pathlib import Path

import pytest

from quire.database.settings_target import target_of
from quire.errors import ConfigurationError
from quire.settings import load_settings


def test_the_server_imports_no_driver_before_it_knows_its_database() -> None:
    code = "import sys, quire.app; print(*({'apsw', 'asyncpg'} & set(sys.modules)))"
    finished = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    )
    assert finished.stdout.split() == []


@pytest.mark.parametrize(
    ("filename", "public"),
    [
        ("public/data.db", "public"),
        ("public/content/data.db", "public"),
        ("media/data.db", "public"),
        ("content/data.db", "."),
    ],
)
def test_a_sqlite_file_that_everybody_could_download_is_refused(
    filename: str, public: str, tmp_path: Path
) -> None:
    (tmp_path / "src").mkdir()
    directories = {"public.directory": public, "uploads.directory": "media"}
    settings = load_settings(
        tmp_path, environ={}, overrides={"database.filename": filename, **directories}
    )
    with pytest.raises(ConfigurationError, match=r"everybody may read: set database\.filename"):
        target_of(settings)


@pytest.mark.parametrize("public", ["public", ".", ".tmp/public"])
def test_a_hidden_sqlite_file_is_not_served_wherever_it_is(public: str, tmp_path: Path) -> None:
    (tmp_path / "src").mkdir()
    settings = load_settings(tmp_path, environ={}, overrides={"public.directory": public})
    assert target_of(settings).place.endswith(".tmp/data.db")
