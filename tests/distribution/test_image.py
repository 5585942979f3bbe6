"""The image contains what a server needs, and little else.

Where it cannot be built, its script makes the root folder, of this machine's Python.
"""

import os
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.distribution.image import Image, build_image
from tests.distribution.wheel import ROOT, use

pytestmark = [
    pytest.mark.timeout(1200),
    pytest.mark.whatever_the_database("the packaging is under test"),
    pytest.mark.skipif(
        os.geteuid() != 0 or shutil.which("strip") is None,
        reason="making and entering the root folder of an image needs root, and strip of binutils",
    ),
]

MOST_BYTES = 200_000_000
USER = 10001


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Image | None]:
    """The image as its Dockerfile builds it, ``None`` if this machine cannot build it."""
    with build_image(tmp_path_factory.mktemp("build")) as image:
        yield image


@pytest.fixture(scope="module")
def installation(built: Image | None, request: pytest.FixtureRequest) -> Path:
    """The path of the program in the image."""
    if built is not None:
        return Path("/opt/quire/bin/quire")
    path: Path = request.getfixturevalue("command")
    return path


@pytest.fixture(scope="module")
def image(
    built: Image | None, installation: Path, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Path]:
    """The root folder."""
    if built is not None:
        yield built.root
        return
    root = tmp_path_factory.mktemp("image") / "root"
    script = ROOT / "deploy" / "image" / "root.sh"
    done = subprocess.run(
        ["/bin/sh", script, root, installation.parents[1]],
        check=False,
        capture_output=True,
        text=True,
    )
    assert (done.returncode, done.stderr) == (0, "")
    yield root
    shutil.rmtree(root)


def test_a_container_runs_as_a_user_without_rights_and_reports_its_health(
    built: Image | None,
) -> None:
    if built is None:
        pytest.skip("This machine cannot build images: it lacks buildah or debootstrap.")
    assert built.settings["User"] == f"{USER}:{USER}"
    assert built.settings["StopSignal"] == "SIGTERM"
    assert "/_health" in str(built.settings["Healthcheck"])


def test_the_image_has_at_most_200_megabytes(image: Path) -> None:
    files = {
        (found.st_dev, found.st_ino): found.st_size
        for path in image.rglob("*")
        if not path.is_dir() or path.is_symlink()
        for found in [path.lstat()]
    }
    assert sum(files.values()) <= MOST_BYTES


def test_a_project_is_made_and_served_in_the_image_by_its_user(
    image: Path, installation: Path, tmp_path: Path
) -> None:
    program = tmp_path / "quire-in-image"
    program.write_text(
        f'#!/bin/sh\nexec chroot --userspec={USER}:{USER} "{image}" "{installation}" "$@"\n'
    )
    program.chmod(0o755)

    use(program, Path("/tmp"))  # noqa: S108 - in the image, where it is empty

    made = image / "tmp" / "site"
    assert (made / ".tmp" / "data.db").stat().st_uid == USER


def test_all_that_was_installed_is_imported_in_the_image(image: Path, installation: Path) -> None:
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
        ["chroot", image, installation.with_name("python"), "-W", "error", "-c", checks],  # noqa: S607 - wherever it is
        check=False,
        capture_output=True,
        text=True,
        env={
            "PATH": os.environ["PATH"],
            "SSL_CERT_FILE": "/etc/ssl/certs/ca-certificates.crt",
        },
    )
    assert (done.returncode, done.stderr) == (0, "")


def test_the_image_has_the_programs_that_back_up_a_database(
    built: Image | None, image: Path, installation: Path
) -> None:
    if built is None and not list(Path("/usr/lib/postgresql").glob("*/bin/pg_dump")):
        pytest.skip("This machine has no client programs of PostgreSQL.")
    for program in ("pg_dump", "pg_restore", "psql"):
        done = subprocess.run(
            ["chroot", f"--userspec={USER}:{USER}", image, f"/bin/{program}", "--version"],  # noqa: S607 - wherever it is
            check=False,
            capture_output=True,
            text=True,
        )
        assert (done.returncode, done.stderr) == (0, "")
        assert f"{program} (PostgreSQL) " in done.stdout
    assert (image / "backups").stat().st_uid == USER
