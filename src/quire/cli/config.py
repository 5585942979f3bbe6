"""Prints settings, and new secrets."""

from quire.cli.new_secrets import secret_lines
from quire.cli.terminal import EXIT_OK, print_message, print_result, print_warning
from quire.settings import Settings


def print_settings(settings: Settings) -> int:
    """Print every setting with its value and its source, secrets hidden."""
    rows = settings.explain()
    widths = [max(len(row[column]) for row in rows) for column in (0, 1)]
    for name, value, source in rows:
        print_result(f"{name:<{widths[0]}}  {value:<{min(widths[1], 40)}}  {source}")
    for notice in settings.notices:
        print_warning(notice)
    return EXIT_OK


def print_new_secrets(settings: Settings) -> int:
    """Print lines for ``.env`` with a new value for each secret that is not set."""
    missing_names = settings.missing_secrets()
    if not missing_names:
        print_message("All secrets are set.")
        return EXIT_OK
    print_result(secret_lines(missing_names).rstrip())
    return EXIT_OK
