"""Nodes, server and replica fail one after the other: nothing is lost, and all recover."""

from tests.reliability.failover import fail_over


async def test_everything_goes_away_in_turn_and_nothing_is_lost() -> None:
    phases = await fail_over(nodes=2, away=1, calm=0, brief=True)

    assert {phase.name: phase.outcome.problems for phase in phases} == {
        name: []
        for name in (
            "nothing",
            "node killed",
            "server away",
            "replica promoted",
            "server restarted",
            "replica restarted",
            "nodes upgraded",
        )
    }
    assert all(phase.outcome.reads and phase.outcome.kept for phase in phases)
