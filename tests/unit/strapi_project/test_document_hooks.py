"""Document middlewares and lifecycles that may guard content, which is closed until then."""

from pathlib import Path

import pytest
from structlog.testing import capture_logs

from tests.databases.kind import Kind
from tests.extending.project import PAPERS, write_code
from tests.unit.admin_api.office import BOSS, office_project, run_office
from tests.unit.schema.trees import Json, type_file, write_tree
from tests.unit.strapi_project.code import core_files
from tests.unit.strapi_project.notes import (
    LABEL,
    NOTE,
    TYPES,
    core_files_of_note,
    customised,
    error,
    notes,
    project,
)
from tests.unit.strapi_project.site import ACTIONS, Site, serving

INDEX = "src/index.js"
LIFECYCLES = "src/api/label/content-types/label/lifecycles.js"
REQUESTS = {
    "find": ("GET", "{}"),
    "findOne": ("GET", "{}/unknown"),
    "create": ("POST", "{}"),
    "update": ("PUT", "{}/unknown"),
    "delete": ("DELETE", "{}/unknown"),
}
DATA = {"labels": {"name": "A"}, "notes": {"title": "A"}}
ALL = set(ACTIONS)
READS = {"find", "findOne"}
WRITES = {"create", "update", "delete"}
IS_LABEL = f"context.uid === '{LABEL}'"


def middleware(body: str, before: str = "") -> dict[str, str]:
    """Return a project with a document middleware; its body begins in line 3."""
    return {
        INDEX: f"{before}module.exports = {{ register() {{}}, bootstrap({{ strapi }}) {{\n"
        f"strapi.documents.use(async (context, next) => {{\n{body}\n}}); }} }};"
    }


async def closed_actions(site: Site, plural: str) -> set[str]:
    """Return the actions that are closed to a caller with all permissions."""
    closed: set[str] = set()
    for action, (method, path) in REQUESTS.items():
        body = {"data": DATA[plural]} if method in {"POST", "PUT"} else None
        response = await site.send(method, path.format(plural), body)
        if response.status == 403:
            closed.add(action)
    return closed


@pytest.mark.parametrize(
    ("body", "of_labels", "of_notes"),
    [
        ("throw new Error('No');", ALL, ALL),
        ("return context.action === 'findMany' ? [] : next();", {"find"}, {"find"}),
        (f"if ({IS_LABEL}) context.params.filters = {{ rank: 1 }};\nreturn next();", ALL, set()),
        (
            (
                f"if ({IS_LABEL} && context.action === 'findMany')\n"
                "  context.params = { ...context.params, filters: { rank: 1 } };\nreturn next();"
            ),
            {"find"},
            set(),
        ),
        (
            (
                f"if (context.uid !== '{LABEL}') return next();\n"
                "const entry = await next();\n"
                "if (['findOne'].includes(context.action)) delete entry.rank;\nreturn entry;"
            ),
            {"findOne"},
            set(),
        ),
        (
            (
                "const { uid, action } = context;\nconst entries = await next();\n"
                f"if (uid === '{LABEL}' && action === 'findMany') entries.forEach((entry) => {{"
                " entry.rank = null; });\nreturn entries;"
            ),
            {"find"},
            set(),
        ),
        (
            (
                f"switch (context.uid) {{ case '{LABEL}':\n"
                "if (context.action === 'delete') throw new Error('No'); break; }\nreturn next();"
            ),
            {"delete"},
            set(),
        ),
        (
            (
                f"if ({IS_LABEL} && context.action === 'create') context.params.data.rank = 0;\n"
                "return next();"
            ),
            {"create"},
            set(),
        ),
        (
            (
                f"if ({IS_LABEL} && context.action.startsWith('up'))\n"
                "  delete context.params.data.rank;\nreturn next();"
            ),
            {"update"},
            set(),
        ),
        ("return check(context, next);", ALL, ALL),
        *(
            (f"{code}.filters = {{ rank: 1 }};\nreturn next();", ALL, ALL)
            for code in (
                "const box = { params: context.params };\nbox.params",
                "const [params] = [context.params];\nparams",
                "const list = [];\nlist.push(context.params);\nlist[0]",
                "const get = () => context.params;\nget()",
            )
        ),
        ("await require('./unknown')(context);\nreturn next();", ALL, ALL),
    ],
)
async def test_a_document_middleware_that_may_guard_closes_what_it_guards(
    kind: Kind, tmp_path: Path, body: str, of_labels: set[str], of_notes: set[str]
) -> None:
    async with serving(kind, tmp_path, *TYPES, core_files_of_note(), middleware(body)) as site:
        assert await closed_actions(site, "labels") == of_labels
        assert await closed_actions(site, "notes") == of_notes


@pytest.mark.parametrize(
    "body",
    [
        "return next();",
        "const result = await next();\nstrapi.log.info(context.action);\nreturn result;",
        (
            f"if ({IS_LABEL} && ['create', 'update'].includes(context.action)) {{\n"
            "  const { data } = context.params;\n  if (!data.name) data.name = 'new';\n"
            "  data.rank = Number(data.rank) || 1;\n}\nreturn next();"
        ),
        (
            "const result = await next();\nif (context.action === 'create') {\n"
            "  try { await strapi.plugin('email').service('email').send({ to: 'a@example.org' });\n"
            "    if (!result) throw new Error('No'); } catch (error) { strapi.log.error(error); }\n"
            "}\nreturn result;"
        ),
        (
            "const result = await next();\n"
            "if (context.action === 'findOne' && result) result.readingTime = 3;\nreturn result;"
        ),
        f"if ({IS_LABEL}) {{ context.params.populate = {{ note: true }}; }}\nreturn next();",
        "if (context.uid === 'api::other.other') throw new Error('No');\nreturn next();",
        (
            "await strapi.documents('api::note.note').create({ data: { title: 'log' } });\n"
            "return await next();"
        ),
    ],
)
async def test_a_document_middleware_that_only_adds_something_closes_nothing(
    kind: Kind, tmp_path: Path, body: str
) -> None:
    async with serving(kind, tmp_path, *TYPES, core_files_of_note(), middleware(body)) as site:
        assert await closed_actions(site, "labels") == set()
        assert await closed_actions(site, "notes") == set()


