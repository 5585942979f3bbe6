"""The root folder of the image contains what a server needs, and little else.

It is made by the script of the image, of this machine's Python rather than of the base image.
"""

import os
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.distribution.wheel import ROOT, use

pytestmark = [
    pytest.mark.whatever_the_database("the packaging is under test"),
    pytest.mark.skipif(
        os.geteuid() != 0 or shutil.which("strip") is None,
        reason="making and entering the root folder of an image needs root, and strip of binutils",
    ),
]

MOST_BYTES = 200_000_000
USER = 10001


@pytest.fixture(scope="module")
def image(command: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    root = tmp_path_factory.mktemp("image") / "root"
    script = ROOT / "deploy" / "image" / "root.sh"
    done = subprocess.run(
        ["/bin/sh", script, root, command.parents[1]], check=False, capture_output=True, text=True
    )
    assert (done.returncode, done.stderr) == (0, "")
    yield root
    shutil.rmtree(root)


def test_the_image_has_at_most_200_megabytes(image: Path) -> None:
    files = {
        (found.st_dev, found.st_ino): found.st_size
        for path in image.rglob("*")
        if not path.is_dir() or path.is_symlink()
        for found in [path.lstat()]
    }
    assert sum(files.values()) <= MOST_BYTES


def test_a_project_is_made_and_served_in_the_image_by_its_user(
    image: Path, command: Path, tmp_path: Path
) -> None:
    program = tmp_path / "quire-in-image"
    program.write_text(
        f'#!/bin/sh\nexec chroot --userspec={USER}:{USER} "{image}" "{command}" "$@"\n'
    )
    program.chmod(0o755)

    use(program, Path("/tmp"))  # noqa: S108 - in the image, where it is empty

    made = image / "tmp" / "site"
    assert (made / ".tmp" / "data.db").stat().st_uid == USER


def test_all_that_was_installed_is_imported_in_the_image(image: Path, command: Path) -> None:
    """So no shared library is missing, nor a module of the standard library."""
    modules = (
        "apsw, asyncpg, bcrypt, cryptography.hazmat.bindings._rust, httptools, msgspec, obstore,"
        "orjson, pyrage, pyvips, regex, rich.syntax, rich.traceback, sqlalchemy.dialects.sqlite,"
        "sqlalchemy.dialects.postgresql, uvloop, ctypes, decimal, multiprocessing, sqlite3, ssl,"
        "unittest, zoneinfo"
    )
    checks = (
        f"import {modules}; zoneinfo.ZoneInfo('Europe/Berlin');"
        "assert pyvips.API_mode or pyvips.type_from_name('VipsImage');"
        "assert ssl.create_default_context().cert_store_stats()['x509'] > 50;"
        "import socket; assert socket.gethostbyname('127.0.0.1')"
    )
    done = subprocess.run(
        ["chroot", image, command.with_name("python"), "-W", "error", "-c", checks],  # noqa: S607 - wherever it is
        check=False,
        capture_output=True,
        text=True,
        env={
            "PATH": os.environ["PATH"],
            "SSL_CERT_FILE": "/etc/ssl/certs/ca-certificates.crt",
        },
    )
    assert (done.returncode, done.stderr) == (0, "")
