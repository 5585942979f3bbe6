"""Views: the layout of lists and forms of a content type or component.

The default view follows from the schema. A stored view is shown without attributes that no longer
exist, and with new ones.
"""

from collections.abc import Iterator, Mapping
from typing import Any, Self

from msgspec import Struct

from quire.content_manager.type_descriptions import FIELD_SIZES, described_attributes
from quire.schema.model import ADMIN_USER_UID, USER_UID, Component, Model, Schema

View = dict[str, Any]
"""``settings``, ``metadatas`` by attribute, and ``layouts`` of the list and of the form."""

_ROW = 12
_DEFAULT_COLUMN_COUNT = 4
_IDS = frozenset({"id", "documentId"})
_COMPONENT_ID = frozenset({"id"})
_AUTOMATIC = frozenset({"createdAt", "updatedAt", "createdBy", "updatedBy", *_IDS})
_UNSORTABLE = frozenset({"component", "json", "media", "richtext", "dynamiczone", "blocks"})
_TYPES_WITHOUT_COLUMN = frozenset({"json", "dynamiczone", "richtext", "password", "blocks"})
_TO_ONE = frozenset({"oneToOne", "manyToOne"})
_TOKENS = ("resetPasswordToken", "confirmationToken", "registrationToken")
_HIDDEN: Mapping[str, frozenset[str]] = {
    ADMIN_USER_UID: frozenset(_TOKENS),
    USER_UID: frozenset((*_TOKENS, "provider")),
}
"""Attributes that no form and no list shows."""

Attributes = Mapping[str, Mapping[str, object]]


def main_field(model: Model) -> str:
    """Return the attribute that represents an entry if no view names one."""
    for name, attribute in described_attributes(model).items():
        if attribute.get("type") == "string":
            return name
    return "id"


def default_view(schema: Schema, model: Model) -> View:
    """Return the default view of a model."""
    shape = _ViewableAttributes.of(schema, model)
    return {
        "settings": stored_settings(model, None),
        "metadatas": {name: shape.metadata(name) for name in (*shape.attributes, *shape.computed)},
        "layouts": {"list": shape.list_layout(), "edit": shape.form_layout(shape.edited())},
    }


def stored_settings(model: Model, stored_value: object) -> dict[str, Any]:
    """Return the settings of the view of a model from its stored form, which may be empty.

    Attributes that no longer exist are replaced by the default.
    """
    main = main_field(model)
    settings = {
        "bulkable": True,
        "filterable": True,
        "searchable": True,
        "pageSize": 10,
        "relationOpenMode": "modal",
        "mainField": main,
        "defaultSortBy": main,
        "defaultSortOrder": "ASC",
        **_object(_object(stored_value).get("settings")),
    }
    names = described_attributes(model)
    for setting in ("mainField", "defaultSortBy"):
        if settings[setting] not in names:
            settings[setting] = main
    return settings


def stored_main_field(model: Model, stored_value: object) -> str:
    """Return the attribute that represents an entry by the stored view, which may be empty."""
    return str(stored_settings(model, stored_value)["mainField"])


def stored_view(
    schema: Schema, model: Model, stored_value: object, *, identified: bool = True
) -> View:
    """Return the view of a model from its stored form, which may be empty.

    An ``identified`` one has the document id in its metadata in any case.
    """
    default = default_view(schema, model)
    sections = stored_value if isinstance(stored_value, Mapping) else {}
    shape = _ViewableAttributes.of(schema, model)
    metadatas, added = shape.metadatas(sections.get("metadatas"), default["metadatas"])
    if identified:
        metadatas.setdefault("documentId", default["metadatas"]["documentId"])
    layouts = sections.get("layouts")
    if not isinstance(layouts, Mapping):
        layouts = default["layouts"]
    return {
        "settings": stored_settings(model, stored_value),
        "metadatas": metadatas,
        "layouts": {
            "list": shape.known_columns(layouts.get("list")),
            "edit": shape.known_rows(layouts.get("edit"), added),
        },
    }


def with_list_main_fields(view: View) -> View:
    """Set the attribute that represents related entries in the list metadata as well."""
    metadatas = {
        name: {**metadata, "list": {**metadata["list"], "mainField": metadata["edit"]["mainField"]}}
        if "mainField" in metadata["edit"]
        else metadata
        for name, metadata in view["metadatas"].items()
    }
    return {**view, "metadatas": metadatas}


def sortable(model: Model, attributes: Attributes) -> frozenset[str]:
    """Return the attributes that a list can be sorted by."""
    names = (name for name, attribute in attributes.items() if _is_sortable(attribute))
    return frozenset(names) - (_COMPONENT_ID if isinstance(model, Component) else frozenset())


def _is_sortable(attribute: Mapping[str, object]) -> bool:
    if attribute["type"] == "relation":
        return attribute.get("relationType") in _TO_ONE
    return attribute["type"] not in _UNSORTABLE


