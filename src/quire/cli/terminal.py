"""Output on the terminal: results to standard output, everything else to standard error."""

import getpass
import sys
from contextlib import AbstractContextManager

from rich.console import Console
from rich.prompt import Confirm

DONE = 0
PROBLEMS = 1
"""Problems were found, or the server stopped by itself."""
CANNOT = 2
"""The command failed; nothing was changed."""
INTERRUPTED = 130
"""Interrupted by Ctrl+C."""


_OUTPUT = Console(highlight=False, markup=False, emoji=False, soft_wrap=True)
_MESSAGES = Console(stderr=True, highlight=False, markup=False, emoji=False, soft_wrap=True)


def print_result(text: str) -> None:
    """Print the result of a command."""
    _OUTPUT.print(text)


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


def confirm(question: str) -> bool:
    """Ask on the terminal for yes or no; no is the default."""
    return Confirm.ask(question, console=_MESSAGES, default=False)


def ask_key() -> str:
    """Ask for the key of an archive; in a script it is the first line of standard input."""
    if sys.stdin.isatty():
        return getpass.getpass("Key of the archive: ")
    return sys.stdin.readline().rstrip("\n")
