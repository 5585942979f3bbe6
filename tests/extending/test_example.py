"""The extended example: its tests pass, its types are correct, wrong types are reported."""

import re
import shutil
from pathlib import Path

import pytest

from quire.cli import run
from tests.databases.kind import Kind
from tests.databases.kinds import SQLITE
from tests.docs.pages import ROOT
from tests.extending.pytest_runs import run_pytest
from tests.extending.type_checkers import Checker, mypy_errors, pyright_errors
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
    assert run_pytest(example, f"--quire-database={url}") == {"passed": 12}


def test_the_typed_documents_are_current(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("SEARCH_KEY", "PROXY_KEY"):
        monkeypatch.setenv(name, "for-tests")
    target = EXAMPLE / "src" / "content.py"
    assert run(["types", str(EXAMPLE), "--documents", str(target), "--check"]) == 0


@pytest.mark.usefixtures("mypy_cache")
@pytest.mark.parametrize("checker", [mypy_errors, pyright_errors])
def test_types_hold_and_mistakes_are_reported(checker: Checker, example: Path) -> None:
    assert checker(example, "src", "tests") == []
    lines = (example / "typing_tests" / "mistakes.py").read_text().splitlines()
    expected = {
        number: found[1]
        for number, line in enumerate(lines, 1)
        if (found := re.search(r'# error: "(.+)"$', line))
    }
    errors = checker(example, "typing_tests/mistakes.py")
    assert {error.line for error in errors} == expected.keys()
    if checker is mypy_errors:
        for number, word in expected.items():
            assert any(one.line == number and word in one.message for one in errors), errors
