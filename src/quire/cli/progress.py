"""A progress bar on the terminal for commands that take long."""

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
    """Shows how far the work has got, one stretch of it after the other."""

    def __init__(self, progress: Progress) -> None:
        self._progress = progress
        self._task = progress.add_task("Looking", total=None)

    def begin(self, work: str, total: int | None) -> None:
        """Begin a stretch of work that has so many steps, ``None`` where nobody knows."""
        self._progress.reset(self._task, description=work, total=total)

    def advance(self, steps: int) -> None:
        """So many steps are done."""
        self._progress.advance(self._task, steps)


@contextmanager
def shown_progress() -> Iterator[ProgressBar]:
    """Show a bar on standard error while the block runs; nothing of it stays."""
    columns = TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn()
    with Progress(
        *columns, TimeRemainingColumn(), console=Console(stderr=True), transient=True
    ) as progress:
        yield ProgressBar(progress)
