"""``pg_dump``, ``pg_restore`` and ``psql``: PostgreSQL's own programs, run for a database."""

import asyncio
import os
import shutil
from asyncio.subprocess import DEVNULL, PIPE, Process
from pathlib import Path
from urllib.parse import unquote, urlsplit, urlunsplit

from quire.database.dialects.postgresql.ddl import quote
from quire.database.dialects.postgresql.options import PostgresOptions
from quire.errors import ConfigurationError, DatabaseOpenError

_CHUNK = 1 << 20
_SHOWN = 1000
"""Characters of what a program says of its failure."""


async def dump_database(options: PostgresOptions, path: Path) -> None:
    """Write the schema of the project to a file in the custom format of ``pg_dump``.

    Raises ConfigurationError without that program, and DatabaseOpenError when it fails.
    """
    arguments = ("--format=custom", "--no-owner", "--no-privileges", f"--file={path}")
    program = await _start("pg_dump", options, *arguments, f"--schema={options.schema}")
    await _finish("pg_dump", program)


async def restore_database(options: PostgresOptions, path: Path, tables: list[str]) -> None:
    """Replace tables by those of such a file, in one transaction.

    Raises ConfigurationError without the programs, and DatabaseOpenError when they fail: then
    nothing was changed.
    """
    script = ("--quiet", "--no-psqlrc", "--single-transaction", "--set=ON_ERROR_STOP=1", "--file=-")
    psql = await _start("psql", options, *script, stdin=PIPE)
    only = ("--no-owner", "--no-privileges", f"--schema={options.schema}", "--file=-", str(path))
    try:
        reading = await _start("pg_restore", None, *only, stdout=PIPE)
        await _feed(psql, reading, _preamble(options, tables))
        await _finish("pg_restore", reading)
    except BaseException:
        # Without its end the script is not committed.
        psql.kill()
        await psql.wait()
        raise
    if psql.stdin is not None:
        psql.stdin.close()
    await _finish("psql", psql)


def _preamble(options: PostgresOptions, tables: list[str]) -> str:
    schema = quote(options.schema)
    named = ", ".join(f"{schema}.{quote(table)}" for table in tables)
    drop = f"DROP TABLE IF EXISTS {named} CASCADE;\n" if tables else ""
    return f"{drop}CREATE SCHEMA IF NOT EXISTS {schema};\n"


async def _feed(psql: Process, reading: Process, preamble: str) -> None:
    """Hand one program what another one prints, after a preamble."""
    if psql.stdin is None or reading.stdout is None:
        raise TypeError("the programs were started without pipes")
    try:
        psql.stdin.write(preamble.encode())
        while chunk := await reading.stdout.read(_CHUNK):
            psql.stdin.write(chunk)
            await psql.stdin.drain()
    except (BrokenPipeError, ConnectionResetError):
        reading.kill()
        await reading.wait()
        await _finish("psql", psql)
        raise


async def _start(
    name: str,
    options: PostgresOptions | None,
    *arguments: str,
    stdin: int = DEVNULL,
    stdout: int = DEVNULL,
) -> Process:
    if shutil.which(name) is None:
        raise ConfigurationError(
            f"There is no program {name} here: install the client programs of PostgreSQL."
        )
    environment = {**os.environ, **({} if options is None else _environment(options))}
    where = [] if options is None or options.dsn is None else [f"--dbname={_address(options.dsn)}"]
    return await asyncio.create_subprocess_exec(
        name, *where, *arguments, env=environment, stdin=stdin, stdout=stdout, stderr=PIPE
    )


async def _finish(name: str, program: Process) -> None:
    stderr = b"" if program.stderr is None else await program.stderr.read()
    if await program.wait() != 0:
        said = stderr.decode(errors="replace").strip()[:_SHOWN]
        raise DatabaseOpenError(f"{name} failed: {said}")


def _address(dsn: str) -> str:
    """Return an address without the password: everybody sees the arguments of programs."""
    parts = urlsplit(dsn)
    user, at, host = parts.netloc.rpartition("@")
    return urlunsplit(parts._replace(netloc=f"{user.partition(':')[0]}{at}{host}"))


def _environment(options: PostgresOptions) -> dict[str, str]:
    if options.dsn is not None:
        password = urlsplit(options.dsn).password
        return {} if password is None else {"PGPASSWORD": unquote(password)}
    found = {
        "PGHOST": options.host,
        "PGPORT": str(options.port),
        "PGUSER": options.username,
        "PGDATABASE": options.name,
    }
    if options.password is not None:
        found["PGPASSWORD"] = options.password
    if options.ssl:
        found["PGSSLMODE"] = "verify-full" if options.ssl_verify else "require"
    return found
