"""API tokens are listed, regenerated and deleted on the command line."""

from pathlib import Path

from quire.auth.jwt_and_api_tokens import hash_api_token
from quire.auth.token_encryption import decrypt_token
from quire.settings import load_settings
from tests.unit.cli.conftest import Run
from tests.unit.cli.test_create_credentials import rows

KEYS = "SELECT access_key, encrypted_key FROM strapi_api_tokens WHERE name = 'site'"


def create(run: Run, project: Path, *options: str) -> str:
    return run("token", "create", project, "--name", "site", *options).output.strip()


def test_tokens_are_listed_with_their_ends_and_never_with_themselves(
    run: Run, project: Path
) -> None:
    token = create(run, project, "--days", "2")

    code, output, _ = run("token", "list", project)

    assert code == 0
    heads, *lines = output.splitlines()
    assert heads.split("  ")[0] == "NAME"
    found = {line.split()[0]: line.split()[1:] for line in lines if "Read" not in line}
    assert found["expired"] == ["full-access", "expired", "never"]
    type_, expires, used = found["site"]
    assert (type_, used) == ("read-only", "never")
    assert expires.endswith("Z")
    assert token not in output
    assert [line.split("  ")[0] for line in lines] == sorted(line.split("  ")[0] for line in lines)


def test_a_token_that_is_regenerated_keeps_its_end_and_grants(run: Run, project: Path) -> None:
    old = create(run, project, "--type", "custom", "--action", "api::tag.tag.find", "--days", "2")
    kept = "SELECT id, type, expires_at, lifespan FROM strapi_api_tokens WHERE name = 'site'"
    before = rows(project, kept)

    code, output, messages = run("token", "regenerate", project, "--name", "site")

    new = output.strip()
    secrets = load_settings(project, environ={}).secrets
    assert code == 0
    assert "shown only now" in messages
    assert new != old
    [(hashed, sealed)] = rows(project, KEYS)
    assert hashed == hash_api_token(new, str(secrets.api_token_salt))
    assert decrypt_token(str(sealed), str(secrets.encryption_key)) == new
    assert rows(project, kept) == before


def test_a_token_is_deleted_with_its_grants_and_no_others(run: Run, project: Path) -> None:
    count = "SELECT count(*) FROM strapi_api_token_permissions"
    before = rows(project, count)
    create(run, project, "--type", "custom", "--action", "api::tag.tag.find")

    assert run("token", "delete", project, "--name", "site").code == 0

    assert rows(project, KEYS) == []
    assert rows(project, count) == before
    assert rows(project, "SELECT count(*) FROM strapi_api_token_permissions_token_lnk") == before


def test_a_token_that_is_not_there_is_reported(run: Run, project: Path) -> None:
    for command in ("regenerate", "delete"):
        code, _, messages = run("token", command, project, "--name", "nope")
        assert code == 2
        assert "There is no API token with the name nope." in messages
