"""Reads and writes articles of the recorded project over HTTP."""

import json
import random
from collections.abc import Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from http.client import HTTPConnection
from typing import Any, TypeVar

from tests.conformance.corpus import CORPUS

T = TypeVar("T")

POPULATE = (
    "populate[author][fields]=id&populate[categories][fields]=id&populate[tags][fields]=id"
    "&populate[gallery][fields]=id&populate[links]=true&populate[seo]=true&populate[sections][populate]=*"
)
"""The query that reads everything of an article that is written here."""

_MOST = 5


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """One version of an article, as far as it is written here; relations are ids of documents."""

    title: str
    author: str | None
    categories: tuple[str, ...]
    tags: tuple[str, ...]
    transform_cache: tuple[int, ...]
    links: tuple[str, ...]
    seo: str | None
    sections: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Targets:
    """The ids of what articles are linked with; all of it is published."""

    authors: Sequence[str]
    categories: Sequence[str]
    tags: Sequence[str]
    files: Sequence[int]


class RefusalError(Exception):
    """The server answered a request with an error; ``message`` is its message."""

    def __init__(self, request: str, status: int, body: bytes) -> None:
        super().__init__(f"{request}: {status} {body.decode()}")
        error = json.loads(body)["error"]  # the content-type builder has a separate form
        self.message: str = error["message"] if isinstance(error, dict) else str(error)


@dataclass(frozen=True, slots=True)
class Site:
    """Where the server listens, the token of those who write to it, and how long they wait."""

    port: int
    token: str
    seconds: float = 60

    def connect(self) -> HTTPConnection:
        return HTTPConnection("127.0.0.1", self.port, timeout=self.seconds)

    def send(
        self,
        connection: HTTPConnection,
        method: str,
        target: str,
        body: Mapping[str, object] | None = None,
    ) -> Any:  # noqa: ANN401 - as JSON gives it
        """Send a request and return the JSON of its response, None if it has none.

        Raises RefusalError for any status but 200, 201 and 204, and OSError or HTTPException when
        the server is gone.
        """
        headers = {"Authorization": f"Bearer {self.token}", "Content-Type": "application/json"}
        content = None if body is None else json.dumps(body).encode()
        connection.request(method, target, content, headers)
        response = connection.getresponse()
        answered = response.read()
        if response.status not in {200, 201, 204}:
            raise RefusalError(f"{method} {target} {body}", response.status, answered)
        return json.loads(answered) if answered else None


def signed_in(site: Site) -> Site:
    """Sign the recorded administrator in; returns the site with their access token."""
    recorded = json.loads((CORPUS / "credentials.json").read_bytes())["admin"]
    body = {name: recorded[name] for name in ("email", "password")}
    with closing(site.connect()) as connection:
        response = site.send(connection, "POST", "/admin/login", body)
    return replace(site, token=response["data"]["token"])


def random_entry(made: random.Random, targets: Targets) -> Entry:
    """Make up an entry whose title, links, seo and sections no other one has."""
    return Entry(
        title=f"title {made.getrandbits(64):016x}",
        author=made.choice((None, *targets.authors)),
        categories=_some(made, targets.categories),
        tags=_some(made, targets.tags),
        transform_cache=_some(made, targets.files),
        links=tuple(f"link {made.getrandbits(32):08x}" for _ in range(made.randrange(4))),
        seo=made.choice((None, f"seo {made.getrandbits(32):08x}")),
        sections=tuple(f"quote {made.getrandbits(32):08x}" for _ in range(made.randrange(3))),
    )


def find_targets(site: Site) -> Targets:
    """Choose what articles are linked with from what is published."""
    with closing(site.connect()) as connection:
        authors, categories, tags = (
            [entry["documentId"] for entry in site.send(connection, "GET", target)["data"]]
            for target in ("/api/authors", "/api/categories", "/api/tags")
        )
        files = [file["id"] for file in site.send(connection, "GET", "/api/upload/files")]
    return Targets(authors[:_MOST], categories[:_MOST], tags[:_MOST], files[:_MOST])


def entry_of(data: Mapping[str, Any]) -> Entry:
    """Read an entry from the JSON of a response."""
    return Entry(
        title=data["title"],
        author=data["author"] and data["author"]["documentId"],
        categories=tuple(target["documentId"] for target in data["categories"]),
        tags=tuple(target["documentId"] for target in data["tags"]),
        transform_cache=tuple(file["id"] for file in data["gallery"] or ()),
        links=tuple(link["text"] for link in data["links"]),
        seo=data["seo"] and data["seo"]["metaTitle"],
        sections=tuple(section["text"] for section in data["sections"]),
    )


def payload(entry: Entry) -> dict[str, object]:
    """Return what is to be sent to write an entry."""
    return {
        "title": entry.title,
        "author": entry.author,
        "categories": list(entry.categories),
        "tags": list(entry.tags),
        "gallery": list(entry.transform_cache),
        "links": [{"text": text, "url": "/"} for text in entry.links],
        "seo": None if entry.seo is None else {"metaTitle": entry.seo},
        "sections": [{"__component": "blocks.quote", "text": text} for text in entry.sections],
    }


def _some(made: random.Random, of: Sequence[T]) -> tuple[T, ...]:
    return tuple(made.sample(of, made.randrange(len(of) + 1)))
