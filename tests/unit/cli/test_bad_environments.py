"""Every command in every bad environment prints one message with the cause, no traceback.

Commands are those that the application knows, so a new one is tried as soon as it is there.
"""

import inspect
import io
import os
import re
import resource
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext, suppress
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from cyclopts import App

from quire.cli import dev, serve
from quire.cli.commands import app
from quire.settings import Settings
from tests.conformance.corpus import unpack_project
from tests.databases.kinds import rows_of
from tests.unit.cli.capabilities import permissions_hold
from tests.unit.cli.conftest import Outcome, Run
from tests.unit.cli.processes import QUIRE

OTHER_USER = 65534
NEEDED = {
    "types": ["--python", "{project}/models.py"],
    "backup": ["--to", "{folder}/backups"],
    "restore": ["--from", "{folder}/none.tar"],
    "copy": ["--to", "sqlite:{folder}/copy.db"],
    "admin create": ["--email", "ada@example.com", "--firstname", "Ada"],
    "token create": ["--name", "site"],
    "token regenerate": ["--name", "site"],
    "token delete": ["--name", "site"],
}
"""Options without which a command does nothing."""
BEFORE_PROJECT = {
    "ext add": ["none"],
    "ext update": ["none"],
    "export": ["{folder}/exported.tar"],
    "import": ["{folder}/none.tar"],
    "transfer": ["{folder}/none"],
    "jobs cancel": ["1"],
    "jobs retry": ["1"],
    "outbox discard": ["1"],
    "outbox replay": ["1"],
}
"""What stands before the folder of the project."""
USUAL = (
    "There is no backup|manifest.json|archived under the number 1|no API token with the name site"
    "|none (is not installed|does not exist)|There is no archive|serves no metrics"
    "|[Tt]here is no (job|change)"
)
"""Why some commands are refused where nothing is bad."""
VARIANTS = {
    "check": [["--repair", "--yes"]],
    "config": [["--new-secrets"]],
    "index": [["--apply"]],
    "migrate": [["--apply", "--may-lose", "--wait", "0"]],
    "archive": [["--restore", "1"]],
    "copy": [["--replace"]],
    "start": [["--workers", "2"]],
}
"""Further options with which a command does something else."""


def commands(application: App, *names: str) -> Iterator[tuple[str, Callable[..., Any]]]:
    """Yield the commands of an application with their functions, subcommands included."""
    for name in application:
        command = application[name]
        if name.startswith("-"):
            continue
        if command.default_command is not None:
            yield " ".join((*names, name)), command.default_command
        yield from commands(command, *names, name)


COMMANDS = dict(commands(app))


def required_options(function: Callable[..., Any]) -> list[str]:
    """Return the keyword parameters of a command that have no default."""
    return [
        parameter.name
        for parameter in inspect.signature(function).parameters.values()
        if parameter.kind is parameter.KEYWORD_ONLY and parameter.default is parameter.empty
    ]


def test_every_command_is_tried_with_what_it_needs() -> None:
    lacking = {name for name, function in COMMANDS.items() if required_options(function)}
    assert lacking <= NEEDED.keys()
    assert VARIANTS.keys() <= COMMANDS.keys()


def lines_of(project: Path) -> Iterator[list[str]]:
    """Yield what is typed: every command, and every variant."""
    places = {"project": str(project), "folder": str(project.parent)}
    for name in COMMANDS:
        first = [argument.format(**places) for argument in BEFORE_PROJECT.get(name, ())]
        for more in ([], *VARIANTS.get(name, ())):
            options = [option.format(**places) for option in (*NEEDED.get(name, ()), *more)]
            yield [*name.split(), *first, str(project), *options]


# Bad environments --------------------------------------------------------------------------------


class Environment(NamedTuple):
    """What is bad: prepared for a project, until the block ends; ``culprit`` matches messages."""

    name: str
    prepare: Callable[[Path], AbstractContextManager[None] | None]
    culprit: str


def database(project: Path) -> Path:
    return project / ".tmp/data.db"


def schema(project: Path) -> Path:
    return project / "src/api/article/content-types/article/schema.json"


def with_mode(mode: int, *names: str) -> Callable[[Path], None]:
    """Give files or folders of a project a mode."""

    def prepare(project: Path) -> None:
        for name in names:
            (project / name).chmod(mode)

    return prepare


def with_content(content: bytes, name: str) -> Callable[[Path], None]:
    """Give a file of a project other content."""

    def prepare(project: Path) -> None:
        (project / name).write_bytes(content)

    return prepare


def without(name: str) -> Callable[[Path], None]:
    """Remove a file or folder of a project."""

    def prepare(project: Path) -> None:
        path = project / name
        if path.is_dir():
            shutil.rmtree(path)
        else:
            path.unlink()

    return prepare


def replaced_by_a_folder(project: Path) -> None:
    database(project).unlink()
    database(project).mkdir()


