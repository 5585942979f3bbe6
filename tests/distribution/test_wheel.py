"""The wheel works without a checkout."""

import subprocess
import sys
import tomllib
import zipfile
from pathlib import Path

import pytest

from tests.distribution.wheel import ROOT, clean_environment, find_interpreter, install_wheel, use

pytestmark = pytest.mark.whatever_the_database("the packaging is under test")


SUPPORTED = "Programming Language :: Python :: "
VERSIONS = [
    version
    for classifier in tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"][
        "classifiers"
    ]
    if (version := classifier.removeprefix(SUPPORTED)).startswith("3.")
    and version != "{}.{}".format(*sys.version_info)
]
"""The versions that the package names, except the one of these tests, which `command` is for."""


def test_it_holds_the_code_the_admin_ui_and_the_template_alone(wheel: Path) -> None:
    names = zipfile.ZipFile(wheel).namelist()
    assert "quire/static/admin/index.html" in names
    assert "quire/templates/blog/src/api/article/content-types/article/schema.json" in names
    assert "quire/py.typed" in names
    assert {name.split("/")[0].partition("-")[0] for name in names} == {"quire"}
    assert not [name for name in names if ".tmp/" in name or name.endswith((".env", ".pyc"))]


def test_a_project_is_made_and_served_by_an_installed_wheel(command: Path, tmp_path: Path) -> None:
    use(command, tmp_path)


@pytest.mark.parametrize("version", VERSIONS)
def test_every_supported_version_of_python_serves_a_project(
    wheel: Path, tmp_path: Path, version: str
) -> None:
    python = find_interpreter(version)
    if python is None:
        pytest.skip(f"this machine has no Python {version}")
    use(install_wheel(wheel, tmp_path / "venv", python) / "quire", tmp_path)


def test_nothing_is_imported_from_the_checkout(command: Path, tmp_path: Path) -> None:
    found = subprocess.run(
        [command.with_name("python"), "-c", "import quire; print(quire.__file__)"],
        check=True,
        capture_output=True,
        text=True,
        env=clean_environment(),
        cwd=tmp_path,
    )
    assert Path(found.stdout.strip()).is_relative_to(command.parents[1])
