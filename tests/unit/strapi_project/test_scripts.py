"""Code evaluated for each request: callers, reads, writes, errors, and near misses."""

from base64 import urlsafe_b64decode
from pathlib import Path
from uuid import UUID

import pytest

from tests.databases.kind import Kind
from tests.unit.strapi_project.notes import (
    LABEL,
    NOTE,
    customised,
    error,
    notes,
    project,
    read,
    register,
)

CREATE = (
    f"async create(ctx) {{ const data = await strapi.documents('{NOTE}').create({{ data: {{ "
    "...ctx.request.body.data, owner: ctx.state.user.id }, status: 'published' });"
    "ctx.status = 201; return { data }; },"
)
OWN_ROWS = (
    f"{CREATE}"
    "async find(ctx) { const { user } = ctx.state; if (!user) return ctx.unauthorized('Sign in');"
    "ctx.query = { ...ctx.query, filters: { inner: undefined, title: { $eq: user.username } } };"
    "delete ctx.query.filters.inner; const { data, meta } = await super.find(ctx);"
    "return { data, meta: { ...meta, who: user.username } }; }"
)
IS_OWNER = (
    "module.exports = async (ctx, config, { strapi }) => { const { user } = ctx.state;"
    f"const note = await strapi.documents('{NOTE}').findOne({{ "
    "documentId: ctx.params.documentId, populate: { owner: true } });"
    "if (!user || !note) return false; return note.owner?.id === user.id; };"
)
STAMP = (
    "module.exports = (config, { strapi }) => async (ctx, next) => {"
    "if (ctx.query.stop) return ctx.badRequest('stopped', { by: config.by });"
    "await next(); ctx.body.stamp = `${config.by} ${ctx.status}`; };"
)
POLICY = "policies: ['global::mine']"


async def test_everybody_reads_and_writes_rows_of_their_own(kind: Kind, tmp_path: Path) -> None:
    async with notes(kind, tmp_path, project(OWN_ROWS)) as site:
        (ada, _), (bob, bob_id) = await register(site, "ada"), await register(site, "bob")
        forced = {"data": {"title": "ada", "owner": bob_id}}
        made = await site.send("POST", "notes", forced, ada)
        nobody = await site.send("POST", "notes", forced)
        of_ada = await site.get("notes?filters[title]=bob", {"Authorization": f"Bearer {ada}"})
        of_bob = await site.get("notes", {"Authorization": f"Bearer {bob}"})
        refused = await site.get("notes")

    assert made.status == 201
    assert error(nobody) == (500, "InternalServerError", "Internal Server Error")
    assert [one["title"] for one in read(of_ada)["data"]] == ["ada"]
    assert read(of_ada)["meta"]["who"] == "ada"
    assert read(of_bob)["data"] == []
    assert error(refused) == (401, "UnauthorizedError", "Sign in")


@pytest.mark.parametrize(
    ("management", "payload"),
    [
        ("legacy-support", "strapi.plugin('users-permissions').service('jwt').verify(token)"),
        ("refresh", "strapi.plugins['users-permissions'].services.jwt.verify(token)"),
        ("refresh", "jwt.verify(token)"),
    ],
)
async def test_a_route_without_authentication_verifies_tokens_by_itself(
    kind: Kind, tmp_path: Path, management: str, payload: str
) -> None:
    plugins = f"{{ 'users-permissions': {{ config: {{ jwtManagement: '{management}' }} }} }}"
    who = (
        "async who(ctx) { try {"
        "const token = ctx.request.headers['authorization']?.slice(7) ?? ctx.query.token;"
        "const jwt = strapi.plugin('users-permissions').service('jwt');"
        f"const payload = await {payload};"
        "return { id: payload.id }; } catch (error) { return ctx.unauthorized(error.message); } }"
    )
    routes = (
        "module.exports = { routes: [{ method: 'GET', path: '/who', handler: 'note.who', "
        "config: { auth: false } }] };"
    )
    files = {
        **project(who),
        "src/api/note/routes/00-who.js": routes,
        "config/plugins.js": f"module.exports = {plugins};",
    }
    async with notes(kind, tmp_path, files) as site:
        ada, ada_id = await register(site, "ada")
        found = await site.get("who", {"Authorization": f"Bearer {ada}"})
        in_query = await site.get(f"who?token={ada}")
        refused = [
            await site.get("who", {"Authorization": f"Bearer {token}"})
            for token in ("nobody", ada[:-2], f"{ada}x")
        ]
        refused.append(await site.get("who"))

    assert read(found) == read(in_query) == {"id": ada_id}
    assert {error(one) for one in refused} == {(401, "UnauthorizedError", "Invalid token.")}


