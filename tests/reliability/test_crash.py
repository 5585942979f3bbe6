"""A server that is killed while it writes has kept what it acknowledged, and nothing half done."""

from pathlib import Path

from bench.servers import quire
from tests.reliability.crash import crash
from tests.reliability.remodel_crash import crash_changes

ROUNDS = 3


def test_what_was_acknowledged_survives_a_kill_and_nothing_is_half_done(
    own_recorded: Path,
) -> None:
    told: list[str] = []
    outcome = crash(
        lambda: quire(own_recorded), rounds=ROUNDS, seconds=1.5, seed=137, progress=told.append
    )
    assert outcome.faults == ()
    assert outcome.rounds == len(told) == ROUNDS
    assert outcome.acknowledged > 0


def test_a_change_of_the_model_is_whole_or_not_at_all_after_a_kill(own_recorded: Path) -> None:
    outcome = crash_changes(lambda: quire(own_recorded), rounds=ROUNDS, seconds=1.0, seed=132)
    assert outcome.faults == ()
    assert outcome.rounds == ROUNDS
