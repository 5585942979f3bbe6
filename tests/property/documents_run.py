"""Long random sequences of writes: ``python -m tests.property.documents_run``."""

import sys
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import cast

import cyclopts
import hypothesis
from hypothesis.stateful import RuleBasedStateMachine, run_state_machine_as_test

from tests.databases.kinds import KindName, kind_called
from tests.property.documents_machine import DocumentMachine, Site
from tests.property.documents_site import QuireSite

_STEPS_OF_SEQUENCE = 50

app = cyclopts.App(name="documents", help="Hold the server against a model, write after write.")


def run_sequences(site: Site, *, sequences: int, steps: int, seed: int | None = None) -> None:
    """Run so many sequences of so many steps at the most.

    Without a seed they are the same ones each time. Raises AssertionError for the first that leads
    to something else than the model says, after finding a short one that does so too.
    """

    def machine() -> DocumentMachine:
        return DocumentMachine(site)

    factory: Callable[[], RuleBasedStateMachine] = (
        machine if seed is None else hypothesis.seed(seed)(machine)
    )
    settings = hypothesis.settings(
        max_examples=sequences,
        stateful_step_count=steps,
        derandomize=seed is None,
        deadline=None,
        database=None,
    )
    # What is wanted is anything that makes machines, whatever its annotation says.
    run_state_machine_as_test(cast("type[RuleBasedStateMachine]", factory), settings=settings)


@app.default
def documents(*, steps: int = 10_000, seed: int = 1, database: KindName = "sqlite") -> None:
    """Write documents at random; after each write compare all their versions and links.

    Parameters
    ----------
    steps
        How many writes in all, about.
    seed
        Decides what is written.
    database
        The kind of database.
    """
    sequences = max(1, steps // _STEPS_OF_SEQUENCE)
    with TemporaryDirectory() as folder:
        project = kind_called(database).recorded(Path(folder) / "project")
        with closing(QuireSite(project)) as site:
            run_sequences(site, sequences=sequences, steps=_STEPS_OF_SEQUENCE, seed=seed)
    print(f"{sequences} sequences of up to {_STEPS_OF_SEQUENCE} writes: as the model says")  # noqa: T201 - the result of a command


if __name__ == "__main__":
    sys.exit(app())
