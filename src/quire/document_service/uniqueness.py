"""Checks unique values inside the transaction.

There is one writer at a time, so two writes of the same value cannot both find it free. Only
published entries count, and only those of the same locale; drafts may repeat each other.
"""

from collections.abc import Sequence

from quire.database.entries.lookup import is_taken
from quire.database.program import Program
from quire.document_service.relations import WrittenVersion
from quire.document_service.unit_of_work import UnitOfWork
from quire.document_service.validate import Problem, UniqueCheck


def find_taken(
    unit: UnitOfWork,
    checks: Sequence[UniqueCheck],
    version: WrittenVersion,
    document_id: str | None,
    *,
    is_copy: bool = False,
) -> Program[list[Problem]]:
    """Return a problem for every value that another document has published in this locale.

    ``document_id`` is the document that is written, which may repeat itself; ``None`` for a new
    one. ``is_copy`` tells that its rows were copied from those of another document.
    """
    problems: list[Problem] = []
    localized = version.content_type.localized
    for check in checks:
        owner = unit.layout(check.model_uid)
        column = owner.table.columns[check.attribute]
        taken = yield from is_taken(
            unit.store,
            version.content_type.uid,
            check.way,
            column,
            unit.encode(owner, {check.attribute: check.value})[column],
            besides=document_id,
            locale=version.locale if localized else None,
            is_copy=is_copy,
        )
        if taken:
            problems.append(check.problem)
    return problems
