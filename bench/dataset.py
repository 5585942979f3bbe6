"""The content of the benchmark: the rows of a database of a given size, and their import.

Rows are written as a Strapi-format server would have left them after its documents were created
over the REST API: every document of a type with draft and publish has a draft row (odd id) and a
published row (the even id after it), component rows are never shared between the two, draft rows
link draft targets and published rows published ones, and datetimes are integer milliseconds.

A row depends on its document's index alone, never on how many documents there are: the first
1,000 documents of a database of 250,000 are those of a database of 1,000.
"""

import json
import sqlite3
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from random import Random
from typing import TypeAlias

from bench import text

LOCALE = "en"
KINDS = ("news", "guide", "interview", "review")

_DOCUMENT_ID_FIRST = "abcdefghijklmnopqrstuvwxyz"
_DOCUMENT_ID_REST = "abcdefghijklmnopqrstuvwxyz0123456789"
_FIRST_INSTANT_MS = 1_577_836_800_000  # 2020-01-01T00:00:00Z
_ARTICLE_INTERVAL_MS = 600_000
_DAY_MS = 86_400_000
_ROOT_CATEGORIES = 10
_MAX_LINKS = 4
_CHUNK = 2_000

Value: TypeAlias = str | int | float | None
Row: TypeAlias = tuple[Value, ...]
Rows: TypeAlias = Mapping[str, list[Row]]

# Columns that every content type has after its own: creators stay empty, as the API leaves them.
_SYSTEM_COLUMNS = ("created_at", "updated_at", "published_at", "locale")

COLUMNS: Mapping[str, tuple[str, ...]] = {
    "articles": (
        "id", "document_id", "title", "slug", "summary", "body", "kind", "rating", "score",
        "views", "reading_time", "priority", "featured", "allow_comments", "day", "opens_at",
        "happens_at", "details", "contact", "canonical_url", "editor_note", *_SYSTEM_COLUMNS,
    ),
    "articles_author_lnk": ("article_id", "author_id", "article_ord"),
    "articles_categories_lnk": ("article_id", "category_id", "category_ord", "article_ord"),
    "articles_tags_lnk": ("article_id", "tag_id", "tag_ord", "article_ord"),
    "articles_cmps": ("entity_id", "cmp_id", "component_type", "field", "order"),
    "components_shared_seos": ("id", "meta_title", "meta_description", "keywords", "no_index"),
    "components_shared_links": ("id", "label", "url", "external"),
    "authors": ("id", "document_id", "name", "email", "biography", "joined", *_SYSTEM_COLUMNS),
    "categories": ("id", "document_id", "name", "slug", "description", *_SYSTEM_COLUMNS),
    "categories_parent_lnk": ("category_id", "inv_category_id", "category_ord"),
    "tags": ("id", "document_id", "name", "slug", *_SYSTEM_COLUMNS),
}  # fmt: skip
"""Tables the dataset fills, in an order that satisfies no foreign key, and their columns."""


@dataclass(frozen=True, slots=True)
class DatasetSize:
    """How many documents of each type a database holds; articles are the type that is loaded."""

    documents: int
    authors: int = 200
    categories: int = 50
    tags: int = 100


def document_id(kind: str, index: int) -> str:
    """Return the document id of the ``index``-th (from 0) document of ``kind``, e.g. "article".

    Twenty-four characters, the first a letter: servers tell document ids from row ids by that.
    """
    random = Random(f"{kind}:{index}")
    return random.choice(_DOCUMENT_ID_FIRST) + "".join(random.choices(_DOCUMENT_ID_REST, k=23))


def author_name(index: int) -> str:
    """Return the name of the ``index``-th author, counted from 0; no two authors share one."""
    return text.admin_user_name(index)


