"""The statements of requests, run by pgbench: the minimal cost on PostgreSQL.

pgbench is a program of PostgreSQL, in C: it prepares each statement once, sends it with its values,
takes the rows and throws them away. Requests of several statements are transactions, as Quire makes
them.
"""

import re
import resource
import subprocess
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

from bench.database_kind import Measure, Requests
from bench.driver import DriverError, Statement
from bench.measure import Round, per_request
from tests.postgresql.binaries import find_binaries

_CLIENTS = 16
_MOST_SCRIPTS = 20
_BEGIN = "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY;"
_PLACE = re.compile(r"\$(\d+)")
_DONE = re.compile(r"number of transactions actually processed: (\d+)")
_RATE = re.compile(r"tps = ([\d.]+)")


def pgbench_measure(
    url: str, requests: Requests, seconds: float, database_cpu: Callable[[], float | None]
) -> Measure | None:
    """Return what measures one round of pgbench on a database, ``None`` where there is none.

    A sample of the requests is run, by chance one after the other on each of 16 connections.
    ``database_cpu`` tells what the database's processes have used.
    """
    program = find_binaries() / "pgbench"
    if not program.is_file():
        return None
    step = max(1, len(requests) // _MOST_SCRIPTS)
    chosen = list(requests)[::step][:_MOST_SCRIPTS]

    def measure() -> Round:
        with TemporaryDirectory() as folder:
            arguments = list(_scripts(Path(folder), chosen))
            before, database_before = _used(), database_cpu()
            said = _run(program, url, seconds, arguments)
            after, database_after = _used(), database_cpu()
        count = int(_found(_DONE, said))
        return Round(
            per_request(before, after, count),
            float(_found(_RATE, said)),
            p50_ms=None,
            p99_ms=None,
            database_us=per_request(database_before, database_after, count),
        )

    return measure


def script(statements: Sequence[Statement], prefix: str) -> tuple[str, dict[str, str]]:
    """Return the script of one request, and the variables that it uses, which have a prefix."""
    variables: dict[str, str] = {}
    lines: list[str] = []
    for number, (sql, values) in enumerate(statements):

        def named(place: re.Match[str], number: int = number, values: object = values) -> str:
            value = values[int(place[1]) - 1]  # type: ignore[index]
            if value is None:
                return "NULL"
            name = f"{prefix}_{number}_{place[1]}"
            variables[name] = literal(value)
            return f":{name}"

        lines.append(" ".join(_PLACE.sub(named, sql).split()) + ";")
    if len(lines) > 1:
        lines = [_BEGIN, *lines, "COMMIT;"]
    return "\n".join(lines) + "\n", variables


def literal(value: object) -> str:
    """Return a value as PostgreSQL reads it from text."""
    match value:
        case bool():
            return "true" if value else "false"
        case list():
            return "{" + ",".join(map(_element, value)) + "}"
        case _:
            return str(value)


def _element(value: object) -> str:
    if isinstance(value, str):
        escaped = value.replace("\\", "\\\\").replace('"', '\\"')
        return f'"{escaped}"'
    return "NULL" if value is None else literal(value)


def _scripts(folder: Path, requests: Requests) -> Iterator[str]:
    """Write a script for each request; gives the arguments that name them and their variables."""
    for number, statements in enumerate(requests):
        text, variables = script(statements, f"v{number}")
        path = folder / f"{number}.sql"
        path.write_text(text, encoding="utf-8")
        yield from ("-f", str(path))
        for name, value in variables.items():
            yield from ("-D", f"{name}={value}")


def _run(program: Path, url: str, seconds: float, arguments: Sequence[str]) -> str:
    command = [str(program), "-n", "-M", "prepared", "-c", str(_CLIENTS), "-j", "1"]
    finished = subprocess.run(
        [*command, "-T", str(max(1, round(seconds))), *arguments, url],
        capture_output=True,
        text=True,
        check=False,
    )
    if finished.returncode != 0:
        raise DriverError(f"pgbench: {finished.stderr.strip()[-1000:]}")
    return finished.stdout


def _used() -> float:
    """Return the CPU seconds of all programs that have been waited for."""
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


def _found(pattern: re.Pattern[str], text: str) -> str:
    found = pattern.search(text)
    if found is None:
        raise DriverError(f"pgbench has not said {pattern.pattern!r}: {text[-1000:]}")
    return found[1]
