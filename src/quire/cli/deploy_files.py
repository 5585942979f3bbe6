"""The part of ``quire deploy-check`` that looks at files and where they are."""

import os
import re
import stat
from collections.abc import Iterator
from pathlib import Path

from quire.cli.deploy_findings import Finding, problem, warning
from quire.settings import Settings

_MOUNTS = Path("/proc/self/mountinfo")
_NETWORK = re.compile(
    r"(nfs\d?|cifs|smb\d?|9p|ceph|glusterfs|lustre|afs|fuse\.(?!fuseblk|overlay).*)"
)
"""File systems whose locks and shared memory SQLite cannot rely on."""
_ESCAPED = re.compile(r"\\([0-7]{3})")


def file_findings(settings: Settings) -> Iterator[Finding]:
    """Look at the permissions of files with secrets, and at the place of a SQLite file."""
    yield from _readable_by_others(settings.project / ".env", "secrets")
    yield from _version_control(settings.project)
    if settings.database.client != "sqlite":
        return
    file = settings.database.filename
    yield from _readable_by_others(file, "database.filename")
    kind = file_system_of(file)
    if kind is not None and _NETWORK.fullmatch(kind):
        yield problem(
            "database.filename",
            f"{file} is on a network file system ({kind}), which damages SQLite files: "
            "use a local disk or PostgreSQL",
        )


def _readable_by_others(path: Path, check: str) -> Iterator[Finding]:
    try:
        mode = path.stat().st_mode
    except OSError:
        return
    if mode & (stat.S_IROTH | stat.S_IWOTH):
        yield problem(check, f"every user of the machine can read {path}: chmod o-rwx")


def _version_control(project: Path) -> Iterator[Finding]:
    if not (project / ".git").exists() or not (project / ".env").exists():
        return
    ignored = project / ".gitignore"
    lines = ignored.read_text("utf-8").splitlines() if ignored.is_file() else []
    if not {".env", "/.env", ".env*", "*.env"} & {line.strip() for line in lines}:
        yield warning("secrets", ".gitignore does not name .env, which holds secrets")


def file_system_of(path: Path, mounts: Path = _MOUNTS) -> str | None:
    """Return the type of the file system that a path is on; ``None`` where nobody says."""
    try:
        lines = mounts.read_text("utf-8", "replace").splitlines()
    except OSError:
        return None
    place = os.path.realpath(path)
    found: tuple[int, str] | None = None
    for line in lines:
        mounted, _, source = line.partition(" - ")
        fields = mounted.split(" ")
        if len(fields) < 5 or not source:
            continue
        point = _ESCAPED.sub(lambda code: chr(int(code[1], 8)), fields[4])
        is_above = place == point or place.startswith(point.rstrip("/") + "/")
        # Of two mounts on one point the later one is seen.
        if is_above and (found is None or len(point) >= found[0]):
            found = (len(point), source.split(" ")[0])
    return None if found is None else found[1]