def seed(
    connection: sqlite3.Connection, size: DatasetSize, progress: Callable[[int], None] | None = None
) -> None:
    """Fill the empty content tables of ``connection`` with the dataset of ``size``, then commit.

    Secondary indexes are taken down while rows are inserted and made again from their own text
    afterwards, which is several times faster than keeping them. ``progress`` is called with the
    number of articles written so far.

    Raises sqlite3.Error when a table or column is missing: the tables are then not those of the
    benchmark's content model.
    """
    connection.execute("PRAGMA foreign_keys = OFF")
    connection.execute("PRAGMA synchronous = OFF")
    indexes = _drop_indexes(connection)
    _insert(connection, _supporting_rows(size))
    for start in range(0, size.documents, _CHUNK):
        stop = min(start + _CHUNK, size.documents)
        _insert(connection, article_rows(range(start, stop), size))
        if progress is not None:
            progress(stop)
    for statement in indexes:
        connection.execute(statement)
    connection.commit()


def article_rows(indexes: range, size: DatasetSize) -> Rows:
    """Return every row, by table, that the articles of the given indexes (from 0) consist of."""
    rows: defaultdict[str, list[Row]] = defaultdict(list)
    for index in indexes:
        for table, row in _article(index, size):
            rows[table].append(row)
    return rows


def _supporting_rows(size: DatasetSize) -> Rows:
    """Return the rows of authors, categories and tags, which articles refer to."""
    rows: defaultdict[str, list[Row]] = defaultdict(list)
    rows["authors"] = [_author(index) for index in range(size.authors)]
    rows["tags"] = [_tag(index) for index in range(size.tags)]
    for index in range(size.categories):
        for table, row in _category(index):
            rows[table].append(row)
    return rows


def _article(index: int, size: DatasetSize) -> Iterator[tuple[str, Row]]:
    """Yield ``(table, row)`` for both versions of one article, its links and its components."""
    random = Random(f"article-content:{index}")
    document = document_id("article", index)
    created = _FIRST_INSTANT_MS + index * _ARTICLE_INTERVAL_MS + random.randrange(60_000)
    published_title = text.title(random)
    content = _article_content(random, index)
    # One article in ten has been edited since it was last published.
    is_modified = random.random() < 0.1
    published_content = (published_title, *content)
    draft_content = (text.title(random), *content) if is_modified else published_content
    draft_updated = created + (random.randrange(1, 30) * _DAY_MS if is_modified else 0)
    draft_row, published_row = row_ids(index)
    yield (
        "articles",
        (draft_row, document, *draft_content, created, draft_updated, None, LOCALE),
    )
    yield (
        "articles",
        (published_row, document, *published_content, created, created, created + 5, LOCALE),
    )
    author = random.randrange(size.authors)
    categories = random.sample(range(size.categories), min(random.randint(1, 3), size.categories))
    tags = random.sample(range(size.tags), min(random.randint(2, 5), size.tags))
    links = [_link(random) for _ in range(random.randint(0, _MAX_LINKS))]
    seo = (published_title[:120], text.sentence(random), text.words(random, 5), 0)
    for version, row in enumerate((draft_row, published_row)):
        yield "articles_author_lnk", (row, author + 1, float(row))
        for position, category in enumerate(categories, start=1):
            target = row_ids(category)[version]
            yield "articles_categories_lnk", (row, target, float(position), float(row))
        for position, tag in enumerate(tags, start=1):
            yield "articles_tags_lnk", (row, tag + 1, float(position), float(row))
        yield from _components(row, seo, links)


def article_slug(index: int, size: DatasetSize) -> str:
    """Return the slug of the ``index``-th (from 0) article."""
    _, row = next(_article(index, size))
    return str(row[COLUMNS["articles"].index("slug")])


def _article_content(random: Random, index: int) -> tuple[Value, ...]:
    """Return the values of an article's own attributes after its title, in column order."""
    details = {
        "source": text.words(random, 2),
        "revision": random.randrange(40),
        "ratio": round(random.random(), 4),
        "labels": [text.words(random, 1) for _ in range(3)],
        "reviewed": random.random() < 0.5,
    }
    slug = f"{text.slug(text.words(random, 4))}-{index}"
    return (
        slug,
        text.sentences(random, 2),
        text.markdown(random, random.randint(1, 2)),
        random.choice(KINDS),
        round(random.uniform(0, 10), 2),
        random.uniform(0, 100),
        random.randrange(2_000_000),
        random.randrange(1, 45),
        random.randrange(10),
        int(random.random() < 0.2),
        int(random.random() < 0.9),
        f"20{random.randrange(20, 27)}-{random.randrange(1, 13):02}-{random.randrange(1, 29):02}",
        f"{random.randrange(6, 12):02}:{random.choice((0, 15, 30, 45)):02}:00.000",
        _FIRST_INSTANT_MS + random.randrange(2_000) * _DAY_MS + random.randrange(_DAY_MS),
        json.dumps(details, separators=(",", ":"), ensure_ascii=False),
        f"desk{random.randrange(50)}@example.org",
        f"https://example.org/articles/{slug}",
        text.sentence(random) if random.random() < 0.3 else None,
    )


