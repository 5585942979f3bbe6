"""Strict type checkers, run on the code of examples."""

import json
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

_SECONDS = 250


class ReportedError(NamedTuple):
    """An error that a type checker reports."""

    line: int
    message: str


Checker = Callable[..., list[ReportedError]]
"""Takes a folder, and the files and folders in it that are checked; returns the errors."""


def mypy_errors(folder: Path, *targets: str) -> list[ReportedError]:
    """Check files with ``mypy --strict``."""
    options = ("--no-color-output", "--explicit-package-bases")
    output = _run(folder, "mypy", "--strict", *options, *targets)
    found = re.findall(r"^\S+?:(\d+): error: (.*)$", output, flags=re.MULTILINE)
    return [ReportedError(int(line), message) for line, message in found]


def pyright_errors(folder: Path, *targets: str) -> list[ReportedError]:
    """Check files with pyright in strict mode."""
    settings = {"typeCheckingMode": "strict", "include": targets, "pythonVersion": "3.11"}
    (folder / "pyrightconfig.json").write_text(json.dumps(settings), encoding="utf-8")
    options = ("--project", str(folder), "--pythonpath", sys.executable, "--outputjson")
    reported = json.loads(_run(folder, "basedpyright", *options))
    assert reported["summary"]["filesAnalyzed"] > 0
    return [
        ReportedError(one["range"]["start"]["line"] + 1, one["message"])
        for one in reported["generalDiagnostics"]
        if one["severity"] == "error"
    ]


def _run(folder: Path, module: str, *arguments: str) -> str:
    done = subprocess.run(
        [sys.executable, "-m", module, *arguments],
        cwd=folder,
        capture_output=True,
        text=True,
        check=False,
        timeout=_SECONDS,
    )
    assert done.returncode in {0, 1}, done.stdout + done.stderr
    return done.stdout
