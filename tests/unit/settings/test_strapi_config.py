"""Constant values of files in ``config`` apply with the lowest precedence."""

from collections.abc import Mapping
from datetime import timedelta
from pathlib import Path

import pytest

from quire.settings import Settings, load_settings

API = "module.exports = { rest: { maxLimit: 250, withCount: false, strictParams: true } };"


def load(
    project: Path, files: Mapping[str, str], environ: Mapping[str, str] | None = None
) -> Settings:
    for name, text in files.items():
        path = project / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return load_settings(project, environ=environ or {})


def origin(settings: Settings, name: str) -> str:
    return next(source for one, _, source in settings.explain() if one == name)


@pytest.mark.parametrize(
    ("file", "text"),
    [
        ("config/api.js", API),
        ("config/api.ts", API.replace("module.exports =", "export default")),
        (
            "config/api.js",
            f"module.exports = () => ({API.removeprefix('module.exports = ')[:-1]});",
        ),
        (
            "config/api.json",
            '{"rest": {"maxLimit": 250, "withCount": false, "strictParams": true}}',
        ),
    ],
)
def test_literals_are_settings(tmp_path: Path, file: str, text: str) -> None:
    settings = load(tmp_path, {file: text})

    assert settings.api.max_limit == 250
    assert settings.api.with_count is False
    assert settings.api.strict_params is True
    assert origin(settings, "api.max_limit") == file


def test_lengths_of_time_are_read_as_elsewhere(tmp_path: Path) -> None:
    plugins = "{ 'users-permissions': { config: { jwt: { expiresIn: '7d' } } } }"
    settings = load(tmp_path, {"config/plugins.js": f"module.exports = {plugins};"})

    assert settings.users.jwt_expires_in == timedelta(days=7)


def test_the_age_of_a_cookie_is_in_milliseconds(tmp_path: Path) -> None:
    sessions = "{ cookie: { name: 'rt', maxAge: 2592000000 } }"
    config = f"module.exports = {{ 'users-permissions': {{ config: {{ sessions: {sessions} }} }} }}"
    settings = load(tmp_path, {"config/plugins.js": config})

    assert settings.users.sessions.cookie_name == "rt"
    assert settings.users.sessions.cookie_max_age == timedelta(days=30)


def test_the_age_of_a_cookie_in_a_variable_is_not_taken_for_seconds(tmp_path: Path) -> None:
    sessions = "{ cookie: { name: 'rt', maxAge: env.int('COOKIE_AGE', 2592000000) } }"
    options = f"{{ 'users-permissions': {{ config: {{ sessions: {sessions} }} }} }}"
    settings = load(tmp_path, {"config/plugins.js": f"module.exports = ({{ env }}) => ({options})"})

    assert settings.users.sessions.cookie_name == "rt"
    assert settings.users.sessions.cookie_max_age is None


def test_breakpoints_of_images_replace_the_usual_ones(tmp_path: Path) -> None:
    upload = "{ upload: { config: { breakpoints: { huge: 1920, tiny: 64 } } } }"
    settings = load(tmp_path, {"config/plugins.js": f"module.exports = {upload};"})

    assert [*settings.uploads.breakpoints.items()] == [("huge", 1920), ("tiny", 64)]


def test_computed_breakpoints_are_not_taken(tmp_path: Path) -> None:
    upload = "{ upload: { config: { breakpoints: { huge: width(), tiny: 64 } } } }"
    settings = load(tmp_path, {"config/plugins.js": f"module.exports = {upload};"})

    assert list(settings.uploads.breakpoints) == ["large", "medium", "small"]


def test_a_variable_counts_under_the_name_that_the_file_gives_it(tmp_path: Path) -> None:
    server = "module.exports = ({ env }) => ({ port: env.int('BACKEND_PORT', 4000) });"

    assert load(tmp_path, {"config/server.js": server}).server.port == 4000
    assert load(tmp_path, {}, {"BACKEND_PORT": "5000"}).server.port == 5000
    assert load(tmp_path, {".env": "BACKEND_PORT=6000"}).server.port == 6000


def test_every_other_source_wins(tmp_path: Path) -> None:
    files = {"config/api.js": API, "quire.toml": "[api]\nmax_limit = 50\n"}
    server = {"config/server.js": "module.exports = { port: 4000 };"}
    settings = load(tmp_path, {**files, **server}, {"PORT": "5000"})

    assert settings.api.max_limit == 50
    assert settings.server.port == 5000


def test_files_of_the_environment_win_over_the_others(tmp_path: Path) -> None:
    files = {
        "config/api.js": API,
        "config/env/production/api.js": "module.exports = { rest: { maxLimit: 10 } };",
        "config/env/development/api.js": "module.exports = { rest: { maxLimit: 20 } };",
    }

    assert load(tmp_path, files).api.max_limit == 10
    assert load(tmp_path, files).api.with_count is False
    assert load(tmp_path, files, {"NODE_ENV": "development"}).api.max_limit == 20


def test_secrets_come_from_variables_and_never_from_the_files(tmp_path: Path) -> None:
    admin = (
        "module.exports = ({ env }) => ({ auth: { secret: env('OTHER_SECRET', 'in the file') }, "
        "apiToken: { salt: 'in the file' } });"
    )

    written = load(tmp_path, {"config/admin.js": admin})
    assert written.secrets.admin_jwt_secret is None
    assert written.secrets.api_token_salt is None
    assert load(tmp_path, {}, {"OTHER_SECRET": "x"}).secrets.admin_jwt_secret == "x"