async def test_rows_have_the_ids_that_code_selects(kind: Kind, tmp_path: Path) -> None:
    own = (
        f"async own(ctx) {{ const notes = strapi.db.query('{NOTE}');"
        "const all = { owner: { select: ['id'] } };"
        "const one = await notes.findOne({ select: ['title'] });"
        "const many = await notes.findMany({ select: ['id', 'title'], limit: 1 });"
        "const mine = await notes.findOne({ select: ['title'], "
        "populate: { owner: { select: ['username'] } } });"
        "const other = await notes.findOne({ select: ['documentId'], populate: all });"
        "return { one, many, mine, other, id: one.id ?? null }; },"
    )
    async with notes(kind, tmp_path, project(f"{own} {CREATE}")) as site:
        ada, ada_id = await register(site, "ada")
        made = read(await site.send("POST", "notes", {"data": {"title": "A"}}, ada))["data"]
        found = read(await site.send("POST", "own/x", {}, ada))

    row = found["many"][0]["id"]
    assert found["one"] == {"title": "A"}
    assert found["many"] == [{"id": row, "title": "A"}]
    assert found["mine"] == {"id": row, "title": "A", "owner": {"username": "ada"}}
    other = {"id": row, "documentId": made["documentId"], "owner": {"id": ada_id}}
    assert found["other"] == other
    assert found["id"] is None


async def test_a_policy_looks_for_the_owner(kind: Kind, tmp_path: Path) -> None:
    own = f"{CREATE} async own(ctx) {{ return {{ done: true }}; }}"
    files = project(own, guards=POLICY, policies_mine=IS_OWNER)
    async with notes(kind, tmp_path, files) as site:
        (ada, _), (bob, _) = await register(site, "ada"), await register(site, "bob")
        note = read(await site.send("POST", "notes", {"data": {"title": "A"}}, ada))["data"]
        target = f"own/{note['documentId']}"
        responses = [await site.send("POST", target, {}, who) for who in (ada, bob, None)]
        missing = await site.send("POST", "own/none", {}, ada)

    assert [one.status for one in responses] == [200, 403, 403]
    assert read(responses[0]) == {"done": True}
    assert error(responses[1]) == error(missing) == (403, "PolicyError", "Policy Failed")


@pytest.mark.parametrize(
    ("decision", "status"),
    [
        ("true", 200),
        ("undefined", 200),
        ("null", 403),
        ("1", 403),
        ("'true'", 403),
        ("{ allowed: ctx.state.user }", 403),
        ("ctx.state.user", 200),
        ("ctx.unauthorized('x')", 500),
        ("ctx.state.user.id > 0", 500),
    ],
)
@pytest.mark.whatever_the_database("nothing is read")
async def test_only_true_and_undefined_let_a_visitor_pass(
    kind: Kind, tmp_path: Path, decision: str, status: int
) -> None:
    policy = f"module.exports = (ctx) => {{ const seen = ctx.params.x; return {decision}; }};"
    files = project("async own(ctx) { return 1; }", guards=POLICY, policies_mine=policy)
    async with notes(kind, tmp_path, files) as site:
        assert (await site.send("POST", "own/x", {})).status == status


