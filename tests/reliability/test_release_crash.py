"""A killed server has published or undone a release completely, or not at all."""

from pathlib import Path

from bench.servers import quire
from tests.examples import examples
from tests.reliability.release_crash import crash_releases

ROUNDS = examples(9)


def test_a_release_is_whole_or_not_there_after_a_kill(own_recorded: Path) -> None:
    outcome = crash_releases(lambda: quire(own_recorded), entries=60, rounds=ROUNDS, seed=22)
    assert outcome.problems == ()
    assert outcome.rounds == ROUNDS
