"""Sources of settings, their precedence, and errors of invalid ones."""

from collections.abc import Callable, Mapping
from datetime import timedelta
from pathlib import Path

import pytest

from quire.errors import ConfigurationError
from quire.settings import (
    Settings,
    SettingsError,
    hand_over_settings,
    load_settings,
    load_settings_from_environment,
)

GOLDEN = Path(__file__).parent / "golden"

SECRETS = """\
APP_KEYS=keyone,keytwo
API_TOKEN_SALT=salt
ADMIN_JWT_SECRET=adminsecret
TRANSFER_TOKEN_SALT=transfer
JWT_SECRET=usersecret
ENCRYPTION_KEY=encryption
"""

Load = Callable[..., Settings]


@pytest.fixture
def load(tmp_path: Path) -> Load:
    """Loads a project with the given files, and nothing of this machine's environment."""

    def load_project(
        toml: str = "",
        dotenv: str = "",
        environ: Mapping[str, str] | None = None,
        overrides: Mapping[str, object] | None = None,
    ) -> Settings:
        (tmp_path / "quire.toml").write_text(toml, encoding="utf-8")
        (tmp_path / ".env").write_text(dotenv, encoding="utf-8")
        return load_settings(tmp_path, overrides=overrides, environ=environ or {})

    return load_project


def problems_of(load: Load, **sources: object) -> list[str]:
    with pytest.raises(SettingsError) as caught:
        load(**sources)
    return [str(problem) for problem in caught.value.problems]


def test_a_folder_without_files_has_the_defaults(tmp_path: Path) -> None:
    settings = load_settings(tmp_path, environ={})

    assert settings.environment == "production"
    assert settings.server.port == 1337
    assert settings.api.max_limit == 100
    assert settings.cors.origins == ("*",)
    assert settings.database.filename == tmp_path.resolve() / ".tmp" / "data.db"


def test_each_source_wins_over_those_below_it(load: Load) -> None:
    toml = "[server]\nport = 1\nhost = 'toml'\nworkers = 2\nurl = 'https://toml.example'\n"
    dotenv = "PORT=2\nHOST=dotenv\nPUBLIC_URL=https://dotenv.example\n"
    environ = {"PORT": "3", "HOST": "environment"}

    settings = load(toml, dotenv, environ, {"server.port": 4})

    server = settings.server
    assert (server.port, server.host, server.workers) == (4, "environment", 2)
    assert server.url == "https://dotenv.example"
    sources = {name: source for name, _, source in settings.explain()}
    assert sources["server.port"] == "command line"
    assert sources["server.host"] == "environment HOST"
    assert sources["server.url"] == ".env PUBLIC_URL"
    assert sources["server.workers"] == "quire.toml"
    assert sources["api.prefix"] == "default"


def test_an_empty_variable_counts_as_not_set(load: Load) -> None:
    settings = load("[server]\nport = 8080\n", "PORT=\n", {"PORT": ""})

    assert settings.server.port == 8080


def test_an_empty_variable_of_the_environment_does_not_hide_one_of_the_file(
    load: Load, tmp_path: Path
) -> None:
    (tmp_path / "config").mkdir()
    text = 'module.exports = ({ env }) => ({ url: env("MY_URL") });'
    (tmp_path / "config/server.js").write_text(text, encoding="utf-8")

    settings = load(dotenv="MY_URL=https://example.org\n", environ={"MY_URL": ""})

    assert settings.server.url == "https://example.org"


def test_the_environment_may_name_another_file_of_variables(load: Load, tmp_path: Path) -> None:
    (tmp_path / "other.env").write_text("PORT=9000\n", encoding="utf-8")

    settings = load(dotenv="PORT=8000\n", environ={"ENV_PATH": "other.env"})

    assert settings.server.port == 9000


def test_paths_are_relative_to_the_project(load: Load, tmp_path: Path) -> None:
    settings = load('[uploads]\ndirectory = "media"\n', "DATABASE_FILENAME=/srv/data.db\n")

    assert settings.uploads.directory == tmp_path.resolve() / "media"
    assert settings.database.filename == Path("/srv/data.db")


def test_durations_are_written_with_units_or_in_seconds(load: Load) -> None:
    settings = load(
        '[users]\njwt_expires_in = "12h"\n[users.rate_limit]\ninterval = 90\n'
        '[admin.rate_limit]\ninterval = "500ms"\n'
    )

    assert settings.users.jwt_expires_in == timedelta(hours=12)
    assert settings.users.rate_limit.interval == timedelta(seconds=90)
    assert settings.admin.rate_limit.interval == timedelta(milliseconds=500)


