"""Names of new content types and components: uids, tables, files."""

import re

from quire.schema.sources import EXTENSION
from quire.schema.words import kebab_case, snake_case

_CONSONANT_Y = re.compile(r"[^aeiou]y$")
_HISSING = re.compile(r"(s|x|z|ch|sh)$")


def component_uid(category: str, display_name: str) -> str:
    """Return the uid of a new component."""
    return f"{kebab_case(category)}.{kebab_case(display_name)}"


def collection_name(plural_name: str) -> str:
    """Return the table of a new content type."""
    return snake_case(plural_name)


def component_collection_name(uid: str) -> str:
    """Return the table of a new component."""
    category, _, name = uid.partition(".")
    return f"components_{snake_case(category)}_{_plural(snake_case(name))}"


def file_of(uid: str) -> str:
    """Return where the schema file of a model belongs, from the project's folder."""
    if uid.startswith(EXTENSION):
        plugin, _, name = uid.removeprefix(f"{EXTENSION}plugin::").partition(".")
        return f"src/extensions/{plugin}/content-types/{name}/schema.json"
    if "::" in uid:
        api, _, name = uid.partition("::")[2].partition(".")
        return f"src/api/{api}/content-types/{name}/schema.json"
    category, _, name = uid.partition(".")
    return f"src/components/{category}/{name}.json"


def _plural(name: str) -> str:
    if _CONSONANT_Y.search(name):
        return f"{name[:-1]}ies"
    return f"{name}es" if _HISSING.search(name) else f"{name}s"
