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
from tests.postgresql.databases import url_of

PACKAGES = {"quire-slugs": 5, "quire-webdav": 4}
"""How many tests each of them has."""


@pytest.fixture(params=PACKAGES)
def package(
    request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Path:
    """A copy of a package, which is installed for the processes of the test."""
    name: str = request.param
    folder = tmp_path / name
    ignored = shutil.ignore_patterns("__pycache__", ".tmp")
    shutil.copytree(ROOT / "examples" / "packages" / name, folder, ignore=ignored)
    site = tmp_path / "site"
    options = ("--quiet", "--no-index", "--no-deps", "--no-build-isolation", "--target", str(site))
    subprocess.run([sys.executable, "-m", "pip", "install", *options, str(folder)], check=True)
    shutil.rmtree(folder / "src")
    path = os.pathsep.join(filter(None, (str(site), os.environ.get("PYTHONPATH"))))
    monkeypatch.setenv("PYTHONPATH", path)
    monkeypatch.setenv("MYPYPATH", str(site))
    return folder


def test_the_tests_of_a_package_pass(kind: Kind, package: Path) -> None:
    url = "sqlite" if kind is SQLITE else url_of("postgres")
    passed = run_pytest(package, f"--quire-database={url}")
    assert passed == {"passed": PACKAGES[package.name]}


@pytest.mark.whatever_the_database("it runs nothing")
def test_the_types_of_a_package_hold(kind: Kind, package: Path) -> None:
    module = package.name.replace("-", "_")
    options = ("--strict", "--no-color-output", "--cache-dir", str(package / ".mypy_cache"))
    done = subprocess.run(
        [sys.executable, "-m", "mypy", *options, "-p", module],
        cwd=package,
        capture_output=True,
        text=True,
        check=False,
        timeout=250,
    )
    assert done.returncode == 0, done.stdout + done.stderr
