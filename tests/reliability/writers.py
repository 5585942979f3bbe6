"""Clients that write articles at full speed, and remember the responses.

What an article should look like afterwards is known at every moment but one: the request that a
client has sent and not seen answered may have been carried out or not.
"""

import random
import threading
from collections.abc import Iterator, Mapping
from contextlib import closing
from dataclasses import dataclass, field, replace
from http.client import HTTPConnection, HTTPException
from typing import Any

from tests.reliability.articles import (
    POPULATE,
    Entry,
    RefusalError,
    Site,
    Targets,
    entry_of,
    payload,
    random_entry,
)

MARK = "crash"
"""What the summary of every article begins with that these clients write."""

_MOST_ARTICLES = 12
_PAGE = 100


@dataclass(frozen=True, slots=True, kw_only=True)
class Article:
    """An article: its id once that is known, and its two versions."""

    document_id: str | None = None
    draft: Entry | None = None
    published: Entry | None = None


@dataclass(frozen=True, slots=True)
class Request:
    """One request, and the article of a summary after it."""

    method: str
    target: str
    body: Mapping[str, object] | None
    summary: str
    after: Article


@dataclass(slots=True)
class Writer:
    """One client: the articles it has written, and the request it does not know the end of."""

    name: str
    random: random.Random
    targets: Targets
    articles: dict[str, Article] = field(default_factory=dict)
    pending: Request | None = None
    acknowledged: int = 0
    refusals: list[str] = field(default_factory=list)

    def write(self, site: Site, ended: threading.Event) -> None:
        """Write until stopped, until the server is gone or until it refuses something."""
        with closing(site.connect()) as connection:
            while not ended.is_set():
                request = self.pending = self.next_request()
                try:
                    response = site.send(connection, request.method, request.target, request.body)
                except RefusalError as refusal:
                    self.refusals.append(str(refusal))
                    self.pending = None
                    return
                except (OSError, HTTPException):
                    return
                self.keep(request, None if response is None else response["data"]["documentId"])

    def settle(self, found: Mapping[str, Article]) -> Iterator[str]:
        """Say in words how the articles that were found are not those that were written.

        For the request that nobody answered either outcome will do, and is what is known from now.
        """
        pending, self.pending = self.pending, None
        for summary in self.articles.keys() | {pending.summary if pending else ""} - {""}:
            known = self.articles.get(summary, Article())
            actual = found.get(summary, Article())
            allowed = [known]
            if pending is not None and pending.summary == summary:
                allowed.append(pending.after)
                self._put(summary, actual)
            if all(_without_id(actual) != _without_id(one) for one in allowed):
                expected = " or ".join(map(str, allowed))
                yield f"{summary}: expected {expected}, found {actual}"

    def keep(self, request: Request, document_id: str | None) -> None:
        """Remember that a request was answered, and the id in the response."""
        self.acknowledged += 1
        self._put(request.summary, replace(request.after, document_id=document_id))
        self.pending = None

    def _put(self, summary: str, article: Article) -> None:
        if article.draft is None and article.published is None:
            self.articles.pop(summary, None)
        else:
            self.articles[summary] = article

    def next_request(self) -> Request:
        """Choose what to do next to which article."""
        if not self.articles or self.random.random() < 0.25:
            return self._create()
        summary = self.random.choice(sorted(self.articles))
        if len(self.articles) > _MOST_ARTICLES or self.random.random() < 0.1:
            return self._delete(summary)
        return self.random.choice((self._edit, self._replace, self._publish))(summary)

    def _create(self) -> Request:
        summary = f"{MARK}-{self.name}-{self.random.getrandbits(64):016x}"
        entry = random_entry(self.random, self.targets)
        body = {"data": {"summary": summary, **payload(entry)}}
        if self.random.random() < 0.5:
            return Request(
                "POST", "/api/articles?status=draft", body, summary, Article(draft=entry)
            )
        after = Article(draft=entry, published=entry)
        return Request("POST", "/api/articles", body, summary, after)

    def _edit(self, summary: str) -> Request:
        """Change the draft alone: its title, its links and its tags."""
        known = self.articles[summary]
        assert known.draft is not None
        new = random_entry(self.random, self.targets)
        draft = replace(known.draft, title=new.title, links=new.links, tags=new.tags)
        data = {name: payload(draft)[name] for name in ("title", "links", "tags")}
        target = f"/api/articles/{known.document_id}?status=draft"
        return Request("PUT", target, {"data": data}, summary, replace(known, draft=draft))

    def _replace(self, summary: str) -> Request:
        """Change everything, and publish it."""
        known = self.articles[summary]
        entry = random_entry(self.random, self.targets)
        target = f"/api/articles/{known.document_id}"
        after = replace(known, draft=entry, published=entry)
        return Request("PUT", target, {"data": payload(entry)}, summary, after)

    def _publish(self, summary: str) -> Request:
        known = self.articles[summary]
        target = f"/api/articles/{known.document_id}"
        return Request("PUT", target, {"data": {}}, summary, replace(known, published=known.draft))

    def _delete(self, summary: str) -> Request:
        target = f"/api/articles/{self.articles[summary].document_id}"
        return Request("DELETE", target, None, summary, Article())


def find_articles(site: Site) -> dict[str, Article]:
    """Return all articles that these clients have written, by summary."""
    found: dict[str, Article] = {}
    with closing(site.connect()) as connection:
        for status in ("draft", "published"):
            for data in _pages(site, connection, status):
                known = found.get(data["summary"], Article(document_id=data["documentId"]))
                entry = entry_of(data)
                found[data["summary"]] = (
                    replace(known, draft=entry)
                    if status == "draft"
                    else replace(known, published=entry)
                )
    return found


def _pages(site: Site, connection: HTTPConnection, status: str) -> Iterator[Any]:
    query = f"filters[summary][$startsWith]={MARK}-&status={status}&sort=id&{POPULATE}"
    page = count = 1
    while page <= count:
        target = f"/api/articles?{query}&pagination[page]={page}&pagination[pageSize]={_PAGE}"
        response = site.send(connection, "GET", target)
        yield from response["data"]
        page, count = page + 1, response["meta"]["pagination"]["pageCount"]


def _without_id(article: Article) -> Article:
    return replace(article, document_id=None)
