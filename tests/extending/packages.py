"""Installs the example packages, so that projects can use them."""

import shutil
import subprocess
import sys
from collections.abc import Iterable
from pathlib import Path

from tests.docs.pages import ROOT


def install_packages(folder: Path, names: Iterable[str]) -> tuple[Path, Path]:
    """Install packages in a folder; returns their sources, and the folder of their modules."""
    sources, site = folder / "sources", folder / "site"
    ignored = shutil.ignore_patterns("__pycache__", ".tmp")
    shutil.copytree(ROOT / "examples" / "packages", sources, ignore=ignored)
    options = ("--quiet", "--no-index", "--no-deps", "--no-build-isolation", "--target", str(site))
    folders = [str(sources / name) for name in names]
    subprocess.run([sys.executable, "-m", "pip", "install", *options, *folders], check=True)
    return sources, site
