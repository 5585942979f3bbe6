"""Between them, two targets run each test once, and CI runs both."""

import re
from pathlib import Path

import pytest

from tests.system import IN_EVERY_RUN

ROOT = Path(__file__).parents[2]


def test_what_one_target_leaves_out_the_other_runs() -> None:
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    recipes = dict(re.findall(r"^([a-z-]+): setup .*\n\t(.*)$", makefile, flags=re.MULTILINE))
    expressions = {
        target: re.findall(r'-m "(.*?)"', recipes[target]) for target in ("test", "test-system")
    }

    assert expressions == {"test": ["not system"], "test-system": ["system"]}


def test_ci_runs_both_targets_with_nothing_deselected() -> None:
    script = (ROOT / ".ci" / "run").read_text(encoding="utf-8")
    options = dict(re.findall(r"^make (test|test-system) ARGS=\"(.*)\"$", script, re.MULTILINE))

    assert options.keys() == {"test", "test-system"}
    for given in options.values():
        assert re.findall(r"(?:^| )(-[kmx]|--deselect|--ignore|tests/)", given) == []


@pytest.mark.parametrize("nodeid", IN_EVERY_RUN)
def test_what_every_run_includes_is_there(nodeid: str) -> None:
    path, _, name = nodeid.partition("::")
    code = (ROOT / path).read_text(encoding="utf-8")

    assert re.search(rf"def {name.partition('[')[0]}", code) is not None
