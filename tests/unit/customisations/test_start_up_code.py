"""Code that changes the plugin for end users when the server starts."""

from pathlib import Path

import pytest

from quire.customisations import Customisations
from quire.schema.model import FILE_UID
from tests.unit.customisations.test_scan import ARTICLE, USER, scan, write, write_types

PREFIX = "plugin::users-permissions."


def started(project: Path, body: str, file: str = "src/index.js") -> Customisations:
    """Return what is found in a project with a function ``register``."""
    write_types(project)
    write(project, file, f"module.exports = {{ register({{ strapi }}) {{ {body} }} }};")
    return scan(project)


@pytest.mark.parametrize(
    ("body", "actions"),
    [
        ("strapi.plugin('users-permissions').controllers.auth.register = own;", {"auth.register"}),
        ("strapi.plugins['users-permissions'].controllers.user.me = own;", {"user.me"}),
        ("strapi.plugin('users-permissions').controller('user').find = own;", {"user.find"}),
        ("strapi.controller('plugin::users-permissions.user').count = own;", {"user.count"}),
        (
            """const plugin = strapi.plugin('users-permissions'); const { log } = strapi;
            plugin.controllers.auth.callback = async (ctx) => { log.info('x'); };""",
            {"auth.callback"},
        ),
        (
            "const auth = strapi.plugin('users-permissions').controllers.auth; auth.connect = own;",
            {"auth.connect"},
        ),
        (
            "const { controllers: c } = strapi.plugin('users-permissions'); c.user.me = own;",
            {"user.me"},
        ),
        ("strapi.service('plugin::users-permissions.user').remove = own;", {"user.destroy"}),
        (
            """const a = () => { const c = strapi.controller('plugin::users-permissions.auth');
              c.callback = own; };
            const b = () => { const c = strapi.controller('plugin::users-permissions.user');
              c.find({}); };""",
            {"auth.callback"},
        ),
        (
            (
                "const { controllers: { auth } } = strapi.plugin('users-permissions');"
                "auth.callback = own;"
            ),
            {"auth.callback"},
        ),
        (
            "let me; me = strapi.plugin('users-permissions').controllers.user; me.me = own;",
            {"user.me"},
        ),
        (
            (
                "const p = strapi.plugin('users-permissions') || "
                "strapi.plugins['users-permissions']; p.controllers.user.me = own;"
            ),
            {"user.me"},
        ),
        (
            "const name = 'users-permissions'; strapi.plugin(name).controllers.user.me = own;",
            {"user.me"},
        ),
        ("strapi.plugin(`users-permissions`).controllers.user.me = own;", {"user.me"}),
        (
            "Object.assign(strapi.plugin('users-permissions').service('role'), { find: own });",
            {f"role.{name}" for name in ("createRole", "deleteRole", "find", "findOne")}
            | {"role.updateRole"},
        ),
        ("const { server } = express(); server.plugin('x').routes.find(own);", set()),
        (
            "class A { async b() { return strapi.plugin('users-permissions').service('user'); } }",
            set(),
        ),
        ("strapi.plugin('users-permissions').controllers.auth.login = own;", set()),
        (
            "strapi.plugin('users-permissions').routes['content-api'].routes.push({});",
            set(),
        ),
        ("strapi.plugin('users-permissions').service('user').add({ email: 'a' });", set()),
        ("const me = strapi.plugin('users-permissions').controllers.user.me; me(ctx);", set()),
        ("strapi.query('plugin::users-permissions.role').findMany();", set()),
        ("console.log(strapi.plugin('users-permissions'));", set()),
    ],
)
@pytest.mark.parametrize("file", ["src/index.js", "src/lib/start/accounts.ts"])
def test_changed_actions_are_closed(
    tmp_path: Path, body: str, actions: set[str], file: str
) -> None:
    closed = started(tmp_path, body, file).closed

    assert {f"{PREFIX}{action}" for action in actions} == closed.keys()
    assert set(closed.values()) <= {(file,)}


