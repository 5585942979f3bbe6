"""The built-in content types: files, folders, end users, roles, locales, tokens.

Each JSON file in this package is one of them, named ``<namespace>.<name>.json`` with the uid's
``::`` written as a dot. They have the same form as a project's own schema files.
"""

import json
from collections.abc import Iterator
from importlib.resources import files


def builtin_schemas() -> Iterator[tuple[str, str, dict[str, object]]]:
    """Yield ``(uid, file name, schema)`` of every built-in content type, in order of uid."""
    for entry in sorted(files(__package__).iterdir(), key=lambda item: item.name):
        if entry.name.endswith(".json"):
            namespace, _, name = entry.name.removesuffix(".json").partition(".")
            yield f"{namespace}::{name}", entry.name, json.loads(entry.read_text("utf-8"))
