"""Concurrent clients: one of them wins, and no write is incomplete."""

import random
import threading
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TypeVar

import pytest

from bench.servers import quire, running
from tests.conformance.corpus import credentials
from tests.databases.kind import Kind
from tests.reliability.articles import (
    POPULATE,
    Entry,
    RefusalError,
    Site,
    entry_of,
    find_targets,
    payload,
    random_entry,
)
from tests.reliability.consistency import problems

T = TypeVar("T")

CLIENTS = 50


@dataclass(frozen=True, slots=True)
class Served:
    """A project that is being served."""

    project: Path
    site: Site


@contextmanager
def serve(project: Path, workers: int) -> Iterator[Served]:
    launch = quire(project, workers)
    with running(launch, "/_health", frozenset({204})):
        yield Served(project, Site(launch.port, credentials().api_tokens["full"]))


@pytest.fixture(scope="module", params=[1, 2], ids=["one worker", "two workers"])
def served(
    request: pytest.FixtureRequest,
    kind: Kind,
    recorded: Path,
    tmp_path_factory: pytest.TempPathFactory,
) -> Iterator[Served]:
    project = kind.copy(recorded, tmp_path_factory.mktemp("parallel") / "project")
    with serve(project, request.param) as found:
        yield found
    kind.release(project)


def all_at_once(actions: Sequence[Callable[[], T]]) -> list[T]:
    """Do everything on threads of their own, which wait for each other before they begin."""
    barrier = threading.Barrier(len(actions))

    def begin(action: Callable[[], T]) -> T:
        barrier.wait()
        return action()

    with ThreadPoolExecutor(len(actions)) as threads:
        return list(threads.map(begin, actions))


def create(site: Site, target: str, data: dict[str, object]) -> Callable[[], str]:
    def act() -> str:
        with closing(site.connect()) as connection:
            try:
                site.send(connection, "POST", target, {"data": data})
            except RefusalError as refusal:
                return refusal.message
        return "made"

    return act


@pytest.mark.parametrize(
    ("target", "data"),
    [
        ("/api/authors", {"name": "Only one of this name"}),
        ("/api/articles", {"title": "Only one of this code", "code": "ZZ-999"}),
    ],
)
def test_of_many_with_one_unique_value_one_is_made(
    target: str, data: dict[str, object], served: Served
) -> None:
    reported = Counter(all_at_once([create(served.site, target, data)] * CLIENTS))
    assert reported == {"made": 1, "This attribute must be unique": CLIENTS - 1}
    assert problems(served.project) == []


def test_many_who_edit_and_publish_one_document_leave_one_whole_version_of_each(
    served: Served,
) -> None:
    site = served.site
    targets = find_targets(site)
    english = [random_entry(random.Random(seed), targets) for seed in range(CLIENTS // 2)]
    # Tags have locales, and not all of them are there in German.
    german = [replace(entry, title=f"{entry.title} (de)", tags=()) for entry in english]
    with closing(site.connect()) as connection:
        made = site.send(connection, "POST", "/api/articles", {"data": {"title": "Busy"}})
    document = f"/api/articles/{made['data']['documentId']}"

    def edit_and_publish(entry: Entry, locale: str) -> Callable[[], None]:
        def act() -> None:
            with closing(site.connect()) as connection:
                for query in (f"locale={locale}", f"locale={locale}&status=draft"):
                    site.send(connection, "PUT", f"{document}?{query}", {"data": payload(entry)})
                site.send(connection, "PUT", f"{document}?locale={locale}", {"data": {}})

        return act

    written = {"en": english, "de": german}
    all_at_once(
        [edit_and_publish(entry, locale) for locale in written for entry in written[locale]]
    )
    assert problems(served.project) == []
    for locale, entries in written.items():
        with closing(site.connect()) as connection:
            draft, published = (
                entry_of(site.send(connection, "GET", f"{document}?{query}&{POPULATE}")["data"])
                for query in (f"locale={locale}&status=draft", f"locale={locale}")
            )
        # Whoever published last has published the draft as it was, which nobody edited after that.
        assert draft == published
        assert draft in entries
