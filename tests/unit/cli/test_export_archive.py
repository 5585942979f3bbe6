"""``quire export`` writes the content of a project in the format of ``strapi export``."""

import json
import tarfile
from pathlib import Path
from typing import Any

import pytest

from tests.databases.kind import Kind, opened
from tests.databases.kinds import SQLITE
from tests.unit.cli.conftest import Run
from tests.unit.cli.test_import_archive import expected, responses, site, token_of
from tests.unit.transfer.archive_files import KEY, PLAIN, RESPONSES, members_of

__all__ = ["site"]


def lines_of(members: dict[str, bytes], name: str) -> list[Any]:
    return [json.loads(line) for line in members[name].splitlines()]


def comparable(line: dict[str, Any]) -> str:
    return json.dumps(line, sort_keys=True)


@pytest.fixture
def filled(run: Run, site: Path) -> Path:
    """A project with the content of Strapi's export."""
    assert run("import", PLAIN, site).code == 0
    return site


def test_what_was_imported_is_exported_as_strapi_exports_it(
    run: Run, kind: Kind, filled: Path, tmp_path: Path
) -> None:
    archive = tmp_path / "x.tar"
    code, output, messages = run("export", archive, filled)
    assert (code, output.strip()) == (0, str(archive)), messages
    assert archive.stat().st_mode & 0o777 == 0o600

    ours, theirs = members_of(archive), members_of(PLAIN)
    assert ours.keys() == theirs.keys()
    for name in theirs:
        if name.startswith("assets/uploads/"):
            assert ours[name] == theirs[name], name
        if name.startswith("assets/metadata/"):
            assert json.loads(ours[name]) == json.loads(theirs[name]), name
    entities = "entities/entities_00001.jsonl"
    found = {(one["type"], one["id"]): one["data"] for one in lines_of(ours, entities)}
    wanted = {(one["type"], one["id"]): one["data"] for one in lines_of(theirs, entities)}
    assert found.keys() == wanted.keys()
    for row, data in wanted.items():
        # PostgreSQL shows a string in JSON in its quotes, see `expected`.
        assert found[row] == data or kind is not SQLITE, row
    links = "links/links_00001.jsonl"
    # The other locales of an entry are found by its document id; those lines say nothing more.
    assert {comparable(one) for one in lines_of(ours, links)} == {
        comparable(one)
        for one in lines_of(theirs, links)
        if one["left"]["field"] != "localizations"
    }
    schemas = "schemas/schemas_00001.jsonl"
    in_theirs = {one["uid"]: one for one in lines_of(theirs, schemas)}
    for one in lines_of(ours, schemas):
        assert one["attributes"] == in_theirs[one["uid"]]["attributes"], one["uid"]


@pytest.mark.parametrize("name", ["x.tar", "x.tar.gz", "x.tar.enc", "x.tar.gz.enc"])
def test_an_export_is_imported_as_it_was(
    run: Run, kind: Kind, filled: Path, tmp_path: Path, name: str
) -> None:
    key = ["--key", KEY] if name.endswith(".enc") else []
    archive = tmp_path / name
    assert run("export", archive, filled, *key).code == 0
    token = token_of(run, filled)
    with opened(kind, filled) as database:
        database.execute("DELETE FROM books")

    code, _, messages = run("import", archive, filled, "--replace", *key)

    assert code == 0, messages
    assert responses(filled, token, RESPONSES) == expected(kind)


@pytest.mark.whatever_the_database("names of files are looked at before any database is opened")
@pytest.mark.parametrize(
    ("name", "options", "message"),
    [
        ("x.zip", [], "Name an archive that ends in"),
        ("x.tar", ["--key", "k"], "--key is for an archive whose name ends in .enc"),
        ("there.tar", [], "exists already"),
    ],
)
def test_other_names_are_refused(
    run: Run, project: Path, tmp_path: Path, name: str, options: list[str], message: str
) -> None:
    (tmp_path / "there.tar").write_text("x")
    code, _, messages = run("export", tmp_path / name, project, *options)
    assert (code, message in messages) == (2, True), messages
    assert (tmp_path / "there.tar").read_text() == "x"


@pytest.mark.whatever_the_database("a file of the storage is missing")
def test_files_that_are_missing_are_named(run: Run, project: Path, tmp_path: Path) -> None:
    for path in (project / "public/uploads").glob("avatar*"):
        path.unlink()
    code, _, messages = run("export", tmp_path / "x.tar", project)
    assert code == 0
    assert "1 files are not in the storage: avatar_" in messages
    with tarfile.open(tmp_path / "x.tar") as tar:
        assert not [name for name in tar.getnames() if "avatar" in name]


@pytest.mark.whatever_the_database("an export that fails leaves no file")
def test_an_export_that_fails_leaves_nothing(
    run: Run, project: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("quire.transfer.exporting.ArchiveFile.add_bytes", fail)
    target = tmp_path / "out"
    code, _, messages = run("export", target / "x.tar", project)
    assert (code, "No space left" in messages) == (2, True), messages
    assert list(target.iterdir()) == []
