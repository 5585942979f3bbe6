"""Normalizes schema files.

A custom field becomes an attribute of the type that it is stored as. Attributes and options that
Strapi accepts and ignores are left out, each with a notice: a project that starts there has to open
here. Problems that prevent Strapi from starting are kept, and are errors.
"""

from collections.abc import Mapping, Sequence

from msgspec import Struct, field

from quire.errors import SchemaProblem
from quire.hooks.errors import nearest
from quire.schema.attributes import AttributeTypes
from quire.schema.attributes.base import COMMON_OPTIONS
from quire.schema.custom_fields import (
    CUSTOM_FIELD,
    CustomField,
    CustomFieldTypes,
    CustomFieldUse,
)
from quire.schema.source_files import SchemaFile

Raw = Mapping[str, object]

_SERVER_ATTRIBUTES = frozenset(
    {"createdAt", "updatedAt", "publishedAt", "createdBy", "updatedBy", "locale", "localizations"}
)
"""Attributes that the server sets in every content type of a project, whatever the file says."""

_WITHOUT_EFFECT = frozenset({"autoPopulate", "displayName", "morphColumn"})
"""Options that Strapi writes to attributes, and that have no effect."""

UNKNOWN_OPTION = "is no option of"
"""The beginning of notices about unknown options."""

_PLAIN_TYPE = "string"


class NormalizedSources(Struct, frozen=True, kw_only=True):
    """Normalized sources, the custom fields in them, and what was left out."""

    sources: tuple[SchemaFile, ...]
    custom_fields: tuple[CustomField, ...]
    notices: tuple[SchemaProblem, ...]


def normalize(
    sources: Sequence[SchemaFile], custom_fields: CustomFieldTypes, types: AttributeTypes
) -> NormalizedSources:
    """Normalize the sources of a schema, including built-in types; the order is kept."""
    work = _Normalizer({source.uid: source for source in sources}, custom_fields, types)
    return NormalizedSources(
        sources=tuple(work.source(source) for source in sources),
        custom_fields=tuple(work.fields),
        notices=tuple(work.notices),
    )


