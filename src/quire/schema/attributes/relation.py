"""``relation``: links to entries of a content type, or of any content type (morph relations)."""

from collections.abc import Mapping, Sequence

from quire.schema.attributes.base import (
    Attribute,
    AttributeType,
    LocalizationsAttribute,
    OptionProblem,
    Relation,
    RelationAttribute,
    any_option,
    boolean_option,
    common_fields,
    name_option,
)
from quire.schema.attributes.json_schema import JsonForm, JsonSchema, Pointers

_KINDS = {kind.value for kind in Relation}
_WITHOUT_TARGET = {Relation.MORPH_TO_ONE, Relation.MORPH_TO_MANY}


def _relation_option(value: object) -> str | None:
    if isinstance(value, str) and value in _KINDS:
        return None
    return f"expected one of {', '.join(kind.value for kind in Relation)}"


def _check(raw: Mapping[str, object]) -> Sequence[OptionProblem]:
    relation = Relation(str(raw["relation"]))
    problems: list[OptionProblem] = []
    if relation not in _WITHOUT_TARGET and "target" not in raw:
        problems.append(("target", "is missing"))
    if relation in {Relation.MORPH_ONE, Relation.MORPH_MANY} and "morphBy" not in raw:
        problems.append(("morphBy", "is missing"))
    if "inversedBy" in raw and "mappedBy" in raw:
        problems.append(("mappedBy", "cannot stand beside inversedBy"))
    if relation is Relation.ONE_TO_MANY and "inversedBy" in raw:
        problems.append(("inversedBy", "a oneToMany relation is owned by the other side: mappedBy"))
    return problems


def _text(raw: Mapping[str, object], name: str) -> str | None:
    value = raw.get(name)
    return value if isinstance(value, str) else None


def _build(type_: AttributeType, name: str, raw: Mapping[str, object]) -> Attribute:
    return RelationAttribute(
        name=name,
        type=type_,
        relation=Relation(str(raw["relation"])),
        target=_text(raw, "target"),
        inversed_by=_text(raw, "inversedBy"),
        mapped_by=_text(raw, "mappedBy"),
        morph_by=_text(raw, "morphBy"),
        join_table=raw.get("useJoinTable") is not False,
        **common_fields(raw),  # type: ignore[arg-type]  # a dict of keyword arguments
    )


def _build_localizations(type_: AttributeType, name: str, raw: Mapping[str, object]) -> Attribute:
    return LocalizationsAttribute(
        name=name,
        type=type_,
        target=str(raw["target"]),
        **common_fields(raw),  # type: ignore[arg-type]  # a dict of keyword arguments
    )


_ENTRY_OF_ANY_TYPE: JsonSchema = {
    "type": "object",
    "properties": {"__type": {"type": "string"}, "id": {"type": "integer"}},
    "required": ["__type", "id"],
    "additionalProperties": True,
}
_ID: JsonSchema = {"type": ["integer", "string"]}
_POSITION: JsonSchema = {
    "type": "object",
    "properties": {
        "before": _ID,
        "after": _ID,
        "start": {"type": "boolean"},
        "end": {"type": "boolean"},
    },
}
_IDENTIFIED_SCHEMA: JsonSchema = {"anyOf": [{"required": ["id"]}, {"required": ["documentId"]}]}
_MEMBERS: JsonSchema = {
    "id": _ID,
    "documentId": {"type": "string"},
    "locale": {"type": ["string", "null"]},
}
_ENTRY: JsonSchema = {
    "type": "object",
    "properties": _MEMBERS,
    "additionalProperties": False,
    **_IDENTIFIED_SCHEMA,
}
_STATUS: JsonSchema = {"type": "string", "enum": ["draft", "published"]}


def _changed(status: JsonSchema) -> JsonSchema:
    return {
        "type": "object",
        "properties": {**_MEMBERS, "status": status, "position": _POSITION},
        **_IDENTIFIED_SCHEMA,
    }


def _one_or_several(item: JsonSchema) -> list[JsonSchema]:
    return [{"type": "array", "items": item}, item]


def _changes(changed: JsonSchema) -> JsonSchema:
    several = {"anyOf": _one_or_several(changed)}
    return {
        "type": "object",
        "description": "What changes: set first, then disconnect and connect.",
        "properties": {
            "set": {"anyOf": [*_one_or_several(changed), {"type": "null"}]},
            "connect": several,
            "disconnect": several,
            "options": {"type": "object", "properties": {"strict": {"type": "boolean"}}},
        },
        "additionalProperties": False,
        "anyOf": [{"required": [name]} for name in ("set", "connect", "disconnect")],
    }


def links(pointers: Pointers) -> JsonSchema:
    """Describe the value of a relation or of files in requests; to-one and to-many are alike.

    Every object has its own name, so that generated clients have a class for it.
    """
    shared = pointers.shared
    entry = {
        "description": "An entry: its documentId, its id, or an object with either.",
        "anyOf": [_ID, shared("RelationTargetObject", _ENTRY)],
    }
    added_or_removed = {
        "description": "An entry, and where in the order it is put.",
        "anyOf": [_ID, shared("RelationChangeObject", _changed(shared("RelationStatus", _STATUS)))],
    }
    changes = shared("RelationChanges", _changes(shared("RelationChange", added_or_removed)))
    return shared(
        "RelationInput", {"anyOf": [*_one_or_several(shared("RelationTarget", entry)), changes]}
    )


def _shown(attribute: RelationAttribute | LocalizationsAttribute, pointers: Pointers) -> JsonSchema:
    target = attribute.target
    entry = _ENTRY_OF_ANY_TYPE if target is None else pointers.document(target)
    return {"type": "array", "items": entry} if attribute.to_many else entry


def _written(attribute: RelationAttribute, pointers: Pointers) -> JsonSchema:
    if attribute.target is not None:
        return links(pointers)
    typed = {
        "type": "object",
        "properties": {"__type": {"type": "string"}, "id": _ID, "documentId": {"type": "string"}},
        "required": ["__type"],
    }
    target = pointers.shared("MorphTarget", typed)
    changes = pointers.shared("MorphChanges", _changes(target))
    return pointers.shared("MorphInput", {"anyOf": [*_one_or_several(target), changes]})


def _not_written(attribute: LocalizationsAttribute, pointers: Pointers) -> JsonSchema:  # noqa: ARG001
    return {"not": {}}


RELATION = AttributeType(
    name="relation",
    build=_build,
    json=JsonForm(response=_shown, request=_written),
    options={
        "relation": _relation_option,
        "target": name_option,
        "inversedBy": name_option,
        "mappedBy": name_option,
        "morphBy": name_option,
        "useJoinTable": boolean_option,
        "joinTable": any_option,
        "joinColumn": any_option,
    },
    needs=("relation",),
    check=_check,
)
LOCALIZATIONS = AttributeType(
    name="localizations",
    build=_build_localizations,
    json=JsonForm(response=_shown, request=_not_written),
)
"""Added to every content type by the server; not allowed in schema files."""