@pytest.mark.parametrize(
    "body",
    [
        "extend(strapi.plugin('users-permissions'));",
        "const { plugins } = strapi; extend(plugins['users-permissions'].controllers);",
        "for (const n of ['me']) strapi.plugin('users-permissions').controllers.user[n] = own;",
        "strapi.plugin('users-permissions').routes['content-api'].routes.forEach(guard);",
        "strapi.plugin('users-permissions').routes['content-api'].routes = [];",
        "return strapi.plugin('users-permissions').controllers.auth;",
        "strapi.get('controllers').extend('plugin::users-permissions.auth', own);",
        "strapi.plugin('users-permissions').contentTypes.user.attributes.email.private = true;",
        """const routes = strapi.plugin('users-permissions').routes['content-api'].routes;
        routes.find((r) => r.handler === 'auth.register').config.policies = ['global::invited'];""",
        "const up = () => strapi.plugin('users-permissions'); up().controllers.user.me = own;",
        "for (const n of ['user']) strapi.plugin('users-permissions').controllers[n].me = own;",
        "[strapi.plugin('users-permissions').controllers.user].forEach((c) => { c.me = own; });",
        """const { extra } = await import('./extra.mjs');
        strapi.plugin('users-permissions').controllers.user.me = extra;""",
    ],
)
def test_the_plugin_is_closed_if_more_may_be_changed(tmp_path: Path, body: str) -> None:
    closed = started(tmp_path, body).closed

    assert USER in closed
    assert ARTICLE not in closed


@pytest.mark.parametrize(
    "file", ["src/plugins/own/server/register.js", "src/extensions/upload/strapi-server.js"]
)
def test_code_of_plugins_and_extensions_counts(tmp_path: Path, file: str) -> None:
    body = "strapi.plugin('users-permissions').controllers.user.me = own;"

    assert started(tmp_path, body, file).closed[f"{PREFIX}user.me"] == (file,)


def test_another_authentication_closes_all_types(tmp_path: Path) -> None:
    body = "strapi.plugin('users-permissions').services.jwt.verify = own;"

    assert {USER, ARTICLE} <= started(tmp_path, body).closed.keys()


GUARDED = "strapi.server.use(async (ctx, next) => { if (ctx.get('x-key')) { await next(); } });"
TIMED = "async (ctx, next) => { await next(); ctx.set('X-Time', '1'); }"


@pytest.mark.parametrize(
    ("body", "is_closed"),
    [
        (GUARDED, True),
        (GUARDED.replace("strapi.server", "strapi.server.app"), True),
        (GUARDED.replace("strapi.server", "context.strapi.server"), True),
        ("strapi.server.use(require('koa-guard')());", True),
        ("const { server } = strapi; server.use(guard);", True),
        ("const app = strapi.server.app; app.use(guard);", True),
        ("strapi.server.router.use('/api', guard);", True),
        (f"strapi.server.use({TIMED}).use(guard);", True),
        ("const { a } = await import('a'); strapi.server.use(a);", True),
        (f"strapi.server.use({TIMED});", False),
        ("strapi.server.app.proxy = true;", False),
        ("const server = express(); server.use(guard);", False),
    ],
)
def test_a_middleware_of_the_server_closes_all_types(
    tmp_path: Path,
    body: str,
    is_closed: bool,  # noqa: FBT001 - a parameter of the test
) -> None:
    closed = started(tmp_path, body).closed

    assert (ARTICLE in closed) == is_closed
    assert (USER in closed) == is_closed


@pytest.mark.parametrize(
    ("path", "closed"),
    [("/api/articles", {ARTICLE}), ("/uploads", {FILE_UID}), ("/admin", set())],
)
def test_a_middleware_of_the_server_closes_the_types_of_its_paths(
    tmp_path: Path, path: str, closed: set[str]
) -> None:
    refusal = f"if (ctx.path.startsWith('{path}')) {{ return ctx.forbidden(); }}"
    body = f"strapi.server.use(async (ctx, next) => {{ {refusal} await next(); }});"

    assert set(started(tmp_path, body).closed) == closed
