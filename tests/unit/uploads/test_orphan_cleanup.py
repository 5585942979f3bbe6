"""Files without rows and rows without files are found, except uploads in progress."""

import os
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from quire.cli.check import check_project
from quire.cli.check_repair import repair_project
from quire.cli.check_uploads import check_uploads, delete_uploads
from quire.schema.load import load_schema
from quire.settings import Settings, load_settings

LONG_AGO = time.time() - 7200


@pytest.fixture
def settings(own_recorded: Path) -> Settings:
    return load_settings(own_recorded, environ={})


@pytest.fixture
def put(settings: Settings) -> Callable[[str, float], Path]:
    def put(name: str, at: float = LONG_AGO) -> Path:
        path = settings.project / settings.uploads.directory / name
        path.write_bytes(b"x")
        os.utime(path, (at, at))
        return path

    return put


def test_what_fits_is_not_told(settings: Settings) -> None:
    found = check_uploads(settings, load_schema(settings.project))

    assert (found.without_row, found.without_bytes) == ((), ())


def test_files_without_rows_and_rows_without_files_are_reported(
    settings: Settings, put: Callable[..., Path]
) -> None:
    put("surplus_0123456789.txt")
    put(".hidden")
    put("under_way_0123456789.txt", time.time())
    folder = settings.project / settings.uploads.directory
    (folder / "notes_d2c9b549e5.txt").unlink()
    (folder / "small_big_photo_40898fb781.jpg").unlink()

    found = check_uploads(settings, load_schema(settings.project))
    assert found.without_row == ("surplus_0123456789.txt",)
    assert found.without_bytes == (2, 7)


def test_surplus_files_are_deleted_and_nothing_else(
    settings: Settings, put: Callable[..., Path]
) -> None:
    surplus = put("surplus_0123456789.txt")
    folder = settings.project / settings.uploads.directory
    before = set(folder.iterdir())
    schema = load_schema(settings.project)
    delete_uploads(settings, schema, check_uploads(settings, schema).without_row)

    assert before - set(folder.iterdir()) == {surplus}


def test_the_commands_tell_and_mend(
    settings: Settings,
    put: Callable[..., Path],
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    for name in ("NODE_ENV", "DATABASE_CLIENT"):
        monkeypatch.delenv(name, raising=False)
    surplus = put("surplus_0123456789.txt")
    check_project(settings.project)
    line = "uploads: 1 file without a row (surplus_0123456789.txt)"
    assert f"warning  {line}; `quire check --repair` deletes them" in capsys.readouterr().out

    repair_project(settings.project, duplicates=False, dry_run=True, yes=True)
    assert surplus.exists()
    repair_project(settings.project, duplicates=False, dry_run=False, yes=True)
    assert f"repaired  {line}: deletes them" in capsys.readouterr().out
    assert not surplus.exists()
