"""A progress bar on the terminal for slow commands."""

from collections.abc import Iterator
from contextlib import contextmanager

from rich.console import Console
from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    Progress,
    TextColumn,
    TimeRemainingColumn,
)


class ProgressBar:
    """Shows the progress of several phases."""

    def __init__(self, progress: Progress) -> None:
        self._progress = progress
        self._task = progress.add_task("Looking", total=None)

    def begin(self, work: str, total: int | None) -> None:
        """Start a phase with a number of steps, ``None`` if it is unknown."""
        self._progress.reset(self._task, description=work, total=total)

    def advance(self, steps: int) -> None:
        """Report that so many steps are done."""
        self._progress.advance(self._task, steps)


@contextmanager
def shown_progress() -> Iterator[ProgressBar]:
    """Show a bar on standard error while the block runs; it is removed afterwards."""
    columns = TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn()
    with Progress(
        *columns, TimeRemainingColumn(), console=Console(stderr=True), transient=True
    ) as progress:
        yield ProgressBar(progress)
