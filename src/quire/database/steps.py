"""Which lists may be costly: their pages can be read in two steps, the keys and then the rows.

Where a database has to look at many rows to know which of them a page shows, it does so with their
ids alone. Sorting whole rows costs about twice as much, and an index is enough to skip the rows
before a deep page. The keys can also be remembered, as long as the content stays as it is. Whether
a page is costly, the database tells (`quire.database.costs`). It is not asked for a first page in
the order of ids, nor for what few entries share a value of: these are found at once.
"""

from quire.database.conditions import is_by_id, is_narrow
from quire.query.plan import ReadPlan, SortKey
from quire.schema.model import ContentType, Kind, Schema

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
    if isinstance(model, ContentType) and model.kind is Kind.SINGLE:
        return None
    asks = root.filter is not None or root.publication is not None or plan.search is not None
    if not asks and _is_in_order_of_ids(root.sort):
        return DEEP
    return DEEP if is_by_id(root) or is_narrow(root, schema) else 0


def _is_in_order_of_ids(sort: tuple[SortKey, ...]) -> bool:
    """Tell whether ids decide, as they do where nothing else is asked for."""
    return not sort or (sort[0].attribute == "id" and not sort[0].path)
