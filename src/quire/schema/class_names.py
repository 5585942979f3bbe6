"""Class names of content types and components: ``Article``, ``SharedSeo``.

They are for code that is generated from a schema. The project's own types have the shortest names;
those of plugins begin with their plugin's. No two models have the same name.
"""

from collections.abc import Collection, Mapping

from quire.schema.model import Component, ContentType, Model, Schema
from quire.schema.name_words import words


def class_names(schema: Schema, *, reserved: Collection[str] = ()) -> Mapping[str, str]:
    """Return a name for each uid; none is one of the ``reserved``."""
    taken_names = set(reserved)
    names: dict[str, str] = {}
    for model in sorted(schema.models(), key=_rank):
        names[model.uid] = unused(_wanted(model), taken_names)
    return names


def unused(requested_name: str, used_names: set[str]) -> str:
    """Return an unused name, with a number if needed, and mark it as used."""
    name, number = requested_name, 1
    while name in used_names:
        number += 1
        name = f"{requested_name}{number}"
    used_names.add(name)
    return name


def class_name(text: str) -> str:
    """Return ``FooBar`` for ``foo-bar``; never empty, and never with a digit first."""
    joined = "".join(word.capitalize() for word in words(text))
    return joined if joined[:1].isalpha() else f"Type{joined}"


def _rank(model: Model) -> tuple[int, str]:
    """Sort the project's own types first, since the first one gets the plain name."""
    is_project_type = isinstance(model, ContentType) and model.is_api
    return (0 if is_project_type else 1 if isinstance(model, Component) else 2, model.uid)


def _wanted(model: Model) -> str:
    if isinstance(model, ContentType) and model.is_api:
        return class_name(model.singular_name)
    namespace, _, name = model.uid.rpartition("::")
    owner = "admin-" if namespace == "admin" else ""
    return class_name(f"{owner}{name}".replace(".", "-"))
