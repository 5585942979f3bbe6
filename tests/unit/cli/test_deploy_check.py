"""``quire deploy-check`` lists what an installation lacks for production."""

import json
import os
import re
from pathlib import Path
from unittest.mock import ANY

import pytest

from quire.cli import deploy_check
from quire.cli.deploy_check import file_system_of
from quire.settings import load_settings
from tests.databases.environment import write_environment
from tests.databases.kind import Kind, opened
from tests.docs.pages import DOCS
from tests.unit.cli.conftest import Outcome, Run, everything_in


def findings(outcome: Outcome) -> set[tuple[str, str]]:
    report = json.loads(outcome.output)
    return {(one["level"], one["check"]) for one in report["findings"]}


SECRETS = ("API_TOKEN_SALT", "ADMIN_JWT_SECRET", "TRANSFER_TOKEN_SALT", "JWT_SECRET")


@pytest.fixture
def installed(project: Path) -> Path:
    """The recorded project as it should be installed."""
    secrets = {name: f"{number}f8aQz71k{len(name)}c0d9e7b6" for number, name in enumerate(SECRETS)}
    keys = {
        "APP_KEYS": "q8f1a0c7d5e3b2a9k1,w7d5e3b2a9q8f1a0c7",
        "ENCRYPTION_KEY": "z9" * 5 + "e4f1q2w8",
    }
    write_environment(project, {**secrets, **keys})
    (project / ".env").chmod(0o600)
    (project / ".tmp/data.db").chmod(0o600)
    (project / "quire.toml").write_text(
        '[server]\nurl = "https://example.org"\ntrusted_proxies = ["10.0.0.0/8"]\n'
        '[cors]\norigins = ["https://example.org"]\n'
        '[mail]\nhost = "mail.example.org"\nsender = "cms@example.org"\n'
    )
    (project / "backups").mkdir()
    (project / "backups" / f"{project.name}-20260101T000000Z.tar").touch()
    return project


def test_an_installation_that_is_complete_has_no_problems(run: Run, installed: Path) -> None:
    before = everything_in(installed)
    assert run("index", installed, "--apply").code == 0
    outcome = run("deploy-check", installed)
    assert outcome.code == 0, outcome.output
    assert outcome.output.endswith("0 problems, 0 warnings.\n"), outcome.output
    outcome = run("deploy-check", installed, "--json")
    assert json.loads(outcome.output)["ready"] is True
    assert everything_in(installed).keys() == before.keys()


@pytest.mark.parametrize(
    ("settings", "expected"),
    [
        ('[server]\nurl = "http://example.org"', ("problem", "server.url")),
        ("[users.rate_limit]\nenabled = false", ("problem", "users.rate_limit")),
        ("[admin.rate_limit]\nenabled = false", ("problem", "admin.rate_limit")),
        ('[api]\nreference = "on"', ("warning", "api.reference")),
        ('[mail]\nhost = "mail.example.org"\nsecurity = "none"', ("problem", "mail.security")),
        ('[mail]\nhost = "mail.example.org"', ("warning", "mail.sender")),
        ('[metrics]\nport = 9394\naddress = "0.0.0.0"', ("warning", "metrics.token")),
        ("", ("problem", "server.url")),
        ("", ("warning", "server.trusted_proxies")),
        ("", ("warning", "cors.origins")),
        ("", ("warning", "mail.host")),
    ],
)
def test_settings_that_production_lacks_are_named(
    run: Run, installed: Path, settings: str, expected: tuple[str, str]
) -> None:
    (installed / "quire.toml").write_text(settings)
    outcome = run("deploy-check", installed, "--json")
    assert expected in findings(outcome), outcome.output
    assert outcome.code == (1 if '"problem"' in outcome.output else 0)


@pytest.mark.parametrize(
    ("name", "value", "message"),
    [
        ("JWT_SECRET", "", "not set: JWT_SECRET"),
        ("JWT_SECRET", "short", "JWT_SECRET has fewer than 16 characters"),
        ("JWT_SECRET", "tobemodified-tobemodified", "JWT_SECRET is a placeholder"),
        ("JWT_SECRET", "0" * 32, "JWT_SECRET is a placeholder"),
        ("APP_KEYS", "toBeModified1toBeModified1", "APP_KEYS[0] is a placeholder"),
    ],
)
def test_secrets_that_are_none_are_problems(
    run: Run, installed: Path, name: str, value: str, message: str
) -> None:
    lines = [
        line
        for line in (installed / ".env").read_text().splitlines()
        if not line.startswith(f"{name}=")
    ]
    (installed / ".env").write_text("\n".join([*lines, f"{name}={value}", ""]))
    outcome = run("deploy-check", installed)
    assert outcome.code == 1
    assert message in outcome.output