@pytest.mark.parametrize(
    ("code", "closed"),
    [
        ("exports.afterCreate = unknown;", {"create"}),
        ("module.exports = { beforeCreate(event) { throw new Error('No'); } };", {"create"}),
        (
            ("const check = (data) => { if (!data.rank) throw new Error('No'); };\n"
            "module.exports = { async beforeUpdate({ params }) { check(params.data); } };"),
            {"update"},
        ),
        (
            ("module.exports = { async beforeDelete(event) {\n"
            "  const ctx = strapi.requestContext.get();\n"
            "  if (!ctx.state.user) return ctx.forbidden('No'); } };"),
            {"delete"},
        ),
        (
            ("module.exports = { beforeCreate(event) {\n"
            "  const user = strapi.requestContext.get()?.state?.user;\n"
            "  if (user) event.params.data.name = user.username; } };"),
            {"create"},
        ),
        ("module.exports = { beforeFindMany(event) { event.params.where.rank = 1; } };",
         {"find", "delete"}),
        (("module.exports = { afterFindMany(event) { event.result.forEach((entry) => {"
         " delete entry.rank; }); } };"), {"find", "delete"}),
        ("module.exports = { afterFindOne({ result }) { result.rank = null; } };",
         {"findOne", "create", "update", "delete"}),
        ("module.exports = makeLifecycles();", ALL),
        ("module.exports = { ...shared };", ALL),
        ("module.exports = { beforeCreate(event) { event.params.data.rank = next(event); } };",
         {"create"}),
    ],
)  # fmt: skip
async def test_lifecycles_that_may_guard_close_what_they_guard(
    kind: Kind, tmp_path: Path, code: str, closed: set[str]
) -> None:
    files = {**core_files_of_note(), LIFECYCLES: code}
    async with serving(kind, tmp_path, *TYPES, files) as site:
        assert await closed_actions(site, "labels") == closed
        assert await closed_actions(site, "notes") == set()


@pytest.mark.parametrize(
    "code",
    [
        "module.exports = {};",
        (
            "const slugify = require('slugify');\nmodule.exports = { beforeCreate(event) {\n"
            "  const { data } = event.params; data.name = slugify(data.name, { lower: true }); } };"
        ),
        (
            "module.exports = { async afterCreate({ result }) {\n"
            "  try { await fetch('http://localhost/', { body: JSON.stringify(result) }); }\n"
            "  catch (error) { console.error(error); } } };"
        ),
        (
            "module.exports = { async afterUpdate(event) {\n"
            "  await strapi.db.query('api::note.note').update({ where: { id: 1 }, data: {} }); } };"
        ),
        (
            "module.exports = { beforeCreate(event) { event.state.time = Date.now(); },\n"
            "  afterCreate(event) { console.log(event.state.time, event.result.id); } };"
        ),
        (
            "const refused = new Set(['api::other.other']);\n"
            "module.exports = { beforeCreate(event) {\n"
            "  if (refused.has(event.model.uid)) throw new Error('No'); } };"
        ),
        (
            "const strip = (value) => Array.isArray(value) ? value.map(strip) : value;\n"
            "module.exports = { async afterCreate({ result }) {\n"
            "  if (result) strapi.log.info(strip(result.name)); else\n"
            "  await strapi.plugins['email'].services.email.send({ to: 'a@example.org' }); } };"
        ),
        (
            "export default { async beforeCreate(event: Event) {\n"
            "  if (!event.params.data.rank) { event.params.data.rank = 1; } } };"
        ),
    ],
)
async def test_lifecycles_that_only_add_something_close_nothing(
    kind: Kind, tmp_path: Path, code: str
) -> None:
    files = {**core_files_of_note(), LIFECYCLES: code}
    async with serving(kind, tmp_path, *TYPES, files) as site:
        assert await closed_actions(site, "labels") == set()


@pytest.mark.parametrize(
    ("models", "of_labels", "of_notes"),
    [
        (f"models: ['{LABEL}'],", {"update"}, set()),
        ("", {"update"}, {"update"}),
        ("models: getModels(),", {"update"}, {"update"}),
        ("models: ['admin::user'],", set(), set()),
    ],
)
async def test_subscribers_close_the_types_that_they_name(
    kind: Kind, tmp_path: Path, models: str, of_labels: set[str], of_notes: set[str]
) -> None:
    subscriber = f"{{ {models} async beforeUpdate(event) {{ throw new Error('No'); }} }}"
    code = (
        "module.exports = { bootstrap({ strapi }) { strapi.db.lifecycles.subscribe(\n"
        f"{subscriber}); }} }};"
    )
    files = {**core_files_of_note(), INDEX: code}
    async with serving(kind, tmp_path, *TYPES, files) as site:
        assert await closed_actions(site, "labels") == of_labels
        assert await closed_actions(site, "notes") == of_notes


