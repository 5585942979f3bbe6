"""The functions that keep the index in step with what is published, and the route that searches."""

import asyncio
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Annotated, Any, cast
from zlib import crc32

import msgspec
from msgspec import Meta, Struct, defstruct, field

from quire import (
    Change,
    Document,
    NotFound,
    Shape,
    after_commit,
    as_system,
    documents,
    job,
    on_start,
    route,
    settings,
)
from quire_search.index import Entry, SearchIndex


class SearchSettings(Struct):
    """``[extensions.config.search_index]``: the file, and the text attributes by content type.

    ``without_drafts`` names those of the types whose documents have no drafts.
    """

    path: str
    types: dict[str, list[str]] = field(default_factory=dict[str, list[str]])
    without_drafts: list[str] = field(default_factory=list[str])


config = settings("search_index", SearchSettings)
index = SearchIndex(Path(config.path))
Record = Shape[Document]


def record_shape(names: Iterable[str]) -> type[Record]:
    """Return the shape of what is read of documents: their text attributes."""
    fields: list[tuple[str, Any] | tuple[str, Any, Any]] = [("documentId", str)]
    fields += [(name, str | None, None) for name in names]
    return cast("type[Record]", defstruct("Record", fields, bases=(Shape,), kw_only=True))


def text_of(uid: str, record: Any) -> str:
    """Return the text of a document, or of what was read of it."""
    texts = (getattr(record, name) for name in config.types[uid])
    return "\n".join(text for text in texts if text)


async def update_index(changes: Sequence[Change[Record]]) -> None:
    """Let the index know what is published now."""
    entries = [
        Entry(
            change.uid,
            change.document_id,
            change.locale or "",
            None if change.document is None else text_of(change.uid, change.document),
        )
        for change in changes
    ]
    await asyncio.to_thread(index.update, entries)


for _uid, _names in config.types.items():
    _record = record_shape(_names)
    if _uid in config.without_drafts:
        _listen = after_commit(
            _uid, on=["create", "update", "clone", "delete"], shape=_record, coalesce=True
        )
    else:
        _listen = after_commit(
            _uid, on=["publish", "unpublish", "delete"], shape=_record, coalesce=True
        )
    _listen(update_index)


def expected_version() -> int:
    """Return the version of a complete index with these settings."""
    return crc32(msgspec.json.encode(config.types, order="sorted")) >> 1 or 1


@on_start
async def require_index() -> None:
    """Have the index built, if it is not there or was built for other attributes."""
    if await asyncio.to_thread(index.version) != expected_version():
        await build_index.enqueue()


@job(retries=20, one_at_a_time="search index")
async def build_index() -> None:
    """Add all that is published. Changes that are made meanwhile are newer, and stay."""
    if await asyncio.to_thread(index.version) == expected_version():
        return
    await asyncio.to_thread(index.clear)
    with as_system("build the search index"):
        for uid, names in config.types.items():
            async for some in documents(uid).stream(fields=[*names, "locale"], locale="*"):
                entries = [
                    Entry(uid, one.documentId, one.locale or "", text_of(uid, one)) for one in some
                ]
                await asyncio.to_thread(index.fill, entries)
    await asyncio.to_thread(index.complete, expected_version())


@route.get("/search/:uid", public=True)
async def search(
    uid: str, q: str, locale: str = "", limit: Annotated[int, Meta(ge=1, le=100)] = 10
) -> list[Document]:
    """The documents of a content type that have all words, as far as the caller may find them."""
    if uid not in config.types:
        raise NotFound
    ids = await asyncio.to_thread(index.find, uid, locale, q, limit)
    found = await documents(uid).find(
        filters={"documentId": {"$in": ids}}, locale=locale or None, page_size=limit
    )
    return sorted(found, key=lambda one: ids.index(one.documentId))
