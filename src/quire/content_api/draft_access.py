"""Restricts drafts to API tokens, where ``api.drafts_need_token`` is set.

Without the setting, whoever may find documents may find their drafts.
"""

from quire.access.principal import ApiToken, Principal
from quire.content_api.messages import Request
from quire.errors import ForbiddenError

PUBLISHED = "published"
_TELLING = ("publicationFilter", "hasPublishedVersion")
"""Parameters that compare published entries with their drafts."""


def refuse_drafts(principal: Principal, request: Request) -> None:
    """Refuse a read that asks for drafts, or what they are like, to all but API tokens.

    Every ``status`` but ``published`` is one of drafts. Raises ForbiddenError.
    """
    if isinstance(principal, ApiToken):
        return
    query = request.query
    if query.get("status", PUBLISHED) != PUBLISHED or any(name in query for name in _TELLING):
        raise ForbiddenError
