"""JavaScript that closes content types, and JavaScript that only causes a warning."""

import json
from collections.abc import Mapping
from pathlib import Path

import pytest

from quire.customisations import Customisations, find_customisations
from quire.schema.load import load_schema
from quire.settings import load_settings

ARTICLE = "api::article.article"
TAG = "api::tag.tag"
ABOUT = "api::about.about"
USER = "plugin::users-permissions.user"

CORE_ROUTES = "module.exports = createCoreRouter('api::{0}.{0}');"
CORE_CONTROLLER = "module.exports = createCoreController('api::{0}.{0}');"
CORE_SERVICE = "module.exports = createCoreService('api::{0}.{0}');"
OWN_CONTROLLER = (
    "module.exports = createCoreController('api::article.article', "
    "() => ({ async find() { await fetch('http://x'); } }));"
)
GUARDED_ROUTES = (
    "module.exports = createCoreRouter('api::article.article', "
    "{ config: { find: { policies: ['is-owner'], middlewares: ['global::audit'] } } });"
)
POLICY = (
    "module.exports = async (context) => "
    "(await load(context.params.id)).owner === context.state.user.id;"
)
OWN_ROUTES = "module.exports = makeRoutes({ path: '/articles' }, 'api::about.about');"


def write_types(project: Path) -> None:
    """Two collection types and a single type, without any JavaScript."""
    types = {"article": "articles", "tag": "tags", "about": "abouts"}
    for name, plural in types.items():
        folder = project / f"src/api/{name}/content-types/{name}"
        folder.mkdir(parents=True)
        schema = {
            "kind": "singleType" if name == "about" else "collectionType",
            "collectionName": plural,
            "info": {"singularName": name, "pluralName": plural, "displayName": name},
            "attributes": {"title": {"type": "string"}},
        }
        (folder / "schema.json").write_text(json.dumps(schema), encoding="utf-8")


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A project whose JavaScript is exactly what the generator writes."""
    write_types(tmp_path)
    for name in ("article", "tag", "about"):
        api = f"src/api/{name}"
        write(tmp_path, f"{api}/routes/{name}.js", CORE_ROUTES.format(name))
        write(tmp_path, f"{api}/controllers/{name}.js", CORE_CONTROLLER.format(name))
        write(tmp_path, f"{api}/services/{name}.js", CORE_SERVICE.format(name))
    write(tmp_path, "src/index.js", "module.exports = { register() {}, bootstrap() {} };")
    return tmp_path


def write(project: Path, path: str, content: str) -> None:
    file = project / path
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(content, encoding="utf-8")


def scan(project: Path, environ: Mapping[str, str] | None = None) -> Customisations:
    settings = load_settings(project, environ=environ or {})
    return find_customisations(settings, load_schema(project))


def effects(found: Customisations) -> list[tuple[str, str, str]]:
    return [(one.file, one.kind, one.effect) for one in found.findings]


def test_an_untouched_project_is_open_and_has_no_findings(project: Path) -> None:
    assert Customisations({}, ()) == scan(project)


def test_a_project_without_javascript_is_open(tmp_path: Path) -> None:
    write_types(tmp_path)

    assert Customisations({}, ()) == scan(tmp_path)


def test_an_action_in_place_of_a_core_action_closes_that_action(project: Path) -> None:
    file = "src/api/article/controllers/article.js"
    write(project, file, OWN_CONTROLLER)

    found = scan(project)

    assert {f"{ARTICLE}.find": (file,)} == found.closed
    assert [(file, "controller", "closed")] == effects(found)


def test_a_controller_of_another_type_is_no_untouched_controller(project: Path) -> None:
    write(project, "src/api/article/controllers/article.js", CORE_CONTROLLER.format("tag"))

    assert list(scan(project).closed) == [ARTICLE]


def test_a_controller_that_belongs_to_no_type_is_a_warning(project: Path) -> None:
    file = "src/api/article/controllers/report.js"
    write(project, file, "module.exports = { async print(ctx) { ctx.body = 1; } };")

    assert [(file, "controller", "warning")] == effects(scan(project))


def test_typescript_is_read_like_javascript(project: Path) -> None:
    file = "src/api/article/controllers/article.ts"
    (project / "src/api/article/controllers/article.js").unlink()
    write(project, file, f"import {{ factories }} from '@strapi/strapi';\n{OWN_CONTROLLER}")
    write(project, "src/api/article/controllers/article.d.ts", "export declare const a: string;")

    assert {f"{ARTICLE}.find": (file,)} == scan(project).closed


def test_options_that_are_not_known_close_the_type(project: Path) -> None:
    file = "src/api/tag/routes/tag.js"
    write(project, file, "module.exports = createCoreRouter('api::tag.tag', { sometimes: 1 });")

    assert {TAG: (file,)} == scan(project).closed


def test_the_usual_routes_written_out_without_guards_leave_the_type_open(project: Path) -> None:
    config = "config: { policies: [], middlewares: [] }"
    routes = ", ".join(
        f"{{ method: '{method}', path: '/about', handler: 'about.{action}', {config} }}"
        for method, action in (("GET", "find"), ("PUT", "update"), ("DELETE", "delete"))
    )
    write(project, "src/api/about/routes/about.js", f"module.exports = {{ routes: [{routes}] }};")

    assert Customisations({}, ()) == scan(project)


def test_a_route_written_out_with_a_guard_that_is_not_known_closes_its_action(
    project: Path,
) -> None:
    file = "src/api/about/routes/about.json"
    (project / "src/api/about/routes/about.js").unlink()
    config = {"auth": {"strategies": ["mine"]}}
    route = {"method": "GET", "path": "/about", "handler": "about.find", "config": config}
    write(project, file, json.dumps({"routes": [route]}))

    assert {f"{ABOUT}.find": (file,)} == scan(project).closed


def test_an_empty_list_of_further_routes_closes_nothing(project: Path) -> None:
    write(project, "src/api/tag/routes/01-more.js", "module.exports = { routes: [ /* */ ] };")

    assert Customisations({}, ()) == scan(project)


def test_routes_that_are_not_read_close_the_types_of_their_folder_and_those_they_name(
    project: Path,
) -> None:
    file = "src/api/tag/routes/01-more.js"
    write(project, file, OWN_ROUTES)

    assert {ABOUT: (file,), ARTICLE: (file,), TAG: (file,)} == scan(project).closed


def test_a_policy_closes_the_types_whose_routes_name_it(project: Path) -> None:
    routes = "src/api/article/routes/article.js"
    policy = "src/api/article/policies/is-owner.js"
    write(project, routes, GUARDED_ROUTES)
    write(project, policy, POLICY)

    found = scan(project)

    find = f"{ARTICLE}.find"
    assert {find: (policy, routes)} == found.closed
    assert "names the middleware global::audit, which is not known" in {
        one.sentence for one in found.findings
    }


def test_a_policy_of_another_api_is_meant_only_by_its_full_name(project: Path) -> None:
    write(project, "src/api/article/routes/article.js", GUARDED_ROUTES)
    write(project, "src/api/tag/policies/is-owner.js", POLICY)

    assert ("src/api/tag/policies/is-owner.js", "policy", "warning") in effects(scan(project))

    named = GUARDED_ROUTES.replace("is-owner", "api::tag.is-owner")
    write(project, "src/api/article/routes/article.js", named)

    assert ("src/api/tag/policies/is-owner.js", "policy", "closed") in effects(scan(project))


def test_policies_and_middlewares_of_the_project_close_the_types_that_name_them(
    project: Path,
) -> None:
    write(project, "src/api/article/routes/article.js", GUARDED_ROUTES)
    write(project, "src/policies/isOwner.js", POLICY)
    audit = "module.exports = () => (ctx, next) => { ctx.cookies.set('x', 'y'); return next(); };"
    write(project, "src/middlewares/audit.js", audit)

    files = scan(project).closed[f"{ARTICLE}.find"]

    assert "src/policies/isOwner.js" in files
    assert "src/middlewares/audit.js" in files


@pytest.mark.parametrize(
    ("file", "kind", "content"),
    [
        ("src/api/tag/policies/unused.js", "policy", POLICY),
        ("src/api/tag/middlewares/unused.js", "middleware", POLICY),
        ("src/api/tag/services/tag.js", "service", "module.exports = { sum() { return 1; } };"),
        (
            "src/api/tag/content-types/tag/lifecycles.js",
            "lifecycles",
            "exports.afterCreate = (event) => console.log(event);",
        ),
        ("src/api/tag/index.js", "start-up", "module.exports = { bootstrap() { go(); } };"),
        ("src/index.js", "start-up", "module.exports = { bootstrap() { go(); } };"),
        ("src/plugins/search/strapi-server.js", "plugin", "module.exports = {};"),
        ("config/cron-tasks.js", "cron", "module.exports = { '* * * * *': () => {} };"),
        ("config/middlewares.js", "configuration", "module.exports = ['global::audit'];"),
    ],
)
def test_what_guards_nothing_is_a_warning(
    project: Path, file: str, kind: str, content: str
) -> None:
    write(project, file, content)

    found = scan(project)

    assert found.closed == {}
    assert [(kind, "warning")] == [(one.kind, one.effect) for one in found.findings]


PASSIVE = "module.exports = () => async (ctx, next) => { await next(); };"
GUARD = (
    "module.exports = () => async (ctx, next) => {"
    "delete ctx.request.body.data.owner; await next(); };"
)


@pytest.mark.parametrize(
    ("file", "config", "content"),
    [
        ("src/middlewares/guard.js", "config/middlewares.js", "['global::guard']"),
        ("src/middlewares/guard.js", "config/middlewares.js", "[{ name: 'global::guard' }]"),
        ("src/middlewares/guard.js", "config/middlewares.ts", "[...(on ? ['global::guard'] : [])]"),
        ("src/middlewares/guard.js", "config/env/production/middlewares.js", "['global::guard']"),
        (
            "src/middlewares/guard.js",
            "config/middlewares.js",
            "[{ resolve: './src/middlewares/guard' }]",
        ),
        ("src/api/tag/middlewares/guard.js", "config/middlewares.js", "['api::tag.guard']"),
    ],
)
def test_a_global_middleware_closes_all_types(
    project: Path, file: str, config: str, content: str
) -> None:
    write(project, file, GUARD)
    write(project, config, f"module.exports = {content};")

    found = scan(project)

    assert {ARTICLE, TAG, ABOUT, USER} <= found.closed.keys()
    assert (file, "middleware", "closed") in effects(found)
    assert found.closed[ARTICLE] == (file,)

    write(project, "quire.toml", f'[migration]\nignore = ["{file}"]\n')
    assert scan(project).closed == {}


@pytest.mark.parametrize(
    ("code", "config"),
    [
        (PASSIVE, "['global::guard']"),
        (GUARD, "['strapi::logger', /* 'global::guard', */]"),
        (GUARD, "['global::other']"),
        (GUARD, "['api::tag.guard']"),
    ],
)
def test_a_middleware_that_passes_all_or_that_nothing_names_closes_nothing(
    project: Path, code: str, config: str
) -> None:
    write(project, "src/middlewares/guard.js", code)
    write(project, "config/middlewares.js", f"module.exports = {config};")

    assert scan(project).closed == {}


def test_a_changed_plugin_closes_the_types_of_the_plugin(project: Path) -> None:
    file = "src/extensions/users-permissions/strapi-server.js"
    write(project, file, "module.exports = (plugin) => { plugin.routes = []; return plugin; };")

    found = scan(project)

    assert (file,) == found.closed[USER]
    assert all(uid.startswith("plugin::users-permissions.") for uid in found.closed)


@pytest.mark.parametrize(
    "content",
    [
        "module.exports = (plugin) => plugin;",
        "export default (plugin: any) => {\n  return plugin;\n};",
        "'use strict';\nmodule.exports = plugin => { return plugin }",
    ],
)
def test_an_extension_that_changes_nothing_closes_nothing(project: Path, content: str) -> None:
    write(project, "src/extensions/users-permissions/strapi-server.js", content)

    assert Customisations({}, ()) == scan(project)


def test_a_file_that_is_listed_no_longer_closes(project: Path) -> None:
    routes = "src/api/article/routes/article.js"
    policy = "src/api/article/policies/is-owner.js"
    write(project, routes, GUARDED_ROUTES)
    write(project, policy, POLICY)

    write(project, "quire.toml", f'[migration]\nignore = ["{routes}"]\n')
    assert {f"{ARTICLE}.find": (policy,)} == scan(project).closed

    write(project, "quire.toml", f'[migration]\nignore = ["{routes}", "src/api/*/policies/*"]\n')
    found = scan(project)
    assert found.closed == {}
    assert {"ignored"} == {one.effect for one in found.findings}


def test_an_entry_that_means_no_file_is_reported(project: Path) -> None:
    write(project, "quire.toml", '[migration]\nignore = ["src/api/articles"]\n')

    assert scan(project).unused_ignores == ("src/api/articles",)


def test_a_type_without_routes_among_others_is_open_with_a_warning(project: Path) -> None:
    (project / "src/api/tag/routes/tag.js").unlink()

    found = scan(project)

    assert found.closed == {}
    file = "src/api/tag/content-types/tag/schema.json"
    assert [(file, "routes", "warning")] == effects(found)


def test_a_file_that_is_too_large_counts_as_code(project: Path) -> None:
    file = project / "src/api/article/controllers/article.js"
    file.write_bytes(b"module.exports = {}; // " + b"x" * 300_000)

    assert list(scan(project).closed) == [ARTICLE]


def test_configuration_that_says_what_the_settings_say_is_passed_over(project: Path) -> None:
    write(
        project,
        "config/api.js",
        "module.exports = { rest: { defaultLimit: 25, maxLimit: 100, withCount: true } };",
    )
    write(
        project,
        "config/server.ts",
        "export default ({ env }) => ({ host: env('HOST', '0.0.0.0'), port: env.int('PORT', 1) });",
    )
    write(project, "config/middlewares.js", "module.exports = ['strapi::logger', 'strapi::cors'];")
    write(project, "config/database.js", "module.exports = ({ env }) => use(env('DATABASE_URL'));")

    assert Customisations({}, ()) == scan(project)


def test_configuration_that_is_not_in_force_is_reported_with_both_values(project: Path) -> None:
    write(project, "quire.toml", "[api]\nmax_limit = 50\n")
    write(
        project,
        "config/api.js",
        "module.exports = { rest: { maxLimit: 250 }, documents: { strictParams: true } };",
    )
    write(project, "config/admin.js", "module.exports = { auth: { secret: 'in the file' } };")
    write(project, "config/plugins.js", "module.exports = { upload: { config: options() } };")

    assert [str(one) for one in scan(project).findings] == [
        "config/admin.js: is not all in force: auth.secret is not the value of ADMIN_JWT_SECRET",
        (
            "config/api.js: is not all in force: rest.maxLimit is 250, api.max_limit is 50; "
            "documents.strictParams has no counterpart here"
        ),
        "config/plugins.js: is not all in force: upload.config is computed",
    ]


def test_a_file_that_configuration_is_divided_into_is_no_configuration_itself(
    project: Path,
) -> None:
    write(project, "config/plugins.search.config.ts", "export default { host: 'a', key: 'b' };")
    write(project, "config/server.extra.js", "module.exports = { port: 1, unknown: 2 };")

    assert Customisations({}, ()) == scan(project)


def test_plain_configuration_is_in_force(project: Path) -> None:
    write(project, "config/api.js", "module.exports = { rest: { maxLimit: 250 } };")
    write(
        project,
        "config/plugins.js",
        "module.exports = ({ env }) => ({ 'users-permissions': { config: "
        "{ jwt: { expiresIn: '7d' }, ratelimit: { enabled: env.bool('LIMIT', true) } } } });",
    )

    assert Customisations({}, ()) == scan(project)


def test_settings_silence_what_they_repeat(project: Path) -> None:
    write(project, "config/admin.js", "module.exports = { auth: { secret: 'in the file' } };")
    write(project, "config/api.js", "module.exports = { rest: { maxLimit: 250 } };")
    write(project, "quire.toml", "[api]\nmax_limit = 250\n")

    assert Customisations({}, ()) == scan(project, {"ADMIN_JWT_SECRET": "in the file"})


def test_options_of_middlewares_and_providers_that_are_not_in_force_are_reported(
    project: Path,
) -> None:
    write(
        project,
        "config/middlewares.js",
        "module.exports = ['strapi::logger', 'global::audit', { name: 'strapi::cors', config: "
        "{ enabled: true, origin: ['https://a.example'], keepHeaderOnError: true } }];",
    )
    write(
        project,
        "config/plugins.js",
        "module.exports = ({ env }) => ({ upload: { config: { provider: 'aws-s3', "
        "providerOptions: { region: env('REGION') } } }, seo: { enabled: true }, graphql: {}, "
        "navigation: { enabled: false } });",
    )

    assert [str(one) for one in scan(project).findings] == [
        (
            "config/middlewares.js: is not all in force: "
            "the middleware global::audit does not run; "
            "strapi::cors.keepHeaderOnError has no counterpart here"
        ),
        (
            "config/plugins.js: is not all in force: upload goes through the provider aws-s3: "
            "new files are kept where uploads.storage says, such as s3://bucket/folder; "
            "those that are there stay; the plugin seo does not run; the GraphQL API is not served"
        ),
    ]


def test_packages_that_are_plugins_are_reported_with_what_is_missing_without_them(
    project: Path,
) -> None:
    official = (
        "strapi",
        "plugin-users-permissions",
        "plugin-cloud",
        "plugin-graphql",
        "plugin-seo",
    )
    others = (
        *("@acme/strapi-plugin-comments", "strapi-plugin-populate-deep", "react", "pg"),
        *("@_sh/strapi-plugin-ckeditor", "strapi-provider-email-resend"),
    )
    names = [*(f"@strapi/{name}" for name in (*official, "provider-upload-aws-s3")), *others]
    dependencies = dict.fromkeys(names, "1.0.0")
    write(project, "package.json", json.dumps({"dependencies": dependencies}))

    assert [str(one) for one in scan(project).findings] == [
        (
            "package.json: @acme/strapi-plugin-comments: a plugin that does not run: "
            "its tables stay, its routes are not served"
        ),
        "package.json: @strapi/plugin-graphql: the GraphQL API is not served",
        (
            "package.json: strapi-plugin-populate-deep: populate=deep is not understood: "
            "name what to populate"
        ),
    ]


@pytest.mark.parametrize("content", ["?", "[]", '{"dependencies": []}'])
def test_a_package_file_that_cannot_be_read_names_no_plugins(project: Path, content: str) -> None:
    write(project, "package.json", content)

    assert Customisations({}, ()) == scan(project)