async def test_a_subscriber_on_users_closes_the_registration(kind: Kind, tmp_path: Path) -> None:
    code = (
        "module.exports = { bootstrap({ strapi }) { strapi.db.lifecycles.subscribe({\n"
        "  models: ['plugin::users-permissions.user'],\n"
        "  beforeCreate(event) { if (!event.params.data.email.endsWith('@example.com'))\n"
        "    throw new Error('No'); } }); } };"
    )
    async with notes(kind, tmp_path, {**project(), INDEX: code}) as site:
        form = {"username": "anna", "email": "anna@example.org", "password": "secret-1234"}
        assert (await site.send("POST", "auth/local/register", form)).status == 403
        assert (await site.get("notes")).status == 200


async def test_the_log_names_the_line_and_the_way_to_port_it(kind: Kind, tmp_path: Path) -> None:
    files = middleware(
        f"if ({IS_LABEL} && context.action === 'findOne')\n  throw new Error('No');\nreturn next();"
    )
    with capture_logs() as logs:
        async with serving(kind, tmp_path, *TYPES, core_files_of_note(), files) as site:
            response = await site.get("labels/unknown")
    assert error(response) == (403, "ForbiddenError", "Forbidden")
    [line] = [line for line in logs if line["event"] == "documents are closed"]
    assert (line["uid"], line["actions"]) == (LABEL, "find_one")
    assert line["reason"] == (
        f"the document middleware in {INDEX}:4 throws an error, and does not run. "
        f'Port it to @around or @rule with replaces="{INDEX}"'
    )


@pytest.mark.parametrize(
    "files",
    [
        {"quire.toml": f'[migration]\nignore = ["{INDEX}"]\n'},
        {
            "src/api/label/rules.py": "from quire import rule\n\n\n"
            f'@rule("{LABEL}", on=["find"], replaces="{INDEX}")\n'
            'def first_ranks(who):\n    return {"rank": {"$lt": 5}}\n'
        },
    ],
)
async def test_a_guard_that_is_ported_or_ignored_closes_nothing(
    kind: Kind, tmp_path: Path, files: dict[str, str]
) -> None:
    guard = middleware("context.params.filters = { rank: { $lt: 5 } };\nreturn next();")
    async with serving(kind, tmp_path, *TYPES, core_files_of_note(), {**guard, **files}) as site:
        await site.create("labels", name="A", rank=1)
        await site.create("labels", name="B", rank=9)
        names = [label["name"] for label in await site.data("labels")]
        assert names == (["A"] if "quire.toml" not in files else ["A", "B"])


@pytest.mark.parametrize("call", ["documents('{}').findMany()", "db.query('{}').findMany()"])
@pytest.mark.parametrize("action", ["findMany", "create"])
async def test_code_that_is_evaluated_cannot_read_what_is_closed(
    kind: Kind, tmp_path: Path, call: str, action: str
) -> None:
    read_labels = f"const found = await strapi.{call.format(LABEL)};"
    methods = f"async own(ctx) {{ {read_labels} ctx.body = {{ count: found.length }}; }}"
    guard = middleware(f"if (context.action === '{action}') throw new Error('No');\nreturn next();")
    async with notes(kind, tmp_path, {**project(methods), **guard}) as site:
        response = await site.send("POST", "own/1", {})
        assert response.status == (403 if action == "findMany" else 200), response.content


@pytest.mark.parametrize(
    "methods",
    [
        "async search(ctx) { return super.find(ctx); }",
        f"async search(ctx) {{ return strapi.documents('{NOTE}').findMany(); }}",
    ],
)
async def test_other_actions_that_read_are_closed_too(
    kind: Kind, tmp_path: Path, methods: str
) -> None:
    files = {
        **project(methods),
        "src/api/note/routes/00-own.js": "module.exports = { routes: [{ method: 'GET', "
        "path: '/search', handler: 'note.search', config: { auth: false } }] };",
    }
    async with notes(kind, tmp_path / "open", files) as site:
        assert (await site.get("search")).status == 200
    guard = middleware("if (context.action === 'findMany') return [];\nreturn next();")
    async with notes(kind, tmp_path / "closed", {**files, **guard}) as site:
        assert (await site.get("search")).status == 403


async def test_super_admins_are_refused_with_the_reason(tmp_path: Path, kind: Kind) -> None:
    async with office_project(tmp_path, kind) as folder:
        write_tree(
            folder,
            middleware("if (context.action === 'create') throw Error('No');\nreturn next();"),
        )
        async with run_office(folder) as office:
            boss = (await office.sign_in(BOSS["email"])).data["token"]
            body = {"title": "A"}
            refused = await office.ask("POST", PAPERS, body, token=boss)
            listed = await office.ask("GET", PAPERS, token=boss)
            assert (refused.status, listed.status) == (403, 200)
            reason = refused.json["error"]["details"]["reason"]
            assert f"in {INDEX}:3 throws an error" in reason
        write_code(
            folder,
            f"""
            @before_write(PAPER, on=["create"], replaces="{INDEX}")
            def allow(write):
                pass
            """,
        )
        async with run_office(folder) as office:
            boss = (await office.sign_in(BOSS["email"])).data["token"]
            assert (await office.ask("POST", PAPERS, body, token=boss)).status == 201


