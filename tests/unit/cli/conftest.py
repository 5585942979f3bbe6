"""Projects to run commands on, and an empty environment."""

from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import pytest

from quire import cli
from quire.settings import known_settings
from tests.conformance.corpus import unpack_project


class Outcome(NamedTuple):
    """What a command ended with and printed."""

    code: int
    output: str
    messages: str


Run = Callable[..., Outcome]


@pytest.fixture(autouse=True)
def silent_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    silence(monkeypatch)


def silence(environment: pytest.MonkeyPatch) -> None:
    """Take away all variables that settings are read from."""
    for setting in known_settings().values():
        if setting.variable:
            environment.delenv(setting.variable, raising=False)


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """The recorded project, with its database."""
    return unpack_project(tmp_path / "project")


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str]) -> Run:
    """Runs a command in this process."""

    def run_command(*arguments: object) -> Outcome:
        capsys.readouterr()
        code = cli.run([str(argument) for argument in arguments])
        printed = capsys.readouterr()
        return Outcome(code, printed.out, printed.err)

    return run_command


def everything_in(folder: Path) -> dict[str, bytes]:
    """Every file below a folder with its content."""
    return {
        path.relative_to(folder).as_posix(): path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.is_file()
    }
