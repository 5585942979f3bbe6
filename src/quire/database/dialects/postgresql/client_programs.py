"""``pg_dump``, ``pg_restore`` and ``psql``: runs the client programs of PostgreSQL."""

import asyncio
import os
import re
import shutil
import ssl
from asyncio.subprocess import DEVNULL, PIPE, Process
from collections.abc import AsyncIterator, Iterable
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from tempfile import TemporaryDirectory
from urllib.parse import parse_qsl, unquote, urlencode, urlsplit, urlunsplit
from urllib.parse import quote as quote_parameter

from quire.database.dialects.postgresql.connection import PostgresOptions
from quire.database.dialects.postgresql.ddl import quote
from quire.errors import ConfigurationError, DatabaseOpenError

_MAX_OUTPUT = 1000
"""How many characters of a program's error output are shown."""
_CHUNK_BYTES = 65_536
_PASSWORD = "password"  # noqa: S105 - the name of a parameter of a URL
_SSLMODE = "sslmode"
_HASHED_NAME = re.compile(r"[0-9a-f]{8}\.\d+")
"""The name of a certificate in a folder of authorities, as `c_rehash` makes it."""


async def dump_database(options: PostgresOptions, path: Path) -> None:
    """Write the schema of the project to a file in the custom format of ``pg_dump``.

    Raises ConfigurationError without that program, and DatabaseOpenError when it fails.
    """
    arguments = ("--format=custom", f"--schema={options.schema}", f"--file={path}")
    async with _running("pg_dump", *arguments, "--no-owner", "--no-privileges", options=options):
        pass


async def restore_database(options: PostgresOptions, path: Path, tables: Iterable[str]) -> None:
    """Replace tables by those of a dump, in one transaction.

    Its statements are written to a file next to it first. This process sends them to ``psql``, and
    COMMIT when all of them were executed. If it is killed before, ``psql`` reads the end of its
    input, and the server rolls back. Raises ConfigurationError without ``pg_restore`` and ``psql``,
    and DatabaseOpenError when they fail: then nothing was changed.
    """
    script = path.with_suffix(".sql")
    dump_arguments = ("--no-owner", "--no-privileges", f"--schema={options.schema}")
    async with _running("pg_restore", *dump_arguments, f"--file={script}", str(path)):
        pass
    arguments = ("--quiet", "--no-psqlrc", "--set=ON_ERROR_STOP=1", f"--output={os.devnull}")
    async with _running("psql", *arguments, options=options, stdin=PIPE, stdout=PIPE) as psql:
        if psql.stdin is None or psql.stdout is None:
            raise RuntimeError("psql has no pipes")
        with suppress(ConnectionError), script.open("rb") as statements:  # it says why it has ended
            psql.stdin.write(_first_statements(options, tables).encode())
            while chunk := statements.read(_CHUNK_BYTES):
                psql.stdin.write(chunk)
                await psql.stdin.drain()
            psql.stdin.write(b"\\echo\n")
            if await psql.stdout.readline():
                psql.stdin.write(b"COMMIT;\n")
        psql.stdin.close()


def _first_statements(options: PostgresOptions, tables: Iterable[str]) -> str:
    schema = quote(options.schema)
    table_names = ", ".join(f"{schema}.{quote(table)}" for table in tables)
    drop = f"DROP TABLE IF EXISTS {table_names} CASCADE;\n" if table_names else ""
    # Do not wait forever for a server that is in a transaction.
    wait = f"SET lock_timeout = {options.lock_timeout_ms};\n"
    return f"BEGIN;\n{wait}{drop}CREATE SCHEMA IF NOT EXISTS {schema};\n"


