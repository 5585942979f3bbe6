import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import bcrypt
import pytest

from bench.dataset import COLUMNS, DatasetSize, article_rows, author_name, document_id, seed
from bench.indexes import add_indexes, declared_indexes
from bench.project import (
    ADMINISTRATOR,
    DATABASE,
    SECRETS,
    TOKEN,
    access_key,
    add_administrator,
    add_token,
    make_project,
)
from bench.subject import make_tables

HASH_OF_TOKEN = (
    "979a0a65ea49e326693337176834b4d7f0664217a650b9658fe265e36aea3001"
    "e4539816a34a4846f5366429e41328b8023959c714fc23737069350f6743f6b6"
)

SMALL = DatasetSize(documents=60, authors=7, categories=12, tags=9)


@pytest.fixture
def empty(tmp_path: Path) -> Iterator[sqlite3.Connection]:
    """The tables that Quire makes for the benchmark's content model, without any content."""
    make_project(tmp_path / "project")
    make_tables(tmp_path / "project")
    with closing(sqlite3.connect(tmp_path / "project" / DATABASE)) as connection:
        yield connection


@pytest.fixture
def seeded(empty: sqlite3.Connection) -> sqlite3.Connection:
    seed(empty, SMALL)
    return empty


def count(connection: sqlite3.Connection, sql: str) -> int:
    (number,) = connection.execute(f"SELECT count(*) FROM {sql}").fetchone()
    return int(number)


def test_rows_fit_the_tables_of_the_content_model(seeded: sqlite3.Connection) -> None:
    assert all(count(seeded, table) > 0 for table in COLUMNS)
    assert seeded.execute("PRAGMA foreign_key_check").fetchall() == []


def test_every_document_has_a_draft_and_a_published_row(seeded: sqlite3.Connection) -> None:
    assert count(seeded, "articles WHERE published_at IS NULL") == SMALL.documents
    assert count(seeded, "articles WHERE published_at IS NOT NULL") == SMALL.documents
    assert count(seeded, "(SELECT DISTINCT document_id FROM articles)") == SMALL.documents


def test_published_rows_link_published_categories_and_drafts_drafts(
    seeded: sqlite3.Connection,
) -> None:
    mixed = count(
        seeded,
        "articles_categories_lnk link JOIN articles a ON a.id = link.article_id"
        " JOIN categories c ON c.id = link.category_id"
        " WHERE (a.published_at IS NULL) <> (c.published_at IS NULL)",
    )
    assert mixed == 0


def test_no_component_row_is_shared(seeded: sqlite3.Connection) -> None:
    attached = count(seeded, "articles_cmps")
    distinct = count(seeded, "(SELECT DISTINCT component_type, cmp_id FROM articles_cmps)")
    assert attached == distinct


def test_seeding_keeps_the_declared_indexes(empty: sqlite3.Connection) -> None:
    before = declared_indexes(empty)
    seed(empty, SMALL)
    assert declared_indexes(empty) == before


def test_the_added_index_gives_the_order_of_a_sorted_list(seeded: sqlite3.Connection) -> None:
    add_indexes(seeded)
    plan = seeded.execute(
        "EXPLAIN QUERY PLAN SELECT * FROM articles WHERE published_at IS NOT NULL AND locale = 'en'"
        " ORDER BY created_at DESC, id LIMIT 25"
    ).fetchall()
    assert len(plan) == 1
    assert "bench_articles_created_at" in plan[0][-1]


def test_rows_depend_on_their_index_alone() -> None:
    few, many = DatasetSize(10), DatasetSize(100_000)
    assert article_rows(range(3, 6), few) == article_rows(range(3, 6), many)


def test_the_same_index_gives_the_same_rows_every_time() -> None:
    assert article_rows(range(5), SMALL) == article_rows(range(5), SMALL)


def test_the_order_of_creation_is_total(seeded: sqlite3.Connection) -> None:
    """Servers may order equal rows differently, so that there are none."""
    published = "articles WHERE published_at IS NOT NULL"
    assert count(seeded, f"(SELECT DISTINCT created_at FROM {published})") == SMALL.documents
    assert count(seeded, f"(SELECT DISTINCT score FROM {published})") == SMALL.documents


def test_document_ids_have_the_form_of_document_ids() -> None:
    found = {document_id("article", index) for index in range(500)}
    assert len(found) == 500
    assert all(len(one) == 24 and one.isalnum() and one[0].isalpha() for one in found)


def test_no_two_authors_share_a_name() -> None:
    assert len({author_name(index) for index in range(1_000)}) == 1_000


def test_the_token_is_kept_as_the_keyed_hash_that_servers_look_for(
    empty: sqlite3.Connection,
) -> None:
    add_token(empty)
    (kept, kind) = empty.execute("SELECT access_key, type FROM strapi_api_tokens").fetchone()
    assert kept == access_key(TOKEN, SECRETS["API_TOKEN_SALT"])
    assert kind == "full-access"


def test_the_administrator_may_do_everything_with_the_password_that_is_known(
    empty: sqlite3.Connection,
) -> None:
    add_administrator(empty)
    ((email, hashed, role),) = empty.execute(
        "SELECT u.email, u.password, r.code FROM admin_users u"
        " JOIN admin_users_roles_lnk l ON l.user_id = u.id JOIN admin_roles r ON r.id = l.role_id"
    )
    assert (email, role) == (ADMINISTRATOR["email"], "strapi-super-admin")
    assert bcrypt.checkpw(ADMINISTRATOR["password"].encode(), hashed.encode())


def test_a_known_token_has_its_known_hash() -> None:
    """Computed with ``openssl dgst -sha512 -hmac salt``."""
    assert access_key("token", "salt") == HASH_OF_TOKEN
