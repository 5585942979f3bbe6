"""The index of the package quire-search stays in step although the server is killed."""

from pathlib import Path

from bench.servers import quire
from tests.examples import examples
from tests.reliability.search_crash import crash_search

ROUNDS = examples(6)


def test_the_index_becomes_what_is_public_after_kills(own_recorded: Path, tmp_path: Path) -> None:
    outcome = crash_search(
        own_recorded,
        tmp_path / "packages",
        lambda: quire(own_recorded, 2),
        rounds=ROUNDS,
        seconds=1.5,
        seed=22,
    )
    assert outcome.problems == ()
    assert outcome.rounds == ROUNDS