def test_a_guard_in_another_file_is_named_with_that_file(tmp_path: Path) -> None:
    files = {
        INDEX: "const guard = require('./guard');\n"
        "module.exports = { register({ strapi }) { strapi.documents.use(guard); } };",
        "src/guard.js": "module.exports = async (context, next) => {\n"
        "  if (context.action === 'delete') throw new Error('No');\n  return next();\n};",
    }
    [finding] = [one for one in customised(tmp_path, files).findings if one.effect == "closed"]
    assert (finding.file, finding.kind) == (INDEX, "document middleware")
    assert "throws an error (src/guard.js:2)" in finding.sentence
    assert set(finding.closes) == {
        f"{NOTE}.delete",
        f"{LABEL}.delete",
        "plugin::users-permissions.user.delete",
    }


REFUSING = "async () => { throw new Error('No'); }"
SUBSCRIBER = f"{{ models: ['{LABEL}'], beforeFindMany: {REFUSING} }}"
LIFECYCLE = f"{{ beforeFindMany: {REFUSING} }}"
LABEL_FOLDER = LIFECYCLES.removesuffix("lifecycles.js")


def bootstrap(body: str, before: str = "", parameter: str = "{ strapi }") -> dict[str, str]:
    return {INDEX: f"{before}\nmodule.exports = {{ bootstrap({parameter}) {{ {body} }} }};"}


def closed_for_label(folder: Path, files: dict[str, str]) -> set[str]:
    """Return the actions on labels that the hooks of a project close."""
    return {
        name.rpartition(".")[2]
        for finding in customised(folder, files).findings
        for name in finding.closes
        if finding.effect == "closed" and name.startswith(f"{LABEL}.")
    }


@pytest.mark.parametrize(
    "files",
    [
        bootstrap(
            f"const {{ db: {{ lifecycles }} }} = strapi; lifecycles.subscribe({SUBSCRIBER});"
        ),
        bootstrap(
            f"lifecycles.subscribe({SUBSCRIBER});",
            parameter="{ strapi: { db: { lifecycles } } }",
        ),
        bootstrap(f"let hooks; hooks = strapi.db.lifecycles; hooks.subscribe({SUBSCRIBER});"),
        bootstrap(f"strapi.get('db').lifecycles.subscribe({SUBSCRIBER});"),
        bootstrap(f"strapi.get('documents').use({REFUSING});"),
        bootstrap(f"docs.use({REFUSING});", parameter="{ strapi: { documents: docs } }"),
        bootstrap(
            "strapi.db.lifecycles.subscribe({ models: ['admin::user'], ...own, "
            f"beforeFindMany: {REFUSING} }});",
            before=f"const own = {{ models: ['{LABEL}'] }};",
        ),
        bootstrap(
            f"add({REFUSING}); [log].forEach((one) => console.log(one));",
            before="const log = (context, next) => next();\n"
            "const add = (one) => strapi.documents.use(one);",
        ),
        bootstrap(
            f"new Own().add({REFUSING}); for (const one of all) strapi.documents.use(one);",
            before="const all = [];\nclass Own { add(one) { all.push(one); } }",
        ),
        bootstrap(f"strapi.contentType('{LABEL}').lifecycles = {LIFECYCLE};"),
        bootstrap(f"strapi.contentTypes['{LABEL}'].lifecycles = {LIFECYCLE};"),
        bootstrap(f"strapi.contentType('{LABEL}').lifecycles.beforeFindMany = {REFUSING};"),
        bootstrap(f"const type = strapi.contentType('{LABEL}'); type.lifecycles = {LIFECYCLE};"),
        {
            **bootstrap("require('../lib/guards')(strapi);"),
            "lib/guards.js": f"module.exports = (app) => {{ app.documents.use({REFUSING}); }};",
        },
        {
            "config/plugins.js": "module.exports = { own: { resolve: './plugins/own' } };",
            "plugins/own/strapi-server.js": "module.exports = { register({ strapi }) {"
            f" strapi.documents.use({REFUSING}); }} }};",
        },
        {
            LIFECYCLES: "module.exports = { afterCreate() {} };\n"
            f"Object.assign(module.exports, {LIFECYCLE});"
        },
        {
            LIFECYCLES: "module.exports = { afterCreate() {} };\n"
            f"module.exports['before' + 'FindMany'] = {REFUSING};"
        },
        *(
            {
                LIFECYCLES: code,
                f"{LABEL_FOLDER}own.js": "module.exports = { afterCreate() {} };\n"
                f"module.exports.beforeFindMany = {REFUSING};",
            }
            for code in (
                "module.exports = require('./own');",
                "module.exports = { ...require('./own') };",
                "const own = require('./own');\nmodule.exports = { ...own };",
            )
        ),
    ],
)
def test_hooks_are_registered_in_many_ways(tmp_path: Path, files: dict[str, str]) -> None:
    assert "find" in closed_for_label(tmp_path, files)


@pytest.mark.parametrize(
    ("body", "before"),
    [
        ("let result = await next(); if (!context.caller) result = []; return result;", ""),
        (("let result = await next(); result = result && result.rank ? result : null;"
         " return result;"), ""),
        (("const entry = await next(); const shown = context.caller ? entry : null;"
         " return shown;"), ""),
        ("let result = await next(); result = strip(result); return result;",
         "const strip = (entry) => ({ id: entry.id });"),
        ("const params = of(context); params.filters = { rank: 1 }; return next();",
         "const of = (one) => one.params;"),
        ("of(context).filters = { rank: 1 }; return next();", "const of = (one) => one.params;"),
        ("const call = { context }; call.context.params.filters = {}; return next();", ""),
        ("const call = { ...context }; call.params.filters = {}; return next();", ""),
        (("const call = {}; call.params = context.params; call.params.filters = {};"
         " return next();"), ""),
        ("const [call] = [context]; call.params.filters = {}; return next();", ""),
        (("const result = await next(); [...result].forEach((entry) => { delete entry.rank; });"
         " return result;"), ""),
        (("const result = await next(); Array.from(result).forEach((entry) => {"
         " delete entry.rank; }); return result;"), ""),
        ("const result = await next(); strip([].concat(result)); return result;",
         "const strip = (entries) => { for (const entry of entries) delete entry.rank; };"),
        ((f"let {{ uid }} = context; if (context.caller) uid = '{LABEL}';"
         f" if (uid !== 'api::other.other') throw new Error('No'); return next();"), ""),
    ],
)  # fmt: skip
def test_middlewares_that_guard_by_other_names_close(
    tmp_path: Path, body: str, before: str
) -> None:
    assert "find" in closed_for_label(tmp_path, middleware(body, before))


