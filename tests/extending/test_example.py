"""The extended example: its tests pass, its types hold, and mistakes in types are reported."""

import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from quire.cli import run
from tests.databases.kind import Kind
from tests.databases.kinds import SQLITE
from tests.docs.pages import ROOT
from tests.extending.pytest_runs import run_pytest
from tests.postgresql.databases import url_of

EXAMPLE = ROOT / "examples" / "extended"


@pytest.fixture
def example(tmp_path: Path) -> Path:
    """A copy of the example."""
    folder = tmp_path / "extended"
    shutil.copytree(EXAMPLE, folder, ignore=shutil.ignore_patterns("__pycache__", ".tmp"))
    return folder


def test_the_tests_of_the_example_pass(kind: Kind, example: Path) -> None:
    url = "sqlite" if kind is SQLITE else url_of("postgres")
    assert run_pytest(example, f"--quire-database={url}") == {"passed": 10}


def test_the_typed_documents_are_current(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("SEARCH_KEY", "PROXY_KEY"):
        monkeypatch.setenv(name, "for-tests")
    target = EXAMPLE / "src" / "content.py"
    assert run(["types", str(EXAMPLE), "--documents", str(target), "--check"]) == 0


def test_types_hold_and_mistakes_are_reported(example: Path) -> None:
    assert _mypy(example, "src", "tests") == []
    lines = (example / "typing_tests" / "mistakes.py").read_text().splitlines()
    expected = {
        number: found[1]
        for number, line in enumerate(lines, 1)
        if (found := re.search(r'# error: "(.+)"$', line))
    }
    errors = _mypy(example, "typing_tests/mistakes.py")
    assert {number for number, _ in errors} == expected.keys()
    for number, word in expected.items():
        assert any(at == number and word in message for at, message in errors), (number, errors)


def _mypy(folder: Path, *targets: str) -> list[tuple[int, str]]:
    """Check files strictly; returns the lines of errors and what they say."""
    command = [sys.executable, "-m", "mypy", "--strict", "--no-color-output", *targets]
    options = ["--cache-dir", str(folder / ".mypy_cache"), "--explicit-package-bases"]
    done = subprocess.run(
        [*command, *options], cwd=folder, capture_output=True, text=True, check=False, timeout=250
    )
    assert done.returncode in {0, 1}, done.stdout + done.stderr
    found = re.findall(r"^\S+?:(\d+): error: (.*)$", done.stdout, flags=re.MULTILINE)
    return [(int(number), message) for number, message in found]
