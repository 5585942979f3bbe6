"""A project whose database is copied, and a target, for every pair of kinds."""

import shutil
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.databases.kind import Kind
from tests.databases.kinds import KINDS
from tests.unit.cli.conftest import Outcome, Run, run, silent_environment

__all__ = ["run", "silent_environment"]


_ON_ALL_PAIRS = (
    "test_a_copy_has_all_tables_and_rows_and_nothing_else",
    "test_numbers_that_the_project_does_not_know_keep_all_their_digits",
)


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """From a kind to the same kind few tests are enough: what matters happens in between kinds."""
    surplus = [item for item in items if _is_surplus(item)]
    if surplus:
        config.hook.pytest_deselected(items=surplus)
        items[:] = [item for item in items if item not in set(surplus)]


def _is_surplus(item: pytest.Item) -> bool:
    parameters = getattr(getattr(item, "callspec", None), "params", {})
    return (
        "goal" in parameters
        and parameters["goal"] is parameters["kind"]
        and not item.name.startswith(_ON_ALL_PAIRS)
    )


@dataclass(frozen=True, slots=True)
class Copying:
    """``source`` is a project with rows; ``target`` is the same with an empty database."""

    source: Path
    target: Path
    address: str
    run: Run

    def copy(self, *options: str) -> Outcome:
        """Run ``quire copy``."""
        return self.run("copy", self.source, "--to", self.address, *options)


@pytest.fixture(params=KINDS, ids=lambda kind: f"to_{kind.name}")
def goal(request: pytest.FixtureRequest) -> Kind:
    """Each kind of database that can be copied to."""
    found: Kind = request.param
    return found


@pytest.fixture
def copying(goal: Kind, own_recorded: Path, tmp_path: Path, run: Run) -> Iterator[Copying]:
    address = goal.spare(tmp_path)
    target = shutil.copytree(own_recorded, tmp_path / "target")
    goal.point(target, address)
    yield Copying(own_recorded, target, address, run)
    goal.release(target)
