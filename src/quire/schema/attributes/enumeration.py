"""``enumeration``: one of the values that the schema lists."""

from collections.abc import Mapping, Sequence

from quire.schema.attributes.base import (
    AttributeType,
    Fault,
    Search,
    StorageKind,
    build_scalar,
    name_option,
    names_option,
)


def _check(raw: Mapping[str, object]) -> Sequence[Fault]:
    values = raw["enum"]
    if not isinstance(values, list) or not values:
        return [("enum", "needs at least one value")]
    if len(set(values)) != len(values):
        return [("enum", "lists a value twice")]
    default = raw.get("default")
    if default is not None and default not in values:
        return [("default", "is not one of the listed values")]
    return ()


ENUMERATION = AttributeType(
    name="enumeration",
    build=build_scalar,
    options={"enum": names_option, "enumName": name_option},
    needs=("enum",),
    check=_check,
    storage=StorageKind.STRING,
    search=Search.TEXT,
)
