"""Every command has a section in ``docs/cli.md``."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from cyclopts import App

from quire.cli.commands import app

PAGE = Path(__file__).parents[3] / "docs" / "cli.md"


def commands(of: App, prefix: str = "quire") -> Iterator[str]:
    for name in of:
        if name.startswith("-"):
            continue
        inner = list(commands(of[name], f"{prefix} {name}"))
        yield from inner or [f"{prefix} {name}"]


@pytest.mark.parametrize("command", list(commands(app)))
def test_every_command_is_documented(command: str) -> None:
    assert f"## `{command}`" in PAGE.read_text(encoding="utf-8").splitlines()


def test_every_documented_command_exists() -> None:
    lines = PAGE.read_text(encoding="utf-8").splitlines()
    documented = [line[4:-1] for line in lines if line.startswith("## `")]

    assert sorted(documented) == sorted(commands(app))
