"""Twelve small projects, each with an idiom or a plugin of real projects."""

from collections.abc import Mapping

from msgspec import Struct

from tests.unit.schema.trees import Json, component_file, type_file

Files = Mapping[str, Json | str]

_FACTORIES = "import { factories } from '@strapi/strapi';\n\nexport default factories."
_PAGE = "api::page.page"


class SmallProject(Struct, frozen=True, kw_only=True):
    """A project of a type ``page``, and how much of it is served."""

    attributes: Json
    files: Files
    served: str = "completely"
    closed: tuple[str, ...] = ()

    def all_files(self) -> dict[str, Json | str]:
        """Return every file of the project, those that the generator writes among them."""
        made: dict[str, Json | str] = {
            "package.json": {"dependencies": {"@strapi/strapi": "5.54.0"}},
            "src/api/page/routes/page.ts": f"{_FACTORIES}createCoreRouter('{_PAGE}');",
            "src/api/page/controllers/page.ts": f"{_FACTORIES}createCoreController('{_PAGE}');",
            "src/api/page/services/page.ts": f"{_FACTORIES}createCoreService('{_PAGE}');",
            "src/index.ts": "export default { register() {}, bootstrap() {} };",
        }
        hero = component_file("sections.hero", {"heading": {"type": "string"}})
        return {**made, **type_file("page", self.attributes), **hero, **self.files}


def _router(options: str) -> Files:
    code = f"{_FACTORIES}createCoreRouter('{_PAGE}', {options});"
    return {"src/api/page/routes/page.ts": code}


def _controller(methods: str) -> Files:
    code = f"{_FACTORIES}createCoreController('{_PAGE}', ({{ strapi }}) => ({{ {methods} }}));"
    return {"src/api/page/controllers/page.ts": code}


_TEXT: Json = {"title": {"type": "string"}, "slug": {"type": "uid", "targetField": "title"}}
_SECTIONS: Json = {
    **_TEXT,
    "sections": {"type": "dynamiczone", "components": ["sections.hero"]},
    "image": {"type": "media", "multiple": False},
}

SMALL_PROJECTS: Mapping[str, SmallProject] = {
    "an editor of a well-known plugin": SmallProject(
        attributes={
            **_TEXT,
            "body": {
                "type": "customField",
                "customField": "plugin::ckeditor5.CKEditor",
                "options": {"preset": "defaultHtml"},
            },
        },
        files={"config/plugins.ts": "export default () => ({ ckeditor5: { enabled: true } });"},
    ),
    "a custom field of a plugin in the project": SmallProject(
        attributes={**_TEXT, "mark": {"type": "customField", "customField": "plugin::marks.mark"}},
        files={
            "src/plugins/marks/package.json": {"strapi": {"kind": "plugin", "name": "marks"}},
            "src/plugins/marks/server/src/register.ts": "const register = ({ strapi }) => {\n"
            "  strapi.customFields.register({ name: 'mark', plugin: 'marks', type: 'integer' });\n"
            "};\nexport default register;",
        },
    ),
    "a custom field that nobody registers": SmallProject(
        attributes={
            **_TEXT,
            "shape": {"type": "customField", "customField": "plugin::gone.shape", "default": []},
        },
        files={},
    ),
    "a populate middleware for each type": SmallProject(
        attributes=_SECTIONS,
        files={
            **_router("{ config: { find: { middlewares: ['api::page.page-populate'] } } }"),
            "src/api/page/middlewares/page-populate.ts": "import type { Core } from "
            "'@strapi/strapi';\n\nconst populate = {\n"
            "  sections: { on: { 'sections.hero': true } },\n"
            "  image: { fields: ['url', 'alternativeText'] },\n};\n\n"
            "export default (config, { strapi }: { strapi: Core.Strapi }) => {\n"
            "  return async (ctx, next) => {\n    strapi.log.info('populate');\n"
            "    ctx.query.populate = populate;\n    await next();\n  };\n};",
        },
    ),
    "a middleware of the whole project": SmallProject(
        attributes=_SECTIONS,
        files={
            **_router("{ config: { find: { middlewares: ['global::deep'] } } }"),
            "src/middlewares/deep.js": "'use strict';\n\nmodule.exports = (config, { strapi }) => "
            "async (ctx, next) => {\n  ctx.query = { populate: { sections: { populate: '*' } }, "
            "...ctx.query };\n  return next();\n};",
        },
    ),
    "a router with few routes": SmallProject(
        attributes=_TEXT, files=_router("{ only: ['find', 'findOne'] }")
    ),
    "a form that everybody may send": SmallProject(
        attributes=_TEXT,
        files=_router("{ only: ['create'], config: { create: { auth: false } } }"),
    ),
    "writing for signed-in users": SmallProject(
        attributes=_TEXT,
        files={
            **_router("{ config: { create: { policies: ['signed-in'] } } }"),
            "src/api/page/policies/signed-in.ts": "export default (policyContext, config, "
            "{ strapi }) => {\n  if (policyContext.state.user) {\n    return true;\n  }\n"
            "  return false;\n};",
        },
    ),
    "a controller that populates": SmallProject(
        attributes=_SECTIONS,
        files=_controller(
            "async find(ctx) { if (!ctx.query.populate) ctx.query.populate = '*';"
            "const { data, meta } = await super.find(ctx); return { data, meta }; }"
        ),
    ),
    "routes of its own beside the core": SmallProject(
        attributes={**_TEXT, "meta": {"type": "json"}, "entry_id": {"type": "string"}},
        files={
            **_controller("async count(ctx) { return strapi.documents('x').count(); }"),
            "src/api/page/routes/01-count.ts": "export default { type: 'content-api', routes: [\n"
            "  { method: 'GET', path: '/pages/all/count', handler: 'page.count',\n"
            "    config: { policies: [], middlewares: [] } },\n] };",
        },
        served="partly",
    ),
    "documents found by their slug": SmallProject(
        attributes=_TEXT,
        files=_controller(
            "async findOne(ctx) { const { id } = ctx.params;"
            f"const entity = await strapi.db.query('{_PAGE}').findOne({{ where: {{ slug: id }} }});"
            "return this.transformResponse(await this.sanitizeOutput(entity, ctx)); }"
        ),
    ),
    "relations to the types of a plugin, and configuration with code": SmallProject(
        attributes={
            **_TEXT,
            "comments": {
                "type": "relation",
                "relation": "oneToMany",
                "target": "plugin::comments.comment",
            },
        },
        files={
            "config/plugins.ts": "export default ({ env }) => ({\n"
            "  comments: { enabled: true, config: { entryLabel: { '*': ['Title'] } } },\n"
            "  upload: { config: { provider: 'aws-s3', providerOptions: { s3Options: { region: "
            "env('AWS_REGION') } } } },\n});",
            "config/server.ts": "const cronTasks = { '0 1 * * *': async () => run() };\n"
            "export default ({ env }) => ({ host: env('HOST', '127.0.0.1'), "
            "port: env.int('PORT', 1337), cron: { enabled: true, tasks: cronTasks } });",
        },
        served="partly",
    ),
}
