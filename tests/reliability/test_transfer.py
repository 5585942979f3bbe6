"""``quire transfer`` between two sites in use."""

from contextlib import closing
from pathlib import Path

import pytest

from bench.servers import quire, running
from tests.conformance.corpus import credentials
from tests.databases.kind import Kind, opened
from tests.reliability.articles import Site
from tests.reliability.backups import run_command, written_to
from tests.reliability.test_several_servers import wait_for

FEW = 5


@pytest.fixture
def target(kind: Kind, recorded: Path, tmp_path: Path) -> Path:
    """A second project with the recorded content."""
    return kind.copy(recorded, tmp_path / "target")


def labels_at(site: Site) -> set[str]:
    """Return the labels of all tags, as a server shows them."""
    found: set[str] = set()
    page = pages = 1
    with closing(site.connect()) as connection:
        while page <= pages:
            query = f"fields=label&sort=id&pagination[pageSize]=100&pagination[page]={page}"
            response = site.send(connection, "GET", f"/api/tags?{query}")
            found |= {tag["label"] for tag in response["data"]}
            page, pages = page + 1, response["meta"]["pagination"]["pageCount"]
    return found


def test_content_is_transferred_between_sites_in_use(
    kind: Kind, own_recorded: Path, target: Path
) -> None:
    probe, alive = "/_health", frozenset({204})
    with (
        running(quire(own_recorded), probe, alive) as source,
        running(quire(target), probe, alive) as server,
        written_to(source.port, "source") as at_source,
        written_to(server.port, "target") as at_target,
    ):
        wait_for(lambda: len(at_source) > FEW and len(at_target) > FEW)
        sent, replaced = set(at_source), set(at_target)

        assert run_command("transfer", own_recorded, target, "--replace") is None

        done = len(at_target)
        wait_for(lambda: len(at_target) > done + FEW)
        kept = set(at_target[done + 1 :])  # the one before may have been written in time
        site = Site(server.port, credentials().api_tokens["full"])
        found = labels_at(site)
        with closing(site.connect()) as connection:
            ready = site.send(connection, "GET", "/_ready")

    assert sent <= found
    assert kept <= found
    assert not replaced & found
    assert ready["status"] == "ready"
    assert run_command("check", target) is None
    with opened(kind, target) as rows:
        assert list(rows.damage()) == []
    kind.release(target)