@pytest.mark.whatever_the_database("nothing is read")
async def test_a_middleware_stands_before_and_after_the_action(kind: Kind, tmp_path: Path) -> None:
    guards = "middlewares: [{ name: 'global::stamp', config: { by: 'me' } }]"
    own = "async own(ctx) { ctx.status = 202; return { a: 1 }; }"
    files = project(own, guards=guards, middlewares_stamp=STAMP)
    async with notes(kind, tmp_path, files) as site:
        passed = await site.send("POST", "own/x", {})
        stopped = await site.send("POST", "own/x?stop=1", {})

    assert (passed.status, read(passed)) == (202, {"a": 1, "stamp": "me 202"})
    assert error(stopped) == (400, "BadRequestError", "stopped")
    assert read(stopped)["error"]["details"] == {"by": "me"}


async def test_code_reads_and_writes_as_the_server(kind: Kind, tmp_path: Path) -> None:
    service = (
        "async titles(filters = {}) { const all = await strapi.documents("
        f"'{NOTE}').findMany({{ filters, sort: 'title:desc', populate: {{}} }});"
        "let text = ''; for (const { title } of all) { text += `${title},`; } return text; },"
        "async page() { const { pagination } = await super.find({}); return pagination.total; }"
    )
    own = (
        f"async own(ctx) {{ const uid = '{NOTE}'; const notes = strapi.service('{NOTE}');"
        "const { title = 'none', tags = [] } = ctx.request.body;"
        "const made = await strapi.documents(uid).create({ data: { title, likes: 1, other: 2 } });"
        "const changed = await strapi.documents(uid).update({ documentId: made.documentId,"
        " data: { likes: made.likes + 1 }, status: 'published' });"
        "const [drafts, first, gone] = await Promise.all([strapi.documents(uid).count({}),"
        " strapi.db.query(uid).findOne({ where: { title, publishedAt: { $notNull: true } } }),"
        " strapi.entityService.findMany(uid, { filters: { inner: null, likes: { $gt: 5 } } })]);"
        "return { likes: changed.likes, drafts, inner: first.inner, gone,"
        " titles: await notes.titles(), pages: await notes.page() }; }"
    )
    async with notes(kind, tmp_path, project(own, service=service)) as site:
        first = await site.send("POST", "own/x", {"title": "One"})
        second = await site.send("POST", "own/x", {})

    shared: dict[str, object] = {"likes": 2, "inner": None, "gone": []}
    assert read(first) == {**shared, "drafts": 1, "titles": "One,", "pages": 1}
    assert read(second) == {**shared, "drafts": 2, "titles": "none,One,", "pages": 2}


async def test_what_was_read_is_sanitized_as_the_caller_may_see_it(
    kind: Kind, tmp_path: Path
) -> None:
    own = (
        f"async own(ctx) {{ const all = await strapi.documents('{NOTE}').findMany({{ "
        "populate: ['owner'] }); const clean = await this.sanitizeOutput(all, ctx);"
        "return this.transformResponse(clean, { raw: Object.keys(all[0]).includes('owner') }); },"
        f"{CREATE}"
        f"async find(ctx) {{ return strapi.documents('{NOTE}').findMany({{ "
        "populate: ['owner'] }); }"
    )
    async with notes(kind, tmp_path, project(own)) as site:
        ada, _ = await register(site, "ada")
        await site.send("POST", "notes", {"data": {"title": "A", "inner": "x"}}, ada)
        found = read(await site.send("POST", "own/x", {}, ada))
        with_password = await site.get("notes")

    assert found["meta"] == {"raw": True}
    assert not {"owner", "inner"} & found["data"][0].keys()
    assert with_password.status == 500


