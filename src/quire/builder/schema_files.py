"""The schema files of a project, edited in memory.

`SchemaFiles` begins with the present files. Each change keeps them consistent: the inverse of a
relation is added and removed with it, references to a removed model are removed as well, and a
renamed model is renamed everywhere.
"""

from collections.abc import Iterator, Mapping, Sequence
from copy import deepcopy
from typing import Any

from msgspec import UNSET, Struct

from quire.builder.definitions import (
    SELF,
    AttributeDefinition,
    ComponentDefinition,
    DefinitionProblem,
    TypeDefinition,
    collection_name,
    component_collection_name,
    file_of,
)
from quire.errors import QuireError
from quire.schema.model import Schema
from quire.schema.source_files import EXTENSION, SchemaFile

Raw = dict[str, Any]
"""A model or an attribute of a schema file, while it is edited."""

_OTHER_KIND = {
    "oneToOne": "oneToOne",
    "oneToMany": "manyToOne",
    "manyToOne": "oneToMany",
    "manyToMany": "manyToMany",
}
_OPPOSITE = {"mappedBy": "inversedBy", "inversedBy": "mappedBy"}
_OF_BODIES = frozenset({"targetAttribute", "name", "formerName"})
"""Keys of requests that are not stored in files."""
_SPOKEN_OF = ("required", "private")
"""Options of relations and media that the builder always sends."""


def is_two_sided(raw: Mapping[str, Any]) -> bool:
    """Tell whether an attribute is a relation to one content type, which may have an inverse."""
    return raw.get("type") == "relation" and raw.get("relation") in _OTHER_KIND


def inverse_name_of(raw: Mapping[str, Any]) -> str | None:
    """Return the name of the attribute on the other side of a relation, if it has one."""
    if not is_two_sided(raw):
        return None
    return raw.get("inversedBy") or raw.get("mappedBy")


def raw_of(
    definition: AttributeDefinition, uid: str, current_attribute: Mapping[str, Any] | None
) -> Raw:
    """Return an attribute in the form of a schema file; ``current_attribute`` is its present form.

    Options that were only described, and are not in the file, are left out.
    """
    raw = {name: value for name, value in definition.items() if name not in _OF_BODIES}
    if raw.get("type") in {"relation", "media"}:
        for name in _SPOKEN_OF:
            if raw.get(name) is False and name not in (current_attribute or {}):
                del raw[name]
    if is_two_sided(raw):
        _join(raw, definition, uid, current_attribute)
    return (
        dict(current_attribute)
        if current_attribute is not None and raw == current_attribute
        else raw
    )


def counterpart(raw: Mapping[str, Any], name: str, uid: str) -> Raw:
    """Return the inverse of a relation: of the attribute ``name`` of the type ``uid``."""
    side = "inversedBy" if "inversedBy" in raw else "mappedBy"
    return {
        "type": "relation",
        "relation": _OTHER_KIND[raw["relation"]],
        "target": uid,
        _OPPOSITE[side]: name,
    }


def fits(raw: Mapping[str, Any], other: Mapping[str, Any], name: str, uid: str) -> bool:
    """Tell whether an attribute is the inverse of a relation already."""
    expected = counterpart(raw, name, uid)
    return all(other.get(key) == value for key, value in expected.items())


def _join(
    raw: Raw, definition: AttributeDefinition, uid: str, current_attribute: Mapping[str, Any] | None
) -> None:
    """Set the name of the inverse in a relation."""
    if raw.get("target") == SELF:
        raw["target"] = uid
    dominant = raw.pop("dominant", None)
    other = definition.get("targetAttribute", inverse_name_of(raw))
    if "inversedBy" not in raw and "mappedBy" not in raw:
        side = _relation_side(raw, dominant=dominant, current_attribute=current_attribute)
    else:
        side = "inversedBy" if "inversedBy" in raw else "mappedBy"
    raw.pop("inversedBy", None)
    raw.pop("mappedBy", None)
    if other:
        raw[side] = other


def _relation_side(
    raw: Raw, *, dominant: object, current_attribute: Mapping[str, Any] | None
) -> str:
    """Return the side of a relation: as before, or by its kind."""
    if raw["relation"] == "oneToMany":
        return "mappedBy"
    if raw["relation"] == "manyToOne":
        return "inversedBy"
    if (
        dominant is None
        and current_attribute is not None
        and current_attribute.get("relation") == raw["relation"]
    ):
        for side in _OPPOSITE:
            if side in current_attribute:
                return side
    return "mappedBy" if dominant is False else "inversedBy"


