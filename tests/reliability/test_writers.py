"""The clients of the crash test accept exactly the possible results."""

import random
from dataclasses import replace

import pytest

from tests.reliability.articles import Entry, Targets, entry_of, payload, random_entry
from tests.reliability.writers import Article, Request, Writer

TARGETS = Targets(["author"], ["c1", "c2"], ["t1", "t2", "t3"], [1, 2])
ONE, OTHER = (random_entry(random.Random(seed), TARGETS) for seed in (3, 4))
assert ONE.links
KNOWN = Article(document_id="a" * 24, draft=ONE, published=ONE)
EDITED = replace(KNOWN, draft=OTHER)


def writer(pending: Request | None = None, **articles: Article) -> Writer:
    return Writer("0", random.Random(0), TARGETS, articles, pending)


def request(after: Article, summary: str = "one") -> Request:
    return Request("PUT", "/", {}, summary, after)


def test_what_was_written_is_accepted() -> None:
    assert list(writer(one=KNOWN).settle({"one": KNOWN, "somebody else's": EDITED})) == []


@pytest.mark.parametrize(
    "found",
    [
        {},
        {"one": EDITED},
        {"one": replace(KNOWN, published=None)},
        {"one": replace(KNOWN, published=replace(ONE, links=ONE.links[1:]))},
        {"one": replace(KNOWN, draft=replace(ONE, tags=(*ONE.tags, "t4")))},
    ],
)
def test_anything_else_is_an_error(found: dict[str, Article]) -> None:
    (problem,) = writer(one=KNOWN).settle(found)
    assert problem.startswith("one: expected ")


@pytest.mark.parametrize("found", [KNOWN, EDITED])
def test_a_request_without_a_response_may_have_been_carried_out_or_not(found: Article) -> None:
    client = writer(request(EDITED), one=KNOWN)
    assert list(client.settle({"one": found})) == []
    assert client.articles == {"one": found}
    assert client.pending is None
    assert list(client.settle({"one": KNOWN if found is EDITED else EDITED}))


def test_it_is_not_carried_out_in_part() -> None:
    halfway = replace(KNOWN, draft=OTHER, published=None)
    assert list(writer(request(EDITED), one=KNOWN).settle({"one": halfway}))
    assert list(writer(request(Article()), one=KNOWN).settle({"one": halfway}))


def test_what_was_to_be_made_or_deleted_is_there_or_not() -> None:
    for found in ({}, {"one": KNOWN}):
        made, deleted = writer(request(KNOWN)), writer(request(Article()), one=KNOWN)
        assert [*made.settle(found), *deleted.settle(found)] == []
        assert made.articles == deleted.articles == found


def test_an_entry_is_read_as_it_was_sent() -> None:
    for seed in range(20):
        entry = random_entry(random.Random(seed), TARGETS)
        assert entry_of(answered(payload(entry))) == entry


def answered(sent: dict[str, object]) -> dict[str, object]:
    """What a server makes of a payload, as far as an entry is read from it."""

    def documents(value: object) -> object:
        return [{"documentId": one} for one in value] if isinstance(value, list) else value

    files = sent["gallery"]
    assert isinstance(files, list)
    return {
        **sent,
        "author": sent["author"] and {"documentId": sent["author"]},
        "categories": documents(sent["categories"]),
        "tags": documents(sent["tags"]),
        "gallery": [{"id": one} for one in files] or None,
    }


def test_clients_write_every_kind_of_request_and_the_same_again() -> None:
    sent: list[list[tuple[str, str, Entry | None]]] = []
    for _ in range(2):
        client = writer()
        requests = []
        for _ in range(300):
            made = client.next_request()
            client.keep(made, "a" * 24)
            requests.append((made.method, made.target, made.after.draft))
        sent.append(requests)
    assert sent[0] == sent[1]
    kinds = {(method, target.replace("a" * 24, "ID")) for method, target, _ in sent[0]}
    articles = "/api/articles"
    assert kinds == {
        ("POST", articles),
        ("POST", f"{articles}?status=draft"),
        ("PUT", f"{articles}/ID"),
        ("PUT", f"{articles}/ID?status=draft"),
        ("DELETE", f"{articles}/ID"),
    }
