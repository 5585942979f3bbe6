"""Content types change under many clients without failed requests."""

from pathlib import Path

import pytest

from bench.servers import quire, running
from tests.conformance.corpus import credentials
from tests.examples import examples
from tests.reliability.articles import Site
from tests.reliability.remodels import remodel

TIMES = examples(6)


@pytest.mark.parametrize("workers", [1, 2])
def test_types_change_under_clients_that_read_and_write(own_recorded: Path, workers: int) -> None:
    launch = quire(own_recorded, workers)
    with running(launch, "/_health", frozenset({204})):
        site = Site(launch.port, credentials().api_tokens["full"])
        outcome = remodel(site, times=TIMES)

    assert outcome.problems == ()
    assert outcome.answered > TIMES