@asynccontextmanager
async def _running(
    name: str,
    *arguments: str,
    options: PostgresOptions | None = None,
    stdin: int = DEVNULL,
    stdout: int = DEVNULL,
) -> AsyncIterator[Process]:
    """Run a program to its end, connected to the database of the options, if any.

    It is killed when the block raises. Raises DatabaseOpenError when it fails.
    """
    if shutil.which(name) is None:
        raise ConfigurationError(
            f"The program {name} was not found: install the client programs of PostgreSQL."
        )
    environment, address = dict(os.environ), list[str]()
    with TemporaryDirectory(prefix="quire-certificates-") as folder:
        if options is not None:
            environment |= _environment(options, Path(folder))
            if options.dsn is not None:
                address.append(f"--dbname={_address(options.dsn, needs_tls=options.ssl)}")
        program = await asyncio.create_subprocess_exec(
            name, *address, *arguments, env=environment, stdin=stdin, stdout=stdout, stderr=PIPE
        )
        if program.stderr is None:
            raise RuntimeError(f"{name} has no standard error output")
        reading = asyncio.ensure_future(program.stderr.read())
        try:
            yield program
            errors = await reading
            await program.wait()
        finally:
            if program.returncode is None:
                program.kill()
            await program.wait()
    if program.returncode != 0:
        message = errors.decode(errors="replace").strip()[:_MAX_OUTPUT]
        raise DatabaseOpenError(f"{name} failed: {message}")


def _address(dsn: str, *, needs_tls: bool) -> str:
    """Return an address without the password: program arguments are visible to all users.

    Nor has it an ``sslmode`` that would have precedence over `_tls_environment`.
    """
    parts = urlsplit(dsn)
    user, separator, host = parts.netloc.rpartition("@")
    removed_names = {_PASSWORD, _SSLMODE} if needs_tls else {_PASSWORD}
    parameters = [one for one in parse_qsl(parts.query) if one[0] not in removed_names]
    public_parts = parts._replace(
        netloc=f"{user.partition(':')[0]}{separator}{host}",
        query=urlencode(parameters, quote_via=quote_parameter),
    )
    return urlunsplit(public_parts)


def _environment(options: PostgresOptions, folder: Path) -> dict[str, str]:
    """Return the variables of the connection; ``folder`` is for files that they name."""
    if options.dsn is None:
        password = options.password
        environment = {
            "PGHOST": options.host,
            "PGPORT": str(options.port),
            "PGUSER": options.username,
            "PGDATABASE": options.name,
        }
    else:
        parts = urlsplit(options.dsn)
        password = unquote(parts.password or "") or dict(parse_qsl(parts.query)).get(_PASSWORD)
        environment = {}
    if password is not None:
        environment["PGPASSWORD"] = password
    return environment | _tls_environment(options, folder)


def _tls_environment(options: PostgresOptions, folder: Path) -> dict[str, str]:
    """Return the variables for the same TLS as that of the driver.

    libpq does not trust the authorities of the system by itself, as Python does. It reads them from
    one file: where the system has a folder of them, all are written to a file in ``folder``.
    """
    if not options.ssl:
        return {}
    if not options.ssl_verify:
        return {"PGSSLMODE": "require"}
    paths = ssl.get_default_verify_paths()
    authorities = os.environ.get("PGSSLROOTCERT") or paths.cafile
    if paths.capath and not os.environ.get("PGSSLROOTCERT"):
        joined = folder / "authorities.pem"
        _join_certificates(paths.cafile, Path(paths.capath), joined)
        authorities = str(joined)
    return {"PGSSLMODE": "verify-full", "PGSSLROOTCERT": authorities or paths.openssl_cafile}


def _join_certificates(file: str | None, folder: Path, joined: Path) -> None:
    """Write the certificates of a file, if any, and of a folder to one file.

    Those of the folder are the ones that OpenSSL finds by their names.
    """
    certificates = [] if file is None else [Path(file)]
    certificates += sorted(
        path for path in folder.iterdir() if _HASHED_NAME.fullmatch(path.name) and path.is_file()
    )
    joined.write_bytes(b"\n".join(path.read_bytes() for path in certificates))
