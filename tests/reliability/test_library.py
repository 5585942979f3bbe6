"""After a crash during uploads, replacements and deletions, files match their rows."""

from pathlib import Path

import pytest

from bench.servers import quire
from tests.examples import examples
from tests.reliability.library import upload_and_kill


@pytest.mark.parametrize("workers", [1, 2])
def test_files_and_rows_fit_after_a_kill(own_recorded: Path, workers: int) -> None:
    done, problems = upload_and_kill(
        lambda: quire(own_recorded, workers), rounds=examples(3), seconds=1.0, seed=workers
    )
    assert problems == []
    assert done > 0