class InvalidDefinitionError(QuireError):
    """A definition that contradicts the rest of the model; ``problems`` says where and why."""

    def __init__(self, problems: Sequence[DefinitionProblem]) -> None:
        """``problems`` is not empty."""
        self.problems = tuple(problems)
        super().__init__("; ".join(f"{problem.uid}: {problem.message}" for problem in problems))


class EditedFiles(Struct, frozen=True, kw_only=True):
    """The edited schema files.

    ``models`` maps later uids to earlier ones, ``attributes`` later names of attributes to earlier
    ones by later uid.
    """

    sources: tuple[SchemaFile, ...]
    models: Mapping[str, str]
    attributes: Mapping[str, Mapping[str, str]]


class SchemaFiles:
    """The schema files being edited, beginning with the present ones."""

    def __init__(self, schema: Schema, sources: Sequence[SchemaFile]) -> None:
        """``schema`` was built from the ``sources``."""
        self._schema = schema
        self._raws: dict[str, Raw] = {s.uid: deepcopy(dict(s.raw)) for s in sources}
        self._files = {source.uid: source.file for source in sources}
        self._models: dict[str, str] = {}
        self._attributes: dict[str, dict[str, str]] = {}

    def files(self) -> EditedFiles:
        """Return the edited files."""
        return EditedFiles(
            sources=tuple(
                SchemaFile(uid, self._files[uid], raw) for uid, raw in self._raws.items()
            ),
            models=dict(self._models),
            attributes={uid: dict(names) for uid, names in self._attributes.items()},
        )

    def raw(self, uid: str) -> Mapping[str, Any] | None:
        """Return the content of a schema file of the project; ``None`` if there is none."""
        return self._raws.get(uid)

    def add_type(self, uid: str, definition: TypeDefinition) -> None:
        """Add a content type. Raises InvalidDefinitionError."""
        _check_uid(uid)
        self._raws[uid] = {
            "kind": "collectionType",
            "collectionName": collection_name(definition.plural_name),
            "info": {
                "singularName": definition.singular_name,
                "pluralName": definition.plural_name,
            },
            "options": {**(definition.options or {}), "draftAndPublish": True},
            "pluginOptions": {},
            "attributes": {},
        }
        self._files[uid] = file_of(uid)
        self._describe_type(uid, definition)
        self._set_attributes(uid, definition.attributes, definition.former_names)

    def change_type(self, uid: str, definition: TypeDefinition) -> None:
        """Change an existing content type. Raises InvalidDefinitionError."""
        self._describe_type(uid, definition)
        self._set_attributes(uid, definition.attributes, definition.former_names)

    def remove_type(self, uid: str) -> None:
        """Remove a content type, and all relations to it."""
        del self._raws[uid]
        for raw in self._raws.values():
            attributes = _attributes(raw)
            for name in [
                key for key, definition in attributes.items() if definition.get("target") == uid
            ]:
                del attributes[name]

    def rename_type(self, uid: str, new_uid: str) -> None:
        """Change the uid of a content type. Raises InvalidDefinitionError when it is taken."""
        self._rename(uid, new_uid)
        _object(self._raws[new_uid], "info")["singularName"] = new_uid.rpartition(".")[2]
        for attribute in self._all_attributes():
            if attribute.get("target") == uid:
                attribute["target"] = new_uid

    def add_component(self, uid: str, definition: ComponentDefinition) -> None:
        """Add a component. Raises InvalidDefinitionError."""
        _check_uid(uid)
        plugin_options = definition.plugin_options
        self._raws[uid] = {
            "collectionName": component_collection_name(uid),
            "info": {},
            "options": {},
            **({} if plugin_options is UNSET else {"pluginOptions": plugin_options}),
            "attributes": {},
            "config": {},
        }
        self._files[uid] = file_of(uid)
        self._describe_component(uid, definition)
        self._set_attributes(uid, definition.attributes, definition.former_names)

    def change_component(self, uid: str, definition: ComponentDefinition) -> str:
        """Change an existing component, and return its uid, which contains its category.

        Raises InvalidDefinitionError.
        """
        new_uid = f"{definition.category}.{uid.partition('.')[2]}"
        if new_uid != uid:
            self.rename_component(uid, new_uid)
        self._describe_component(new_uid, definition)
        self._set_attributes(new_uid, definition.attributes, definition.former_names)
        return new_uid

    def remove_component(self, uid: str) -> None:
        """Remove a component and the attributes that contain it."""
        del self._raws[uid]
        for raw in self._raws.values():
            attributes = _attributes(raw)
            for name, attribute in list(attributes.items()):
                if attribute.get("type") == "component" and attribute.get("component") == uid:
                    del attributes[name]
                elif attribute.get("type") == "dynamiczone":
                    remaining = [
                        component_uid
                        for component_uid in attribute.get("components", ())
                        if component_uid != uid
                    ]
                    attribute["components"] = remaining
                    if not remaining:
                        del attributes[name]

    def rename_component(self, uid: str, new_uid: str) -> None:
        """Change the uid of a component. Raises InvalidDefinitionError when it is taken."""
        self._rename(uid, new_uid)
        for attribute in self._all_attributes():
            if attribute.get("component") == uid:
                attribute["component"] = new_uid
            if isinstance(attribute.get("components"), list):
                components = attribute["components"]
                attribute["components"] = [
                    new_uid if component_uid == uid else component_uid
                    for component_uid in components
                ]

    def components_of(self, category: str) -> list[str]:
        """Return the uids of the components of a category."""
        return [uid for uid in self._raws if "::" not in uid and uid.partition(".")[0] == category]

    def extend(self, uid: str) -> str:
        """Start to change a built-in type; returns the uid of its extension."""
        extension = f"{EXTENSION}{uid}"
        if extension not in self._raws:
            self._raws[extension] = deepcopy(dict(self._schema.content_types[uid].raw))
            self._files[extension] = file_of(extension)
        return extension

    def _rename(self, uid: str, new_uid: str) -> None:
        if new_uid in self._raws:
            raise InvalidDefinitionError([DefinitionProblem(uid, ("uid",), f"{new_uid} is taken")])
        _check_uid(new_uid)
        self._raws = {
            new_uid if present_uid == uid else present_uid: raw
            for present_uid, raw in self._raws.items()
        }
        del self._files[uid]
        self._files[new_uid] = file_of(new_uid)
        self._models[new_uid] = self._models.pop(uid, uid)

    def _all_attributes(self) -> Iterator[Raw]:
        for raw in self._raws.values():
            yield from _attributes(raw).values()

    def _describe_type(self, uid: str, definition: TypeDefinition) -> None:
        raw = self._raws[uid]
        _set(raw, "kind", definition.kind, "collectionType")
        _set(raw, "collectionName", definition.collection_name, uid.rpartition(".")[2])
        info = _object(raw, "info")
        info["pluralName"] = definition.plural_name
        _describe(raw, definition)
        if definition.draft_and_publish is not UNSET:
            has_drafts = raw.get("options", {}).get("draftAndPublish", False)
            if definition.draft_and_publish != has_drafts:
                _object(raw, "options")["draftAndPublish"] = definition.draft_and_publish
        _set(raw, "pluginOptions", definition.plugin_options, {})

    def _describe_component(self, uid: str, definition: ComponentDefinition) -> None:
        raw = self._raws[uid]
        _describe(raw, definition)
        _set(raw, "pluginOptions", definition.plugin_options, {})

    def _set_attributes(
        self,
        uid: str,
        definitions: Mapping[str, AttributeDefinition],
        former_names: Mapping[str, str],
    ) -> None:
        """Set the attributes of a model."""
        raw, extended_uid = self._raws[uid], uid.removeprefix(EXTENSION)
        former_attributes = _attributes(raw)
        earlier_names = {name: former_names.get(name, name) for name in definitions}
        new_attributes = {
            name: raw_of(definition, extended_uid, former_attributes.get(earlier_names[name]))
            for name, definition in definitions.items()
        }
        renamed = {
            name: earlier_name for name, earlier_name in earlier_names.items()
            if earlier_name != name and earlier_name in former_attributes
        }  # fmt: skip
        if renamed:
            self._attributes.setdefault(extended_uid, {}).update(renamed)
            _follow_renames(
                new_attributes, {earlier_name: name for name, earlier_name in renamed.items()}
            )
        raw["attributes"] = new_attributes
        new_names = {earlier_name: name for name, earlier_name in earlier_names.items()}
        for earlier_name, attribute in former_attributes.items():
            self._remove_stale_inverse(
                extended_uid,
                earlier_name,
                attribute,
                new_attributes.get(new_names.get(earlier_name, "")),
                new_attributes,
            )
        problems = [
            problem
            for name in list(new_attributes)
            for problem in self._add_inverse(extended_uid, name, new_attributes, earlier_names)
        ]
        if problems:
            raise InvalidDefinitionError(problems)

    def _remove_stale_inverse(
        self,
        uid: str,
        name: str,
        former_attribute: Raw,
        new_attribute: Raw | None,
        requested_attributes: Mapping[str, Raw],
    ) -> None:
        """Remove the inverse attribute of a relation that was removed or has another target now."""
        inverse_name = inverse_name_of(former_attribute)
        if inverse_name is None:
            return
        target = former_attribute.get("target")
        if new_attribute is not None and (
            new_attribute.get("target"),
            inverse_name_of(new_attribute),
        ) == (target, inverse_name):
            return
        if target == uid and inverse_name in requested_attributes:
            return
        target_attributes = _attributes(self._raws.get(str(target), {}))
        if (
            inverse_name in target_attributes
            and inverse_name_of(target_attributes[inverse_name]) == name
        ):
            del target_attributes[inverse_name]

    def _add_inverse(
        self, uid: str, name: str, attributes: Mapping[str, Raw], earlier_names: Mapping[str, str]
    ) -> Iterator[DefinitionProblem]:
        """Add the inverse of a relation; yield the problems."""
        attribute = attributes[name]
        inverse_name = inverse_name_of(attribute)
        if inverse_name is None:
            return
        target, path = str(attribute.get("target")), ("attributes", name)
        target_attributes = self._editable_attributes(target)
        if target_attributes is None:
            builtin = self._schema.content_types.get(target)
            if builtin is not None and inverse_name not in builtin.attributes:
                yield DefinitionProblem(uid, (*path, "targetAttribute"), _FOREIGN.format(target))
            return
        existing = target_attributes.get(inverse_name)
        if existing is None:
            target_attributes[inverse_name] = counterpart(attribute, name, uid)
            return
        if fits(attribute, existing, name, uid):
            return
        earlier_name = earlier_names.get(name, name)
        is_ours = (
            inverse_name_of(existing) in {name, earlier_name} and existing.get("target") == uid
        )
        if not is_ours or not is_two_sided(existing):
            yield DefinitionProblem(
                uid, (*path, "targetAttribute"), _ALREADY_EXISTS.format(target, inverse_name)
            )
            return
        remaining = {
            key: value for key, value in existing.items() if key not in {"inversedBy", "mappedBy"}
        }
        target_attributes[inverse_name] = remaining | counterpart(attribute, name, uid)

    def _editable_attributes(self, target: str) -> dict[str, Raw] | None:
        """Return the attributes of a type that may be changed; ``None`` for others."""
        raw = self._raws.get(target, self._raws.get(f"{EXTENSION}{target}"))
        return None if raw is None else _attributes(raw)


