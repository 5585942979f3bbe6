"""Typed documents for a project's Python code.

The module has a subclass of `quire.Document` for each type, TypedDicts of its filters and its
input, and a ``documents()`` that knows them.
"""

import keyword
import re
from collections.abc import Iterator, Mapping
from typing import Any

from msgspec import Struct

from quire.codegen import python_structs
from quire.codegen.model_classes import CLASS, ModelClass, ModelClasses
from quire.codegen.typed_dicts import TypedDicts
from quire.hooks.document import Document
from quire.schema.attributes.json_schema import JsonSchema

RESERVED_NAMES = python_structs.RESERVED_NAMES | {
    *("Document", "Documents", "Mapping", "Required", "Sequence", "TypeAlias", "TypedDict"),
    *("documents", "overload", "quire"),
}
"""Names that classes must not have."""

_HEADER = '''"""Typed documents of the project, for its Python code.

Made by `quire types` of the schema {version}: a change belongs into the schema.

A field that a read has not loaded raises NotLoadedError, relations and components among them.
"""

from __future__ import annotations

{imports}
'''
_DOCUMENTS = '''
@overload
def documents(kind: str) -> Documents[Document]: ...
def documents(kind: Any) -> Any:
    """Return the documents of a content type, with the types of its filters and its input."""
    return quire.documents(kind)
'''
_IMPORTS = {
    "collections.abc": ("Mapping", "Sequence"),
    "datetime": ("date", "datetime"),
    "typing": ("Any", "Literal", "Required", "TypeAlias", "TypedDict", "overload"),
    "quire": ("Document", "Documents"),
}
_DICTIONARY = frozenset(dir(Document))


class DocumentSchemas(Struct, frozen=True, kw_only=True):
    """The schemas of filters and input by name, and references to those of types by uid."""

    filters: Mapping[str, JsonSchema]
    filters_by_uid: Mapping[str, JsonSchema]
    input: Mapping[str, JsonSchema]
    input_by_uid: Mapping[str, JsonSchema]


def document_classes(models: ModelClasses, schemas: DocumentSchemas) -> str:
    """Return a module with a class for each model. Values are those of JSON: times are strings.

    ``schemas`` describe the filters and the input of the types that code reads and writes.
    """
    plain_classes = {
        model_class.name: model_class for model_class in models.classes if model_class.base is None
    }
    roots = {model_class.name: _root(model_class, models) for model_class in models.classes}
    members = {name: [*_members(model_class, roots)] for name, model_class in plain_classes.items()}
    for model_class in models.classes:
        if model_class.optional and model_class.base is not None:
            members[model_class.base] += _members(model_class, roots)
    parts = [
        f"{name} = {python_structs.bare_type(schema)}\n" for name, schema in models.shared.items()
    ]
    parts += [
        "\n" + "\n".join(_class(model_class, members[name])) + "\n"
        for name, model_class in plain_classes.items()
    ]
    parts += _typed_documents(models, schemas)
    body = "\n".join(parts)
    return f"{_HEADER.format(version=models.version, imports=_imports(body))}\n{body}"


def _imports(body: str) -> str:
    """Return the imports of used names: a name that is not used is an error to strict checkers."""
    groups: list[str] = []
    for module, names in _IMPORTS.items():
        used_names = [name for name in names if re.search(rf"\b{name}\b", body)]
        if module == "quire":
            groups.append("")
            groups += ["import quire"] if "quire.documents" in body else []
        if used_names:
            groups.append(f"from {module} import {', '.join(used_names)}")
    return "\n".join(groups).lstrip()


def _typed_documents(models: ModelClasses, schemas: DocumentSchemas) -> Iterator[str]:
    """Yield the TypedDicts, and ``documents()`` with an overload for each type."""
    class_names = {
        model_class.uid: model_class.name
        for model_class in models.classes
        if model_class.base is None and model_class.uid in schemas.filters_by_uid
    }
    if not class_names:
        return
    used_names = {*RESERVED_NAMES, *(model_class.name for model_class in models.classes)}
    used_names |= models.shared.keys()
    filters, written = (
        TypedDicts(
            named_schemas,
            known_names=models.shared.keys(),
            used_names=used_names,
            accepts_times=accepts_times,
        )
        for named_schemas, accepts_times in ((schemas.filters, True), (schemas.input, False))
    )
    definitions = [
        *filters.definitions([*schemas.filters_by_uid.values()]),
        *written.definitions([*schemas.input_by_uid.values()]),
    ]
    yield "\n" + "\n\n".join(definitions) + "\n"
    overloads = [
        "@overload\n"
        f"def documents(\n    kind: type[{name}],\n"
        f") -> Documents[{name}, {filters.name(schemas.filters_by_uid[uid])}, "
        f"{written.name(schemas.input_by_uid[uid])}]: ..."
        for uid, name in class_names.items()
    ]
    yield "\n" + "\n".join(overloads) + _DOCUMENTS


def _class(model: ModelClass, members: list[str]) -> Iterator[str]:
    yield f"class {model.name}(Document):"
    yield f'    """{model.about}"""'
    yield ""
    if "::" in model.uid:
        yield f'    __uid__ = "{model.uid}"'
    yield from (f"    {member}" for member in members)


def _members(model: ModelClass, roots: Mapping[str, str]) -> Iterator[str]:
    """Yield fields that attributes can represent; others are read by their key."""
    for member in model.members:
        if not member.name.isidentifier() or keyword.iskeyword(member.name):
            continue
        if member.name in _DICTIONARY:
            continue
        text = python_structs.python_type(_stored_schema(member.type, roots))
        yield f"{member.name}: {text}{' | None' if member.nullable and text != 'Any' else ''}"


def _root(model: ModelClass, models: ModelClasses) -> str:
    """Return the base-most class of a class."""
    classes_by_name = {model_class.name: model_class for model_class in models.classes}
    while model.base is not None:
        model = classes_by_name[model.base]
    return model.name


def _stored_schema(schema: JsonSchema, roots: Mapping[str, str]) -> dict[str, Any]:
    """Return a type with times as strings, and with the one class that each model has here."""
    stored_schema: dict[str, Any] = {}
    for key, value in schema.items():
        if key == CLASS:
            stored_schema[key] = roots.get(str(value), value)
        elif key == "format":
            continue
        elif isinstance(value, Mapping):
            stored_schema[key] = _stored_schema(value, roots)
        elif isinstance(value, list | tuple):
            stored_schema[key] = [
                _stored_schema(item, roots) if isinstance(item, Mapping) else item for item in value
            ]
        else:
            stored_schema[key] = value
    return stored_schema
