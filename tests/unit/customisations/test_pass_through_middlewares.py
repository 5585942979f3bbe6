"""Global middlewares that guard nothing, and those that may."""

from pathlib import Path

import pytest

from tests.unit.customisations.test_scan import ARTICLE, GUARD, effects, scan, write, write_types

FILE = "src/middlewares/own.js"
CONFIG = "config/middlewares.js"
TIMED = "const start = Date.now(); await next(); const ms = Math.ceil(Date.now() - start);"

PASSING = [
    ("await next();", set()),
    ("return next();", set()),
    ("strapi.log.info(`${ctx.method} ${ctx.url}`); await next();", set()),
    ("ctx.set('X-A', 'b'); await next();", {"X-A"}),
    ("await next(); ctx.response.set({ 'X-A': 'b', 'X-B': VALUE }); return;", {"X-A", "X-B"}),
    (f"{TIMED} ctx.set('X-Time', ms + 'ms'); console.log(ms.toFixed(1));", {"X-Time"}),
    (
        """const { method, path } = ctx.request; const id = ctx.state.user?.id || 'nobody';
        if (LIST.some((one) => path.includes(one))) { console.log(method, id); }
        await next();""",
        set(),
    ),
    ("try { await next(); } finally { console.log(ctx.status); }", set()),
    ("try { await next(); } catch (e) { ctx.status = 500; ctx.body = { e }; }", set()),
    ("if (ctx.path === '/health') { return next(); } console.log(1); await next();", set()),
    ("if (ctx.method === 'OPTIONS') { ctx.status = 204; return; } await next();", set()),
    ("if (ctx.path.startsWith('/admin')) { console.log(1); return next(); } return next();", set()),
    ("if (ctx.state.user && ctx.path === '/') { ctx.body = 'x'; return; } await next();", set()),
    ("console.log(ctx.request.query.a, ctx.response.headers[VALUE]); await next();", set()),
    ("const tag = ctx.params && ctx.params.tag; await next(); console.log(tag);", set()),
    (
        """await next(); const csp = ctx.response.get('X-Policy');
        if (csp && csp.includes('x')) { ctx.set('X-Policy', csp.replace('x', '')); }""",
        {"X-Policy"},
    ),
]


def installed(project: Path, code: str, config: str = "['global::own']") -> Path:
    """Write a project with one middleware; returns the project."""
    write_types(project)
    write(project, FILE, code)
    write(project, CONFIG, f"module.exports = {config};")
    return project


def handler(body: str) -> str:
    return f"""
    const LIST = ['/api/a', '/api/b'];
    const VALUE = process.env.VALUE;
    module.exports = (config, {{ strapi }}) => {{
      return async (ctx, next) => {{ {body} }};
    }};"""


@pytest.mark.parametrize(("body", "headers"), PASSING)
def test_what_passes_each_request_on_closes_nothing(
    tmp_path: Path, body: str, headers: set[str]
) -> None:
    found = scan(installed(tmp_path, handler(body)))

    assert found.closed == {}
    (finding,) = [one for one in found.findings if one.file == FILE]
    assert "guards nothing" in finding.sentence
    assert all(header in finding.sentence for header in headers)
    assert ("does not set" in finding.sentence) == bool(headers)


@pytest.mark.parametrize(
    "body",
    [
        "if (ctx.path.startsWith('/admin/x')) { ctx.status = 404; return; } await next();",
        """if (ctx.path.startsWith('/admin') && !LIST.includes(ctx.ip)) {
            return ctx.throw(403);
        }
        await next();""",
    ],
)
def test_what_guards_the_admin_panel_alone_closes_nothing(tmp_path: Path, body: str) -> None:
    found = scan(installed(tmp_path, handler(body)))

    assert found.closed == {}
    (finding,) = [one for one in found.findings if one.file == FILE]
    assert "guards the admin panel, not content, and does not run" in finding.sentence


ELSEWHERE = [
    "if (ctx.path.startsWith('/api/authors')) { return ctx.forbidden(); } await next();",
    "if (!ctx.path.startsWith('/api/authors')) { return next(); } return check(ctx, next);",
    "const { path } = ctx; if (path === '/api/articles-of-others') { return; } await next();",
    "if (ctx.path.startsWith('/webhooks') && ctx.method === 'POST') { return; } await next();",
    "if (ctx.path !== '/metrics' && ctx.url !== '/') { await next(); } else { ctx.body = 1; }",
    """const url = (ctx.request.url || '').toLowerCase();
    if (url.startsWith('/graphql')) { return ctx.forbidden(); } await next();""",
    "if (['/x', '/y'].some((one) => ctx.path.startsWith(one))) { return; } await next();",
    "if (['/a', '/b'].includes(ctx.path)) { return; } await next();",
    "if (ctx.path.startsWith(FOLDER)) { ctx.body = read(ctx); return; } await next();",
]


