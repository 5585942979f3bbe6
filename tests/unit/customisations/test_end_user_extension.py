"""What an extension of the plugin for end users closes."""

from pathlib import Path

import pytest

from quire.customisations import Customisations
from tests.unit.customisations.test_scan import ARTICLE, USER, scan, write, write_types

FILE = "src/extensions/users-permissions/strapi-server.js"
PREFIX = "plugin::users-permissions."
OTHER = f"{PREFIX}role"


def extended(project: Path, body: str, *, before: str = "", version: str = "") -> Customisations:
    """Return what is found in a project with an extension."""
    write_types(project)
    write(project, FILE, f"{before}\nmodule.exports = (plugin) => {{\n{body}\nreturn plugin;\n}};")
    if version:
        name = "@strapi/plugin-users-permissions"
        write(project, "package.json", f'{{"dependencies": {{"{name}": "{version}"}}}}')
    return scan(project)


ME = "plugin.controllers.user.me = async (ctx) => { ctx.body = await load(ctx); };"
WRAPPED = """
const original = plugin.controllers.auth;
plugin.controllers.auth = ({ strapi }) => {
  const auth = original({ strapi });
  return { ...auth, async callback(ctx, next) { await auth.callback(ctx, next); note(ctx); } };
};"""
CHANGED = """
const original = plugin.controllers.auth;
plugin.controllers.auth = (context) => {
  const instance = original(context);
  instance.register = checked(instance.register.bind(instance));
  instance.forgotPassword = async (ctx) => { ctx.body = {}; };
  return instance;
};"""
GUARDED = """
const routes = plugin.routes['content-api'].routes;
const route = routes.find((r) => r.handler === 'user.update') ??
  routes.find((r) => r.method === 'PUT' && r.path === '/users/:id');
if (route) { route.config = route.config ?? {}; route.config.policies.push('global::mine'); }"""

CLOSED = [
    pytest.param(ME, ["user.me"], id="an action of an object"),
    pytest.param(
        f"const me = plugin.controllers.user.me; {ME}", ["user.me"], id="the former action is kept"
    ),
    pytest.param(
        "const { user } = plugin.controllers; user.find = find; user.own = own;",
        ["user.find"],
        id="by a variable, beside a new action",
    ),
    pytest.param(
        "plugin.controllers.user = { ...plugin.controllers.user, count: count, own: own };",
        ["user.count"],
        id="an object with the former one",
    ),
    pytest.param(
        "Object.assign(plugin.controllers.user, { destroy() {} });", ["user.destroy"], id="assign"
    ),
    pytest.param(
        "plugin.controllers.role = makeRoles();",
        ["role.createRole", "role.deleteRole", "role.find", "role.findOne", "role.updateRole"],
        id="another controller",
    ),
    pytest.param("delete plugin.controllers.user.create;", ["user.create"], id="deleted"),
    pytest.param(WRAPPED, ["auth.callback"], id="a factory with the former controller"),
    pytest.param(CHANGED, ["auth.forgotPassword", "auth.register"], id="a changed controller"),
    pytest.param("plugin.controllers.auth.callback = own;", ["auth.callback"], id="of a factory"),
    pytest.param(GUARDED, ["user.update"], id="a policy for a route"),
    pytest.param(
        "const users = plugin.services.user;"
        "plugin.services.user = (context) => ({ ...users(context), edit: own });",
        [
            *("auth.changePassword", "auth.emailConfirmation", "auth.forgotPassword"),
            *("auth.register", "auth.resetPassword", "auth.sendEmailConfirmation", "user.update"),
        ],
        id="a method of a service",
    ),
    pytest.param(
        "plugin.routes['content-api'].routes.unshift("
        "{ method: 'GET', path: '/users/:name', handler: 'user.byName', config: { prefix: '' } });",
        ["user.count", "user.findOne", "user.me"],
        id="a route before others",
    ),
    pytest.param(
        "try { if (plugin.controllers.user) { extend(plugin); } } catch (error) { throw error; }",
        ["user.me"],
        id="in a function",
    ),
]
BEFORE = """
const original = require('./original');
const find = (ctx) => { ctx.body = []; };
function extend(plugin) { plugin.controllers.user.me = find; }
setInterval(() => { clean(); }, 1000);
"""


@pytest.mark.parametrize(("body", "actions"), CLOSED)
def test_only_changed_actions_are_closed(tmp_path: Path, body: str, actions: list[str]) -> None:
    found = extended(tmp_path, body, before=BEFORE)

    assert {f"{PREFIX}{action}": (FILE,) for action in actions} == found.closed


OPEN = [
    pytest.param("console.log(plugin); strapi.log.info('extended');", id="logs"),
    pytest.param(
        "plugin.controllers.user = plugin.controllers.user || {}; plugin.controllers.user.own = x;",
        id="a new action",
    ),
    pytest.param("plugin.controllers.other = { own };", id="a new controller"),
    pytest.param("plugin.policies.mine = (context) => false;", id="a new policy"),
    pytest.param(
        "plugin.contentTypes.user.schema.pluginOptions = { 'content-manager': {} };",
        id="options of the admin panel",
    ),
    pytest.param("plugin.services.user.own = () => 1;", id="a new method of a service"),
]


@pytest.mark.parametrize("body", OPEN)
def test_new_actions_and_logs_close_nothing(tmp_path: Path, body: str) -> None:
    assert extended(tmp_path, body).closed == {}