class _ViewableAttributes(Struct, frozen=True):
    """What a view may contain of the attributes of a model."""

    schema: Schema
    model: Model
    attributes: Attributes
    sortable: frozenset[str]
    computed: frozenset[str]
    """The computed fields of the project's code: lists may have columns of them."""

    @classmethod
    def of(cls, schema: Schema, model: Model) -> Self:
        """Describe the attributes once: some of the methods need all of them."""
        attributes = described_attributes(model)
        computed = frozenset(schema.computed.get(model.uid, ()))
        return cls(schema, model, attributes, sortable(model, attributes), computed)

    def metadata(self, name: str) -> dict[str, Any]:
        """Return how one attribute is shown in forms and lists."""
        is_sortable = name in self.sortable
        list_options: dict[str, Any] = {
            "label": name,
            "searchable": is_sortable,
            "sortable": is_sortable,
        }
        if name in _IDS or name in self.computed:
            return {"edit": {}, "list": list_options}
        edit: dict[str, Any] = {
            "label": name,
            "description": "",
            "placeholder": "",
            "visible": self._is_edited(name),
            "editable": True,
        }
        target = self.attributes[name].get("targetModel")
        if isinstance(target, str):
            edit["mainField"] = main_field(self.schema.content_types[target])
        return {"edit": edit, "list": list_options}

    def metadatas(
        self, stored_metadatas: object, default: Mapping[str, Any]
    ) -> tuple[dict[str, Any], list[str]]:
        """Return the stored metadata of existing attributes, and which attributes are new.

        A stored list without the id never listed all attributes: others are not new.
        """
        if not isinstance(stored_metadatas, Mapping):
            return dict(default), []
        valid_metadatas = {
            name: self._supported_metadata(name, metadata)
            for name, metadata in stored_metadatas.items()
            if name in default and isinstance(metadata, Mapping)
        }
        added = (
            [name for name in default if name not in valid_metadatas]
            if "id" in valid_metadatas
            else []
        )
        valid_metadatas |= {name: default[name] for name in added}
        return valid_metadatas, [name for name in added if self._is_edited(name)]

    def _supported_metadata(self, name: str, metadata: Mapping[str, Any]) -> dict[str, Any]:
        """Return stored metadata without options that the attribute does not support."""
        edit_options, list_options = _object(metadata.get("edit")), _object(metadata.get("list"))
        if name not in self.sortable:
            list_options |= {
                flag: False for flag in ("searchable", "sortable") if flag in list_options
            }
        return {"edit": edit_options, "list": list_options}

    def list_layout(self) -> list[str]:
        """Return the columns of the list: the id and the first that can be shown."""
        columns = [name for name in self.attributes if self._is_listed(name)]
        return ["id", *columns][:_DEFAULT_COLUMN_COUNT]

    def edited(self) -> list[str]:
        """Return the attributes of the form."""
        return [name for name in self.attributes if self._is_edited(name)]

    def form_layout(self, names: list[str]) -> list[list[dict[str, Any]]]:
        """Put fields into rows, as many as fit into each."""
        rows: list[list[dict[str, Any]]] = []
        width = _ROW
        for name in names:
            size = _size(self.attributes[name])
            if width + size > _ROW:
                rows.append([])
                width = 0
            rows[-1].append({"name": name, "size": size})
            width += size
        return rows

    def known_columns(self, layout: object) -> list[str]:
        """Return the columns of a stored layout that still exist."""
        columns = layout if isinstance(layout, list) else self.list_layout()
        return [name for name in columns if name in self.attributes or name in self.computed]

    def known_rows(self, layout: object, added: list[str]) -> list[list[dict[str, Any]]]:
        """Return the rows of a stored layout with existing fields, and rows of new ones."""
        if not isinstance(layout, list):
            return self.form_layout(self.edited())
        rows = [[cell for cell in _cells(row) if cell["name"] in self.attributes] for row in layout]
        placed_names = {cell["name"] for row in rows for cell in row}
        missing_names = [name for name in added if name not in placed_names]
        return [row for row in rows if row] + self.form_layout(missing_names)

    def _is_edited(self, name: str) -> bool:
        return name not in _AUTOMATIC | self.computed and self._is_visible(name)

    def _is_listed(self, name: str) -> bool:
        is_shown = name not in _IDS and self._is_visible(name)
        return is_shown and self.attributes[name]["type"] not in _TYPES_WITHOUT_COLUMN

    def _is_visible(self, name: str) -> bool:
        hidden = _HIDDEN.get(self.model.uid, frozenset())
        return name not in hidden and self.attributes[name].get("visible") is not False


def _cells(row: object) -> Iterator[dict[str, Any]]:
    for cell in row if isinstance(row, list) else ():
        if isinstance(cell, dict) and isinstance(cell.get("name"), str):
            yield cell


def _size(attribute: Mapping[str, object]) -> int:
    size = FIELD_SIZES.get(str(attribute["type"]), {}).get("default", _ROW)
    return size if isinstance(size, int) else _ROW


def _object(value: object) -> dict[str, Any]:
    return dict(value) if isinstance(value, Mapping) else {}