@pytest.mark.parametrize("body", ELSEWHERE)
def test_what_guards_other_paths_closes_nothing_else(tmp_path: Path, body: str) -> None:
    code = f"const FOLDER = '/.well-known/';\n{handler(body)}"

    assert ARTICLE not in scan(installed(tmp_path, code)).closed


def test_a_constant_that_is_declared_again_is_unknown(tmp_path: Path) -> None:
    body = """const FOLDER = ctx.get('x-path');
    if (ctx.path.startsWith(FOLDER)) { return ctx.forbidden(); } await next();"""
    code = f"const FOLDER = '/.well-known/';\n{handler(body)}"

    assert ARTICLE in scan(installed(tmp_path, code)).closed


def test_a_guard_of_paths_closes_what_they_lead_to(tmp_path: Path) -> None:
    body = "if (ctx.path.startsWith('/api/auth/local')) { return limit(ctx, next); } await next();"

    found = scan(installed(tmp_path, handler(body)))

    assert set(found.closed) == {
        f"plugin::users-permissions.auth.{action}" for action in ("callback", "register")
    }


def test_a_guard_of_a_path_closes_the_type_with_this_route(tmp_path: Path) -> None:
    body = "if (ctx.path.startsWith('/api/popular')) { return ctx.forbidden(); } await next();"
    project = installed(tmp_path, handler(body))
    write(
        project,
        "src/api/article/routes/01-own.js",
        "module.exports = { routes: [{ method: 'GET', path: '/popular', "
        "handler: 'article.find' }] };",
    )

    assert scan(project).closed == {ARTICLE: (FILE,)}


def test_a_file_in_another_encoding_is_read_as_node_does(tmp_path: Path) -> None:
    project = installed(tmp_path, handler("ctx.body = 1;"))
    for name in (FILE, CONFIG):
        (project / name).write_bytes(b"// caf\xe9\n" + (project / name).read_bytes())

    assert scan(project).closed[ARTICLE] == (FILE,)


@pytest.mark.parametrize("name", [FILE, CONFIG, "src/api/article/routes/article.js"])
def test_a_large_file_counts_as_unknown_code(tmp_path: Path, name: str) -> None:
    project = installed(tmp_path, handler("await next();"))
    write(project, name, f"// {'x' * 300_000}\nmodule.exports = [];")

    assert scan(project).closed[ARTICLE] == (name,)


def test_each_route_of_a_type_is_regarded_alone(tmp_path: Path) -> None:
    paths = "ctx.path.startsWith('/api/articles') || ctx.path.startsWith('/api/popular')"
    project = installed(tmp_path, handler(f"if ({paths}) {{ return next(); }} return check(ctx);"))
    write(
        project,
        "src/api/article/routes/01-own.js",
        "module.exports = { routes: [{ method: 'GET', path: '/popular', "
        "handler: 'article.find' }] };",
    )

    assert ARTICLE not in scan(project).closed


REFUSING = [
    "ctx.body = 1;",
    "if (ctx.get('x-key') === VALUE) { await next(); }",
    "if (!ctx.state.user) { return ctx.unauthorized(); } await next();",
    "if (ctx.path.startsWith('/api')) { ctx.status = 404; return; } await next();",
    "if (ctx.path.startsWith('/')) { return; } await next();",
    "if (ctx.method === 'OPTIONS' || !ctx.state.user) { return; } await next();",
    "if (ctx.method === 'OPTIONS') { return; } else { return; }",
    "if (ctx.state.user.id && ctx.path === '/') { return; } await next();",
    "if (ctx.path.startsWith('/api/articles') && check(ctx)) { return; } await next();",
    "if (ctx.path.startsWith('/api/a')) { return ctx.forbidden(); } await next();",
    "if (ctx.url === '/api/articles/1') { return ctx.forbidden(); } await next();",
    "if (!ctx.path.startsWith('/api/authors')) { return ctx.forbidden(); } await next();",
    "if (['/api/articles', '/api/b'].includes(ctx.path)) { return; } await next();",
    "if (ctx.path.startsWith(ctx.get('x-path'))) { return; } await next();",
    "if (ctx.path.toUpperCase().startsWith('/admin')) { return; } await next();",
    "const path = ctx.path; { const path = '/x'; } if (path === '/api/articles') { return; }",
    """const path = ctx.get('x-path');
    if (path.startsWith('/admin')) { return; } await next();""",
    "console.log(ctx.query.path.includes('a')); await next();",
    "const { path } = ctx.response; console.log(path.includes('a')); await next();",
    "console.log(ctx.request.state.user); await next();",
    "console.log(Math.random().text.trim()); await next();",
    "console.log(ctx.response.query.page); await next();",
    "console.log(ctx.state.headers[VALUE]); await next();",
    "console.log(ctx.state.user.id); await next();",
    "console.log(JSON.parse(ctx.request.body)); await next();",
    "JSON.parse(ctx.get('x')); await next();",
    "console.log(ctx.headers.origin.length); await next();",
    "const id = ctx.headers.id; console.log(id.toUpperCase()); await next();",
    "const id = ctx.headers.id; console.log(id.toString()); await next();",
    "ctx.query.filters = {}; await next();",
    "ctx.state.tenant = ctx.get('x-tenant'); await next();",
    "delete ctx.request.body; await next();",
    "await next(); ctx.body = [];",
    "await next(); delete ctx.body.data;",
    "await next(); if (ctx.status === 200) { ctx.status = 404; }",
    "await check(ctx); await next();",
    "check(ctx); await next();",
    "ctx.assert(ctx.state.user, 401); await next();",
    "throw new Error('closed');",
    "next();",
    "await next(); await next();",
    "try { check(ctx); await next(); } catch (e) { }",
    "try { await next(); } catch (e) { await next(); }",
    "for (const one of LIST) { if (ctx.path === one) { return; } } await next();",
    "setTimeout(next, 10);",
    "const [a] = ctx.request.body; await next();",
    "const { user } = ctx.state.auth; await next();",
]


