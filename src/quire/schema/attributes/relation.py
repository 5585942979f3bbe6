"""``relation``: links to entries of a content type, or of any content type (morph relations)."""

from collections.abc import Mapping, Sequence

from quire.schema.attributes.base import (
    Attribute,
    AttributeType,
    Fault,
    LocalizationsAttribute,
    Relation,
    RelationAttribute,
    any_option,
    boolean_option,
    common_fields,
    name_option,
)

_KINDS = {kind.value for kind in Relation}
_WITHOUT_TARGET = {Relation.MORPH_TO_ONE, Relation.MORPH_TO_MANY}


def _relation_option(value: object) -> str | None:
    if isinstance(value, str) and value in _KINDS:
        return None
    return f"expected one of {', '.join(kind.value for kind in Relation)}"


def _check(raw: Mapping[str, object]) -> Sequence[Fault]:
    relation = Relation(str(raw["relation"]))
    faults: list[Fault] = []
    if relation not in _WITHOUT_TARGET and "target" not in raw:
        faults.append(("target", "is missing"))
    if relation in {Relation.MORPH_ONE, Relation.MORPH_MANY} and "morphBy" not in raw:
        faults.append(("morphBy", "is missing"))
    if "inversedBy" in raw and "mappedBy" in raw:
        faults.append(("mappedBy", "cannot stand beside inversedBy"))
    if relation is Relation.ONE_TO_MANY and "inversedBy" in raw:
        faults.append(("inversedBy", "a oneToMany relation is owned by the other side: mappedBy"))
    return faults


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


RELATION = AttributeType(
    name="relation",
    build=_build,
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
LOCALIZATIONS = AttributeType(name="localizations", build=_build_localizations)
"""Added to every content type by the server; no schema file may name it."""
