"""Kills a server that uses the package quire-search, and holds its index against what is public."""

import os
import sqlite3
import time
from collections.abc import Callable
from contextlib import closing
from dataclasses import replace
from itertools import count
from pathlib import Path

from bench.servers import Launch, running
from tests.databases.kinds import rows_of
from tests.extending.packages import install_packages
from tests.reliability.articles import Site
from tests.reliability.crash import Outcome, crash

_PACKAGE = "quire-search"
_HEALTH, _HEALTHY = "/_health", frozenset({204})
_PATIENCE_SECONDS = 180
"""Changes whose delivery was interrupted are delivered again within less than a minute."""
_CONFIGURATION = """
[extensions.config.search_index]
path = "{path}"

[extensions.config.search_index.types]
"api::article.article" = ["title", "summary"]

[[extensions.packages]]
name = "quire-search"
version = ">=1,<2"
may = ["after_commit", "as_system", "job", "on_start", "route"]
"""

Texts = dict[tuple[str, str], str]
"""Texts by document id and locale."""


def crash_search(
    project: Path,
    folder: Path,
    launch: Callable[[], Launch],
    *,
    rounds: int,
    seconds: float,
    seed: int,
    every: int = 10,
    progress: Callable[[str], None] = lambda _: None,
) -> Outcome:
    """Kill a server ``rounds`` times while articles are written, as `crash` does.

    The recorded project gets the package, which is installed in ``folder``. After the first start,
    after ``every`` so many rounds and in the end the index has to become what is public.
    Raises ServerError when the server does not start again.
    """
    _, site = install_packages(folder, [_PACKAGE])
    index = folder / "search.db"
    with (project / "quire.toml").open("a", encoding="utf-8") as settings:
        settings.write(_CONFIGURATION.format(path=index))

    def start() -> Launch:
        launched = launch()
        path = os.pathsep.join(filter(None, (str(site), os.environ.get("PYTHONPATH"))))
        return replace(launched, environment={**launched.environment, "PYTHONPATH": path})

    found: list[str] = []
    numbers = count()

    def look(_: Site) -> None:
        if next(numbers) % every == 0:
            found.extend(_differences(project, index))

    outcome = crash(
        start, rounds=rounds, seconds=seconds, seed=seed, progress=progress, prepare=look
    )
    with running(start(), _HEALTH, _HEALTHY):
        found += _differences(project, index)
    return replace(outcome, problems=(*outcome.problems, *found))


def _differences(project: Path, index: Path) -> list[str]:
    """Wait until the index is in step; returns where it is not after a while."""
    end = time.monotonic() + _PATIENCE_SECONDS
    while True:
        public, indexed = _public(project), _indexed(index)
        wrong = sorted(
            key for key in public.keys() | indexed.keys() if public.get(key) != indexed.get(key)
        )
        if not wrong:
            return [] if public else ["nothing is public"]
        if time.monotonic() > end:
            return [f"{key}: {public.get(key)!r}, indexed {indexed.get(key)!r}" for key in wrong]
        time.sleep(0.5)


def _public(project: Path) -> Texts:
    """Return the texts of published articles."""
    sql = "SELECT document_id, locale, title, summary FROM articles WHERE published_at IS NOT NULL"
    with rows_of(project) as rows:
        return {
            (document_id, locale): "\n".join(filter(None, (title, summary)))
            for document_id, locale, title, summary in rows.execute(sql)
        }


def _indexed(index: Path) -> Texts:
    """Return the texts in the index, which may not be there yet."""
    if not index.exists():
        return {}
    sql = "SELECT document_id, locale, text FROM entries JOIN texts ON entries.id = texts.rowid"
    with closing(sqlite3.connect(index, timeout=60)) as database:
        try:
            rows = database.execute(sql).fetchall()
        except sqlite3.OperationalError as error:
            if "no such table" not in str(error):
                raise
            return {}
    return {(document_id, locale): text for document_id, locale, text in rows}
