"""Find: documents as they are within the transaction, what was just written among them."""

from quire.database.program import Program
from quire.document_service.reading import Find, Page, Shown
from quire.document_service.unit_of_work import UnitOfWork


def find(unit: UnitOfWork, wanted: Find) -> Program[Page]:
    """Return a page of documents.

    Raises the query's first fault as an AppError, and ValidationError when more rows are needed
    than may be fetched.
    """
    return (yield from unit.engine.reads.page(wanted).page())


def find_one(
    unit: UnitOfWork, wanted: Find, document_id: str | None = None
) -> Program[Shown | None]:
    """Return one document, that of a single type without an id; ``None`` where there is none.

    Raises as `find` does.
    """
    return (yield from unit.engine.reads.one(wanted, document_id).first())
