"""A killed server keeps all acknowledged writes, and no incomplete ones."""

from pathlib import Path

import pytest

from bench.servers import quire
from tests.databases.kinds import SQLITE, rows_of
from tests.databases.sqlite import file_of
from tests.examples import examples
from tests.reliability.crash import crash
from tests.reliability.outside_programs import DRIVERS, outside_programs
from tests.reliability.remodel_crash import crash_changes
from tests.reliability.remodels import builder

ROUNDS = examples(3)


def test_what_was_acknowledged_survives_a_kill_and_nothing_is_half_done(
    own_recorded: Path,
) -> None:
    reported: list[str] = []
    outcome = crash(
        lambda: quire(own_recorded), rounds=ROUNDS, seconds=1.5, seed=137, progress=reported.append
    )
    assert outcome.problems == ()
    assert outcome.rounds == len(reported) == ROUNDS
    assert outcome.acknowledged > 0


@pytest.mark.parametrize("workers", [1, 2])
def test_what_was_acknowledged_survives_although_other_programs_open_and_close_the_file(
    workers: int, tmp_path: Path
) -> None:
    """Each of them takes itself for the last one where the server has lost its locks."""
    project = SQLITE.recorded(tmp_path / "project")
    with outside_programs(file_of(project)) as committed:
        outcome = crash(
            lambda: quire(project, workers),
            rounds=ROUNDS,
            seconds=1.5,
            seed=16,
            progress=lambda _: None,
            prepare=builder,  # an administrator signs in: tables of our own are looked for then
        )
    assert outcome.problems == ()
    assert outcome.acknowledged > 0
    with rows_of(project) as rows:
        found = rows.execute("SELECT driver, number FROM outside")
        assert list(rows.damage()) == []
    assert committed.keys() == DRIVERS
    for driver, numbers in committed.items():
        assert numbers
        assert {(driver, number) for number in numbers} <= set(found)


def test_a_change_of_the_model_is_whole_or_not_at_all_after_a_kill(own_recorded: Path) -> None:
    outcome = crash_changes(lambda: quire(own_recorded), rounds=ROUNDS, seconds=1.0, seed=132)
    assert outcome.problems == ()
    assert outcome.rounds == ROUNDS