FAILURES = [
    ("ctx.badRequest('first'); return { second: 2 };", (400, "BadRequestError", "first")),
    ("return ctx.throw(409, 'taken');", (409, "ConflictError", "taken")),
    ("return ctx.throw(500, 'hidden');", (500, "InternalServerError", "Internal Server Error")),
    ("throw new Error('hidden');", (500, "InternalServerError", "Internal Server Error")),
    ("throw new errors.ApplicationError('told');", (400, "ApplicationError", "told")),
    ("throw new errors.ForbiddenError('hidden');", (403, "ForbiddenError", "Forbidden")),
    ("throw new errors.NotFoundError();", (404, "NotFoundError", "Entity not found")),
    ("return null;", (404, "NotFoundError", "Not Found")),
    (
        "const e = new Error('gone'); e.status = 410; e.code = 'G'; throw e;",
        (410, "Error", "gone"),
    ),
    (
        "throw Object.assign(new Error('x'), { statusCode: 409, name: 'Taken', message: 'told' });",
        (409, "Taken", "told"),
    ),
    (
        "const e = new Error('hidden'); e.status = 503; throw e;",
        (503, "ServiceUnavailableError", "Service Unavailable"),
    ),
    (
        "const e = new Error('hidden'); e.status = 'x'; throw e;",
        (500, "InternalServerError", "Internal Server Error"),
    ),
    (
        "const e = new errors.ApplicationError('told'); e.status = 404; throw e;",
        (400, "ApplicationError", "told"),
    ),
    (
        (
            "try { const e = new Error('x'); e.status = 404; throw e; }"
            " catch (e) { return ctx.conflict(`${e.status} ${e.code}`); }"
        ),
        (409, "ConflictError", "404 undefined"),
    ),
    (
        "try { null.a; } catch (e) { return ctx.conflict(e.name); }",
        (409, "ConflictError", "TypeError"),
    ),
    ("while (true) { ctx.params.n = 1; }", (500, "InternalServerError", "Internal Server Error")),
]


@pytest.mark.parametrize(("body", "expected"), FAILURES)
@pytest.mark.whatever_the_database("nothing is read")
async def test_errors_are_those_of_the_reference(
    kind: Kind, tmp_path: Path, body: str, expected: tuple[int, str, str]
) -> None:
    before = "const { errors } = require('@strapi/utils');"
    async with notes(
        kind, tmp_path, project(f"async own(ctx) {{ {body} }}", before=before)
    ) as site:
        assert error(await site.send("POST", "own/x", {})) == expected


RULES = (
    "const LIMIT = 3; module.exports = { most: LIMIT, async check(data) {"
    " const rules = [{ name: 'long', run: this.isShort }, { name: 'loud', run: this.isQuiet }];"
    " const broken = []; for (const rule of rules) {"
    "  if (!(await rule.run(data))) broken.push(rule.name); } return broken; },"
    " async isShort(data) { return data.title.length <= LIMIT; },"
    " isQuiet: (data) => data.title === data.title.toLowerCase(), fetched() { FETCHED } };"
)


@pytest.mark.whatever_the_database("nothing is read")
async def test_code_calls_methods_of_an_object_of_another_file(kind: Kind, tmp_path: Path) -> None:
    before = "const rules = require('../../../rules');"
    body = (
        "async own(ctx) { const broken = await rules.check(ctx.request.body);"
        " return { broken, most: rules.most, none: ctx.request.body.run ? rules.check(1) : 0 }; }"
    )
    files = project(body, before=before, rules=RULES.replace("FETCHED", "return fetch('x');"))
    async with notes(kind, tmp_path, files) as site:
        responses = [
            read(await site.send("POST", "own/x", {"title": title})) for title in ("ab", "ABCD")
        ]
        not_a_function = await site.send("POST", "own/x", {"title": "a", "run": 1})

    assert responses[0] == {"broken": [], "most": 3, "none": 0}
    assert responses[1]["broken"] == ["long", "loud"]
    assert not_a_function.status == 500


