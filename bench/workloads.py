"""The measured requests: equal URLs for every server, and a check of equal responses."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from random import Random
from urllib.parse import quote

from bench.dataset import DatasetSize, article_slug, author_name, document_id
from bench.load import Write

PAGE_SIZE = 25
MANAGED_ARTICLES = "/content-manager/collection-types/api::article.article"
_VARIANTS = 200


@dataclass(frozen=True, slots=True)
class Workload:
    """A kind of request: a name to choose it by, words for the table, its request targets.

    The targets (path and query) are requested in turn; more than one of them means that the
    answer varies from request to request. ``writes`` are mixed in, if there are any.
    """

    name: str
    title: str
    targets: tuple[str, ...]
    writes: tuple[Write, ...] = ()


def workloads(size: DatasetSize) -> tuple[Workload, ...]:
    """Return all workloads for a database of ``size``, in the order of the report."""
    random = Random("workloads")
    chosen = [random.randrange(size.documents) for _ in range(_VARIANTS)]
    documents = [document_id("article", index) for index in chosen]
    slugs = [article_slug(index, size) for index in chosen]
    authors = [author_name(index) for index in range(min(size.authors, _VARIANTS))]
    page = deep_page(size.documents)
    articles = "/api/articles"
    nested = "populate[categories][populate][parent]=true"
    return (
        Workload("flat", f"flat page of {PAGE_SIZE}", (f"{articles}?pagination[pageSize]=25",)),
        Workload(
            "relations",
            "list with author, categories, tags",
            (f"{articles}?{_populate('author', 'categories', 'tags')}",),
        ),
        Workload(
            "nested",
            "list with author, categories and their parents, tags, seo, links",
            (f"{articles}?{_populate('author', 'tags', 'seo', 'links')}&{nested}",),
        ),
        Workload(
            "find-one",
            "one document, another each time",
            tuple(f"{articles}/{document}" for document in documents),
        ),
        Workload(
            "slug",
            "list of what has a slug, another each time",
            tuple(f"{articles}?filters[slug][$eq]={slug}" for slug in slugs),
        ),
        Workload(
            "filter",
            "filter by the author's name, another each time",
            tuple(f"{articles}?filters[author][name][$eq]={quote(name)}" for name in authors),
        ),
        Workload("sort", "sort=createdAt:desc (indexed)", (f"{articles}?sort=createdAt:desc",)),
        Workload("sort-unindexed", "sort=score:desc (no index)", (f"{articles}?sort=score:desc",)),
        Workload(
            "deep-page",
            "page four fifths into the list, sort=createdAt:desc",
            (f"{articles}?sort=createdAt:desc&pagination[page]={page}",),
        ),
        Workload(
            "admin-list",
            "admin API: list of 10 with states and locales, sort=createdAt:desc",
            (f"{MANAGED_ARTICLES}?page=1&pageSize=10&sort=createdAt:desc",),
        ),
        Workload(
            "mixed",
            "95 % reads of 260 addresses, 5 % writes",
            _site_addresses(articles, slugs, documents, authors, random),
            _site_writes(documents),
        ),
    )


def _site_addresses(
    articles: str,
    slugs: Sequence[str],
    documents: Sequence[str],
    authors: Sequence[str],
    random: Random,
) -> tuple[str, ...]:
    """Return what the front end of a site asks for: lists, articles by id, by author, by slug."""
    whole = _populate("author", "categories", "tags")
    parts = (
        [f"{articles}?{whole}&pagination[page]={page}" for page in range(1, 81)],
        [f"{articles}/{document}?{whole}" for document in documents[:120]],
        [f"{articles}?filters[author][name][$eq]={quote(name)}" for name in authors[:40]],
        [f"{articles}?filters[slug][$eq]={slug}&{whole}" for slug in slugs[120:140]],
    )
    found = [target for part in parts for target in part]
    random.shuffle(found)
    return tuple(found)


def _site_writes(documents: Sequence[str]) -> tuple[Write, ...]:
    """Return what its editors do: change and publish articles, and now and then a new one."""
    writes = []
    for number, document in enumerate(documents):
        title = json.dumps({"data": {"title": f"Changed {number}"}})
        if number % 4 == 3:
            writes.append(Write("POST", "/api/articles", title))
        else:
            writes.append(Write("PUT", f"/api/articles/{document}", title))
    return tuple(writes)


def deep_page(documents: int) -> int:
    """Return a page number four fifths into the list: 800 of the 1,000 pages of 25,000."""
    return max(1, documents * 4 // (5 * PAGE_SIZE))


def choose(available: Sequence[Workload], names: Sequence[str]) -> tuple[Workload, ...]:
    """Return the workloads of the given names in the order of the report; all when none is given.

    Raises ValueError for a name that no workload has, listing those there are.
    """
    known = {workload.name for workload in available}
    if unknown := [name for name in names if name not in known]:
        raise ValueError(
            f"no workload named {', '.join(unknown)}; there are {', '.join(sorted(known))}"
        )
    return tuple(workload for workload in available if not names or workload.name in names)


def first_difference(left: object, right: object, path: str = "") -> str | None:
    """Return where two parsed JSON values first differ, such as ``.data[3].title``, or None.

    Key order does not matter, array order does, and ``true`` is not ``1``.
    """
    if isinstance(left, Mapping) and isinstance(right, Mapping):
        if left.keys() != right.keys():
            names = sorted(str(name) for name in left.keys() ^ right.keys())
            return f"{path or '.'}: only one side has {', '.join(names)}"
        pairs = ((left[name], right[name], f"{path}.{name}") for name in left)
    elif isinstance(left, list) and isinstance(right, list):
        if len(left) != len(right):
            return f"{path or '.'}: {len(left)} and {len(right)} items"
        pairs = (
            (one, other, f"{path}[{index}]")
            for index, (one, other) in enumerate(zip(left, right, strict=True))
        )
    elif type(left) is type(right) and left == right:
        return None
    else:
        return f"{path or '.'}: {_excerpt(left)} and {_excerpt(right)}"
    differences = (first_difference(one, other, where) for one, other, where in pairs)
    return next((difference for difference in differences if difference is not None), None)


def _excerpt(value: object) -> str:
    return json.dumps(value, ensure_ascii=False)[:60]


def _populate(*names: str) -> str:
    """Return the query that populates the attributes named, each whole but not deeper."""
    return "&".join(f"populate[{name}]=true" for name in names)