@pytest.mark.parametrize(
    ("code", "action"),
    [
        ("module.exports = { beforeFindMany() { arguments[0].params.where = {}; } };", "find"),
        (("const acl = { has() { throw new Error('No'); } };\n"
         "module.exports = { beforeCreate(event) { acl.has(event); } };"), "create"),
        (("class Acl { verify() { throw new Error('No'); } }\nconst acl = new Acl();\n"
         "module.exports = { beforeCreate(event) { acl.verify(event); } };"), "create"),
        (("class Acl { static verify() { throw new Error('No'); } }\n"
         "module.exports = { beforeCreate(event) { Acl.verify(event); } };"), "create"),
        (("const ROLE = 'a';\nmodule.exports = { beforeCreate(event) {\n"
         "const ROLE = event.state.role; if (ROLE === 'b') throw new Error('No'); } };"), "create"),
        (("module.exports = { beforeCreate(event) { const uids = [];"
         f" uids.push('{LABEL}');\n"
         "if (uids.includes(event.model.uid)) throw new Error('No'); } };"),
         "create"),
        (("const strip = (name) => (entry) => { delete entry[name]; };\n"
         "module.exports = { afterFindMany(event) { event.result.forEach(strip('rank')); } };"),
         "find"),
        (("const own = { strip(entry) { delete entry.rank; } };\n"
         "module.exports = { afterFindMany(event) { event.result.forEach(own.strip); } };"),
         "find"),
        (("const { acl } = require('./acl');\n"
         "module.exports = { beforeCreate(event) { acl.check(event); } };"), "create"),
        ("module.exports = { beforeCreate(event) { require('./' + 'acl').check(event); } };",
         "create"),
        (("const { set: put } = require('lodash');\n"
         "module.exports = { beforeCreate(event) { put(event.params.data, 'rank', 1); } };"),
         "create"),
        (("module.exports = { beforeCreate(event) { let check = () => {};\n"
         "if (event.state.x) check = () => { throw new Error('No'); }; check(); } };"), "create"),
        (("module.exports = { afterFindMany({ result }) { const cut = result.splice;\n"
         "cut.call(result, 0, 1); } };"), "find"),
    ],
)  # fmt: skip
def test_lifecycles_that_guard_by_other_names_close(tmp_path: Path, code: str, action: str) -> None:
    acl = "exports.check = () => {};\nexports.acl = { check() { throw new Error('No'); } };"
    files = {LIFECYCLES: code, f"{LABEL_FOLDER}acl.js": acl}
    assert action in closed_for_label(tmp_path, files)


@pytest.mark.parametrize(
    "files",
    [
        middleware("let result = null; result = await next(); return result;"),
        {LIFECYCLES: "const slugify = require('slugify');\n"
         "module.exports = { beforeCreate({ params }) { let { name } = params.data;\n"
         "name = slugify(name); params.data.name = name; } };"},
        {LIFECYCLES: "const purge = async (ids) => {\n"
         "for (const id of ids) await fetch('http://localhost/' + id); };\n"
         "module.exports = { afterUpdate: (event) => purge([event.result.id]) };"},
        {LIFECYCLES: "const of = (event) => event.params.data;\n"
         "module.exports = { beforeCreate(event) { const data = of(event);\n"
         "if (!data.name) data.name = 'new'; } };"},
        {LIFECYCLES: "const shown = (entry) => ({ name: entry.name });\n"
         "module.exports = { async afterCreate({ result }) { const body = shown(result);\n"
         "body.time = 1; await fetch('http://localhost/', { body: JSON.stringify(body) }); } };"},
    ],
)  # fmt: skip
def test_hooks_that_only_add_something_under_other_names_close_nothing(
    tmp_path: Path, files: dict[str, str]
) -> None:
    assert closed_for_label(tmp_path, files) == set()


