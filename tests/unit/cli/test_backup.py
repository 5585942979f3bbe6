"""``quire backup`` writes one archive of a project's content, ``quire restore`` reads it."""

import datetime as dt
import hashlib
import os
import shutil
import sqlite3
import subprocess
import sys
import tarfile
import tempfile
import time
from contextlib import closing
from errno import ENOSPC
from pathlib import Path
from signal import SIGKILL
from time import sleep
from urllib.parse import urlsplit

import pyrage
import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from msgspec.structs import replace

from quire.cli.backup_tar_file import BackupWriter, read_manifest
from quire.database.settings_target import target_of
from quire.errors import DatabaseOpenError
from quire.settings import load_settings
from tests.databases.environment import write_environment
from tests.databases.kind import Kind, Rows, opened
from tests.databases.kinds import POSTGRESQL, SQLITE
from tests.postgresql.binaries import find_binaries
from tests.postgresql.cluster import USER, Cluster, server_account
from tests.unit.cli.conftest import Run
from tests.unit.cli.processes import QUIRE

UPLOADS = "public/uploads"
WAIT_FOR_LOCK = (
    "CREATE SCHEMA other",
    """CREATE FUNCTION other.wait() RETURNS event_trigger LANGUAGE plpgsql
    AS 'BEGIN PERFORM pg_advisory_xact_lock_shared(1); END'""",
    """CREATE EVENT TRIGGER waiting ON ddl_command_start WHEN TAG IN ('CREATE INDEX')
    EXECUTE FUNCTION other.wait()""",
)
"""Lets CREATE INDEX, which follows the rows of a dump, wait for an advisory lock."""


