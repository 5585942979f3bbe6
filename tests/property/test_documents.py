"""Documents are consistent after any sequence of actions."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.property.documents_run import run_sequences
from tests.property.documents_site import QuireSite


@pytest.fixture(scope="module")
def site(shared_recorded: Path) -> Iterator[QuireSite]:
    site = QuireSite(shared_recorded)
    yield site
    site.close()


def test_versions_and_links_are_as_a_model_of_them_says(site: QuireSite) -> None:
    run_sequences(site, sequences=12, steps=25)
