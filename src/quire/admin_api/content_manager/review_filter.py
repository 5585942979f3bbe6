"""Narrows lists to entries in a stage of their review, or with an assignee."""

from msgspec import UNSET, Struct, UnsetType

from quire.content_api.http_messages import Request
from quire.content_api.validators import id_of
from quire.content_manager.permissions import TypePermissions
from quire.content_manager.review.entry_stages import entry_review
from quire.content_manager.revisions import RevisionHistory
from quire.content_manager.status_and_locale import Query, locale_of
from quire.database.interface import Database
from quire.document_service.unit_of_work import WriteEngine
from quire.errors import ValidationError
from quire.query.querystring import QueryValue

_STAGE, _ASSIGNEE = "reviewStage", "reviewAssignee"
_NO_ID = "{name} must be an id"


class ReviewQuery(Struct, rename="camel"):
    """The stage, and the administrator, that listed entries are with."""

    review_stage: int | UnsetType = UNSET
    review_assignee: int | UnsetType = UNSET


class ReviewFilter(Struct, frozen=True):
    """Turns ``reviewStage`` and ``reviewAssignee`` of a query into a filter of documents."""

    database: Database
    engine: WriteEngine
    history: RevisionHistory

    async def of(self, request: Request, permissions: TypePermissions) -> QueryValue:
        """Return the filters of a query together with that of its review, if it asks for one.

        Raises ValidationError for what is no stage and no administrator.
        """
        query = request.query
        filters = query.get("filters")
        if query.keys().isdisjoint((_STAGE, _ASSIGNEE)):
            return filters
        stage, assignee = (_row_id(query, name) for name in (_STAGE, _ASSIGNEE))
        content_type = permissions.content_type
        locale = locale_of(query, content_type, self.engine.default_locale)
        await self.history.ready()
        review_filter = await self.database.read(
            lambda: entry_review(self.engine).document_filter(
                content_type.uid, locale, stage=stage, assignee=assignee
            ),
            snapshot=True,
        )
        return review_filter if filters is None else {"$and": [filters, review_filter]}


def _row_id(query: Query, name: str) -> int | None:
    """Return the id in a query, ``None`` where it is left out. Raises ValidationError."""
    value = query.get(name)
    row_id = id_of(value)
    if row_id is None and value is not None:
        raise ValidationError(_NO_ID.format(name=name))
    return row_id