@pytest.fixture(autouse=True)
def client_programs(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let pg_dump, pg_restore and psql be found, as where PostgreSQL is installed."""
    monkeypatch.setenv("PATH", str(find_binaries()), prepend=":")


def rows(kind: Kind, project: Path) -> dict[str, list[tuple[object, ...]]]:
    with opened(kind, project) as database:
        return {
            table: sorted(database.execute(f'SELECT * FROM "{table}"'), key=repr)
            for table in database.tables()
        }


def change(kind: Kind, project: Path) -> None:
    """Delete rows, and change the uploaded files."""
    with opened(kind, project) as database:
        database.execute("DELETE FROM articles_tags_lnk")
        database.execute("UPDATE articles SET title = 'Changed'")
    (project / UPLOADS / "late.txt").write_text("late")
    (project / UPLOADS / "kept.txt").unlink()


def test_a_restored_project_has_the_rows_and_files_of_the_backup(
    run: Run, kind: Kind, own_recorded: Path, tmp_path: Path
) -> None:
    folder = own_recorded / UPLOADS / "inner"
    folder.mkdir(parents=True)
    (own_recorded / UPLOADS / "kept.txt").write_text("kept")
    (folder / "ünï code.bin").write_bytes(bytes(range(256)) * 100)
    before, files = rows(kind, own_recorded), count_files(own_recorded)
    code, output, messages = run("backup", own_recorded, "--to", tmp_path / "kept")
    assert (code, f"with {files:,} files was backed up" in messages) == (0, True), messages
    archive = Path(output.strip())
    assert archive.stat().st_mode & 0o777 == 0o600
    change(kind, own_recorded)

    code, _, messages = run("restore", own_recorded, "--from", archive)
    assert code == 2
    assert "holds tables already: --replace puts the backup in their place" in messages
    assert rows(kind, own_recorded) != before

    code, _, messages = run("restore", own_recorded, "--from", archive, "--replace")
    assert code == 0, messages
    assert "was restored from the backup of 20" in messages
    assert rows(kind, own_recorded) == before
    assert count_files(own_recorded) == files
    assert (own_recorded / UPLOADS / "kept.txt").read_text() == "kept"
    assert (folder / "ünï code.bin").read_bytes() == bytes(range(256)) * 100
    assert not (own_recorded / UPLOADS / "late.txt").exists()
    left = [path.name for path in (own_recorded, archive.parent) for path in path.iterdir()]
    assert not [name for name in left if name.startswith(".quire")]
    assert run("check", own_recorded).code == 0


def count_files(project: Path) -> int:
    return sum(path.is_file() for path in (project / UPLOADS).rglob("*"))


def test_a_backup_restores_to_an_empty_database(
    run: Run, kind: Kind, own_recorded: Path, tmp_path: Path
) -> None:
    before = rows(kind, own_recorded)
    archive = tmp_path / "one.tar"
    assert run("backup", own_recorded, "--to", archive, "--no-media").code == 0
    kind.point(own_recorded, kind.spare(tmp_path))

    code, _, messages = run("restore", own_recorded, "--from", archive)

    assert code == 0, messages
    assert rows(kind, own_recorded) == before


def test_a_backup_restores_to_a_clone_of_the_project(
    run: Run, kind: Kind, own_recorded: Path, tmp_path: Path
) -> None:
    """Git stores no empty folders, so that of the uploads has a hidden file."""
    archive, number = tmp_path / "one.tar", count_files(own_recorded)
    assert run("backup", own_recorded, "--to", archive).code == 0
    shutil.rmtree(own_recorded / UPLOADS)
    (own_recorded / UPLOADS).mkdir()
    (own_recorded / UPLOADS / ".gitkeep").touch()
    kind.point(own_recorded, kind.spare(tmp_path))

    code, _, messages = run("restore", own_recorded, "--from", archive)

    assert code == 0, messages
    assert count_files(own_recorded) >= number > 0


@pytest.mark.parametrize("damage", ["cut", "changed", "no manifest", "not UTF-8", "something else"])
def test_a_damaged_archive_is_refused_and_nothing_changes(
    run: Run, project: Path, tmp_path: Path, damage: str
) -> None:
    archive = tmp_path / "one.tar"
    assert run("backup", project, "--to", archive).code == 0
    data = archive.read_bytes()
    match damage:
        case "cut":
            archive.write_bytes(data[: len(data) // 2])
        case "changed":
            at = len(data) // 2
            archive.write_bytes(data[:at] + bytes([data[at] ^ 255]) + data[at + 1 :])
        case "no manifest":
            with tarfile.open(archive, "w") as tar:
                tar.add(project / ".env", "database.sqlite.gz")
        case "not UTF-8":
            manifest = tmp_path / "manifest.json"
            manifest.write_bytes(b'{"quire": "\xff"}')
            with tarfile.open(archive, "w") as tar:
                tar.add(manifest, manifest.name)
        case _:
            archive.write_text("something else")
    before = rows(SQLITE, project)

    code, _, messages = run("restore", project, "--from", archive, "--replace")

    assert code == 2
    assert str(archive) in messages.replace("\n", "")
    assert rows(SQLITE, project) == before


def test_no_file_is_written_outside_of_the_folder(run: Run, project: Path, tmp_path: Path) -> None:
    archive, changed = tmp_path / "one.tar", tmp_path / "two.tar"
    assert run("backup", project, "--to", archive, "--no-media").code == 0
    name = "media/../../../evil.txt"
    digest = hashlib.sha256(f"{name}\0{hashlib.sha256(b'').hexdigest()}\n".encode())
    manifest = replace(read_manifest(archive), media=1, media_sha256=digest.hexdigest())
    with tarfile.open(archive) as old, tarfile.open(changed, "w") as new:
        new.addfile(tarfile.TarInfo(name))
        for member in old:
            if member.name == manifest.database:
                new.addfile(member, old.extractfile(member))
        BackupWriter(new).finish(manifest)
    before = rows(SQLITE, project)

    code, _, messages = run("restore", project, "--from", changed, "--replace")

    assert (code, "leads out of the folder" in messages.replace("\n", " ")) == (2, True), messages
    assert not list(tmp_path.rglob("evil.txt"))
    assert rows(SQLITE, project) == before


def test_a_running_server_keeps_a_sqlite_file_from_being_replaced(
    run: Run, project: Path, tmp_path: Path
) -> None:
    archive = tmp_path / "one.tar"
    assert run("backup", project, "--to", archive).code == 0
    code = (
        "import sqlite3, sys, time; c = sqlite3.connect(sys.argv[1]);"
        "c.execute('PRAGMA journal_mode = WAL'); c.execute('SELECT * FROM articles').fetchall();"
        "print('open', flush=True); time.sleep(60)"
    )
    with subprocess.Popen(
        [sys.executable, "-c", code, project / ".tmp/data.db"], stdout=subprocess.PIPE
    ) as other:
        assert other.stdout is not None
        other.stdout.readline()
        refused = run("restore", project, "--from", archive, "--replace")
        other.kill()
    done = run("restore", project, "--from", archive, "--replace")

    assert (refused.code, "is locked by another program" in refused.messages) == (2, True)
    assert done.code == 0, done.messages


@pytest.mark.parametrize("content", [b"not a database" * 100, b""], ids=["damaged", "empty"])
def test_a_damaged_database_is_replaced(
    run: Run, project: Path, tmp_path: Path, content: bytes
) -> None:
    archive, before = tmp_path / "one.tar", rows(SQLITE, project)
    assert run("backup", project, "--to", archive).code == 0
    (project / ".tmp/data.db").write_bytes(content)
    (project / ".tmp/data.db-wal").write_bytes(b"left over")

    code, _, messages = run("restore", project, "--from", archive, "--replace")

    assert code == 0, messages
    assert rows(SQLITE, project) == before


def test_files_stay_where_the_database_is_not_restored(
    run: Run, kind: Kind, own_recorded: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    archive, kept = tmp_path / "one.tar", own_recorded / UPLOADS / "kept.txt"
    kept.parent.mkdir(parents=True, exist_ok=True)
    kept.write_text("in the backup")
    assert run("backup", own_recorded, "--to", archive).code == 0
    kept.write_text("now")
    before = rows(kind, own_recorded)

    async def fail(*_: object) -> None:
        raise DatabaseOpenError("the disk is full")

    monkeypatch.setattr(type(target_of(load_settings(own_recorded))), "restore", fail)
    code, _, messages = run("restore", own_recorded, "--from", archive, "--replace")

    assert (code, "the disk is full" in messages) == (2, True)
    assert kept.read_text() == "now"
    assert rows(kind, own_recorded) == before
    assert not [one for one in kept.parent.iterdir() if one.name.startswith(".quire")]


@pytest.mark.parametrize("kind", [POSTGRESQL], indirect=True)
def test_a_postgresql_restore_that_fails_changes_nothing(
    run: Run, kind: Kind, own_recorded: Path, tmp_path: Path
) -> None:
    archive, before = tmp_path / "one.tar", rows(kind, own_recorded)
    assert run("backup", own_recorded, "--to", archive, "--no-media").code == 0
    with (own_recorded / "quire.toml").open("a") as settings:
        settings.write("\n[database]\nbusy_timeout_ms = 200\n")
    with opened(kind, own_recorded) as other:
        other.execute("BEGIN")
        other.execute("SELECT * FROM articles LIMIT 1")
        code, _, messages = run("restore", own_recorded, "--from", archive, "--replace")
        other.execute("ROLLBACK")

    assert (code, "lock timeout" in messages) == (2, True), messages
    assert rows(kind, own_recorded) == before


@pytest.mark.parametrize("kind", [POSTGRESQL], indirect=True)
def test_a_postgresql_restore_that_is_killed_is_not_committed_later(
    run: Run, kind: Kind, own_recorded: Path, tmp_path: Path
) -> None:
    archive = tmp_path / "one.tar"
    assert run("backup", own_recorded, "--to", archive, "--no-media").code == 0
    with opened(kind, own_recorded) as other:
        other.execute("UPDATE articles SET title = 'Changed'")
        for statement in WAIT_FOR_LOCK:
            other.execute(statement)
        other.execute("SELECT pg_advisory_lock(1)")
        command = [QUIRE, "restore", own_recorded, "--from", archive, "--replace"]
        with subprocess.Popen([str(part) for part in command]) as restore:
            wait_for(
                other,
                "SELECT count(*) = 1 FROM pg_locks AS l JOIN pg_database AS d ON d.oid = l.database"
                " WHERE d.datname = current_database() AND NOT l.granted",
            )
            restore.send_signal(SIGKILL)
        other.execute("SELECT pg_advisory_unlock(1)")
        wait_for(
            other,
            "SELECT count(*) = 0 FROM pg_stat_activity"
            " WHERE datname = current_database() AND application_name = 'psql'",
        )
        assert other.execute("SELECT DISTINCT title FROM articles") == [("Changed",)]


def wait_for(database: Rows, condition: str) -> None:
    """Wait until a query returns true."""
    end = time.monotonic() + 60
    while database.execute(condition) != [(True,)]:
        assert time.monotonic() < end, condition
        sleep(0.02)


def test_old_backups_of_the_project_are_deleted(
    run: Run, project: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "kept"
    folder.mkdir()
    for name in ("project-20260101T000000Z.tar", "project-20260201T000000Z.tar"):
        (folder / name).touch()
    (folder / "project-x.tar").touch()
    (folder / "project-two-20260101T000000Z.tar").touch()

    code, output, messages = run("backup", project, "--to", folder, "--keep", 2)

    assert code == 0
    assert "project-20260101T000000Z.tar was deleted" in messages
    assert sorted(path.name for path in folder.iterdir()) == sorted(
        [
            "project-20260201T000000Z.tar",
            "project-two-20260101T000000Z.tar",
            "project-x.tar",
            Path(output.strip()).name,
        ]
    )
    assert run("backup", project, "--to", folder / "a.tar", "--keep", 2).code == 2
    monkeypatch.setenv("PATH", "")
    assert run("backup", project, "--to", folder / "a.tar").code == 0
    assert run("backup", project, "--to", folder / "a.tar").code == 2


@pytest.mark.parametrize("kind", [POSTGRESQL], indirect=True)
def test_a_missing_program_is_named(
    run: Run, own_recorded: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", "")
    code, _, messages = run("backup", own_recorded, "--to", tmp_path / "one.tar")
    assert code == 2
    assert "The program pg_dump was not found" in messages
    assert list(tmp_path.glob("*.tar")) == []


def test_a_backup_that_is_killed_leaves_no_part_of_an_archive(
    project: Path, tmp_path: Path
) -> None:
    with closing(sqlite3.connect(project / ".tmp/data.db")) as database:
        database.execute("CREATE TABLE ballast AS SELECT randomblob(1000000) FROM articles")
        database.commit()
    killed = 0
    for attempt in range(6):
        archive = tmp_path / f"{attempt}.tar"
        command = [str(one) for one in (QUIRE, "backup", project, "--to", archive)]
        with subprocess.Popen(command, stdout=subprocess.DEVNULL) as backup:
            sleep(0.2 + 0.1 * attempt)
            backup.send_signal(SIGKILL)
        killed += backup.returncode == -SIGKILL
        if archive.exists():
            assert read_manifest(archive).media == count_files(project)
    assert killed


def test_what_a_killed_restore_left_is_removed_by_the_next_one(
    run: Run, own_recorded: Path, tmp_path: Path
) -> None:
    archive, files = tmp_path / "one.tar", count_files(own_recorded)
    for folder in (own_recorded, own_recorded / UPLOADS):
        left = folder / ".quire-restore-left" / "before"
        left.mkdir(parents=True)
        (left / "photo.jpg").write_bytes(b"the only copy")
    assert run("backup", own_recorded, "--to", archive).code == 0
    assert read_manifest(archive).media == files

    damaged = tmp_path / "damaged.tar"
    damaged.write_bytes(archive.read_bytes()[:-20_000])
    assert run("restore", own_recorded, "--from", damaged, "--replace").code == 2
    assert len(list(own_recorded.rglob("photo.jpg"))) == 2

    code, _, messages = run("restore", own_recorded, "--from", archive, "--replace")
    assert code == 0, messages
    assert list(own_recorded.rglob(".quire-restore-*")) == []


@pytest.fixture
def keys(tmp_path: Path) -> tuple[Path, str]:
    """A file with a secret key, as age-keygen writes it, and its public key."""
    identity = pyrage.x25519.Identity.generate()
    file = tmp_path / "backup.key"
    file.write_text(f"# public key: {identity.to_public()}\n{identity}\n")
    return file, str(identity.to_public())


def test_an_encrypted_backup_is_restored_with_its_key_alone(
    run: Run, kind: Kind, own_recorded: Path, tmp_path: Path, keys: tuple[Path, str]
) -> None:
    key, recipient = keys
    before, files = rows(kind, own_recorded), count_files(own_recorded)
    (own_recorded / UPLOADS / "kept.txt").write_text("kept")
    code, output, messages = run(
        "backup", own_recorded, "--to", tmp_path / "kept", "--encrypt-to", recipient
    )
    assert code == 0, messages
    archive = Path(output.strip())
    assert archive.name.endswith(".tar.age")
    assert archive.stat().st_mode & 0o777 == 0o600
    assert b"manifest.json" not in archive.read_bytes()
    change(kind, own_recorded)
    changed = rows(kind, own_recorded)

    other = tmp_path / "other.key"
    other.write_text(str(pyrage.x25519.Identity.generate()))
    nonsense = tmp_path / "nonsense.key"
    nonsense.write_text("nonsense")
    binary = tmp_path / "binary.key"
    binary.write_bytes(b"\xff\xfe")
    cut = tmp_path / "cut.tar.age"
    cut.write_bytes(archive.read_bytes()[:-100])
    for source, options, message in (
        (archive, [], "is encrypted: name the file of its key with --identity"),
        (archive, ["--identity", other], "cannot be decrypted with"),
        (archive, ["--identity", nonsense], "is no file of secret keys of age"),
        (archive, ["--identity", binary], "is no file of secret keys of age"),
        (cut, ["--identity", key], "cannot be decrypted with"),
    ):
        code, _, messages = run("restore", own_recorded, "--from", source, "--replace", *options)
        assert (code, message in messages) == (2, True), messages
        assert rows(kind, own_recorded) == changed

    code, _, messages = run(
        "restore", own_recorded, "--from", archive, "--replace", "--identity", key
    )
    assert code == 0, messages
    assert rows(kind, own_recorded) == before
    assert count_files(own_recorded) == files + 1
    assert not [path for path in own_recorded.iterdir() if path.name.startswith(".quire")]


@pytest.mark.whatever_the_database("settings and names are looked at before any database")
def test_settings_say_where_backups_go_and_how_many_stay(
    run: Run, project: Path, tmp_path: Path, keys: tuple[Path, str]
) -> None:
    folder = tmp_path / "backups"
    with (project / "quire.toml").open("a") as file:
        file.write(f'[backup]\nfolder = "{folder}"\nkeep = 2\nrecipient = "{keys[1]}"\n')
    folder.mkdir()
    for day in (1, 2, 3):
        (folder / f"{project.name}-2020010{day}T000000Z.tar").touch()
    assert run("backup", project).code == 0
    first, second = sorted(path.name for path in folder.iterdir())
    assert first == f"{project.name}-20200103T000000Z.tar"
    assert second.endswith(".tar.age")


@pytest.mark.whatever_the_database("settings and names are looked at before any database")
@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--encrypt-to", "age1nonsense"], "is no public key of age"),
        (["--to", "x.tar.age"], "say for whom with --encrypt-to"),
    ],
)
def test_keys_and_names_that_do_not_fit_are_refused(
    run: Run, project: Path, options: list[str], message: str
) -> None:
    code, _, messages = run("backup", project, *options)
    assert (code, message in messages) == (2, True), messages


@pytest.mark.whatever_the_database("files in the folder of backups are looked at")
def test_what_a_killed_backup_left_is_removed_a_day_later(
    run: Run, project: Path, tmp_path: Path
) -> None:
    folder = tmp_path / "kept"
    for age, name in ((90_000, "old"), (60, "new")):
        left = folder / f".quire-backup-{name}"
        left.mkdir(parents=True)
        (left / "database.sqlite").touch()
        unfinished = folder / f".site-{name}.tar.unfinished"
        unfinished.touch()
        for path in (left, unfinished):
            os.utime(path, (time.time() - age, time.time() - age))
    other = folder / ".hidden"
    other.touch()
    os.utime(other, (0, 0))

    assert run("backup", project, "--to", folder).code == 0

    names = {path.name for path in folder.iterdir() if path.name.startswith(".")}
    assert names == {".quire-backup-new", ".site-new.tar.unfinished", ".hidden"}


def test_a_full_disk_is_reported_with_the_archive(
    run: Run, own_recorded: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object) -> None:
        raise OSError(ENOSPC, os.strerror(ENOSPC))

    monkeypatch.setattr(BackupWriter, "add_media", fail)
    archive = tmp_path / "one.tar"
    code, _, messages = run("backup", own_recorded, "--to", archive)
    assert (code, f"error: {archive}: No space left on device." in messages) == (2, True), messages
    assert list(tmp_path.glob("*one*")) == []


@pytest.mark.whatever_the_database("a server with TLS is started")
def test_a_dump_trusts_the_authorities_that_the_server_trusts(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # Not a folder of pytest's: the server may run as somebody else, who cannot go through those.
    folder = Path(tempfile.mkdtemp(prefix="quire-tls-"))
    account = server_account()
    certificate, key = self_signed_certificate(folder)
    account.own(key)
    server = Cluster(
        folder,
        {"ssl": "on", "ssl_cert_file": f"{certificate}", "ssl_key_file": f"{key}"},
    )
    site = tmp_path / "site"
    (site / "src").mkdir(parents=True)
    try:
        password = urlsplit(server.start()).password
        url = f"postgresql://{USER}@localhost:{server.port}/postgres?password={password}"
        url += "&sslmode=disable"  # DATABASE_SSL has precedence
        database = {"DATABASE_CLIENT": "postgres", "DATABASE_URL": url, "DATABASE_SSL": "true"}
        write_environment(site, database)
        monkeypatch.setenv("SSL_CERT_FILE", str(certificate))
        code, _, messages = run("new", site)
        assert code == 0, messages
        code, _, messages = run("backup", site, "--to", tmp_path / "one.tar")
        assert code == 0, messages

        authorities = tmp_path / "authorities"
        authorities.mkdir()
        (authorities / f"{openssl_name_hash(certificate)}.0").symlink_to(certificate)
        (authorities / "00000000.0").symlink_to(tmp_path / "removed.pem")  # OpenSSL ignores it
        monkeypatch.setenv("SSL_CERT_DIR", str(authorities))
        monkeypatch.setenv("SSL_CERT_FILE", str(tmp_path / "missing.pem"))
        code, _, messages = run("backup", site, "--to", tmp_path / "folder.tar")
        assert code == 0, messages

        other, _ = self_signed_certificate(tmp_path, "example.org")
        monkeypatch.setenv("SSL_CERT_FILE", str(other))  # Python trusts both
        code, _, messages = run("backup", site, "--to", tmp_path / "both.tar")
        assert code == 0, messages

        monkeypatch.setenv("PGSSLROOTCERT", str(other))
        code, _, messages = run("backup", site, "--to", tmp_path / "two.tar")
        assert (code, "certificate verify failed" in messages) == (2, True), messages
    finally:
        server.stop()


def openssl_name_hash(certificate: Path) -> str:
    """Return the name by which OpenSSL finds a certificate of localhost in a folder."""
    command = ["openssl", "x509", "-noout", "-subject_hash", "-in", str(certificate)]
    return subprocess.run(command, capture_output=True, check=True, text=True).stdout.strip()


def self_signed_certificate(folder: Path, host: str = "localhost") -> tuple[Path, Path]:
    """Write a certificate of a host, its own authority; returns its file and that of the key."""
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, host)])
    now = dt.datetime.now(dt.UTC)
    certificate = (
        x509.CertificateBuilder(name, name, key.public_key(), x509.random_serial_number())
        .not_valid_before(now - dt.timedelta(days=1))
        .not_valid_after(now + dt.timedelta(days=1))
        .add_extension(x509.SubjectAlternativeName([x509.DNSName(host)]), critical=False)
        .add_extension(x509.BasicConstraints(ca=True, path_length=None), critical=True)
        .sign(key, hashes.SHA256())
    )
    files = folder / "certificate.pem", folder / "key.pem"
    files[0].write_bytes(certificate.public_bytes(serialization.Encoding.PEM))
    pem = key.private_bytes(
        serialization.Encoding.PEM,
        serialization.PrivateFormat.PKCS8,
        serialization.NoEncryption(),
    )
    files[1].write_bytes(pem)
    files[1].chmod(0o600)
    return files
