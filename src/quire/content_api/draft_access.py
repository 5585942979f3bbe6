"""Restricts drafts to API tokens, if ``api.drafts_need_token`` is set.

Without the setting, the permission to find documents includes their drafts.
"""

from quire.access.principal import ApiToken, Principal
from quire.content_api.http_messages import Request
from quire.errors import ForbiddenError

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