def test_the_cap_on_pages_can_be_lifted(load: Load) -> None:
    assert load('[api]\nmax_limit = "none"\n').api.max_limit is None


def test_a_list_in_a_variable_is_parted_by_commas(load: Load) -> None:
    keys = load(dotenv='APP_KEYS=[ "one" , two=,]\n').secrets.app_keys

    assert keys == ("one", "two=")


def test_another_environment_than_development_is_served_as_production(load: Load) -> None:
    settings = load(environ={"NODE_ENV": "staging"})

    assert settings.environment == "production"
    assert settings.notices == (
        'environment NODE_ENV is "staging", which is served as production.',
    )


def test_a_placeholder_of_an_example_file_is_noticed(load: Load) -> None:
    settings = load(dotenv="API_TOKEN_SALT=tobemodified\nAPP_KEYS=toBeModified1,toBeModified2\n")

    assert [notice.split(" still")[0] for notice in settings.notices] == [
        ".env APP_KEYS",
        ".env API_TOKEN_SALT",
    ]


@pytest.mark.parametrize("name", ["URL", "DIRECT_URL", "REPLICA_URLS"])
def test_a_url_of_a_database_that_cannot_be_read_is_an_error(load: Load, name: str) -> None:
    (problem,) = problems_of(load, environ={f"DATABASE_{name}": "postgresql://u:hunter2[@host/d"})

    assert problem.startswith(f"environment: DATABASE_{name}: expected a URL such as postgresql://")
    assert "%5B" in problem
    assert "hunter2" not in problem


def test_a_misspelt_variable_is_noticed(load: Load, tmp_path: Path) -> None:
    (tmp_path / "src/plugins/colors/node_modules/color.js").mkdir(parents=True)
    dotenv = "APP_KEY=a\nJWT_SECRETS=b\nPUBLIC_URLS=c\nPUBLIC_URL=https://example.org\n"
    settings = load(dotenv=dotenv)
    assert settings.notices == (
        ".env APP_KEY is read by nothing; did you mean APP_KEYS?",
        ".env JWT_SECRETS is read by nothing; did you mean JWT_SECRET?",
    )

    (tmp_path / "config").mkdir()
    text = 'module.exports = ({ env }) => ({ one: env("APP_KEY"), two: env("JWT_SECRETS") });'
    (tmp_path / "config/custom.js").write_text(text, encoding="utf-8")
    assert load(dotenv=dotenv).notices == ()


def test_a_file_of_code_that_cannot_be_read_does_not_stop_the_start(
    load: Load, tmp_path: Path
) -> None:
    (tmp_path / "config").mkdir()
    (tmp_path / "config/memory.js").symlink_to("/proc/self/mem")
    assert load(dotenv="APP_KEY=a\n").notices == (
        ".env APP_KEY is read by nothing; did you mean APP_KEYS?",
    )


def test_a_missing_file_of_variables_is_noticed(load: Load, tmp_path: Path) -> None:
    settings = load(environ={"ENV_PATH": "nowhere.env"})

    assert settings.notices == (f"{tmp_path / 'nowhere.env'}, which ENV_PATH names, is no file.",)


def test_every_error_is_reported_at_once(load: Load) -> None:
    toml = """
        colour = "blue"
        max_limit = 10
        [api]
        max_limt = 10
        with_count = "yes"
        default_limit = 0
        [users]
        rate_limit = true
        [uploads.breakpoints]
        large = "big"
        [cors]
        origins = ["example.org", "null"]
        [secrets]
        jwt_secret = "in a shared file"
        """

    problems = problems_of(
        load,
        toml=toml,
        dotenv="PORT=http\nDATABASE_SSL=1\n",
        environ={"DATABASE_CLIENT": "better-sqlite3"},
        overrides={"server.worker": 2, "server.port": "80"},
    )

    assert problems == [
        "quire.toml: colour: no such setting",
        "quire.toml: max_limit: no such setting; did you mean api.max_limit?",
        "quire.toml: api.max_limt: no such setting; did you mean api.max_limit?",
        'quire.toml: api.with_count: expected true or false, found "yes"',
        "quire.toml: api.default_limit: expected a whole number from 1 up, found 0",
        "quire.toml: users.rate_limit: expected a table, found true",
        (
            "quire.toml: uploads.breakpoints: expected a table of format names to widths in "
            'pixels, found {"large": "big"}'
        ),
        (
            'quire.toml: cors.origins: expected a list of origins such as "https://example.org", '
            'or ["*"], found ["example.org", "null"]'
        ),
        (
            "quire.toml: secrets.jwt_secret: belongs in the environment or in .env, as JWT_SECRET, "
            "because quire.toml is a file that people share"
        ),
        '.env: PORT: expected a whole number from 0 to 65535, found "http"',
        '.env: DATABASE_SSL: expected true or false, found "1"',
        "environment: DATABASE_CLIENT: 'better-sqlite3' is not a client; write \"sqlite\"",
        "command line: server.worker: no such setting; did you mean server.workers?",
        'command line: server.port: expected a whole number from 0 to 65535, found "80"',
    ]


