"""One module opens SQLite files, and does not overwrite existing ones."""

from pathlib import Path

import quire
from quire.database.dialects.sqlite.file_handles import create_empty_file


def test_no_other_module_opens_a_connection() -> None:
    package = Path(quire.__file__).parent
    opening = {
        path.relative_to(package).as_posix()
        for path in package.rglob("*.py")
        if any(text in path.read_text("utf-8") for text in ("apsw.Connection(", "import sqlite3"))
    }
    # An import opens a temporary file of its own, never the database.
    assert opening == {
        "database/dialects/sqlite/file_handles.py",
        "transfer/staged_entries.py",
    }


def test_a_file_is_created_with_its_folder_and_never_emptied(tmp_path: Path) -> None:
    path = tmp_path / "content" / "data.db"
    create_empty_file(path)
    assert path.read_bytes() == b""
    path.write_bytes(b"rows")
    create_empty_file(path)
    assert path.read_bytes() == b"rows"