class _Normalizer(Struct):
    sources: Mapping[str, SchemaFile]
    custom_fields: CustomFieldTypes
    types: AttributeTypes
    fields: list[CustomField] = field(default_factory=list)
    notices: list[SchemaProblem] = field(default_factory=list)

    def source(self, source: SchemaFile) -> SchemaFile:
        attributes = source.raw.get("attributes")
        if not isinstance(attributes, dict):
            return source
        for name, raw in attributes.items():
            self._note_unknown_options(source, name, raw)
        changed_attributes = {
            name: self._attribute(source, name, raw) if isinstance(raw, dict) else raw
            for name, raw in attributes.items()
            if not self._is_left_out(source, name, raw)
        }
        if changed_attributes == attributes:
            return source
        return SchemaFile(source.uid, source.file, {**source.raw, "attributes": changed_attributes})

    def _note_unknown_options(self, source: SchemaFile, name: str, raw: object) -> None:
        """Note options that Strapi ignores, mostly misspelt ones; those of plugins may be any."""
        is_own = source.is_component or source.uid.startswith("api::")
        type_ = self.types.get(str(raw.get("type"))) if isinstance(raw, dict) else None
        if not is_own or type_ is None or not isinstance(raw, dict):
            return
        options = {**COMMON_OPTIONS, **type_.options}
        for option in sorted(raw.keys() - options.keys() - _WITHOUT_EFFECT):
            hint = nearest(option, options)
            if option == "targetAttribute" and type_.name == "relation":
                hint = '; in files it is "inversedBy" or "mappedBy"'
            self._notice(
                source,
                f"{name}.{option}",
                f"{UNKNOWN_OPTION} {type_.name}, and has no effect{hint}",
            )

    def _is_left_out(self, source: SchemaFile, name: str, raw: object) -> bool:
        if not isinstance(raw, dict):
            return False
        if name in _SERVER_ATTRIBUTES and source.uid.startswith("api::"):
            self._notice(source, name, "is set by the server; the definition has no effect")
            return True
        if raw.get("type") != "relation":
            return False
        message = self._relation_notice(source, name, raw)
        if message is not None:
            self._notice(source, name, f"{message}; the attribute is not served")
        return message is not None

    def _relation_notice(self, source: SchemaFile, name: str, raw: Raw) -> str | None:
        """Return why a relation has no storage, or one that belongs to another program."""
        target, mapped_by = raw.get("target"), raw.get("mappedBy")
        if not isinstance(target, str) or "::" not in target:
            return None
        if target not in self.sources:
            is_of_plugin = not target.startswith("api::")
            return (
                f"{target} is a type of a plugin that does not run here" if is_of_plugin else None
            )
        if not isinstance(mapped_by, str) or "inversedBy" in raw:
            return None
        if self._owner(source, name, raw) is not None:
            return None
        other = self._attributes(target).get(mapped_by)
        if isinstance(other, dict) and other.get("type") != "relation":
            return f"mappedBy: {target}.{mapped_by} is not a relation"
        return f"mappedBy: {target} has no attribute {mapped_by}" if other is None else None

    def _attributes(self, uid: str) -> Mapping[str, object]:
        attributes = self.sources[uid].raw.get("attributes") if uid in self.sources else None
        return attributes if isinstance(attributes, dict) else {}

    def _owner(self, source: SchemaFile, name: str, raw: Raw) -> str | None:
        """Return the attribute of a relation's target that names it as its inverse."""
        for other, attribute in self._attributes(str(raw.get("target"))).items():
            if (
                isinstance(attribute, dict)
                and attribute.get("inversedBy") == name
                and attribute.get("target") == source.uid
            ):
                return other
        return None

    def _attribute(self, source: SchemaFile, name: str, raw: Raw) -> Raw:
        if raw.get("type") == CUSTOM_FIELD:
            return self._custom_field(source, name, raw)
        if raw.get("type") == "relation" and "mappedBy" in raw:
            return self._mapped_relation(source, name, raw)
        if raw.get("type") == "enumeration" and self._has_unlisted_default(raw):
            self._notice(source, f"{name}.default", "is not one of the listed values; ignored")
            return {key: value for key, value in raw.items() if key != "default"}
        return raw

    def _mapped_relation(self, source: SchemaFile, name: str, raw: Raw) -> Raw:
        """Correct what Strapi derives from the other side: the owner names its inverse."""
        if "inversedBy" in raw:
            self._notice(source, f"{name}.mappedBy", "has no effect beside inversedBy")
            return {key: value for key, value in raw.items() if key != "mappedBy"}
        if raw["mappedBy"] in self._attributes(str(raw.get("target"))):
            return raw
        owner = self._owner(source, name, raw)
        if owner is None:
            return raw
        self._notice(source, f"{name}.mappedBy", f"is {owner}, whose inversedBy names {name}")
        return {**raw, "mappedBy": owner}

    def _has_unlisted_default(self, raw: Raw) -> bool:
        values, default = raw.get("enum"), raw.get("default")
        return default is not None and isinstance(values, list) and default not in values

    def _custom_field(self, source: SchemaFile, name: str, raw: Raw) -> Raw:
        uid = raw.get(CUSTOM_FIELD)
        info = source.raw.get("info")
        singular = info.get("singularName") if isinstance(info, dict) else None
        use = CustomFieldUse(
            model=source.uid,
            table=str(source.raw.get("collectionName") or singular),
            attribute=name,
            uid=uid if isinstance(uid, str) else "",
            raw=raw,
        )
        storage = self.custom_fields.storage_type(use)
        path = f"attributes.{name}"
        self.fields.append(CustomField(file=source.file, path=path, uid=use.uid, type=storage))
        return self._with_type(source, name, {**raw, "type": storage.name})

    def _with_type(self, source: SchemaFile, name: str, raw: Raw) -> Raw:
        """Leave out options that the storage type does not support; they are never an error.

        Plugins declare their own options, with names that the type may use for other things.
        """
        type_ = self.types[str(raw["type"])]
        missing_options = [option for option in type_.needs if option not in raw]
        if missing_options:
            self._notice(source, name, f"has no {missing_options[0]}; stored as {_PLAIN_TYPE}")
            return self._with_type(source, name, {**raw, "type": _PLAIN_TYPE})
        unfit = {option for option, _ in type_.problems(raw)}
        for option in sorted(unfit):
            self._notice(source, f"{name}.{option}", "does not fit the storage type; ignored")
        return {option: value for option, value in raw.items() if option not in unfit}

    def _notice(self, source: SchemaFile, path: str, message: str) -> None:
        self.notices.append(SchemaProblem(source.file, f"attributes.{path}", message))
