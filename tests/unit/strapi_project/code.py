"""The code of small Strapi projects: a blog with a type per name, and its router files."""

from tests.unit.schema.trees import Json, component_file, type_file

ARTICLE = "api::article.article"
TAG = "api::tag.tag"

BLOG = (
    type_file(
        "article",
        {
            "title": {"type": "string"},
            "shown": {"type": "boolean"},
            "tags": {
                "type": "relation",
                "relation": "manyToMany",
                "target": TAG,
                "inversedBy": "articles",
            },
            "seo": {"type": "component", "component": "shared.seo"},
        },
    ),
    type_file(
        "tag",
        {
            "name": {"type": "string"},
            "articles": {
                "type": "relation",
                "relation": "manyToMany",
                "target": ARTICLE,
                "mappedBy": "tags",
            },
        },
    ),
    component_file("shared.seo", {"description": {"type": "string"}}),
)


def core_files(name: str) -> dict[str, Json | str]:
    """Return the files that the generator writes for a type."""
    made = {
        folder: f"module.exports = require('@strapi/strapi').factories.{factory}"
        f"('api::{name}.{name}');"
        for folder, factory in (
            ("routes", "createCoreRouter"),
            ("controllers", "createCoreController"),
            ("services", "createCoreService"),
        )
    }
    return {f"src/api/{name}/{folder}/{name}.js": code for folder, code in made.items()}


def router(options: str, name: str = "article") -> dict[str, str]:
    """Return a TypeScript router of a type with options."""
    code = (
        "import { factories } from '@strapi/strapi';\n\n"
        f"export default factories.createCoreRouter('api::{name}.{name}', {options});\n"
    )
    return {f"src/api/{name}/routes/{name}.js": "", f"src/api/{name}/routes/{name}.ts": code}


def middleware(body: str, before: str = "", name: str = "change") -> dict[str, str]:
    """Return a middleware of the article API whose handler has a body."""
    code = (
        "import type { Core } from '@strapi/strapi';\n"
        f"{before}\n"
        "export default (config, { strapi }: { strapi: Core.Strapi }) => {\n"
        f"  return async (ctx, next) => {{\n{body}\n  }};\n}};\n"
    )
    return {f"src/api/article/middlewares/{name}.ts": code}


def controller(methods: str) -> dict[str, str]:
    """Return a controller of articles with methods."""
    code = (
        "import { factories } from '@strapi/strapi';\n"
        f"export default factories.createCoreController('api::article.article', "
        f"({{ strapi }}) => ({{ {methods} }}));\n"
    )
    return {"src/api/article/controllers/article.js": code}
