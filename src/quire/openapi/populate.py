"""Schemas of ``populate``."""

import re

from quire.openapi.filters import Filters
from quire.openapi.models import Models
from quire.openapi.operations import DescribedParameter
from quire.openapi.schemas import FLAG, TEXT, any_of, one_of_texts, record, several
from quire.query.resolve.fields import default_fields
from quire.schema.attributes.base import Attribute, DynamicZoneAttribute, ScalarAttribute
from quire.schema.attributes.json_schema import JsonSchema
from quire.schema.class_names import class_name
from quire.schema.model import Model

_EVERYTHING: JsonSchema = {"const": "*"}
_FLAGS: JsonSchema = {"type": "object", "additionalProperties": FLAG}
_ORDERS = ("", ":asc", ":desc")


class PopulateSchemas:
    """Describes what one caller may populate."""

    def __init__(self, models: Models, filters: Filters) -> None:
        self._models = models
        self._filters = filters

    def parameter(self, model: Model) -> DescribedParameter | None:
        """Describe the parameter; ``None`` where there is nothing to populate."""
        if not self._edges(model):
            return None
        return DescribedParameter(
            name="populate",
            schema=self._of(model),
            deep=True,
            description="What to show beside the values: `*` for all of the first level, names or "
            "dotted paths, or an object of what to show of each.",
        )

    def field_names(self, model: Model) -> JsonSchema:
        """Describe a list of attributes that have values of their own."""
        return several(self._field_name(model))

    def _field_name(self, model: Model) -> JsonSchema:
        computed = self._models.schema.computed.get(model.uid, {})
        return one_of_texts(["*", *default_fields(model), *computed])

    def order(self, model: Model) -> JsonSchema:
        """Describe one attribute to sort by, of the model or of what it leads to."""
        own = [f"{name}{order}" for name in default_fields(model) for order in _ORDERS]
        further = [re.escape(a.name) for a in self._edges(model) if self._filters.target(a)]
        if not further:
            return one_of_texts(own)
        pattern = rf"^({'|'.join(further)})(\.\w+)+(:(asc|desc))?$"
        return any_of(one_of_texts(own), {**TEXT, "pattern": pattern})

    def _edges(self, model: Model) -> list[Attribute]:
        return [
            attribute
            for attribute in model.attributes.values()
            if not isinstance(attribute, ScalarAttribute)
            and self._models.may_show(model, attribute)
        ]

    def _of(self, model: Model) -> JsonSchema:
        return self._models.schemas.refer(
            ("populate", model.uid),
            f"{self._models.names[model.uid]}Populate",
            lambda: self._described(model),
        )

    def _described(self, model: Model) -> JsonSchema:
        edges = self._edges(model)
        paths = rf"^({'|'.join(re.escape(a.name) for a in edges)})(\.\w+)*$"
        names = any_of(one_of_texts([a.name for a in edges]), {**TEXT, "pattern": paths})
        each = self._models.schemas.refer(
            ("populate each", model.uid),
            f"{self._models.names[model.uid]}PopulateEach",
            lambda: record(
                {a.name: any_of(FLAG, self._options(model, a)) for a in edges},
                required=(),
                closed=True,
            ),
        )
        return any_of(_EVERYTHING, *_alternatives(names), each)

    def _options(self, model: Model, attribute: Attribute) -> JsonSchema:
        if isinstance(attribute, DynamicZoneAttribute):
            return self._zone(model, attribute)
        target = self._filters.target(attribute)
        if target is None:
            by_type = {"on": self._models.schemas.shared("PopulateOn", _FLAGS)}
            return self._models.schemas.shared("MorphPopulateOptions", record(by_type, closed=True))
        return self._related(target)

    def _related(self, target: Model) -> JsonSchema:
        return self._models.schemas.refer(
            ("populate options", target.uid),
            f"{self._models.names[target.uid]}PopulateOptions",
            lambda: self._related_options(target),
        )

    def _related_options(self, target: Model) -> JsonSchema:
        options = {
            "fields": _one_or_several(self._field_name(target)),
            "sort": _one_or_several(self.order(target)),
            "filters": self._filters.of(target),
            **({"populate": self._of(target)} if self._edges(target) else {}),
        }
        return record(options, required=(), closed=True)

    def _zone(self, model: Model, zone: DynamicZoneAttribute) -> JsonSchema:
        components, schemas = self._models.schema.components, self._models.schemas
        name = f"{self._models.names[model.uid]}{class_name(zone.name)}"
        shown = {uid: any_of(FLAG, self._related(components[uid])) for uid in zone.components}
        by_component = schemas.refer(
            ("zone components", model.uid, zone.name),
            f"{name}Components",
            lambda: record(shown, required=(), closed=True),
        )
        return any_of(
            schemas.shared("PopulateEverything", record({"populate": _EVERYTHING}, closed=True)),
            schemas.refer(
                ("zone", model.uid, zone.name),
                f"{name}PopulateOptions",
                lambda: record({"on": by_component}, closed=True),
            ),
        )


def _alternatives(item: JsonSchema) -> tuple[JsonSchema, JsonSchema]:
    """Return the two ways to write one or several."""
    return item, several(item)


def _one_or_several(item: JsonSchema) -> JsonSchema:
    return any_of(*_alternatives(item))