@pytest.mark.parametrize(
    ("code", "action"),
    [
        (("const demand = require('http-assert');\n"
         "module.exports = { beforeCreate(event) { demand(event.state.x, 403); } };"), "create"),
        (("const ensure = require('some-package');\n"
         "module.exports = { beforeCreate(event) { ensure(event.params.data); } };"), "create"),
        (("const jwt = require('jsonwebtoken');\n"
         "module.exports = { beforeUpdate(event) { jwt.verify(event.state.token, 'key'); } };"),
         "update"),
        (("const acl = require('./acl');\n"
         "module.exports = { beforeCreate(event) { acl.error(event); } };"), "create"),
        (("module.exports = { afterFindMany({ result }) {\n"
         "Array.from(result, (entry) => { delete entry.rank; }); } };"), "find"),
        (("const _ = require('lodash');\nmodule.exports = { beforeCreate({ params }) {\n"
         "_.each(params.data.note, (one) => { one.title = 'none'; }); } };"), "create"),
        (("module.exports = { beforeCreate(event) {"
         " strapi.config.get('guard').check(event); } };"), "create"),
        (("module.exports = { beforeCreate(event) {\n"
         "const guard = strapi.config.get('guard'); guard.check(event); } };"), "create"),
        (("module.exports = { async afterCreate({ result }) {\n"
         f"await strapi.entityService.delete('{LABEL}', result.id); }} }};"), "create"),
        (("module.exports = { beforeFindMany(event) {"
         " event.params.populate = []; } };"), "find"),
        (("module.exports = { beforeCreate({ params: { data } }) {\n"
         "if (data.name === 'chief') data.name = 'other'; } };"), "create"),
        (("module.exports = { beforeCreate({ params: { data } }) {\n"
         "if (data.rank) data.rank = 0; } };"), "create"),
        (("module.exports = { beforeCreate({ params: { data } }) {\n"
         "if (['chief'].includes(data.name)) { data.name = 'other'; } } };"), "create"),
        (("module.exports = { beforeCreate({ params: { data } }) {\n"
         "data.name = data.name === 'chief' ? 'other' : data.name; } };"), "create"),
    ],
)  # fmt: skip
def test_lifecycles_that_guard_by_packages_and_conditions_close(
    tmp_path: Path, code: str, action: str
) -> None:
    acl = "const error = () => { throw new Error('No'); };\nmodule.exports = { error };"
    files = {LIFECYCLES: code, f"{LABEL_FOLDER}acl.js": acl}
    assert action in closed_for_label(tmp_path, files)


@pytest.mark.parametrize(
    "statement",
    [
        "if (!data.name) data.name = 'new';",
        "if (!data.name || data.name === '') data.name = 'new';",
        "if (data.name === undefined) { data.name = 'new'; }",
        "if (typeof data.name === 'undefined') data.name = 'new';",
        "if (data.name == null) data.name = 'new';",
        "if (data.name) { console.log(data.name); } else { data.name = 'new'; }",
        "if (data.name) return;\ndata.name = 'new';",
        "if (!data.name && data.rank > 1) data.name = 'new';",
        "if (!data.name?.trim()) data.name = 'new';",
        "if (!data.name || data.name.length === 0) data.name = 'new';",
        "if (!('name' in data)) data.name = 'new';",
        "data.name || (data.name = 'new');",
        "data.name = data.name ? data.name : 'new';",
        "data.name = data.name ?? 'new';",
        "data.name = data.rank > 1 ? 'high' : `low ${data.rank}`;",
        "if (_.isEmpty(data.name)) data.name = 'new';",
        "const { name } = data;\nif (!name) data.name = 'new';",
        "if (strapi.config.get('names').includes(data.name)) console.log(data.name);",
    ],
)
def test_defaults_close_nothing(tmp_path: Path, statement: str) -> None:
    code = (
        "const _ = require('lodash');\n"
        f"module.exports = {{ beforeCreate({{ params: {{ data }} }}) {{\n{statement} }} }};"
    )
    assert closed_for_label(tmp_path, {LIFECYCLES: code}) == set()


async def test_a_guard_of_all_types_has_one_line_in_the_log(kind: Kind, tmp_path: Path) -> None:
    files = middleware("throw new Error('No');")
    with capture_logs() as logs:
        async with serving(kind, tmp_path, *TYPES, core_files_of_note(), files) as site:
            assert (await site.get("labels")).status == 403
    [line] = [line for line in logs if line["event"] == "documents are closed"]
    assert {NOTE, LABEL} < {*line["uid"].split(", ")}
    assert "find" in line["actions"].split(", ")


_QUERIES_OF_ACTIONS = {
    "plain": """
        Count: find count
        Create: create update clone
        Delete: delete
        FindMany: find create delete clone
        FindOne: findOne create update delete clone
        Update: update
    """,
    "drafts": """
        Count: find count publish discardDraft clone
        Create: create publish discardDraft clone
        Delete: delete publish unpublish discardDraft
        FindMany: find delete publish unpublish discardDraft clone
        FindOne: findOne create update delete publish unpublish discardDraft clone
        Update: update
    """,
    "single": """
        Count: count
        Create: create update clone
        Delete: delete
        FindMany: find delete clone
        FindOne: find findOne create update delete clone
        Update: update
    """,
    "start": """
        Count: count
        Create: create update publish discardDraft clone
        Delete: delete publish unpublish discardDraft
        FindMany: find create update delete publish unpublish discardDraft clone
        FindOne: find findOne create update delete publish unpublish discardDraft clone
        Update: update
    """,
}
"""The actions whose queries of their own type Strapi 5.54 reported to a subscriber.

``plain`` and ``start`` are localized, ``drafts`` has a ``uid``; ``single`` and ``start`` are single
types; an update of these is a PUT also while they have no document.
"""
_COUNTED = {"create", "update", "clone", "publish", "discardDraft"}
"""Actions that count entries if values must be unique."""