@pytest.mark.parametrize("body", REFUSING)
def test_what_may_refuse_a_request_closes_all_types(tmp_path: Path, body: str) -> None:
    found = scan(installed(tmp_path, handler(body)))

    assert found.closed[ARTICLE] == (FILE,)


@pytest.mark.parametrize(
    "code",
    [
        "module.exports = handler;",
        "module.exports = async (ctx, next) => { await next(); };",
        "module.exports = () => { start(); return async (ctx, next) => { await next(); }; };",
        "patch(); module.exports = () => async (ctx, next) => { await next(); };",
    ],
)
def test_other_modules_close_all_types(tmp_path: Path, code: str) -> None:
    assert scan(installed(tmp_path, code)).closed[ARTICLE] == (FILE,)


@pytest.mark.parametrize(
    ("config", "file"),
    [
        # Strapi does not look at `enabled`.
        ("[{ name: 'global::own', enabled: false }]", FILE),
        ("[{ resolve: './lib/guard' }]", "lib/guard.js"),
        ("[{ resolve: 'lib/guard.js', config: {} }]", "lib/guard.js"),
        ("[{ resolve: './lib/nowhere' }]", CONFIG),
        ("[{ resolve: 'koa-guard' }]", CONFIG),
        ("[{ resolve: '../guard' }]", CONFIG),
        ("['strapi::logger', 'plugin::search.guard']", CONFIG),
        ("['strapi::logger', async (ctx, next) => { ctx.status = 403; }]", CONFIG),
        ("({ env }) => ['strapi::logger', { resolve: 'koa-guard' }]", CONFIG),
        (
            (
                "({ env }) => { const all = ['strapi::logger'];"
                "if (env('X')) all.push({ resolve: './lib/guard' }); return all; }"
            ),
            "lib/guard.js",
        ),
        ("({ env }) => [...(env('X') ? ['plugin::search.guard'] : [])]", CONFIG),
        ("[...require('./shared/middlewares')]", FILE),
        ("require('./shared/guards')", CONFIG),
    ],
)
def test_middlewares_of_other_places_close_all_types(
    tmp_path: Path, config: str, file: str
) -> None:
    installed(tmp_path, handler(GUARD), config)
    write(tmp_path, "lib/guard.js", GUARD)
    write(tmp_path, "config/shared/middlewares.js", "module.exports = ['global::own'];")
    code = "module.exports = [async (ctx, next) => { ctx.status = 403; }];"
    write(tmp_path, "config/shared/guards.js", code)

    found = scan(tmp_path)

    assert found.closed[ARTICLE] == (file,)
    assert (file, "middleware", "closed") in effects(found)

    write(tmp_path, "quire.toml", f'[migration]\nignore = ["{file}"]\n')
    assert scan(tmp_path).closed == {}


@pytest.mark.parametrize(
    "config",
    [
        "['strapi::logger', { name: 'strapi::cors', config: { origin: (ctx) => '*' } }]",
        "[{ resolve: './lib/passing' }]",
        "({ env }) => ['strapi::errors', ...(env('X') ? ['strapi::body'] : [])]",
    ],
)
def test_middlewares_of_strapi_and_passing_ones_close_nothing(tmp_path: Path, config: str) -> None:
    installed(tmp_path, handler(GUARD), config)
    write(tmp_path, "lib/passing.js", handler("await next();"))

    assert scan(tmp_path).closed == {}
