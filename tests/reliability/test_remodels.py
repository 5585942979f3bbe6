"""Content types change under many clients without failed requests."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from bench.servers import quire, running
from tests.conformance.corpus import credentials
from tests.databases.kind import Kind
from tests.examples import examples
from tests.reliability.articles import Site
from tests.reliability.remodels import remodel

TIMES = examples(6)


@pytest.fixture
def project(kind: Kind, recorded: Path, tmp_path: Path) -> Iterator[Path]:
    copied = kind.copy(recorded, tmp_path / "project")
    yield copied
    kind.release(copied)


@pytest.mark.parametrize("workers", [1, 2])
def test_types_change_under_clients_that_read_and_write(project: Path, workers: int) -> None:
    launch = quire(project, workers)
    with running(launch, "/_health", frozenset({204})):
        site = Site(launch.port, credentials().api_tokens["full"])
        outcome = remodel(site, times=TIMES)

    assert outcome.problems == ()
    assert outcome.answered > TIMES
