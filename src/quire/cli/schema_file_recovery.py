"""Repairs schema files after an interrupted change, before a command uses them."""

import asyncio

from quire.cli.terminal import print_warning
from quire.errors import ConfigurationError, os_error_reason
from quire.settings import Settings


def recover_project(settings: Settings) -> None:
    """Repair schema files after an interrupted change of the model, and print which.

    Raises DatabaseOpenError, and ConfigurationError when a file cannot be written.
    """
    from quire.builder.file_transaction import has_file_transactions

    if not has_file_transactions(settings.project):
        return
    from quire.builder.file_transaction import recover_files

    try:
        recovered_files = asyncio.run(recover_files(settings))
    except OSError as error:
        raise ConfigurationError(
            f"Schema files are half changed, and cannot be written: {os_error_reason(error)}"
        ) from error
    if recovered_files:
        print_warning(
            f"schema files were repaired after an interrupted change: {', '.join(recovered_files)}"
        )
