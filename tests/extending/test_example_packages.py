"""The example packages can be installed, their tests pass, their types are correct."""

import os
import shutil
from pathlib import Path

import pytest

from tests.databases.kind import Kind
from tests.databases.kinds import SQLITE
from tests.extending.packages import install_packages
from tests.extending.pytest_runs import run_pytest
from tests.extending.type_checkers import Checker, mypy_errors, pyright_errors
from tests.postgresql.databases import url_of

PACKAGES = {"quire-color": 25, "quire-search": 6, "quire-slugs": 5, "quire-webdav": 4}
"""How many tests each of them has."""


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder in which all packages are installed; their sources are next to it."""
    return install_packages(tmp_path_factory.mktemp("packages"), PACKAGES)[1]


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


@pytest.mark.usefixtures("mypy_cache")
@pytest.mark.parametrize("checker", [mypy_errors, pyright_errors])
def test_the_types_of_the_packages_hold(checker: Checker, site: Path) -> None:
    assert checker(site, *(name.replace("-", "_") for name in PACKAGES)) == []