UNKNOWN = [
    ("plugin.routes = [];", "changes plugin.routes"),
    ("plugin.routes['content-api'].routes = [];", "replaces the routes of the plugin"),
    ("plugin.routes['content-api'].routes.forEach((r) => guard(r));", "calls a part of the plugin"),
    (
        "for (const r of plugin.routes['content-api'].routes) { r.config = {}; }",
        "is not understood",
    ),
    ("plugin.controllers[name] = own;", "computes the name of a part of the plugin"),
    (
        "['me'].forEach((name) => { plugin.controllers.user[name] = own; });",
        "changes the plugin in",
    ),
    (
        "['me'].forEach((n) => plugin.controllers.user.me = own);",
        "changes the plugin in a function",
    ),
    ("const all = plugin.controllers; guard(all);", "hands on a part of the plugin"),
    ("const box = { plugin }; box.plugin.routes = [];", "hands on a part of the plugin"),
    ("plugin.middlewares.rateLimit = own;", "changes plugin.middlewares.rateLimit"),
    (
        "plugin.contentTypes.user.schema.attributes.email.private = true;",
        "changes plugin.contentTypes.user.schema.attributes.email.private",
    ),
    ("plugin.config.jwt = {};", "changes plugin.config.jwt"),
    (
        "const a = plugin.controllers.auth(context); guard(a); plugin.controllers.auth = a;",
        "hands on a part of the plugin",
    ),
    ("later(() => { plugin.routes['content-api'].routes.splice(0); });", "hands on a part"),
    ("return { ...plugin, routes: [] };", "hands on a part of the plugin"),
    ("return own;", "does not return the plugin"),
    (
        "const patch = () => { all.user.me = own; }; const all = plugin.controllers; patch();",
        "changes the plugin in a function",
    ),
    (
        "const patch = (all = plugin.controllers) => { all.user.me = own; }; patch();",
        "hands on a part of the plugin",
    ),
    ("let a; a = plugin.controllers.auth; a.callback = own;", "hands on a part of the plugin"),
    ("replace(plugin.controllers.auth, 'callback');", "hands on a part of the plugin"),
    (
        "const { user } = plugin.controllers; if (x) { const user = 1; } user.me = own;",
        "declares user again",
    ),
]


@pytest.mark.parametrize(("body", "reason"), UNKNOWN)
def test_the_plugin_is_closed_if_more_may_be_changed(
    tmp_path: Path, body: str, reason: str
) -> None:
    found = extended(tmp_path, f"console.log('extended');\n{body}")

    (finding,) = found.findings
    assert {USER, OTHER} <= found.closed.keys()
    assert ARTICLE not in found.closed
    assert reason in finding.sentence
    assert finding.sentence.endswith("line 4")


def test_a_controller_is_closed_if_more_of_it_may_be_changed(tmp_path: Path) -> None:
    body = """const f = plugin.controllers.auth;
    plugin.controllers.auth = (c) => { const auth = f(c); guard(auth); return auth; };"""
    closed = extended(tmp_path, body).closed

    assert {f"{PREFIX}auth.callback", f"{PREFIX}auth.register"} <= closed.keys()
    assert OTHER not in closed


@pytest.mark.parametrize(
    "code",
    [
        "module.exports = makeExtension();",
        "module.exports = ({ controllers }) => controllers;",
        "require('./patch');\nmodule.exports = (plugin) => plugin;",
        "import './patch';\nexport default (plugin) => plugin;",
        "module.exports = (plugin) => extend(plugin);",
    ],
)
def test_an_extension_that_is_no_plain_function_closes_the_plugin(
    tmp_path: Path, code: str
) -> None:
    write_types(tmp_path)
    write(tmp_path, FILE, code)

    assert {USER, OTHER} <= scan(tmp_path).closed.keys()


@pytest.mark.parametrize(
    "body",
    [
        "const j = plugin.services.jwt; plugin.services.jwt = (c) => ({ ...j(c), verify: own });",
        "plugin.services.permission = own;",
    ],
)
def test_another_authentication_closes_all_types(tmp_path: Path, body: str) -> None:
    assert {USER, OTHER, ARTICLE} <= extended(tmp_path, body).closed.keys()


@pytest.mark.parametrize(
    ("version", "is_open"),
    [
        ("5.54.0", True),
        ("^5.23.1", True),
        ("5.22.0", False),
        ("4.25.1", False),
        (">=5.40.0 || 4", False),
        ("latest", False),
    ],
)
def test_members_of_a_factory_have_no_effect_in_later_versions(
    tmp_path: Path,
    version: str,
    is_open: bool,  # noqa: FBT001 - a parameter of the test
) -> None:
    body = "own(plugin.controllers.auth);" if is_open else ""
    body += "plugin.controllers.auth.callback = own; plugin.controllers.user.me = own;"
    found = extended(tmp_path, body, version=version)

    expected = {"user.me"} if is_open else {"user.me", "auth.callback"}
    assert {f"{PREFIX}{action}" for action in expected} == found.closed.keys()


@pytest.mark.parametrize("name", ["register", "bootstrap"])
def test_functions_for_the_start_may_change_the_plugin(tmp_path: Path, name: str) -> None:
    found = extended(
        tmp_path,
        f"plugin.{name} = ({{ strapi }}) => {{"
        " strapi.plugin('users-permissions').controllers.user.me = own; };",
    )

    assert found.closed == {f"{PREFIX}user.me": (FILE,)}


def test_new_routes_are_listed_and_close_nothing(tmp_path: Path) -> None:
    found = extended(
        tmp_path,
        "plugin.controllers.user.own = own;"
        "plugin.routes['content-api'].routes.push("
        "{ method: 'post', path: '/users/own', handler: 'user.own' });",
    )

    assert found.closed == {}
    assert [f"{FILE}: POST /users/own (user.own) is not served"] == [
        str(route) for route in found.unserved
    ]


def test_an_extension_can_be_ignored(tmp_path: Path) -> None:
    write(tmp_path, "quire.toml", f'[migration]\nignore = ["{FILE}"]\n')

    assert extended(tmp_path, ME).closed == {}
