"""The image of ``deploy/Dockerfile``, built by buildah: it needs neither a daemon nor a registry.

Its base image is made of Debian's packages, with Debian's Python.
"""

import json
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from subprocess import CompletedProcess

from tests.distribution.wheel import ROOT

_BASE = "localhost/base"
_IMAGE = "localhost/quire"
_PACKAGES = "ca-certificates,python3-venv"
_CERTIFICATES = Path("/etc/ssl/certs/ca-certificates.crt")


@dataclass(frozen=True, slots=True)
class Image:
    """What was built: the root folder of a container, and the settings of containers."""

    root: Path
    settings: dict[str, object]


@contextmanager
def build_image(folder: Path) -> Iterator[Image | None]:
    """Build the image in ``folder``, which is removed at the end.

    It is ``None`` if this machine cannot build images: it lacks the programs, may not mount
    folders, or has no packages of Debian. Raises AssertionError when a step of the Dockerfile
    fails, with what it printed.
    """
    try:
        yield _build(folder) if _make_base(folder) else None
    finally:
        if shutil.which("buildah") is not None:
            _buildah(folder, "rm", "--all", check=False)
        shutil.rmtree(folder)


def _make_base(folder: Path) -> bool:
    """Make the base image; returns whether it is there."""
    if shutil.which("buildah") is None or shutil.which("debootstrap") is None:
        return False
    created = _buildah(folder, "from", "scratch", check=False)
    if created.returncode != 0:
        return False
    container = created.stdout.strip()
    base = folder / "base"
    packages = f"--include={_PACKAGES}"
    installed = _run("debootstrap", "--variant=minbase", packages, "trixie", base, check=False)
    if installed.returncode != 0:
        return False
    # The registries of packages may have certificates of this machine.
    shutil.copy(_CERTIFICATES, base / _CERTIFICATES.relative_to("/"))
    _buildah(folder, "add", "--quiet", container, base, "/")
    shutil.rmtree(base)
    for name in ("SSL_CERT_FILE", "NODE_EXTRA_CA_CERTS"):
        _buildah(folder, "config", "--env", f"{name}={_CERTIFICATES}", container)
    _buildah(folder, "commit", "--quiet", "--rm", container, _BASE)
    return True


def _build(folder: Path) -> Image:
    build = ["bud", "--isolation", "chroot", "--format", "docker", "--pull-never"]
    build += ["--build-arg", f"BASE={_BASE}", "--file", "deploy/Dockerfile", "--tag", _IMAGE]
    _buildah(folder, *build, ROOT)
    container = _buildah(folder, "from", "--pull-never", _IMAGE).stdout.strip()
    described = json.loads(_buildah(folder, "inspect", "--type", "image", _IMAGE).stdout)
    root = Path(_buildah(folder, "mount", container).stdout.strip())
    return Image(root, described["Docker"]["config"])


def _buildah(folder: Path, *arguments: str | Path, check: bool = True) -> CompletedProcess[str]:
    folders = ("--root", folder / "store", "--runroot", folder / "run")
    return _run("buildah", *folders, "--storage-driver", "vfs", *arguments, check=check)


def _run(*command: str | Path, check: bool = True) -> CompletedProcess[str]:
    completed = subprocess.run(command, check=False, capture_output=True, text=True, cwd=ROOT)
    if check and completed.returncode != 0:
        output = f"{completed.stdout[-3000:]}\n{completed.stderr[-3000:]}"
        raise AssertionError(f"{command}\n{output}")
    return completed
