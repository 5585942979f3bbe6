"""Restricts drafts to API tokens, if ``api.drafts_need_token`` is set.

Without the setting, the permission to find documents includes their drafts.
"""

from collections.abc import Mapping

from quire.access.principal import ApiToken, Principal
from quire.content_api.http_messages import Request
from quire.errors import ForbiddenError
from quire.query.querystring import QueryValue

PUBLISHED = "published"
_DRAFT_PARAMETERS = ("publicationFilter", "hasPublishedVersion")
"""Parameters that compare published entries with their drafts."""


def refuse_drafts(principal: Principal, request: Request) -> None:
    """Reject a read of drafts, or of properties of drafts, except by API tokens.

    Every ``status`` but ``published`` means drafts. Raises ForbiddenError.
    """
    if isinstance(principal, ApiToken):
        return
    query = request.query
    if query.get("status", PUBLISHED) != PUBLISHED or any(
        name in query for name in _DRAFT_PARAMETERS
    ):
        raise ForbiddenError


def refuse_populated_drafts(principal: Principal, query: Mapping[str, QueryValue]) -> None:
    """Reject a write of a draft that populates its response, except by API tokens.

    The relations of a draft lead to drafts, which the caller need not be allowed to write. Raises
    ForbiddenError.
    """
    shows_draft = query.get("status", PUBLISHED) != PUBLISHED
    if shows_draft and "populate" in query and not isinstance(principal, ApiToken):
        raise ForbiddenError
