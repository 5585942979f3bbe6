"""Decides which lists are read in two steps: keys first, then rows.

Where a database has to look at many rows to know which of them a page shows, it does so with their
ids alone. Sorting whole rows costs about twice as much, and an index is enough to skip the rows
before a deep page. The keys can also be remembered, as long as the content stays as it is. Whether
a page is costly, the database tells (`quire.database.execute.costs`). It is not asked for a first
page of what few entries share a value of, nor for one in the order of ids of which nothing else is
asked: these are found at once.
"""

from quire.database.compile.conditions import is_by_id, is_narrow
from quire.query.plan import LocaleScope, ReadPlan, SortKey
from quire.schema.model import ContentType, Schema, TypeKind

DEEP = 100
"""How many rows lie before a page that may be costly because of them alone."""


def steps_from(plan: ReadPlan, schema: Schema) -> int | None:
    """Return the offset from which on a page of a plan may be costly, and has two steps.

    That is 0 for a plan all of whose pages may be. ``None`` is returned for one that has no pages,
    or none but one document.
    """
    if plan.limit is None or plan.document is not None or plan.entry is not None:
        return None
    root, model = plan.root, schema.model(plan.root.uid)
    if isinstance(model, ContentType) and model.kind is TypeKind.SINGLE:
        return None
    if is_by_id(root) or is_narrow(root, schema):
        return DEEP
    if is_plain(plan) and is_in_order_of_ids(root.sort) and not has_versions(plan):
        return DEEP
    return 0


def is_plain(plan: ReadPlan) -> bool:
    """Tell whether nothing is asked of rows but their locale and status."""
    return plan.root.filter is None and plan.root.publication is None and plan.search is None


def has_versions(plan: ReadPlan) -> bool:
    """Tell whether rows of some locale or status are asked for."""
    return plan.root.status is not None or plan.locale in {LocaleScope.ONE, LocaleScope.SOME}


def is_in_order_of_ids(sort: tuple[SortKey, ...]) -> bool:
    """Tell whether ids decide, as they do where nothing else is asked for."""
    return not sort or (sort[0].attribute == "id" and not sort[0].path)
