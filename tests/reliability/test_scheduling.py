"""What is planned happens once, however many processes there are, also after a restart."""

from pathlib import Path

from bench.servers import quire
from tests.reliability.scheduling import run_schedules


def test_articles_are_published_once_by_three_processes_and_after_a_restart(
    own_recorded: Path,
) -> None:
    outcome = run_schedules(
        own_recorded, lambda: quire(own_recorded, 3), entries=6, seconds=2, seed=22
    )
    assert outcome.problems == ()
    assert outcome.published == 12