@pytest.mark.parametrize(
    "body",
    [
        "return rules.fetched();",
        "return rules.check.call(ctx);",
        "rules.most = 4; return 1;",
        "return rules.gone();",
        "return ctx.request.body.unknown();",
    ],
)
def test_an_object_of_another_file_does_nothing_else(tmp_path: Path, body: str) -> None:
    files = project(
        f"async own(ctx) {{ {body} }}",
        before="const rules = require('../../../rules');",
        rules=RULES.replace("FETCHED", "return fetch('x');"),
    )

    assert [one.path for one in customised(tmp_path, files).unserved] == ["/own/:documentId"]


NEAR_MISSES = {
    "a package": "await axios.get('x'); return 1;",
    "the network": "await fetch('http://x'); return 1;",
    "the environment": "return process.env.SECRET;",
    "the whole environment": "const { env } = process; return Object.keys(env);",
    "the environment by a name": "return process.env[ctx.query.name];",
    "more of the process": "return process.cwd();",
    "a mail": "await strapi.plugin('email').service('email').send({}); return 1;",
    "SQL": "return strapi.db.connection.raw('select 1');",
    "rows that are written": f"return strapi.db.query('{NOTE}').update({{}});",
    "rows of documents with several": f"return strapi.db.query('{NOTE}').delete({{ where: 1 }});",
    "rows that are made": f"return strapi.db.query('{LABEL}').create({{ data: {{}} }});",
    "rows that are changed": f"return strapi.db.query('{LABEL}').updateMany({{ data: {{}} }});",
    "rows of users": (
        "return strapi.db.query('plugin::users-permissions.user').deleteMany({ where: { id: 1 } });"
    ),
    "a transaction without a function": "return strapi.db.transaction();",
    "the connection of a transaction": "return strapi.db.transaction(({ trx }) => trx.raw('x'));",
    "input that is validated": "return this.validateInput(ctx.request.body, ctx);",
    "a service that may not be there": "if (strapi.service('api::no.no')) return 1; return 2;",
    "a type that does not exist": "return strapi.documents('api::no.no').findMany();",
    "administrators": "return strapi.documents('admin::user').findMany();",
    "a member of the context": "return ctx.cookies;",
    "a state of the server": "return ctx.state.route;",
    "more of the route": "return ctx.state.route.config;",
    "another user": "ctx.state.auth = {}; return super.find(ctx);",
    "the context handed on": "return JSON.stringify(ctx);",
    "the server handed on": "const all = [strapi]; return 1;",
    "a shared object": "SHARED.count = 1; return 1;",
    "a shared list": "LIST.push(1); return 1;",
    "a shared date": "DATE.setDate(1); return 1;",
    "a shared variable": "counter = 1; return 1;",
    "a service that is computed": "return strapi.service(ctx.params.x).find();",
    "users that are written": (
        "return strapi.entityService.delete('plugin::users-permissions.user', 1);"
    ),
    "another plugin": "return strapi.plugin('users-permissions').service('user').fetchAll();",
    "another service": "return strapi.plugins['users-permissions'].services.user.fetchAll();",
    "a new token": (
        "const jwt = strapi.plugin('users-permissions').service('jwt'); return jwt.issue({});"
    ),
    "a service handed on": "return [strapi.plugin('users-permissions').service('jwt')];",
    "a getter": "return { get x() { return 1; } }.x;",
    "an unknown service": "return strapi.service('api::no.no').find();",
    "an unknown method": "return ctx.params.x.normalize();",
    "an unknown function of the language": "return Object.freeze({});",
    "an order of another language": "return ctx.params.x.localeCompare('a', 'sv');",
    "a date of any locale": "return new Date().toLocaleString(ctx.query.locale);",
    "a date of another locale": "return new Date().toLocaleDateString('de-DE');",
    "a date with options": "return new Date().toLocaleDateString('en-US', { month: 'long' });",
    "another function of crypto": "return crypto.createHash('md5');",
    "crypto without its import": "const { subtle } = globalThis.crypto; return 1;",
    "another function of a package": "return v1();",
    "a random constant": "return TOKEN;",
    "the time of the start": "return STARTED;",
    "a class": "return new Thing();",
    "another request for the core": "return super.find({ query: {} });",
    "another method of the core": "return super.count(ctx);",
    "code that is not parsed": "do { } while (false); return 1;",
    "a timer": "setTimeout(() => 1, 5); return 1;",
}


