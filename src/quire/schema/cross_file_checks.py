"""Problems of a schema that involve several files.

Names used twice, relations to missing types, inconsistent sides of a relation, components that are
missing or contain themselves, attributes whose columns would collide.
"""

import re
from collections.abc import Iterator, Mapping

from quire.errors import SchemaProblem
from quire.schema.attributes import AttributeTypes
from quire.schema.name_words import snake_case
from quire.schema.system_attributes import (
    CREATORS,
    RESERVED_MEMBERS,
    RESERVED_NAMES,
    RESERVED_PREFIXES,
)

Raw = Mapping[str, object]
_UNWRITABLE = re.compile(r'["\\\x00-\x1f]')
"""Characters that would have to be escaped in a JSON key."""

Models = Mapping[str, tuple[str, Raw]]
"""Schema files by uid: the path for messages and the content."""


def check_models(models: Models, types: AttributeTypes) -> list[SchemaProblem]:
    """List every error between files. Malformed objects are left to the checks of files."""
    problems = [*_double_names(models), *_double_tables(models), *_component_circles(models)]
    for uid, (file, raw) in models.items():
        for name, attribute in _attributes(raw).items():
            problems += [
                SchemaProblem(file, f"attributes.{name}{'.' if option else ''}{option}", message)
                for option, message in (
                    *_reference_problems(uid, attribute, models),
                    *_name_problems(uid, name),
                )
            ]
        problems += [SchemaProblem(file, path, message) for path, message in _columns(raw, types)]
    return problems


def _attributes(raw: Raw) -> Mapping[str, Raw]:
    attributes = raw.get("attributes")
    if not isinstance(attributes, dict):
        return {}
    return {name: value for name, value in attributes.items() if isinstance(value, dict)}


def _info(raw: Raw, key: str) -> object:
    info = raw.get("info")
    return info.get(key) if isinstance(info, dict) else None


def _double_names(models: Models) -> Iterator[SchemaProblem]:
    """Singular and plural names of a project's types share one namespace."""
    uid_by_name: dict[object, str] = {}
    for uid, (file, raw) in models.items():
        if not uid.startswith("api::"):
            continue
        singular, plural = _info(raw, "singularName"), _info(raw, "pluralName")
        if singular is not None and singular == plural:
            yield SchemaProblem(file, "info.pluralName", "must differ from the singular name")
            continue
        for key, name in (("singularName", singular), ("pluralName", plural)):
            if isinstance(name, str) and name in uid_by_name:
                yield SchemaProblem(file, f"info.{key}", f"{name} is taken by {uid_by_name[name]}")
            elif isinstance(name, str):
                uid_by_name[name] = uid


def _double_tables(models: Models) -> Iterator[SchemaProblem]:
    uid_by_table: dict[str, str] = {}
    for uid, (file, raw) in models.items():
        table = raw.get("collectionName") or _info(raw, "singularName")
        if not isinstance(table, str):
            continue
        if table in uid_by_table:
            yield SchemaProblem(
                file, "collectionName", f"{table} is the table of {uid_by_table[table]}"
            )
        else:
            uid_by_table[table] = uid


def _name_problems(uid: str, name: str) -> Iterator[tuple[str, str]]:
    if not uid.startswith("api::") and "::" in uid:
        return  # built-in types may use reserved names
    snake = snake_case(name)
    if not snake:
        yield "", "the name has no letter or digit"
    if _UNWRITABLE.search(name):
        yield "", "the name has a quotation mark, a backslash or a control character"
    if _is_reserved(name, snake):
        yield "", "the name is reserved"


def _is_reserved(name: str, snake: str) -> bool:
    """Whether the server uses a name, or its column.

    ``CreatedBy`` differs from ``createdBy``, and its column ``created_by`` from ``created_by_id``.
    """
    if name in RESERVED_NAMES | RESERVED_MEMBERS or name.startswith(RESERVED_PREFIXES):
        return True
    return snake in RESERVED_NAMES and (snake not in CREATORS or name[0].islower())