@pytest.mark.parametrize(
    "text",
    [
        "module.exports = { rest: { maxLimit: limit() } };",
        "module.exports = { rest: { maxLimit: 'many' } };",
        "module.exports = { rest: 250 };",
        "module.exports = {",
    ],
)
def test_what_cannot_be_understood_changes_nothing(tmp_path: Path, text: str) -> None:
    settings = load(tmp_path, {"config/api.js": text})

    assert settings.api.max_limit == 100
    assert origin(settings, "api.max_limit") == "default"


def test_the_options_of_middlewares_are_settings(tmp_path: Path) -> None:
    write_config(
        tmp_path,
        "middlewares.js",
        "module.exports = ({ env }) => ['strapi::logger',"
        "{ name: 'strapi::cors', config: { origin: env.array('ORIGINS', ['https://a.example']), "
        "methods: ['GET'] } },"
        "{ name: 'strapi::body', config: { jsonLimit: '2mb', formLimit: '64kb' } },"
        "{ name: 'strapi::security', config: { contentSecurityPolicy: { useDefaults: true, "
        "directives: { 'img-src': [\"'self'\", 'data:'], upgradeInsecureRequests: null } } } }];",
    )

    settings = load_settings(tmp_path, environ={"ORIGINS": "https://b.example"})

    assert settings.cors.origins == ("https://b.example",)
    assert settings.cors.methods == ("GET",)
    assert (settings.limits.json_body, settings.limits.form_body) == (2 * 1024**2, 64 * 1024)
    assert settings.security.content_security_policy == {
        "img-src": ("'self'", "data:"),
        "upgrade-insecure-requests": (),
    }


def test_a_file_that_is_partly_computed_is_in_force_for_the_rest(tmp_path: Path) -> None:
    write_config(
        tmp_path,
        "server.ts",
        "import cronTasks from './cron-tasks';\nconst base = { port: 4000 };\n"
        "export default ({ env }) => {\n  const host = '127.0.0.9';\n"
        "  return { ...base, proxy: process.env.PROXY, host,\n"
        "    url: makeUrl(env), cron: { tasks: cronTasks } };\n};",
    )

    settings = load_settings(tmp_path, environ={})

    assert (
        settings.server.host,
        settings.server.port,
        settings.server.url,
    ) == ("127.0.0.9", 4000, None)


@pytest.mark.parametrize(
    "code",
    [
        "let port = 4000; port = port + choose(); module.exports = { port };",
        "const base = { port: 4000 }; change(base); module.exports = { ...base };",
        "module.exports = { port: process.argv[2] || 4000 };",
        "const port = isFast ? 1 : 2; module.exports = { port };",
    ],
)
def test_a_value_that_may_be_another_one_is_not_taken(code: str, tmp_path: Path) -> None:
    write_config(tmp_path, "server.js", code)

    assert load_settings(tmp_path, environ={}).server.port == 1337


def write_config(project: Path, name: str, code: str) -> None:
    file = project / "config" / name
    file.parent.mkdir(exist_ok=True)
    file.write_text(code, encoding="utf-8")


S3 = (
    "module.exports = ({ env }) => ({ upload: { config: { provider: 'aws-s3', providerOptions: "
    "{ %s s3Options: { credentials: { accessKeyId: env('KEY'), secretAccessKey: env('SECRET') }, "
    "region: env('REGION', 'eu-west-1'), %s params: { %s Bucket: env('BUCKET') } } } } } });"
)
KEYS = {"KEY": "k", "SECRET": "s", "BUCKET": "files"}


def uploads(project: Path, *options: str, environ: Mapping[str, str] = KEYS) -> tuple[object, ...]:
    filled = (*options, *([""] * (3 - len(options))))
    found = load(project, {"config/plugins.js": S3 % filled}, environ).uploads
    return found.storage, found.public_url, found.region, found.access_key, found.secret_key


def test_a_bucket_of_the_provider_for_s3_is_where_files_are_kept(tmp_path: Path) -> None:
    address = "https://files.s3.eu-west-1.amazonaws.com"

    assert uploads(tmp_path) == ("s3://files", address, "eu-west-1", "k", "s")


def test_addresses_and_names_in_a_bucket_are_those_of_the_provider(tmp_path: Path) -> None:
    options = "baseUrl: 'https://cdn.example', rootPath: 'media',"

    assert uploads(tmp_path, options)[:2] == ("s3://files/media", "https://cdn.example/media")


def test_another_service_that_speaks_like_s3_is_named_by_its_address(tmp_path: Path) -> None:
    options = ("", "endpoint: 'https://s3.example', forcePathStyle: true,")

    assert uploads(tmp_path, *options)[:2] == ("s3://files", "https://s3.example/files")


@pytest.mark.parametrize(
    "options",
    [
        pytest.param(("", "", "ACL: 'private',"), id="a private bucket"),
        pytest.param(("", "endpoint: 'https://s3.example',"), id="addresses that are not known"),
        pytest.param(("", "", "Bucket: name(),"), id="a computed bucket"),
    ],
)
def test_a_bucket_that_is_used_otherwise_is_not_taken(
    tmp_path: Path, options: tuple[str, ...]
) -> None:
    text = (S3 % (*options, *([""] * (3 - len(options))))).replace(
        "Bucket: name(), Bucket: env('BUCKET')", "Bucket: name()"
    )
    settings = load(tmp_path, {"config/plugins.js": text}, KEYS)

    assert (settings.uploads.storage, settings.uploads.public_url) == ("local", None)


def test_a_bucket_whose_variable_is_missing_is_not_taken(tmp_path: Path) -> None:
    assert uploads(tmp_path, environ={})[0] == "local"
