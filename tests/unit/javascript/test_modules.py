"""A module is plain data, which is read, or code."""

import pytest

from quire.javascript.modules import (
    CODE,
    EmptyFunction,
    EnvironmentVariable,
    Factory,
    read_module,
)

CONTROLLER = Factory("createCoreController", ("api::tag.tag",))

PLAIN = [
    pytest.param(
        "'use strict';\n/**\n * tag controller\n */\n"
        "const { createCoreController } = require('@strapi/strapi').factories;\n"
        "module.exports = createCoreController('api::tag.tag');\n",
        CONTROLLER,
        id="as generated in JavaScript",
    ),
    pytest.param(
        "import { factories } from '@strapi/strapi';\n"
        "export default factories.createCoreController('api::tag.tag');\n",
        CONTROLLER,
        id="as generated in TypeScript",
    ),
    pytest.param(
        'import {factories} from "@strapi/strapi"\nexport default '
        'factories.createCoreController("api::tag.tag")',
        CONTROLLER,
        id="other quotes, no semicolons",
    ),
    pytest.param(
        "module . exports =\n  require(`@strapi/strapi`)\n.factories . createCoreController\n"
        "( `api::tag.tag` , ) // done",
        CONTROLLER,
        id="other white space, back-ticks, a trailing comma",
    ),
    pytest.param(
        "const { factories } = require('@strapi/strapi')\n"
        "module.exports = factories.createCoreController('api::tag.tag', ({ strapi }) => ({}))",
        Factory("createCoreController", ("api::tag.tag", {})),
        id="an extension with nothing in it",
    ),
    pytest.param(
        "\ufeff/* a */ module.exports = createCoreController('api::tag.tag') /* b */;",
        CONTROLLER,
        id="byte order mark and comments",
    ),
    pytest.param("module.exports = {};", {}, id="an empty object"),
    pytest.param("export default () => ({});", {}, id="a function that returns one"),
    pytest.param(
        "export default {\n  // import()\n  register(/*{ strapi }*/) {},\n"
        "  async bootstrap({ strapi }: { strapi: Core.Strapi }) {},\n  destroy: () => {},\n};",
        {name: EmptyFunction() for name in ("register", "bootstrap", "destroy")},
        id="functions that do nothing",
    ),
    pytest.param(
        "import type { Core } from '@strapi/strapi';\n"
        "const config = ({ env }: Core.Config.Params): Core.Config.Server => ({\n"
        "  host: env('HOST', '0.0.0.0'), port: env.int('PORT', 1337), keys: env.array('KEYS')!,\n"
        "});\nexport default config;",
        {
            "host": EnvironmentVariable("HOST", "0.0.0.0"),  # noqa: S104 (what templates hold)
            "port": EnvironmentVariable("PORT", 1337, "int"),
            "keys": EnvironmentVariable("KEYS", None, "array"),
        },
        id="configuration with variables",
    ),
    pytest.param(
        "const types = ['a', 'b'];\nmodule.exports = { types, more: types, n: 1.5, t: true };",
        {"types": ["a", "b"], "more": ["a", "b"], "n": 1.5, "t": True},
        id="constants",
    ),
    pytest.param(
        "module.exports = createCoreController('api::\\x74ag.tag');", CONTROLLER, id="an escape"
    ),
    pytest.param(
        "module.exports = () => { const a = 1; return { a, ['b']: `${a}-x` }; };",
        {"a": 1, "b": "1-x"},
        id="a block of constants",
    ),
    pytest.param(
        "const base = { a: 1 };\nexport default { ...base, b: base.a, c: [...['x'], 'y'] };",
        {"a": 1, "b": 1, "c": ["x", "y"]},
        id="spread constants",
    ),
    pytest.param(
        "const sorts: Record<string, string[]> = { a: ['x'] } as const satisfies object;\n"
        "interface Thing { a?: string }\ntype More = Thing | { b: number };\n"
        "export default sorts;",
        {"a": ["x"]},
        id="types",
    ),
    pytest.param(
        "module.exports = ({ env }) => ({ url: env('URL') || 'x', port: env.int('P') ?? 3,"
        " key: process.env.KEY });",
        {
            "key": EnvironmentVariable("KEY", None),
            "url": EnvironmentVariable("URL", "x"),
            "port": EnvironmentVariable("P", 3, "int"),
        },
        id="variables with a default behind an operator",
    ),
]

OWN_CODE = [
    pytest.param("", id="nothing at all"),
    pytest.param(
        "module.exports = createCoreController('api::tag.tag', ({ strapi }) => ({\n"
        "  async find(ctx) { return super.find(ctx); } }));",
        id="an action",
    ),
    pytest.param(
        "module.exports = createCoreController('api::tag.tag');\nstrapi.log.info('x');",
        id="a statement behind the export",
    ),
    pytest.param(
        "require('./patch');\nmodule.exports = createCoreController('api::tag.tag');",
        id="another module required",
    ),
    pytest.param(
        "import './patch';\nexport default factories.createCoreController('api::tag.tag');",
        id="another module imported",
    ),
    pytest.param(
        "import { factories } from './mine';\n"
        "export default factories.createCoreController('api::tag.tag');",
        id="factories from elsewhere",
    ),
    pytest.param(
        "const { factories } = require('./mine');\n"
        "module.exports = factories.createCoreController('api::tag.tag');",
        id="factories required from elsewhere",
    ),
    pytest.param("module.exports = createCoreController(uid);", id="a name that is not known"),
    pytest.param("module.exports = createCoreController(`api::${x}.tag`);", id="a hole"),
    pytest.param("module.exports = createCoreController('api::tag.tag')(1);", id="one call more"),
    pytest.param("module.exports = (a = evil()) => ({});", id="code in a default value"),
    pytest.param("module.exports = { get find() { return 1; } };", id="a getter"),
    pytest.param("module.exports = { [name]() {} };", id="a computed name"),
    pytest.param("module.exports = { ...mine };", id="a spread"),
    pytest.param("module.exports = { register() { evil(); } };", id="a body"),
    pytest.param("module.exports = () => { run(); return {}; };", id="a block"),
    pytest.param("// quiet\u2028evil()\nmodule.exports = {};", id="an odd end of a comment line"),
    pytest.param("/[/*]/.test(x); /* */ module.exports = {};", id="a regular expression"),
    pytest.param("module.exports = { a: 1 ", id="a file that ends early"),
    pytest.param("exports.find = 1;", id="another way to export"),
    pytest.param("module.exports = " + "[" * 100_000, id="a tower of brackets"),
]


@pytest.mark.parametrize(("source", "exported"), PLAIN)
def test_plain_data_are_read(source: str, exported: object) -> None:
    assert exported == read_module(source)


@pytest.mark.parametrize("source", OWN_CODE)
def test_everything_else_is_code(source: str) -> None:
    assert read_module(source) == CODE