_FOREIGN = "{} comes with the server; a relation to it has no other side there"
_ALREADY_EXISTS = "{}.{} is there already"
_MAX_NAME = 200
"""The longest part of a uid: it is the name of a folder or file."""
_BAD_NAME = f"must consist of two names with 1 to {_MAX_NAME} letters and digits"


def _check_uid(uid: str) -> None:
    """Check the parts of a new uid. Raises InvalidDefinitionError."""
    if not all(0 < len(part) <= _MAX_NAME for part in uid.partition(".")):
        raise InvalidDefinitionError([DefinitionProblem(uid, ("uid",), _BAD_NAME)])


def _follow_renames(attributes: Mapping[str, Raw], later_names: Mapping[str, str]) -> None:
    """Rename references to an attribute within the same model."""
    for attribute in attributes.values():
        field = str(attribute.get("targetField"))
        if field in later_names and field not in attributes:
            attribute["targetField"] = later_names[field]


def _describe(raw: Raw, definition: TypeDefinition | ComponentDefinition) -> None:
    info = _object(raw, "info")
    info["displayName"] = definition.display_name
    icon = definition.icon if isinstance(definition, ComponentDefinition) else UNSET
    for name, text in (("icon", icon), ("description", definition.description)):
        if text is not UNSET and (text or name in info):
            info[name] = text
    if definition.options is not UNSET and definition.options:
        raw["options"] = {**_object(raw, "options"), **definition.options}


def _set(raw: Raw, name: str, value: object, usual: object) -> None:
    """Set an option in a file, unless it has that value already or by default."""
    if value is not UNSET and raw.get(name, usual) != value:
        raw[name] = value


def _attributes(raw: Raw) -> dict[str, Raw]:
    return _object(raw, "attributes")


def _object(raw: Raw, name: str) -> dict[str, Any]:
    """Return an object in a file, which is added if it is missing."""
    value = raw.get(name)
    if not isinstance(value, dict):
        value = raw[name] = {}
    return value