def test_a_file_that_is_not_toml_is_named(load: Load) -> None:
    [problem] = problems_of(load, toml="[api\n")

    assert problem.startswith("quire.toml: cannot be read: ")


def test_an_unsupported_database_is_named(load: Load) -> None:
    [problem] = problems_of(load, dotenv="DATABASE_CLIENT=mysql\n")

    assert problem == (
        ".env: DATABASE_CLIENT: MySQL and MariaDB are not supported; "
        'expected "sqlite" or "postgres", whose database `quire import` fills '
        "from an archive of `strapi export`"
    )


@pytest.mark.parametrize("name", ["missing", "file"])
def test_a_project_that_is_no_folder_is_refused(tmp_path: Path, name: str) -> None:
    (tmp_path / "file").touch()

    with pytest.raises(ConfigurationError, match=name):
        load_settings(tmp_path / name, environ={})


def test_missing_secrets_are_named_together_with_the_command_that_makes_them(load: Load) -> None:
    settings = load(dotenv="JWT_SECRET=usersecret\nAPP_KEYS=key\n")

    with pytest.raises(ConfigurationError) as caught:
        settings.require_secrets()

    message = str(caught.value)
    missing = "API_TOKEN_SALT, ADMIN_JWT_SECRET, TRANSFER_TOKEN_SALT, ENCRYPTION_KEY"
    assert message.startswith(f"These secrets are not set: {missing}.")
    assert "quire config --new-secrets" in message
    assert "usersecret" not in message


def test_the_content_api_needs_only_the_secrets_of_its_credentials(load: Load) -> None:
    settings = load(dotenv="JWT_SECRET=usersecret\nAPI_TOKEN_SALT=salt\n")

    settings.require_secrets()

    assert "ADMIN_JWT_SECRET" in settings.missing_secrets()


def test_the_printed_settings_hide_what_is_private(load: Load) -> None:
    settings = load(
        dotenv=f"{SECRETS}DATABASE_PASSWORD=hunter2\nDATABASE_URL=postgres://u:hunter2@h/d\n"
    )

    printed = "\n".join(" ".join(row) for row in settings.explain())

    for secret in ("keyone", "salt\n", "adminsecret", "usersecret", "hunter2"):
        assert secret not in printed


def test_the_printed_settings_are_these(load: Load, tmp_path: Path) -> None:
    toml = """
        [api]
        default_limit = 10
        max_limit = "none"
        [security.content_security_policy]
        img-src = ["'self'", "https://media.example"]
        [users]
        jwt_expires_in = "7d"
        [migration]
        ignore = ["src/api/article/controllers/article.js"]
        """
    settings = load(toml, SECRETS, {"PORT": "8080", "NODE_ENV": "development"})

    rows = [row for row in settings.explain() if row[0] != "project"]
    printed = "".join(f"{name} | {value} | {source}\n" for name, value, source in rows)

    assert (GOLDEN / "explained.txt").read_text(encoding="utf-8") == printed


def test_another_process_arrives_at_the_same_settings(
    load: Load, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("os.environ", {"HOST": "::1"})
    overrides = {"server.port": 8080, "environment": "development"}
    settings = load("[api]\nmax_limit = 7\n", SECRETS, {"HOST": "::1"}, overrides)

    hand_over_settings(settings, overrides)

    assert settings == load_settings_from_environment()


def test_a_process_without_a_project_says_so() -> None:
    with pytest.raises(ConfigurationError, match="QUIRE_PROJECT"):
        load_settings_from_environment({})
