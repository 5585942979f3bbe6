"""Schema trees on disk, and the problems that loading reports."""

import json
from collections.abc import Mapping
from pathlib import Path

from quire.errors import SchemaError
from quire.schema.load import LoadOptions, load_schema

Json = Mapping[str, object]


def type_file(
    name: str, attributes: Json | None = None, *, plural: str | None = None, **more: object
) -> dict[str, Json]:
    """Describe a content type: its path in the tree and the content of its file."""
    raw = {
        "kind": "collectionType",
        "collectionName": f"{name}_rows",
        "info": {"singularName": name, "pluralName": plural or f"{name}s", "displayName": name},
        "attributes": attributes or {},
        **more,
    }
    return {f"src/api/{name}/content-types/{name}/schema.json": raw}


def component_file(uid: str, attributes: Json | None = None, **more: object) -> dict[str, Json]:
    """Describe a component: its path in the tree and the content of its file."""
    category, _, name = uid.partition(".")
    raw = {
        "collectionName": f"components_{category}_{name}",
        "info": {"displayName": name},
        "attributes": attributes or {},
        **more,
    }
    return {f"src/components/{category}/{name}.json": raw}


def write_tree(project: Path, *files: Mapping[str, Json | str]) -> Path:
    """Write files below a project's folder; text is written as it is."""
    for described in files:
        for name, content in described.items():
            path = project / name
            path.parent.mkdir(parents=True, exist_ok=True)
            text = content if isinstance(content, str) else json.dumps(content)
            path.write_text(text, encoding="utf-8")
    return project


def problems(project: Path, options: LoadOptions | None = None) -> list[tuple[str, str, str]]:
    """Return every error of a tree as ``(file, path, message)``; none when it is sound."""
    try:
        load_schema(project, options)
    except SchemaError as error:
        return [(problem.file, problem.path, problem.message) for problem in error.problems]
    return []


def attribute_problems(
    project: Path, attributes: Json, *others: Mapping[str, Json]
) -> list[tuple[str, str]]:
    """Return the errors of the attributes of one content type, ``note``."""
    write_tree(project, type_file("note", attributes), *others)
    file = "src/api/note/content-types/note/schema.json"
    found = problems(project)
    assert all(name == file for name, _, _ in found), found
    return [(path.removeprefix("attributes."), message) for _, path, message in found]
