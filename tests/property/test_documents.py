"""Whatever is done to documents in whatever order, they are as they should be afterwards."""

from collections.abc import Iterator

import pytest

from tests.property.documents_run import run_sequences
from tests.property.documents_site import QuireSite


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[QuireSite]:
    site = QuireSite(tmp_path_factory.mktemp("documents"))
    yield site
    site.close()


def test_versions_and_links_are_as_a_model_of_them_says(site: QuireSite) -> None:
    run_sequences(site, sequences=12, steps=25)