@pytest.mark.parametrize("body", NEAR_MISSES.values(), ids=NEAR_MISSES)
def test_an_action_that_does_more_stays_closed(tmp_path: Path, body: str) -> None:
    before = (
        "const crypto = require('crypto'); const { v1 } = require('uuid');"
        "const SHARED = {}; const LIST = []; const DATE = new Date(5); let counter = 0;"
        "const TOKEN = crypto.randomUUID(); const STARTED = { at: Date.now() };"
    )
    methods = f"async own(ctx) {{ {body} }}, async find(ctx) {{ {body} }}"
    found = customised(tmp_path, project(methods, before=before))

    assert [f"{NOTE}.find"] == list(found.closed)
    assert [one.path for one in found.unserved] == ["/own/:documentId"]


async def test_code_knows_its_route_and_the_address_and_sets_headers(
    kind: Kind, tmp_path: Path
) -> None:
    body = (
        "async own(ctx) { const { info } = ctx.state.route; ctx.set('X-Api', info.apiName);"
        "ctx.set('Cache-Control', 'no-store');"
        "if (ctx.query.name) ctx.set(ctx.query.name, 'x');"
        "return { api: info.apiName, same: ctx.ip === ctx.request.ip, known: !!ctx.ip }; }"
    )
    async with notes(kind, tmp_path, project(body)) as site:
        set_ = await site.send("POST", "own/x", {})
        forbidden = [
            await site.send("POST", f"own/x?name={name}", {})
            for name in ("Content-Length", "Set-Cookie", "Access-Control-Allow-Origin", "a%0D%0Ab")
        ]

    assert read(set_) == {"api": "note", "same": True, "known": True}
    assert (set_.headers["x-api"], set_.headers["cache-control"]) == ("note", "no-store")
    assert [one.status for one in forbidden] == [500] * 4


@pytest.mark.whatever_the_database("nothing is read")
async def test_code_makes_random_identifiers(kind: Kind, tmp_path: Path) -> None:
    before = "const uuidv4 = require('uuid').v4; const { randomBytes } = require('crypto');"
    own = (
        "async own(ctx) { const key = randomBytes(6);"
        "return { first: uuidv4(), second: require('crypto').randomUUID(), third:"
        " crypto.randomUUID(), hex: key.toString('hex'), text: key.toString('base64url'),"
        " length: key.length, low: Math.random() < 1 }; }"
    )
    async with notes(kind, tmp_path, project(own, before=before)) as site:
        found, again = [read(await site.send("POST", "own/x", {})) for _ in range(2)]

    identifiers = [one[name] for one in (found, again) for name in ("first", "second", "third")]
    assert len(set(identifiers)) == 6
    assert all(UUID(one).version == 4 and str(UUID(one)) == one for one in identifiers)
    assert urlsafe_b64decode(found["text"]).hex() == found["hex"]
    assert (found["length"], found["low"]) == (6, True)


GUARDS = {
    "the clock of the network": "module.exports = async (ctx) => (await fetch('x')).ok;",
    "the query of a policy": "module.exports = (ctx) => ctx.query.key === 'x';",
    "a session": "module.exports = (ctx) => !!ctx.state.session;",
    "something handed on": "module.exports = (ctx) => check(ctx);",
    "two exports": "module.exports = (ctx) => true; module.exports = (ctx) => false;",
}


@pytest.mark.parametrize("policy", GUARDS.values(), ids=GUARDS)
def test_a_policy_that_does_more_keeps_its_route_closed(tmp_path: Path, policy: str) -> None:
    files = project("async own(ctx) { return 1; }", guards=POLICY, policies_mine=policy)
    found = customised(tmp_path, files)

    assert [one.path for one in found.unserved] == ["/own/:documentId"]