@pytest.mark.parametrize("phase", ["before", "after"])
@pytest.mark.parametrize(
    "query", ["Count", "Create", "Delete", "FindMany", "FindOne", "Update", "CreateMany"]
)
def test_lifecycles_close_the_actions_that_run_them(tmp_path: Path, phase: str, query: str) -> None:
    i18n: Json = {"i18n": {"localized": True}}
    options: Json = {"draftAndPublish": True}
    types = (
        type_file("plain", pluginOptions=i18n),
        type_file("drafts", {"slug": {"type": "uid"}}, plural="drafted", options=options),
        type_file("single", kind="singleType"),
        type_file("start", kind="singleType", pluginOptions=i18n, options=options),
    )
    write_tree(tmp_path, *types)
    hook = f"{{ {phase}{query}: {REFUSING} }}"
    files = bootstrap(f"strapi.db.lifecycles.subscribe({hook});")
    names = {name for one in customised(tmp_path, files).findings for name in one.closes}
    for name, table in _QUERIES_OF_ACTIONS.items():
        lines = dict(line.split(": ") for line in table.strip().split("\n"))
        queries = {key.strip(): set(actions.split()) for key, actions in lines.items()}
        run = queries.get(query, set())
        start = f"api::{name}.{name}."
        closed = {one.removeprefix(start) for one in names if one.startswith(start)}
        assert run <= closed, name
        if query != "Count":
            # A list also finds the entries that an update in another locale synchronizes.
            assert closed - run <= ({"update"} if query == "FindMany" else set()), name
        else:
            assert closed - run <= _COUNTED | {"find"}, name


async def test_a_guard_of_creations_closes_the_put_of_a_single_type(
    kind: Kind, tmp_path: Path
) -> None:
    body = "if (context.action === 'create') throw new Error('No');\nreturn next();"
    setting = type_file("setting", {"name": {"type": "string"}}, kind="singleType")
    files = (setting, core_files("setting"), middleware(body))
    public = ["api::setting.setting.update"]
    async with serving(kind, tmp_path, *files, public=public) as site:
        response = await site.send("PUT", "setting", {"data": {"name": "A"}})
        assert response.status == 403


FILTERED = "filters = { rank: 1 }; return next();"
CHECKING_SERVICE = {
    "src/api/label/services/label.js": "const { createCoreService } = "
    f"require('@strapi/strapi').factories;\nmodule.exports = createCoreService('{LABEL}', () => "
    "({ check(event) { if (event.state) throw new Error('No'); }, note() {} }));"
}


@pytest.mark.parametrize(
    ("body", "before"),
    [
        (f"const kept = new Map(); kept.set(1, context); kept.get(1).params.{FILTERED}", ""),
        (f"const kept = new Map([[1, context]]); kept.get(1).params.{FILTERED}", ""),
        (f"const kept = new WeakMap(); kept.set(kept, context.params); kept.get(kept).{FILTERED}",
         ""),
        (f"for (const one of new Set([context])) one.params.{FILTERED}", ""),
        (f"const kept = {{ a: {{ b: context }} }}; kept.a.b.params.{FILTERED}", ""),
        (f"const {{ a = context }} = {{}}; a.params.{FILTERED}", ""),
        (f"const kept = Object.fromEntries([[1, context]]); kept[1].params.{FILTERED}", ""),
        (f"const kept = Object.assign({{}}, {{ context }}); kept.context.params.{FILTERED}", ""),
        (f"const call = Object.assign({{}}, context); call.params.{FILTERED}", ""),
        (f"const kept = {{}}; Object.assign(kept, context); kept.params.{FILTERED}", ""),
        (f"context.state = context.params; context.state.{FILTERED}", ""),
        (f"kept.context = context; kept.context.params.{FILTERED}", "const kept = {};\n"),
        ("store.enterWith(context); refuse(); return next();", "const store = new Store();\n"),
    ],
)  # fmt: skip
def test_middlewares_that_keep_the_context_close(tmp_path: Path, body: str, before: str) -> None:
    assert "find" in closed_for_label(tmp_path, middleware(body, before))


@pytest.mark.parametrize(
    ("hook", "action"),
    [
        ((f"afterFindMany({{ result }}) {{ result.map((one) => one.documentId).forEach((documentId)"
          f" => strapi.documents('{LABEL}').delete({{ documentId }})); }}"), "find"),
        ("afterCreate({ result }) { strapi.db.query(uidOf(result)).delete({}); }", "create"),
        ((f"afterCreate({{ result }}) {{ return strapi.db.query('{LABEL}').update({{"
          " where: { id: result.id }, data: { publishedAt: null } }); }"), "create"),
        ((f"afterUpdate({{ result }}) {{ const data = {{ rank: 0 }};\nreturn strapi.documents("
          f"'{LABEL}').update({{ documentId: result.documentId, data }}); }}"), "update"),
        ((f"afterUpdate({{ result }}) {{ return strapi.entityService.update('{LABEL}', result.id,"
          " { data: { rank: 0 } }); }"), "update"),
        ("afterCreate() { return strapi.db.connection.raw('delete from labels'); }", "create"),
        ("afterCreate({ result }) { return strapi.db.connection('labels').where(result).del(); }",
         "create"),
        ("afterCreate() { return strapi.db.getConnection('labels').truncate(); }", "create"),
        ((f"afterCreate({{ result }}) {{ const labels = strapi.documents('{LABEL}');\n"
         "return labels.delete({ documentId: result.documentId }); }"), "create"),
        (f"afterCreate() {{ const {{ entityService: all }} = strapi; all.delete('{LABEL}', 1); }}",
         "create"),
        (("async afterCreate() { const { connection: sql } = strapi.db;\n"
         "try { await sql('labels').del(); } catch (error) { console.log(error); } }"), "create"),
        (f"beforeCreate(event) {{ const own = strapi.service('{LABEL}'); own.check(event); }}",
         "create"),
        (("beforeCreate(event) { const { service: of } = strapi;\n"
         f"of('{LABEL}').check(event); }}"), "create"),
        ("beforeCreate(event) { labels().check(event); }", "create"),
        ("beforeCreate(event) { acl.error(event); }", "create"),
        ("beforeCreate() { const ctx = strapi.requestContext.get(); ctx.status = 403; }", "create"),
        ("beforeCreate() { strapi.requestContext.get().response.body = {}; }", "create"),
        ("beforeCreate() { const { state } = strapi.requestContext.get(); state.closed = true; }",
         "create"),
        ("afterFindMany() { const ctx = strapi.requestContext.get(); ctx.send([]); }", "find"),
    ],
)  # fmt: skip
def test_lifecycles_that_undo_or_refuse_otherwise_close(
    tmp_path: Path, hook: str, action: str
) -> None:
    acl = "class Acl { error() { throw 1; } }\nconst acl = new Acl();"
    service = f"const labels = () => strapi.service('{LABEL}');"
    code = f"{acl}\n{service}\nmodule.exports = {{\n{hook} }};"
    assert action in closed_for_label(tmp_path, {LIFECYCLES: code, **CHECKING_SERVICE})


