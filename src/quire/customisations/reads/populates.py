"""Checks populated attributes against the schema: existing names, and no passwords.

Without sanitizing, a read shows every column of the populated rows, so that these must not have a
password.
"""

from collections.abc import Iterator, Mapping

from msgspec import Struct

from quire.customisations.statements import NotUnderstoodError
from quire.customisations.value_expressions import (
    Constant,
    ObjectLiteral,
    Value,
)
from quire.schema.attributes.base import (
    Attribute,
    ComponentAttribute,
    DynamicZoneAttribute,
    LocalizationsAttribute,
    MediaAttribute,
    RelationAttribute,
    ScalarAttribute,
)
from quire.schema.model import FILE_UID, Model, Schema

_STAR = "*"

_SELECTION_OPTIONS = ("populate", "fields")


def checked_query(
    query: Value, model: Model, schema: Schema, *, sanitized: bool, of_rows: bool
) -> Value:
    """Return the query of a read, without populated attributes that the response lacks.

    Raises NotUnderstoodError for passwords, and for missing attributes; the query engine, which
    reads rows, ignores the latter.
    """
    populates = _PopulateCheck(schema, sanitized, of_rows)
    populates.show(model)
    match query:
        case ObjectLiteral(members):
            pairs: tuple[tuple[str | None, Value], ...] = members
        case Constant(dict() as constant):
            pairs = tuple((name, Constant(inner)) for name, inner in constant.items())
        case _ if sanitized:
            return query
        case _:
            raise NotUnderstoodError("shows all that the query asks for")
    checked_members: list[tuple[str | None, Value]] = []
    for name, value in pairs:
        if name in _SELECTION_OPTIONS or name is None:
            is_constant = isinstance(value, Constant)
            if not sanitized and not is_constant:
                raise NotUnderstoodError("shows all that the query asks for")
            if name == "populate" and isinstance(value, Constant):
                checked_members.append((name, Constant(populates.checked(value.value, model))))
                continue
        checked_members.append((name, value))
    return ObjectLiteral(tuple(checked_members))


class _PopulateCheck(Struct, frozen=True):
    schema: Schema
    sanitized: bool
    of_rows: bool

    def show(self, model: Model) -> None:
        """Check that all of a model can be shown: it must have no password."""
        if not self.sanitized and any(attribute.secret for attribute in model.scalars):
            raise NotUnderstoodError(f"would show the passwords of {model.uid}")

    def checked(self, populate: object, model: Model) -> object:
        """Return the populated attributes of a model, without those that the response lacks."""
        match populate:
            case "*" if self.sanitized:
                return populate
            case list() as paths if all(isinstance(path, str) for path in paths):
                if self.sanitized and _STAR in paths:
                    return populate
                return [path for path in paths if self._is_shown(path, model)]
            case str() as path if path and path != _STAR and "," not in path:
                return [path] if self._is_shown(path, model) else []
            case dict():
                return dict(self._members(populate, model))
            case _:
                raise NotUnderstoodError("populates in a way that is not known")

    def _is_shown(self, path: str, model: Model) -> bool:
        """Whether a dotted path is part of the response."""
        models = [model]
        for name in path.split("."):
            attributes = [model.attributes[name] for model in models if name in model.attributes]
            if self.of_rows and all(
                isinstance(attribute, ScalarAttribute) for attribute in attributes
            ):
                return False
            if not attributes:
                raise NotUnderstoodError(f"populates {path}, which does not exist")
            if self.sanitized and any(attribute.private for attribute in attributes):
                return False
            models = [target for attribute in attributes for target in self._targets(attribute)]
            for target in models:
                self.show(target)
        return True

    def _members(
        self, populate: Mapping[str, object], model: Model
    ) -> Iterator[tuple[str, object]]:
        for name, requested in populate.items():
            attribute = model.attributes.get(name)
            if self.of_rows and (attribute is None or isinstance(attribute, ScalarAttribute)):
                continue
            if attribute is None:
                raise NotUnderstoodError(f"populates {name}, which does not exist")
            targets = self._targets(attribute)
            if requested is False or (self.sanitized and attribute.private):
                continue
            yield name, self._check_options(requested, targets)

    def _check_options(self, requested: object, targets: list[Model]) -> object:
        for target in targets:
            self.show(target)
        if requested is True or (requested == _STAR and self.sanitized):
            return requested
        if not isinstance(requested, dict):
            raise NotUnderstoodError("populates in a way that is not known")
        return {name: self._option(name, inner, targets) for name, inner in requested.items()}

    def _option(self, name: str, requested: object, targets: list[Model]) -> object:
        match name, requested, targets:
            case "populate", _, [target]:
                return self.checked(requested, target)
            case "populate", "*", _ if self.sanitized:
                return requested
            case "on", dict(), _:
                components = self.schema.components
                if not components.keys() >= requested.keys():
                    raise NotUnderstoodError("populates components that do not exist")
                return {
                    uid: self._check_options(inner, [components[uid]])
                    for uid, inner in requested.items()
                }
            case "fields" | "filters" | "sort", _, _:
                return requested
            case _:
                raise NotUnderstoodError(f"populates by {name}")

    def _targets(self, attribute: Attribute) -> list[Model]:
        """Return the target models of an attribute."""
        schema = self.schema
        match attribute:
            case RelationAttribute(target=str(uid)) | LocalizationsAttribute(target=uid):
                return [schema.content_types[uid]]
            case MediaAttribute():
                return [schema.content_types[FILE_UID]]
            case ComponentAttribute():
                return [schema.components[attribute.component]]
            case DynamicZoneAttribute():
                return [schema.components[uid] for uid in attribute.components]
            case _:
                raise NotUnderstoodError(f"populates {attribute.name}, which has no fixed type")