def test_a_secret_that_is_used_twice_is_a_problem(run: Run, installed: Path) -> None:
    with (installed / ".env").open("a") as file:
        file.write("JWT_SECRET=q8f1a0c7d5e3b2a9k1\n")
    outcome = run("deploy-check", installed)
    assert "is the same as" in outcome.output


def test_files_that_everybody_can_read_are_problems(run: Run, installed: Path) -> None:
    (installed / ".env").chmod(0o644)
    (installed / ".tmp/data.db").chmod(0o644)
    (installed / ".git").mkdir()
    (installed / ".gitignore").write_bytes(b"node_modules/\n\xff\n")
    outcome = run("deploy-check", installed)
    assert f"can read {installed / '.env'}: chmod o-rwx" in outcome.output
    assert f"can read {installed / '.tmp/data.db'}: chmod o-rwx" in outcome.output
    assert ".gitignore does not name .env" in outcome.output


def test_an_old_backup_is_a_problem_and_none_a_warning(
    run: Run, installed: Path, tmp_path: Path
) -> None:
    archive = next((installed / "backups").iterdir())
    os.utime(archive, (1_600_000_000, 1_600_000_000))
    assert ("problem", "backups") in findings(run("deploy-check", installed, "--json"))
    outcome = run("deploy-check", installed, "--json", "--backups", tmp_path / "none")
    assert ("warning", "backups") in findings(outcome)


def test_common_passwords_and_missing_administrators_are_problems(
    run: Run, kind: Kind, own_recorded: Path
) -> None:
    with opened(kind, own_recorded) as database:
        database.execute(
            "UPDATE admin_users SET password = ?",
            # The hash of "Password123" with the lowest cost.
            ("$2a$04$nWeOHtzUN7ID.52Hsa2INegoxq8uTj5avNsVlsSyh5w4Se/6gejr.",),
        )
    found = run("deploy-check", own_recorded).output
    assert "has one of the most common passwords" in found
    with opened(kind, own_recorded) as database:
        database.execute("UPDATE admin_users SET is_active = ?", (False,))
    found = run("deploy-check", own_recorded).output
    assert "warning  administrators: there are none" in found
    with (own_recorded / "quire.toml").open("a") as file:
        file.write('\n[admin]\nregistration = "open"\n')
    found = run("deploy-check", own_recorded).output
    assert "problem  administrators: there are none: whoever comes to /admin first" in found


def test_every_check_is_documented() -> None:
    source = Path(deploy_check.__file__).read_text(encoding="utf-8")
    names = set(re.findall(r'\b(?:problem|warning)\(\s*"([a-z_.]+)"', source))
    assert len(names) > 10
    page = (DOCS / "operations" / "hardening.md").read_text(encoding="utf-8")
    rows = "".join(line for line in page.splitlines() if line.startswith("| `"))
    assert [name for name in sorted(names) if f"`{name}`" not in rows] == []


