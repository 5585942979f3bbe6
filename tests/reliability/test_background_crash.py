"""Work after a commit survives a crash, and exists only for committed writes."""

from pathlib import Path

from bench.servers import quire
from tests.examples import examples
from tests.reliability.background_crash import crash_background

ROUNDS = examples(3)


def test_every_acknowledged_change_is_delivered_and_none_of_a_lost_write(
    own_recorded: Path,
) -> None:
    outcome = crash_background(
        own_recorded, lambda: quire(own_recorded, 2), rounds=ROUNDS, seconds=1.5, seed=22
    )
    assert outcome.problems == ()
    assert outcome.acknowledged > 0
