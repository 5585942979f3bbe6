"""``quire config`` prints the effective settings, and new secrets."""

from pathlib import Path

from quire.settings import load_settings
from tests.unit.cli.conftest import Run


def test_every_setting_is_printed_with_its_source_and_no_secret(run: Run, project: Path) -> None:
    settings = load_settings(project, environ={})

    code, output, _ = run("config", project)

    assert code == 0
    lines = [line.split() for line in output.splitlines()]
    assert [line[0] for line in lines] == [name for name, _, _ in settings.explain()]
    assert ["api.max_limit", "100", "quire.toml"] in lines
    assert ["secrets.jwt_secret", "(set)", ".env", "JWT_SECRET"] in lines
    assert str(settings.secrets.jwt_secret) not in output


def test_lines_with_new_secrets_complete_the_env_file(run: Run, tmp_path: Path) -> None:
    (tmp_path / ".env").write_text("JWT_SECRET=old\n", encoding="utf-8")

    code, lines, _ = run("config", tmp_path, "--new-secrets")

    assert code == 0
    assert "JWT_SECRET" not in lines.replace("ADMIN_JWT_SECRET", "")
    with (tmp_path / ".env").open("a", encoding="utf-8") as file:
        file.write(lines)
    settings = load_settings(tmp_path, environ={})
    assert settings.missing_secrets() == ()
    assert settings.secrets.jwt_secret == "old"
    assert len(settings.secrets.app_keys) == 4


def test_two_runs_make_different_secrets(run: Run, tmp_path: Path) -> None:
    _, first, _ = run("config", tmp_path, "--new-secrets")
    _, second, _ = run("config", tmp_path, "--new-secrets")

    assert not set(first.split()) & set(second.split())


def test_complete_secrets_need_no_new_ones(run: Run, project: Path) -> None:
    code, output, messages = run("config", project, "--new-secrets")

    assert (code, output) == (0, "")
    assert messages == "All secrets are set.\n"
