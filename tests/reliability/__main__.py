"""The crash test with as many rounds as wanted: ``python -m tests.reliability --rounds 200``."""

import sys
from pathlib import Path
from tempfile import TemporaryDirectory

import cyclopts
from rich.console import Console

from bench.servers import ServerError, quire
from tests.conformance.corpus import unpack_project
from tests.reliability.crash import crash

app = cyclopts.App(name="reliability", help="Kill the server while it writes, and see what stays.")


@app.default
def reliability(*, rounds: int = 200, seconds: float = 1.0, seed: int = 1) -> int:
    """Kill the server again and again while it is written to; after each start look at the rows.

    Parameters
    ----------
    rounds
        How many times it is killed; the first round that shows a fault is the last.
    seconds
        How long it is written to at the longest, before it is killed at a random moment.
    seed
        Decides those moments and what is written.
    """
    console = Console()
    with TemporaryDirectory() as folder, console.status("starting") as status:
        project = unpack_project(Path(folder) / "project")
        try:
            outcome = crash(
                lambda: quire(project),
                rounds=rounds,
                seconds=seconds,
                seed=seed,
                progress=status.update,
            )
        except ServerError as error:
            console.print(str(error), style="red", markup=False)
            return 1
    for fault in outcome.faults:
        console.print(fault, style="red", markup=False)
    console.print(
        f"killed {outcome.rounds} times, {outcome.acknowledged:,} writes acknowledged,"
        f" {outcome.unanswered} cut off, {len(outcome.faults)} faults",
        highlight=False,
    )
    return 1 if outcome.faults else 0


if __name__ == "__main__":
    sys.exit(app())
