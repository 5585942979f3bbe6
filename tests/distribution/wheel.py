"""The wheel: built, installed without a checkout, and used."""

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from urllib.request import urlopen

from quire.settings import known_settings
from tests.unit.cli.processes import ready_at

ROOT = Path(__file__).parents[2]
UV = Path(sys.executable).with_name("uv")


def build_wheel(folder: Path) -> Path:
    """Build the wheel of this checkout into a folder."""
    _run([UV, "build", "--quiet", "--wheel", "--no-build-isolation", "--out-dir", folder, ROOT])
    return next(folder.glob("*.whl"))


def install_wheel(wheel: Path, folder: Path, python: str) -> Path:
    """Install a wheel with its locked dependencies into a new environment; returns its ``bin``."""
    _run([UV, "venv", "--quiet", "--python", python, folder])
    environment = {**clean_environment(), "VIRTUAL_ENV": str(folder)}
    requirements = ROOT / "requirements" / "run.txt"
    install = [UV, "pip", "install", "--quiet"]
    _run([*install, "--requirements", requirements], environment)
    _run([*install, "--no-deps", wheel], environment)
    return folder / "bin"


def find_interpreter(version: str) -> str | None:
    """Return the path of a Python of a version such as 3.12, ``None`` if there is none.

    It is on PATH or an installation of pyenv, whose programs on PATH only run if it was told so.
    """
    installations = Path(os.environ.get("PYENV_ROOT", Path.home() / ".pyenv")) / "versions"
    on_path = shutil.which(f"python{version}")
    found = [] if on_path is None else [on_path]
    found += [str(path) for path in installations.glob(f"{version}.*/bin/python")]
    return next((path for path in found if _is_version(path, version)), None)


def _is_version(python: str, version: str) -> bool:
    code = "import sys; print('{}.{}'.format(*sys.version_info))"
    done = subprocess.run([python, "-c", code], check=False, capture_output=True, text=True)
    return done.returncode == 0 and done.stdout.strip() == version


def clean_environment() -> dict[str, str]:
    """Return an environment without variables of this checkout or a project."""
    settings = {known.variable for known in known_settings().values()}
    return {
        name: value
        for name, value in os.environ.items()
        if name not in settings and not name.startswith(("PYTHON", "VIRTUAL_ENV", "COVERAGE"))
    }


def use(command: Path, folder: Path) -> None:
    """Make a project of the template, serve it and read from it. Raises AssertionError."""
    project = folder / "site"
    environment = clean_environment()
    _run([command, "new", project, "--template", "blog"], environment, folder)
    options = ["--host", "127.0.0.1", "--port", "0"]
    with subprocess.Popen(
        [command, "start", project, *options],
        stderr=subprocess.PIPE,
        text=True,
        env=environment,
        cwd=folder,
    ) as server:
        try:
            address = ready_at(server)
            assert json.loads(_get(f"{address}/_ready"))["status"] == "ready"
            articles = json.loads(_get(f"{address}/api/articles?fields=title"))
            assert articles["meta"]["pagination"]["total"] > 0
            assert '<div id="root">' in _get(f"{address}/admin")
        finally:
            server.terminate()
    _run([command, "check", project], environment, folder)


def _get(address: str) -> str:
    with urlopen(address, timeout=30) as response:  # noqa: S310 - a server of ours
        content: bytes = response.read()
    return content.decode()


def _run(
    command: list[object], environment: Mapping[str, str] | None = None, folder: Path | None = None
) -> str:
    done = subprocess.run(
        [str(part) for part in command],
        check=False,
        capture_output=True,
        text=True,
        env=environment,
        cwd=folder,
    )
    assert done.returncode == 0, f"{command}: {done.stderr[-2000:]}"
    return done.stdout
