"""Runs pytest in a project, as its developers do."""

import re
import subprocess
import sys
from pathlib import Path

_PLUGINS = ("asyncio", "xdist", "timeout", "schemathesis", "anyio", "hypothesispytest")
_OUTCOME = re.compile(r"(\d+) (passed|failed|errors?|skipped|warnings?)")


def run_pytest(project: Path, *options: str) -> dict[str, int]:
    """Run the tests of a project in a separate process; returns how many had which outcome.

    Other plug-ins are not loaded unless ``options`` name them. Raises AssertionError with what was
    printed when any of them failed.
    """
    printed = _run(project, options)
    outcomes = {name: int(count) for count, name in _OUTCOME.findall(printed)}
    assert outcomes.keys() == {"passed"}, printed
    return outcomes


def run_failing(project: Path, *options: str) -> str:
    """Run tests that do not pass; returns what was printed."""
    printed = _run(project, options)
    assert " passed" not in printed, printed
    return printed


def _run(project: Path, options: tuple[str, ...]) -> str:
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-W", "error"]
    for name in _PLUGINS:
        if name not in options:
            command += ["-p", f"no:{name}"]
    done = subprocess.run(
        [*command, *options], cwd=project, capture_output=True, text=True, timeout=200, check=False
    )
    return done.stdout + done.stderr
