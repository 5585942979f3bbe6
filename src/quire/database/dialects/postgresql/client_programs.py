"""``pg_dump``, ``pg_restore`` and ``psql``: runs the client programs of PostgreSQL."""

import asyncio
import os
import shutil
from asyncio.subprocess import DEVNULL, PIPE
from collections.abc import Iterable
from pathlib import Path
from urllib.parse import unquote, urlsplit, urlunsplit

from quire.database.dialects.postgresql.connection_options import PostgresOptions
from quire.database.dialects.postgresql.ddl import quote
from quire.errors import ConfigurationError, DatabaseOpenError

_MAX_OUTPUT = 1000
"""How many characters of a program's error output are shown."""


async def dump_database(options: PostgresOptions, path: Path) -> None:
    """Write the schema of the project to a file in the custom format of ``pg_dump``.

    Raises ConfigurationError without that program, and DatabaseOpenError when it fails.
    """
    arguments = ("--format=custom", f"--schema={options.schema}", f"--file={path}")
    await _run("pg_dump", *arguments, "--no-owner", "--no-privileges", options=options)


async def restore_database(options: PostgresOptions, path: Path, tables: Iterable[str]) -> None:
    """Replace tables by those of a dump, in one transaction.

    Its statements are written to a file next to it first. Raises ConfigurationError without
    ``pg_restore`` and ``psql``, and DatabaseOpenError when they fail: then nothing was changed.
    """
    first, script = path.with_suffix(".first.sql"), path.with_suffix(".sql")
    first.write_text(_first_statements(options, tables), encoding="utf-8")
    restore_arguments = (
        "--no-owner",
        "--no-privileges",
        f"--schema={options.schema}",
        f"--file={script}",
    )
    await _run("pg_restore", *restore_arguments, str(path))
    psql_arguments = ("--quiet", "--no-psqlrc", "--single-transaction", "--set=ON_ERROR_STOP=1")
    await _run("psql", *psql_arguments, f"--file={first}", f"--file={script}", options=options)


def _first_statements(options: PostgresOptions, tables: Iterable[str]) -> str:
    schema = quote(options.schema)
    table_names = ", ".join(f"{schema}.{quote(table)}" for table in tables)
    drop = f"DROP TABLE IF EXISTS {table_names} CASCADE;\n" if table_names else ""
    # Do not wait forever for a server that is in a transaction.
    wait = f"SET lock_timeout = {options.lock_timeout_ms};\n"
    return f"{wait}{drop}CREATE SCHEMA IF NOT EXISTS {schema};\n"


async def _run(name: str, *arguments: str, options: PostgresOptions | None = None) -> None:
    """Run a program to its end, connected to the database of the options, if any."""
    if shutil.which(name) is None:
        raise ConfigurationError(
            f"The program {name} was not found: install the client programs of PostgreSQL."
        )
    environment, address = dict(os.environ), []
    if options is not None:
        environment |= _environment(options)
        address = [] if options.dsn is None else [f"--dbname={_address(options.dsn)}"]
    program = await asyncio.create_subprocess_exec(
        name, *address, *arguments, env=environment, stdin=DEVNULL, stdout=DEVNULL, stderr=PIPE
    )
    try:
        _, errors = await program.communicate()
    except BaseException:
        program.kill()
        await program.wait()
        raise
    if program.returncode != 0:
        message = errors.decode(errors="replace").strip()[:_MAX_OUTPUT]
        raise DatabaseOpenError(f"{name} failed: {message}")


def _address(dsn: str) -> str:
    """Return an address without the password: program arguments are visible to all users."""
    parts = urlsplit(dsn)
    user, separator, host = parts.netloc.rpartition("@")
    return urlunsplit(parts._replace(netloc=f"{user.partition(':')[0]}{separator}{host}"))


def _environment(options: PostgresOptions) -> dict[str, str]:
    if options.dsn is not None:
        password = urlsplit(options.dsn).password
        return {} if password is None else {"PGPASSWORD": unquote(password)}
    environment = {
        "PGHOST": options.host,
        "PGPORT": str(options.port),
        "PGUSER": options.username,
        "PGDATABASE": options.name,
    }
    if options.password is not None:
        environment["PGPASSWORD"] = options.password
    if options.ssl:
        environment["PGSSLMODE"] = "verify-full" if options.ssl_verify else "require"
    return environment
