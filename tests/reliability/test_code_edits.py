"""Python code changes in development under many clients without failed requests."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from bench.servers import running
from tests.databases.kind import Kind
from tests.examples import examples
from tests.reliability.code_edits import development, edit

TIMES = examples(9)


@pytest.fixture
def project(kind: Kind, recorded: Path, tmp_path: Path) -> Iterator[Path]:
    copied = kind.copy(recorded, tmp_path / "project")
    yield copied
    kind.release(copied)


def test_code_changes_under_clients(project: Path) -> None:
    launch = development(project)
    with running(launch, "/_health", frozenset({204})):
        outcome = edit(launch, times=TIMES)

    assert outcome.problems == ()
    assert len(outcome.seconds) + outcome.broken == TIMES
