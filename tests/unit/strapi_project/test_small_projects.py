"""Small projects with idioms of real ones open, and are served as expected."""

import subprocess
import sys
from pathlib import Path

import pytest

from tests.corpus.projects import find_projects, try_project
from tests.corpus.small import SMALL_PROJECTS
from tests.unit.schema.trees import write_tree


def test_there_are_twelve_projects() -> None:
    assert len(SMALL_PROJECTS) == 12


@pytest.mark.parametrize("name", SMALL_PROJECTS)
def test_a_project_opens_and_is_served_as_far_as_its_code_is_understood(
    name: str, tmp_path: Path
) -> None:
    small = SMALL_PROJECTS[name]
    write_tree(tmp_path, small.all_files())

    result = try_project(tmp_path, serve=True)

    assert (result.problems, result.wrong) == ((), ())
    assert [("api::page.page", small.served, small.closed)] == [
        (one.uid, one.served, one.closed_actions) for one in result.types
    ]


def test_directories_of_projects_are_looked_through(tmp_path: Path) -> None:
    small = SMALL_PROJECTS["a router with few routes"]
    for name in ("one", "two"):
        write_tree(tmp_path / name, small.all_files())
    (tmp_path / "no-project").mkdir()

    assert [tmp_path / "one", tmp_path / "two"] == list(find_projects(tmp_path))


def test_the_program_prints_each_project_with_reasons_and_the_sums(tmp_path: Path) -> None:
    write_tree(tmp_path / "own", SMALL_PROJECTS["routes of its own beside the core"].all_files())
    write_tree(tmp_path / "broken", SMALL_PROJECTS["a router with few routes"].all_files())
    (tmp_path / "broken/src/api/page/content-types/page/schema.json").write_text("?")

    done = subprocess.run(
        [sys.executable, "-m", "tests.corpus", str(tmp_path)],
        capture_output=True,
        text=True,
        check=False,
    )

    assert done.returncode == 1
    assert "broken: does not open" in done.stdout
    assert "api::page.page: partly: not served: GET /pages/all/count" in done.stdout
    assert "1 of 2 projects open. 1 content types: 0 completely, 1 partly, 0 closed" in done.stdout
