"""Prints to the terminal: results to standard output, everything else to standard error."""

from rich.console import Console

_OUTPUT = Console(highlight=False, markup=False, emoji=False, soft_wrap=True)
_MESSAGES = Console(stderr=True, highlight=False, markup=False, emoji=False, soft_wrap=True)


def print_result(text: str) -> None:
    """Print what was asked for."""
    _OUTPUT.print(text)


def print_message(text: str, *, style: str | None = None) -> None:
    """Print something about the work; it does not mix with results in a pipe."""
    _MESSAGES.print(text, style=style)


def print_warning(text: str) -> None:
    """Print something that works but deserves a look."""
    print_message(f"warning: {text}", style="yellow")


def print_error(text: str) -> None:
    """Print why it cannot be done."""
    print_message(f"error: {text}", style="red")
