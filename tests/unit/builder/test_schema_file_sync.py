"""Schema files updated from the changes of another server."""

import json
from pathlib import Path

import pytest

from quire.builder.schema_file_sync import follow_record
from quire.database.migration.schema_record import SchemaRecord
from quire.schema.load import read_sources
from quire.schema.source_files import SchemaFile
from quire.settings import load_settings
from quire.strapi_project.schema import load_project_schema
from tests.unit.cli.conftest import everything_in
from tests.unit.kiosk import SCHEMA
from tests.unit.schema.trees import type_file, write_tree


@pytest.fixture
def ours(tmp_path: Path) -> Path:
    """The folder of this server."""
    write_tree(tmp_path / "ours", *SCHEMA)
    return tmp_path / "ours"


@pytest.fixture
def record(tmp_path: Path) -> SchemaRecord:
    """What another server has recorded: a type more, a type less, and an attribute more."""
    theirs = tmp_path / "theirs"
    write_tree(theirs, *SCHEMA, type_file("memo", {"text": {"type": "string"}}))
    (theirs / "src/api/masthead/content-types/masthead/schema.json").unlink()
    path = theirs / "src/components/part/line.json"
    line = json.loads(path.read_text(encoding="utf-8"))
    line["attributes"]["number"] = {"type": "integer"}
    path.write_text(json.dumps(line), encoding="utf-8")
    schema = load_project_schema(load_settings(theirs, environ={}))
    return SchemaRecord(
        version=schema.version, sources=tuple(read_sources(theirs)), is_complete=True
    )


def test_files_become_those_of_the_record(ours: Path, record: SchemaRecord) -> None:
    settings = load_settings(ours, environ={})
    followed = follow_record(settings, load_project_schema(settings), record)

    assert followed is not None
    assert followed.version == record.version == load_project_schema(settings).version
    assert "api::memo.memo" in followed.content_types
    assert not (ours / "src/api/masthead/content-types").exists()


def test_files_that_somebody_has_changed_are_left_alone(ours: Path, record: SchemaRecord) -> None:
    settings = load_settings(ours, environ={})
    present = load_project_schema(settings)
    write_tree(ours, type_file("draft", {"text": {"type": "string"}}))
    before = everything_in(ours)

    assert follow_record(settings, present, record) is None
    assert everything_in(ours) == before


def test_a_record_that_is_not_what_it_says_is_not_followed(
    ours: Path, record: SchemaRecord
) -> None:
    settings = load_settings(ours, environ={})
    present = load_project_schema(settings)
    before = everything_in(ours)
    other = SchemaRecord(version="other", sources=record.sources, is_complete=True)

    assert follow_record(settings, present, other) is None
    assert everything_in(ours) == before


@pytest.mark.parametrize(
    "path", ["../../x.json", "/etc/x.json", "src/../../x.json", "src/x.py", "config/x.json"]
)
def test_files_elsewhere_are_never_written(ours: Path, record: SchemaRecord, path: str) -> None:
    settings = load_settings(ours, environ={})
    present = load_project_schema(settings)
    before = everything_in(ours)
    first, *others = record.sources
    moved = SchemaFile(first.uid, path, first.raw)
    other = SchemaRecord(version=record.version, sources=(moved, *others), is_complete=True)

    assert follow_record(settings, present, other) is None
    assert everything_in(ours) == before
