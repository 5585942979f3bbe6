"""A search index on another server, updated after every change."""

from collections.abc import Sequence

from msgspec import Struct
from src.content import Article

from quire import Change, Shape, after_commit, http, settings


class SearchSettings(Struct):
    """Where the search server is; the key is the variable SEARCH_KEY."""

    url: str
    key: str


search = settings("search", SearchSettings)


class SearchRecord(Shape[Article]):
    """What the index has of an article."""

    documentId: str
    title: str
    body: str | None = None


@after_commit(Article, on=["publish", "unpublish", "delete"], shape=SearchRecord, coalesce=True)
async def index(changes: Sequence[Change[SearchRecord]]) -> None:
    """Send what is published now, and the ids of what is not."""
    found = [change.document for change in changes if change.document is not None]
    gone = [change.document_id for change in changes if change.document is None]
    await http.post(
        f"{search.url}/bulk",
        json={"put": found, "delete": gone},
        headers={"x-key": search.key},
    )