def forget_libpq_variables(monkeypatch: pytest.MonkeyPatch, home: Path) -> None:
    for name in ("PGSSLMODE", "PGSSLROOTCERT", "PGPASSWORD", "PGPASSFILE"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("HOME", str(home))


@pytest.mark.whatever_the_database("the settings of a database that does not exist are read")
def test_an_authority_in_the_home_folder_requires_its_certificates(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    forget_libpq_variables(monkeypatch, tmp_path)
    url = "postgresql://site:8Hq2m@db.example.org/site?sslmode=require"
    environ = {"DATABASE_CLIENT": "postgres", "DATABASE_URL": url}
    settings = load_settings(tmp_path, environ=environ)
    (finding,) = deploy_check.connection_findings(settings)
    assert finding.message == "the certificate of db.example.org is not checked"
    authority = tmp_path / ".postgresql" / "root.crt"
    authority.parent.mkdir()
    authority.touch()
    assert list(deploy_check.connection_findings(settings)) == []


@pytest.mark.whatever_the_database("the settings of a database that does not exist are read")
@pytest.mark.parametrize("error", [RuntimeError, PermissionError])
def test_the_home_folder_may_be_missing_or_unreadable(
    error: type[Exception], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object) -> Path:
        raise error

    forget_libpq_variables(monkeypatch, tmp_path)
    monkeypatch.setattr(Path, "home", fail)
    environ = {
        "DATABASE_CLIENT": "postgres",
        "DATABASE_URL": "postgresql://site:8Hq2m@db.example.org/site?sslmode=require",
    }
    settings = load_settings(tmp_path, environ=environ)
    (finding,) = deploy_check.connection_findings(settings)
    assert finding.message == "the certificate of db.example.org is not checked"


@pytest.mark.parametrize(
    ("url", "expected"),
    [
        ("postgresql://site:8Hq2m@db.example.org/site", ("problem", "need not be encrypted")),
        (
            "postgresql://site:8Hq2m@one,two:5433/site?sslmode=disable",
            ("problem", "the connection to one, two is not encrypted"),
        ),
        (
            "postgresql://site:8Hq2m@db.example.org/site?sslmode=require",
            ("warning", "the certificate of db.example.org is not checked"),
        ),
        (
            "postgresql://site:8Hq2m@db.example.org/site?sslmode=require&sslrootcert=/srv/ca.pem",
            None,
        ),
        ("postgresql://site:8Hq2m@db.example.org/site?sslmode=verify-full", None),
        (
            "postgresql://site:p%61ssword@[2001:db8::1]:5433/site?sslmode=verify-full",
            ("problem", "the password of the database is a common one, or none"),
        ),
        (
            "postgresql://db.example.org/site?sslmode=verify-full",
            ("problem", "the password of the database is a common one, or none"),
        ),
        ("postgresql://db.example.org/site?sslmode=verify-full&sslcert=/srv/c.pem", None),
        ("postgresql://site@localhost/site", None),
        ("postgresql://site@[::1]:5432/site", None),
        ("postgresql://site@/site?host=/run/postgresql", None),
        ("postgresql://site@%2Frun%2Fpostgresql/site", None),
    ],
)
@pytest.mark.whatever_the_database("the settings of a database that does not exist are read")
def test_urls_of_servers_say_whether_their_connections_are_safe(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    url: str,
    expected: tuple[str, str] | None,
) -> None:
    forget_libpq_variables(monkeypatch, tmp_path)
    urls = {
        "database.url": {"DATABASE_URL": url},
        "database.replicas": {"DATABASE_REPLICA_URLS": url, "DATABASE_HOST": "localhost"},
        "database.direct_url": {"DATABASE_DIRECT_URL": url, "DATABASE_HOST": "localhost"},
    }
    if "," in url:
        del urls["database.replicas"]  # commas separate URLs there
    for check, variables in urls.items():
        environ = {"DATABASE_CLIENT": "postgres", **variables}
        findings = list(deploy_check.connection_findings(load_settings(tmp_path, environ=environ)))
        assert {finding.check for finding in findings} <= {check}
        assert [(finding.level, finding.message) for finding in findings] == (
            [] if expected is None else [(expected[0], ANY)]
        )
        assert expected is None or expected[1] in findings[0].message


MOUNTS = """\
22 1 8:1 / / rw,relatime - ext4 /dev/sda1 rw
30 22 0:40 / /srv/data\\040one rw - nfs4 server:/data rw
31 22 0:41 / /srv rw - xfs /dev/sdb1 rw
32 31 0:42 / /srv rw - btrfs /dev/sdc1 rw
"""


@pytest.mark.parametrize(
    ("path", "kind"),
    [("/etc/x", "ext4"), ("/srv/data one/x.db", "nfs4"), ("/srv/x", "btrfs"), ("/srvx", "ext4")],
)
def test_the_file_system_of_a_path_is_that_of_the_nearest_mount(
    tmp_path: Path, path: str, kind: str
) -> None:
    mounts = tmp_path / "mountinfo"
    mounts.write_text(MOUNTS)
    assert file_system_of(Path(path), mounts) == kind
    assert file_system_of(Path(path), tmp_path / "missing") is None


def test_a_sqlite_file_on_a_network_disk_is_a_problem(
    run: Run, installed: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("quire.cli.deploy_check.file_system_of", lambda _: "fuse.sshfs")
    outcome = run("deploy-check", installed)
    assert "is on a network file system (fuse.sshfs)" in outcome.output
