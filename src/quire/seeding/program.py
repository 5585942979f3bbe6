"""The program that imports all content of a project."""

from collections.abc import Callable, Mapping

from msgspec import Struct

from quire.database.program import Program
from quire.document_service.unit_of_work import UnitOfWork
from quire.seeding.content import Content
from quire.seeding.documents import Documents
from quire.seeding.media import Upload
from quire.seeding.rows import BuiltinRows


class SeedTarget(Struct, frozen=True, kw_only=True):
    """Where content goes: documents through a unit of work, what stands around them as rows."""

    rows: BuiltinRows
    unit: UnitOfWork


def seed_program(
    content: Content,
    uploads: Mapping[str, Upload],
    target: SeedTarget,
    advance: Callable[[str], None],
) -> Program[None]:
    """Write all content into a database that has none.

    ``uploads`` are the media files by name; ``advance`` is called with the key of each document
    that was written. Raises SeedingError when the database lacks the role of visitors, or when a
    document cannot be written.
    """
    yield from target.rows.locales(content.locales)
    files = {}
    for name, upload in uploads.items():
        files[name] = yield from target.rows.file(upload)
    documents = Documents(target.unit, files, content.locales[0].code)
    for document in content.documents:
        yield from documents.write(document)
        advance(document.key)
    for document in content.documents:
        yield from documents.change(document)
    yield from target.rows.permissions(content.public)
