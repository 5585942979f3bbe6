"""Python code changes in development under many clients without failed requests."""

from pathlib import Path

from bench.servers import running
from tests.examples import examples
from tests.reliability.code_edits import development, edit

TIMES = examples(9)


def test_code_changes_under_clients(own_recorded: Path) -> None:
    launch = development(own_recorded)
    with running(launch, "/_health", frozenset({204})):
        outcome = edit(launch, times=TIMES)

    assert outcome.problems == ()
    assert len(outcome.seconds) + outcome.broken == TIMES
