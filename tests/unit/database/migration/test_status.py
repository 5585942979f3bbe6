"""Whether a server may start: the recorded schema against the files."""

import pytest

from quire.database.compile.writes import Writes
from quire.database.migration.apply import extends
from quire.database.migration.schema_pair import Renames
from quire.database.migration.schema_record import record_schema
from quire.database.migration.status import is_followed
from quire.schema.model import Schema
from quire.schema.source_files import SchemaFile
from tests.unit.database.migration.conftest import MakeContext
from tests.unit.database.migration.migrated_database import (
    NOTE,
    STRING,
    TAG,
    content_type,
    schema_of,
)
from tests.unit.database.migration.test_schema_record import started_by_the_reference

PLAIN = schema_of(content_type(NOTE, {"title": STRING}))
DRAFTED = schema_of(content_type(NOTE, {"title": STRING}, drafts=True))
WIDER = schema_of(content_type(NOTE, {"title": STRING, "text": STRING}))


def commented() -> Schema:
    """The plain schema, with more in the file than anybody records."""
    source = content_type(NOTE, {"title": STRING})
    return schema_of(SchemaFile(source.uid, source.file, {"$schema": "of an editor", **source.raw}))


def test_a_database_that_says_nothing_is_taken_as_it_is(make_context: MakeContext) -> None:
    context = make_context(PLAIN)
    assert context.store.run(is_followed(context.store.kind, DRAFTED))


def test_a_database_says_which_files_it_follows(make_context: MakeContext) -> None:
    context = make_context(PLAIN)
    context.store.run(record_schema(Writes(context.store.dialect), PLAIN, Renames()))
    assert context.store.run(is_followed(context.store.kind, PLAIN))
    assert not context.store.run(is_followed(context.store.kind, DRAFTED))


def test_what_the_reference_does_not_record_of_a_file_makes_no_difference(
    make_context: MakeContext,
) -> None:
    context = started_by_the_reference(make_context(PLAIN))
    assert context.store.run(is_followed(context.store.kind, commented()))
    assert not context.store.run(is_followed(context.store.kind, DRAFTED))
    context.store.run(record_schema(Writes(context.store.dialect), commented(), Renames()))
    assert context.store.run(is_followed(context.store.kind, commented()))


@pytest.mark.parametrize(
    ("after", "before", "is_more"),
    [
        (PLAIN, PLAIN, True),
        (WIDER, PLAIN, True),
        (PLAIN, schema_of(), True),
        (commented(), PLAIN, True),
        (PLAIN, WIDER, False),
        (schema_of(), PLAIN, False),
        (DRAFTED, PLAIN, False),
        (schema_of(content_type(NOTE, {"title": {"type": "text"}})), PLAIN, False),
        (schema_of(content_type(TAG, {"label": STRING})), schema_of(), False),
    ],
)
def test_a_schema_extends_one_that_is_whole_in_it(
    after: Schema, before: Schema, *, is_more: bool
) -> None:
    assert extends(after, before) is is_more