def row_ids(index: int) -> tuple[int, int]:
    """Return the (draft, published) row ids of a type with draft and publish, index from 0."""
    return 2 * index + 1, 2 * index + 2


def _link(random: Random) -> tuple[Value, ...]:
    """Return the values of one shared.link component without its id."""
    path = text.slug(text.words(random, 3))
    return text.words(random, 3), f"https://example.org/{path}", int(random.random() < 0.5)


def _components(
    row: int, seo: tuple[Value, ...], links: list[tuple[Value, ...]]
) -> Iterator[tuple[str, Row]]:
    """Yield the component rows of one article row and the rows that attach them to it."""
    yield "components_shared_seos", (row, *seo)
    yield "articles_cmps", (row, row, "shared.seo", "seo", None)
    for position, link in enumerate(links):
        component = row * _MAX_LINKS + position
        yield "components_shared_links", (component, *link)
        yield "articles_cmps", (row, component, "shared.link", "links", float(position + 1))


def _author(index: int) -> Row:
    random = Random(f"author-content:{index}")
    name = author_name(index)
    address = f"{text.slug(name)}@example.org"
    joined = f"20{random.randrange(10, 20)}-{random.randrange(1, 13):02}-15"
    instant = _FIRST_INSTANT_MS + index * 1_000
    return (
        index + 1,
        document_id("author", index),
        name,
        address,
        text.sentences(random, 3),
        joined,
        instant,
        instant,
        instant,
        None,
    )


def _category(index: int) -> Iterator[tuple[str, Row]]:
    random = Random(f"category-content:{index}")
    name = f"{text.words(random, 2)} {index}"
    instant = _FIRST_INSTANT_MS + index * 1_000
    description = text.sentences(random, 1)
    parent = index % _ROOT_CATEGORIES
    for row, parent_row, published in zip(
        row_ids(index), row_ids(parent), (None, instant + 5), strict=True
    ):
        values = (name, text.slug(name), description)
        document = document_id("category", index)
        yield "categories", (row, document, *values, instant, instant, published, None)
        if index != parent:
            yield "categories_parent_lnk", (row, parent_row, float(row))


def _tag(index: int) -> Row:
    random = Random(f"tag-content:{index}")
    name = f"{text.words(random, 1)} {index}"
    instant = _FIRST_INSTANT_MS + index * 1_000
    document = document_id("tag", index)
    return index + 1, document, name, text.slug(name), instant, instant, instant, None


def _insert(connection: sqlite3.Connection, rows: Rows) -> None:
    """Insert the rows of every table with one statement per table."""
    for table, columns in COLUMNS.items():
        if table not in rows:
            continue
        names = ", ".join(f'"{column}"' for column in columns)
        places = ", ".join("?" for _ in columns)
        connection.executemany(
            f'INSERT INTO "{table}" ({names}) VALUES ({places})',
            rows[table],
        )


def _drop_indexes(connection: sqlite3.Connection) -> list[str]:
    """Drop the declared indexes of the dataset's tables; return the statements that make them."""
    marks = ", ".join("?" for _ in COLUMNS)
    found = connection.execute(
        "SELECT name, sql FROM sqlite_master WHERE type = 'index' AND sql IS NOT NULL"
        f" AND tbl_name IN ({marks})",
        tuple(COLUMNS),
    ).fetchall()
    for name, _ in found:
        connection.execute(f'DROP INDEX "{name}"')
    return [statement for _, statement in found]
