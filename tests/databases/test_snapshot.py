"""Rows are restored under connections that stay open, whatever was done to them."""

from pathlib import Path

from quire.settings import load_settings
from tests.databases.kind import Kind, Row, opened

_INSERT = "INSERT INTO tags (document_id, label) VALUES ('x', 'y') RETURNING id"


def test_all_tables_have_their_rows_again_and_new_tables_none(
    kind: Kind, own_recorded: Path
) -> None:
    database = load_settings(own_recorded, environ={}).database
    file = own_recorded / database.filename
    snapshot = kind.snapshot({"database.filename": file, "database.url": database.url})
    with opened(kind, own_recorded) as rows:

        def content() -> dict[str, list[Row]]:
            return {name: rows.execute(f'SELECT * FROM "{name}"') for name in rows.tables()}

        before, ids = content(), []
        for _ in range(2):
            ids.append(rows.execute(_INSERT))
            rows.execute("UPDATE authors SET name = 'z'")
            with rows.unwatched():
                rows.execute("DELETE FROM articles")
            rows.execute("CREATE TABLE IF NOT EXISTS later (id INTEGER)")
            rows.execute("INSERT INTO later VALUES (1)")
            assert content() != before
            snapshot.restore()
            assert content() == {**before, "later": []}
        assert ids[0] == ids[1]
    snapshot.close()
