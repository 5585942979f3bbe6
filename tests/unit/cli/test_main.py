"""Wrong arguments and failed commands print one message without a traceback."""

from pathlib import Path

import pytest

import quire
from tests.unit.cli.conftest import Run


def test_the_version_is_printed(run: Run) -> None:
    code, output, _ = run("--version")

    assert code == 0
    assert output.strip() == quire.__version__


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["strat"], "strat"),
        (["start", "--port", "many"], "--port"),
        (["start", "--prot", "80"], "--prot"),
        (["token", "create"], "--name"),
        (["admin", "create", "--email", "a@b.c", "--firstname", "A", "--role", "king"], "--role"),
    ],
)
def test_what_cannot_be_understood_is_named(run: Run, arguments: list[str], message: str) -> None:
    code, output, messages = run(*arguments)

    assert code == 2
    assert output == ""
    assert messages.startswith("error: ")
    assert message in messages
    assert "Traceback" not in messages


@pytest.mark.parametrize("command", ["start", "dev", "check", "config", "index"])
def test_a_folder_that_does_not_exist_is_named(run: Run, tmp_path: Path, command: str) -> None:
    code, _, messages = run(command, tmp_path / "nowhere")

    assert code == 2
    assert "nowhere does not exist" in messages


@pytest.mark.parametrize("command", ["start", "dev", "check", "index"])
def test_a_folder_without_a_project_is_refused(run: Run, tmp_path: Path, command: str) -> None:
    code, _, messages = run(command, tmp_path)

    assert code == 2
    assert "is not a project: it has no folder src" in messages