def read_only(project: Path) -> None:
    for folder, _, names in os.walk(project, topdown=False):
        for name in names:
            Path(folder, name).chmod(0o444)
        Path(folder).chmod(0o555)


def of_another_user(project: Path) -> None:
    for folder, _, names in os.walk(project, topdown=False):
        for name in names:
            Path(folder, name).chmod(0o600)
            os.chown(Path(folder, name), OTHER_USER, OTHER_USER)
        Path(folder).chmod(0o700)
        os.chown(folder, OTHER_USER, OTHER_USER)


@contextmanager
def full_disk(project: Path) -> Iterator[None]:
    """Let no file become longer, as on a disk without space."""
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (0, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)


LOCKING = """
import sqlite3, sys
connection = sqlite3.connect(sys.argv[1], isolation_level=None)
connection.execute("PRAGMA locking_mode = EXCLUSIVE")
connection.execute("BEGIN EXCLUSIVE")
connection.execute("CREATE TABLE held (id)")
print("locked", flush=True)
sys.stdin.read()
"""


@contextmanager
def locked(project: Path) -> Iterator[None]:
    """Let another program have the database for itself."""
    arguments = [sys.executable, "-c", LOCKING, str(database(project))]
    with subprocess.Popen(
        arguments, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "locked\n"
        try:
            yield
        finally:
            process.kill()


def nowhere(project: Path) -> None:
    shutil.rmtree(project)


def a_file(project: Path) -> None:
    shutil.rmtree(project)
    project.write_text("not a folder")


def on_a_missing_server(project: Path) -> None:
    with (project / ".env").open("a") as file:
        file.write("\nDATABASE_CLIENT=postgres\nDATABASE_HOST=127.0.0.1\nDATABASE_PORT=1\n")


HEADER = b"SQLite format 3\0"
ENVIRONMENTS = [
    Environment("project missing", nowhere, "project"),
    Environment("project is a file", a_file, "project"),
    Environment("project unreadable", with_mode(0o000, "."), "project"),
    Environment("project read-only", read_only, "project"),
    Environment("project of another user", of_another_user, "project"),
    Environment("disk full", full_disk, "File too large|disk I/O error"),
    Environment("sources missing", without("src"), "src|not a project"),
    Environment("sources unreadable", with_mode(0o000, "src"), "src"),
    Environment("schema unreadable", with_mode(0o000, str(schema(Path()))), "schema.json"),
    Environment("schema garbage", with_content(b"\xff\0{", str(schema(Path()))), "schema.json"),
    Environment("environment missing", without(".env"), ".env"),
    Environment("environment unreadable", with_mode(0o000, ".env"), ".env"),
    Environment("environment garbage", with_content(b"\xff\0=\xfe", ".env"), ".env"),
    Environment("settings unreadable", with_mode(0o000, "quire.toml"), "quire.toml"),
    Environment("settings garbage", with_content(b"\xff\0", "quire.toml"), "quire.toml"),
    Environment("database missing", without(".tmp/data.db"), "data.db"),
    Environment("database unreadable", with_mode(0o000, ".tmp/data.db"), "data.db"),
    Environment("database read-only", with_mode(0o444, ".tmp/data.db"), "data.db"),
    Environment("database in unreadable folder", with_mode(0o000, ".tmp"), ".tmp"),
    Environment("database empty", with_content(b"", ".tmp/data.db"), "data.db"),
    Environment("database garbage", with_content(b"\xff" * 9000, ".tmp/data.db"), "data.db"),
    Environment("database damaged", with_content(HEADER + b"\xff" * 9000, ".tmp/data.db"), "data"),
    Environment("database is a folder", replaced_by_a_folder, "data.db"),
    Environment("database locked", locked, "data.db|locked"),
    Environment("server missing", on_a_missing_server, "127.0.0.1:1"),
]


# The test ----------------------------------------------------------------------------------------


@pytest.fixture
def _servers_stop(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Let servers stop as soon as they are ready, and serve in this process."""

    def stop(*_: object, **__: object) -> None:
        signal.raise_signal(signal.SIGTERM)

    def serve_once(watch: Any) -> None:  # noqa: ANN401 - a private class
        with suppress(SystemExit):  # it waits for a change of the files then
            dev._serve_in_child(watch.sockets)  # noqa: SLF001 - what a process of its own does

    def log_nothing(_: Settings) -> None:
        pass

    handlers = {number: signal.getsignal(number) for number in (signal.SIGTERM, signal.SIGINT)}
    monkeypatch.setattr(serve, "announce", stop)
    monkeypatch.setattr(serve, "log_as_set", log_nothing)
    monkeypatch.setattr(dev, "log_as_set", log_nothing)
    monkeypatch.setattr("quire.cli.dev._FileWatcher.run", serve_once)
    yield
    for number, handler in handlers.items():
        signal.signal(number, handler)


def settled(folder: Path) -> Path:
    """Lay out a project that waits for nobody."""
    project = unpack_project(folder / "project")
    with (project / "quire.toml").open("a") as file:
        file.write("\n[database]\nbusy_timeout_ms = 50\n\n[server]\nport = 0\n")
    return project


def outcomes(project: Path, run: Run, monkeypatch: pytest.MonkeyPatch) -> Iterator[tuple[str, Any]]:
    """Run every command; yield what was typed, and how it ended or what it raised."""
    for line in lines_of(project):
        monkeypatch.setattr(sys, "stdin", io.StringIO("Correct1horse\n"))
        outcome: object
        try:
            outcome = run(*line)
        except BaseException as error:  # noqa: BLE001 - whatever it is, it is a defect
            outcome = error
        yield " ".join(line).replace(str(project), "PROJECT"), outcome


@pytest.mark.usefixtures("_servers_stop")
def test_commands_succeed_where_nothing_is_bad(
    tmp_path: Path, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    for line, outcome in outcomes(settled(tmp_path), run, monkeypatch):
        assert [*problems(outcome, "")] == [], line
        assert outcome.code != 2 or re.search(USUAL, outcome.messages), (line, outcome)


@pytest.mark.usefixtures("_servers_stop")
@pytest.mark.parametrize("environment", ENVIRONMENTS, ids=lambda one: one.name)
def test_commands_end_with_one_message(
    tmp_path: Path, run: Run, environment: Environment, monkeypatch: pytest.MonkeyPatch
) -> None:
    project = settled(tmp_path)
    wrong = []
    with environment.prepare(project) or nullcontext(), permissions_hold():
        for line, outcome in outcomes(project, run, monkeypatch):
            named = f"{environment.culprit}|{USUAL}"
            wrong += [f"{line}: {problem}" for problem in problems(outcome, named)]
    assert not wrong, "\n".join(wrong)


def problems(outcome: object, culprit: str) -> Iterator[str]:
    """Say what is wrong with the way in which a command ended."""
    if not isinstance(outcome, Outcome):
        yield repr(outcome)
        return
    code, output, messages = outcome
    if code not in {0, 1, 2}:
        yield f"exit code {code}"
    if "Traceback" in messages + output:
        yield f"a traceback: {messages}"
    for words in ("Internal Server Error", "Service Unavailable", "[Errno"):
        if words in messages:
            yield f"says {words}: {messages}"
    errors = [line for line in messages.splitlines() if line.startswith("error: ")]
    if code == 2 and len(errors) != 1:
        yield f"{len(errors)} messages: {messages}"
    if code == 2 and re.search(culprit, messages) is None:
        yield f"does not name {culprit}: {messages}"


@pytest.mark.parametrize("arguments", [["config"], ["token", "list"], ["index"], ["--help"]])
def test_output_that_cannot_be_written_is_one_message(project: Path, arguments: list[str]) -> None:
    line = [str(QUIRE), *arguments, *([] if "--help" in arguments else [str(project)])]
    with Path("/dev/full").open("w") as full:
        ended = subprocess.run(line, stdout=full, stderr=subprocess.PIPE, text=True, check=False)
    assert (ended.returncode, ended.stderr) == (2, "error: No space left on device.\n")


def test_output_that_nobody_reads_ends_quietly(project: Path) -> None:
    line = [str(QUIRE), "config", str(project)]
    with subprocess.Popen(line, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as ended:
        assert ended.stdout is not None
        assert ended.stderr is not None
        ended.stdout.close()
        messages = ended.stderr.read()
    assert (ended.returncode, messages) == (1, "")


NUMBERS = ["99999999", "9" * 30, "9" * 5000, "1e400", "nan", "-1"]


@pytest.mark.parametrize("number", NUMBERS)
@pytest.mark.parametrize(
    "line",
    [
        "start PROJECT --port",
        "start PROJECT --workers",
        "dev PROJECT --port",
        "migrate PROJECT --wait",
        "archive PROJECT --restore",
        "archive PROJECT --forget",
        "token create PROJECT --name site --days",
    ],
)
def test_numbers_beyond_their_range_are_refused(
    project: Path, run: Run, line: str, number: str
) -> None:
    outcome = run(*line.replace("PROJECT", str(project)).split(), number)
    assert outcome.code == 2
    assert [*problems(outcome, "")] == []
    assert (
        "days" not in line
        or number == "9" * 5000
        or not number.isdigit()
        or ("36500" in outcome.messages)
    )


def test_a_token_that_ends_beyond_all_calendars_is_listed(project: Path, run: Run) -> None:
    assert run("token", "create", project, "--name", "site", "--days", 36_500).code == 0
    with rows_of(project) as rows:
        rows.execute(
            "UPDATE strapi_api_tokens SET expires_at = 10000000000000000 WHERE name = 'site'"
        )
    listed = run("token", "list", project)
    assert listed.code == 0
    assert [line.split()[2] for line in listed.output.splitlines() if "site" in line] == ["never"]
