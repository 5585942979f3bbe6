"""Validates a changed view; all problems are reported at once."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Any

from quire.content_manager.type_descriptions import described_attributes
from quire.content_manager.view_configuration import View, sortable
from quire.schema.attributes.validation import ABSENT, not_of_type
from quire.schema.model import Model

SECTIONS = ("settings", "metadatas", "layouts")
"""The parts of a view; a change replaces those that it names."""

MAX_ROWS = 1000
"""Rows of a form's layout, fields in one of them, and columns of lists."""

_LEAST_PAGE, _LARGEST_PAGE = 10, 100
_ORDERS = ("ASC", "DESC")
_EDIT = {
    "label": str,
    "description": str,
    "placeholder": str,
    "editable": bool,
    "visible": bool,
    "mainField": str,
    "step": object,
}
_LIST = {"label": str, "searchable": bool, "sortable": bool}
_TYPES = {str: "string", bool: "boolean"}


def changed_view(view: View, data: object) -> View:
    """Return a view with the given sections replaced."""
    sections = data if isinstance(data, Mapping) else {}
    return {**view, **{name: sections[name] for name in SECTIONS if sections.get(name) is not None}}


def problems_of_view(model: Model, data: object, computed: Collection[str] = ()) -> list[str]:
    """Return all problems of a change of a model's view, as sentences.

    ``computed`` are its computed fields, which lists may have columns of.
    """
    if data is None:
        return []
    if not isinstance(data, Mapping):
        return [f"this {not_of_type('object', data)}"]
    checks = {"settings": _settings, "metadatas": _metadatas, "layouts": _layouts}
    return [
        problem
        for name, check in checks.items()
        if data.get(name) is not None
        for problem in _section(name, data[name], check, model, computed)
    ]


def _section(
    name: str,
    value: object,
    check: Any,  # noqa: ANN401
    model: Model,
    computed: Collection[str],
) -> Iterator[str]:
    if not isinstance(value, Mapping):
        yield f"{name} {not_of_type('object', value)}"
        return
    yield from check(value, model, computed)


def _settings(
    value: Mapping[str, object], model: Model, _computed: Collection[str]
) -> Iterator[str]:
    attributes = described_attributes(model)
    names = tuple(attributes)
    for flag in ("bulkable", "filterable"):
        yield from _flag(f"settings.{flag}", value.get(flag, ABSENT))
    yield from _page_size("settings.pageSize", value.get("pageSize", ABSENT))
    yield from _flag("settings.searchable", value.get("searchable", ABSENT))
    yield from _choice("settings.mainField", value.get("mainField", ABSENT), names)
    sorts = sortable(model, attributes)
    sort_names = tuple(name for name in names if name in sorts)
    yield from _choice("settings.defaultSortBy", value.get("defaultSortBy", ABSENT), sort_names)
    yield from _choice("settings.defaultSortOrder", value.get("defaultSortOrder", ABSENT), _ORDERS)
    mode = value.get("relationOpenMode", ABSENT)
    yield from _choice("settings.relationOpenMode", mode, ("modal", "page"))


def _flag(path: str, value: object) -> Iterator[str]:
    if value is ABSENT or value is None:
        yield f"{path} is a required field"
    elif not isinstance(value, bool):
        yield f"{path} {not_of_type('boolean', value)}"


def _page_size(path: str, value: object) -> Iterator[str]:
    if value is ABSENT or value is None:
        yield f"{path} is a required field"
    elif isinstance(value, bool) or not isinstance(value, int):
        yield f"{path} {not_of_type('number', value)}"
    elif value < _LEAST_PAGE:
        yield f"{path} must be greater than or equal to {_LEAST_PAGE}"
    elif value > _LARGEST_PAGE:
        yield f"{path} must be less than or equal to {_LARGEST_PAGE}"


def _choice(path: str, value: object, choices: Sequence[str]) -> Iterator[str]:
    if value is not ABSENT and value not in choices:
        yield f"{path} must be one of the following values: {', '.join(choices)}"


def _metadatas(
    value: Mapping[str, object], model: Model, computed: Collection[str]
) -> Iterator[str]:
    known_names = {*described_attributes(model), *computed}
    yield from _check_keys("metadatas", value, known_names)
    for name, metadata in value.items():
        if name not in known_names:
            continue
        if not isinstance(metadata, Mapping):
            yield f"metadatas.{name} {not_of_type('object', metadata)}"
            continue
        for part, members in (("edit", _EDIT), ("list", _LIST)):
            if metadata.get(part) is not None:
                yield from _members(f"metadatas.{name}.{part}", metadata[part], members)


def _members(path: str, value: object, members: Mapping[str, type]) -> Iterator[str]:
    if not isinstance(value, Mapping):
        yield f"{path} {not_of_type('object', value)}"
        return
    yield from _check_keys(path, value, members)
    for name, type_ in members.items():
        member = value.get(name)
        if member is not None and not isinstance(member, type_):
            yield f"{path}.{name} {not_of_type(_TYPES[type_], member)}"


def _check_keys(
    path: str, value: Mapping[str, object], known_names: Collection[str]
) -> Iterator[str]:
    unknown = [name for name in value if name not in known_names]
    if unknown:
        yield f"{path} field has unspecified keys: {', '.join(unknown)}"


def _layouts(value: Mapping[str, object], model: Model, computed: Collection[str]) -> Iterator[str]:
    names = tuple(described_attributes(model))
    rows, columns = value.get("edit"), value.get("list")
    for path, items in (("layouts.edit", rows), ("layouts.list", columns)):
        if isinstance(items, list):
            yield from _length(path, items)
        else:
            yield f"{path} is required and must be an array"
    for position, row in enumerate(_first_items(rows)):
        yield from _row(f"layouts.edit[{position}]", row, names)
    for position, name in enumerate(_first_items(columns)):
        yield from _choice(f"layouts.list[{position}]", name, (*names, *computed))


def _length(path: str, items: Sequence[object]) -> Iterator[str]:
    if len(items) > MAX_ROWS:
        yield f"{path} field must have less than or equal to {MAX_ROWS} items"


def _first_items(value: object) -> list[object]:
    return value[:MAX_ROWS] if isinstance(value, list) else []


def _row(path: str, row: object, names: Sequence[str]) -> Iterator[str]:
    if not isinstance(row, list):
        yield f"{path} {not_of_type('array', row)}"
        return
    yield from _length(path, row)
    for position, cell in enumerate(_first_items(row)):
        cell_path = f"{path}[{position}]"
        if not isinstance(cell, Mapping):
            yield f"{cell_path} {not_of_type('object', cell)}"
            continue
        yield from _choice(f"{cell_path}.name", cell.get("name"), names)
        size = cell.get("size")
        if isinstance(size, bool) or not isinstance(size, int) or size < 1:
            yield f"{cell_path}.size must be a positive number"
