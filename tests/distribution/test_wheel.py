"""The wheel works without a checkout."""

import subprocess
import zipfile
from pathlib import Path

import pytest

from tests.distribution.wheel import clean_environment, use

pytestmark = pytest.mark.whatever_the_database("the packaging is under test")


def test_it_holds_the_code_the_admin_ui_and_the_template_alone(wheel: Path) -> None:
    names = zipfile.ZipFile(wheel).namelist()
    assert "quire/static/admin/index.html" in names
    assert "quire/templates/blog/src/api/article/content-types/article/schema.json" in names
    assert "quire/py.typed" in names
    assert {name.split("/")[0].partition("-")[0] for name in names} == {"quire"}
    assert not [name for name in names if ".tmp/" in name or name.endswith((".env", ".pyc"))]


def test_a_project_is_made_and_served_by_an_installed_wheel(command: Path, tmp_path: Path) -> None:
    use(command, tmp_path)


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
