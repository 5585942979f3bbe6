"""The example packages: they can be installed, their tests pass, and their types hold."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.databases.kind import Kind
from tests.databases.kinds import SQLITE
from tests.docs.pages import ROOT
from tests.extending.pytest_runs import run_pytest
from tests.extending.type_checkers import Checker, mypy_errors, pyright_errors
from tests.postgresql.databases import url_of

PACKAGES = {"quire-slugs": 5, "quire-webdav": 4}
"""How many tests each of them has."""


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder in which all packages are installed."""
    folder = tmp_path_factory.mktemp("packages")
    site = folder / "site"
    ignored = shutil.ignore_patterns("__pycache__", ".tmp")
    shutil.copytree(ROOT / "examples" / "packages", folder / "sources", ignore=ignored)
    options = ("--quiet", "--no-index", "--no-deps", "--no-build-isolation", "--target", str(site))
    sources = [str(folder / "sources" / name) for name in PACKAGES]
    subprocess.run([sys.executable, "-m", "pip", "install", *options, *sources], check=True)
    return site


@pytest.mark.parametrize("name", PACKAGES)
def test_the_tests_of_a_package_pass(
    kind: Kind, site: Path, name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = os.pathsep.join(filter(None, (str(site), os.environ.get("PYTHONPATH"))))
    monkeypatch.setenv("PYTHONPATH", path)
    package = shutil.copytree(site.parent / "sources" / name, tmp_path / name)
    shutil.rmtree(package / "src")
    url = "sqlite" if kind is SQLITE else url_of("postgres")
    assert run_pytest(package, f"--quire-database={url}") == {"passed": PACKAGES[name]}


@pytest.mark.parametrize("checker", [mypy_errors, pyright_errors])
def test_the_types_of_the_packages_hold(checker: Checker, site: Path) -> None:
    assert checker(site, *(name.replace("-", "_") for name in PACKAGES)) == []
