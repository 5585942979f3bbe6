"""The command line: parses arguments, runs commands, reports known errors in one message.

Exit codes: 0 success, 1 problems were found, 2 the command failed.
"""

import sys
from collections.abc import Sequence

from quire.cli.terminal import (
    CANNOT,
    EXIT_INTERRUPTED,
    EXIT_OK,
    PROBLEMS,
    discard_output,
    failure_message,
    print_error,
)
from quire.errors import QuireError


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the command of the command line, and exit with its exit code."""
    sys.exit(run(sys.argv[1:] if arguments is None else arguments))


def run(arguments: Sequence[str]) -> int:
    """Run a command and return its exit code."""
    from cyclopts import CycloptsError

    from quire.cli.commands import app

    try:
        code = app(
            list(arguments), result_action="return_value", exit_on_error=False, print_error=False
        )
    except CycloptsError as error:
        print_error(f"{error}\nTry `quire --help`.")
        return CANNOT
    except BrokenPipeError:  # the reader of the output has closed it
        discard_output()
        return PROBLEMS
    except (QuireError, OSError) as error:
        print_error(failure_message(error))
        discard_output()
        return CANNOT
    except KeyboardInterrupt:
        return EXIT_INTERRUPTED
    return code if isinstance(code, int) else EXIT_OK
