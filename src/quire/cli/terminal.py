"""Output on the terminal: results to standard output, everything else to standard error.

Commands that take long show a progress bar.
"""

import getpass
import os
import sys
from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager

from rich.console import Console
from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    Progress,
    TextColumn,
    TimeRemainingColumn,
)
from rich.prompt import Confirm

from quire.errors import AppError, QuireError, ServiceUnavailableError, os_error_reason


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


EXIT_OK = 0
PROBLEMS = 1
"""Problems were found, or the server stopped by itself."""
CANNOT = 2
"""The command failed; nothing was changed."""
EXIT_INTERRUPTED = 130
"""Interrupted by Ctrl+C."""


_OUTPUT = Console(highlight=False, markup=False, emoji=False, soft_wrap=True)
_MESSAGES = Console(stderr=True, highlight=False, markup=False, emoji=False, soft_wrap=True)


def print_result(text: str) -> None:
    """Print the result of a command."""
    _OUTPUT.print(text)


def print_table(lines: Sequence[Sequence[str]]) -> None:
    """Print lines of cells as a result, in columns; all lines have as many cells."""
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
    for line in lines:
        cells = (cell.ljust(width) for cell, width in zip(line, widths, strict=True))
        print_result("  ".join(cells).rstrip())


def print_message(text: str, *, style: str | None = None) -> None:
    """Print a message, separate from results in a pipe."""
    _MESSAGES.print(text, style=style)


def print_warning(text: str) -> None:
    """Print a warning."""
    print_message(f"warning: {text}", style="yellow")


def print_error(text: str) -> None:
    """Print the error of a command."""
    print_message(f"error: {text}", style="red")


def show_progress(text: str) -> AbstractContextManager[object]:
    """Show on a terminal what a slow step does."""
    return _MESSAGES.status(text)


def confirm(prompt: str) -> bool:
    """Ask on the terminal for yes or no; no is the default."""
    return Confirm.ask(prompt, console=_MESSAGES, default=False)


def ask_key() -> str:
    """Ask for the key of an archive; in a script it is the first line of standard input."""
    if sys.stdin.isatty():
        return getpass.getpass("Key of the archive: ")
    return sys.stdin.readline().rstrip("\n")


def failure_message(error: QuireError | OSError) -> str:
    """Return what failed, where and why, in one message.

    Messages of `AppError` are those of HTTP responses. Where they hide an error of the database
    driver, the driver's reason is returned.
    """
    if isinstance(error, OSError):
        location = f"{os.fsdecode(error.filename)}: " if error.filename else ""
        return f"{location}{os_error_reason(error)}."
    cause = error.__cause__
    if isinstance(error, AppError) and error.status >= 500:
        if isinstance(cause, Exception) and not isinstance(cause, QuireError):
            return f"The database cannot do this: {cause}."
        if isinstance(error, ServiceUnavailableError):
            return "The database is busy; try again."
    return str(error)


def discard_output() -> None:
    """Keep Python from failing again at exit, when it flushes output that cannot be written."""
    try:
        sys.stdout.flush()
    except OSError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