@pytest.mark.parametrize(
    "hook",
    [
        ("beforeUpdate({ params }) { ids.set(params.where.id, params.data.name); },\n"
         "afterUpdate(event) { ids.delete(event.params.where.id); }"),
        (f"afterCreate({{ result }}) {{ return strapi.db.query('{LABEL}').update({{"
         " where: { id: result.id }, data: { name: `A-${result.id}` } }); }"),
        (f"afterCreate({{ result }}) {{ if (!result.rank) return strapi.documents('{LABEL}')"
         ".update({ documentId: result.documentId, data: { rank: 1 } }); }"),
        f"afterDelete() {{ return strapi.db.query('{LABEL}').deleteMany({{ where: {{}} }}); }}",
        f"afterCreate() {{ return strapi.db.query('{NOTE}').delete({{ where: {{ id: 1 }} }}); }}",
        "afterCreate({ result }) { strapi.eventHub.emit('label', { result }); }",
        ("beforeCreate(event) { const ctx = strapi.requestContext.get();\n"
         "strapi.log.info(ctx?.request.url, ctx?.get('x-id')); }"),
        "afterCreate(event) { logger.error(event); }",
        f"beforeCreate() {{ const own = strapi.service('{LABEL}'); own.note(); }}",
        (f"async afterCreate() {{ const notes = strapi.documents('{NOTE}');\n"
        "const found = await notes.findMany({}); found.map((one) => one.title).join(); }"),
        (f"afterCreate() {{ const own = strapi.service('{LABEL}');\n"
         "const text = own.note(); text.trim().split(','); }"),
        "afterCreate(event) { const app = strapi; app.log?.info?.(event.result.name); }",
        ("beforeCreate({ params }) { const names = ['a'];\n"
         "params.data.name = params.data.name.replace(/x/g, (part) =>"
         " names.includes(part) ? part : ''); }"),
        ("beforeUpdate({ params }) { const set = Object.fromEntries(Object.entries(params.data)"
         ".filter(([, value]) => value !== null)); strapi.log.info(set); }"),
        "beforeUpdate({ params }) { params.data = { ...params.data, name: slug(params.data) }; }",
    ],
)  # fmt: skip
def test_lifecycles_that_keep_no_guard_close_nothing(tmp_path: Path, hook: str) -> None:
    code = (
        "const logger = require('pino')();\nconst ids = new Map();\n"
        f"const slug = (data) => `${{data.name}}-1`;\nmodule.exports = {{\n{hook} }};"
    )
    assert closed_for_label(tmp_path, {LIFECYCLES: code, **CHECKING_SERVICE}) == set()


LARGE = f"// {'x' * 300_000}\n"


@pytest.mark.parametrize(
    "files",
    [
        bootstrap("strapi.documents = wrap(strapi.documents);"),
        bootstrap("strapi.db.query = wrap(strapi.db.query);"),
        bootstrap("strapi['entityService'].findMany = () => [];"),
        bootstrap("Object.defineProperty(strapi, 'documents', { value: wrap });"),
        bootstrap("Object.assign(strapi.db, { query: wrap });"),
        bootstrap("strapi.sanitizers.add('content-api.output', () => ({}));"),
        bootstrap("strapi.sanitizers.get('content-api.input').push(strip);"),
        bootstrap("const { validators } = strapi; strapi.validators.add('x', refuse);"),
        {INDEX: f"{LARGE}module.exports = {{ bootstrap({{ strapi }}) {{ guard(strapi); }} }};"},
        {LIFECYCLES: f"{LARGE}module.exports = {LIFECYCLE};"},
    ],
)
def test_code_that_replaces_services_or_is_too_large_closes(
    tmp_path: Path, files: dict[str, str]
) -> None:
    assert "find" in closed_for_label(tmp_path, files)


@pytest.mark.parametrize(
    "files",
    [
        bootstrap(
            f"strapi.db.lifecycles.subscribe({{ models: ['{NOTE}'], ...own }});",
            before=f"const own = {LIFECYCLE};",
        ),
        bootstrap(
            "[log, require('./log')].forEach((one) => { strapi.documents.use(one()); });",
            before="const log = () => (context, next) => next();",
        ),
        bootstrap(
            "const all = [log];\nfor (const one of all) strapi.documents.use(one);",
            before="const log = (context, next) => next();",
        ),
        bootstrap("strapi.helpers = {}; store.documents = []; this.db = wrap;"),
    ],
)
def test_known_registrations_close_nothing_else(tmp_path: Path, files: dict[str, str]) -> None:
    log = {"src/log.js": "module.exports = () => async (context, next) => next();"}
    assert closed_for_label(tmp_path, {**log, **files}) == set()