def _reference_problems(uid: str, raw: Raw, models: Models) -> Iterator[tuple[str, str]]:
    kind = raw.get("type")
    if kind == "relation":
        yield from _relation_problems(uid, raw, models)
    elif kind == "component":
        yield from _unknown_component("component", raw.get("component"), models)
    elif kind == "dynamiczone":
        components = raw.get("components")
        for component in components if isinstance(components, list) else ():
            yield from _unknown_component("components", component, models)


def _unknown_component(option: str, uid: object, models: Models) -> Iterator[tuple[str, str]]:
    if isinstance(uid, str) and ("::" in uid or uid not in models):
        yield option, f"there is no component {uid}"


def _relation_problems(uid: str, raw: Raw, models: Models) -> Iterator[tuple[str, str]]:
    target = raw.get("target")
    if not isinstance(target, str):
        return
    if target not in models or "::" not in target:
        yield "target", f"there is no content type {target}"
        return
    target_attributes = _attributes(models[target][1])
    for option, back in (("mappedBy", "inversedBy"), ("inversedBy", "mappedBy")):
        name = raw.get(option)
        if not isinstance(name, str):
            continue
        other = target_attributes.get(name)
        if other is None:
            yield option, f"{target} has no attribute {name}"
        elif other.get("type") != "relation" or other.get("target", uid) != uid:
            yield option, f"{target}.{name} is not a relation to {uid}"
        elif back == "inversedBy" and raw.get("relation") == "manyToMany" and back not in other:
            yield option, f"{target}.{name} must say inversedBy"
    yield from _morph_problems(raw, target, target_attributes)


def _morph_problems(raw: Raw, target: str, models: Mapping[str, Raw]) -> Iterator[tuple[str, str]]:
    name = raw.get("morphBy")
    if not isinstance(name, str):
        return
    other = models.get(name)
    if other is None:
        yield "morphBy", f"{target} has no attribute {name}"
    elif other.get("relation") not in ("morphToOne", "morphToMany"):
        yield "morphBy", f"{target}.{name} is not a relation to any content type"


def _component_circles(models: Models) -> Iterator[SchemaProblem]:
    """A component that requires itself could never be saved."""
    required = {
        uid: {
            name: str(attribute.get("component"))
            for name, attribute in _attributes(raw).items()
            if attribute.get("type") == "component" and attribute.get("required") is True
        }
        for uid, (_, raw) in models.items()
        if "::" not in uid
    }
    for uid, members in required.items():
        for name, component in members.items():
            if uid in _required_by(component, required):
                path = f"attributes.{name}"
                yield SchemaProblem(models[uid][0], path, "a component cannot require itself")
                break


def _required_by(component: str, required: Mapping[str, Mapping[str, str]]) -> set[str]:
    """Return a component and everything that it requires, at any depth."""
    reached: set[str] = set()
    waiting = [component]
    while waiting:
        current = waiting.pop()
        if current not in reached:
            reached.add(current)
            waiting += required.get(current, {}).values()
    return reached


def _columns(raw: Raw, types: AttributeTypes) -> Iterator[tuple[str, str]]:
    """Two attributes whose names differ only in case or punctuation would share a column."""
    attribute_by_column: dict[str, str] = {}
    for name, attribute in _attributes(raw).items():
        column = _column(name, attribute, types)
        if column is None:
            continue
        if column in attribute_by_column:
            yield (
                f"attributes.{name}",
                f"has the same column as {attribute_by_column[column]}: {column}",
            )
        attribute_by_column.setdefault(column, name)


def _column(name: str, raw: Raw, types: AttributeTypes) -> str | None:
    """Return the column that an attribute has in its own table, if it has one."""
    type_ = types.get(str(raw.get("type")))
    if type_ is not None and type_.storage is not None:
        return str(raw.get("columnName") or snake_case(name))
    if raw.get("useJoinTable") is False and "mappedBy" not in raw:
        return f"{snake_case(name)}_id"
    return None
