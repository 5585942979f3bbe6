"""Query parameters for the documents of a content type, ``populate`` among them.

Nested parameters are objects here and written with brackets in a query string:
``{"filters": {"title": {"$contains": "sea"}}}`` is ``filters[title][$contains]=sea``.
"""

import re
from collections.abc import Iterable, Iterator, Mapping

from msgspec import Struct

from quire.openapi.document_schemas import Models
from quire.openapi.filter_schemas import Filters
from quire.openapi.json_schema import (
    FLAG,
    INTEGER,
    NULL,
    TEXT,
    any_of,
    array_of,
    one_of_texts,
    record,
)
from quire.openapi.operations import DescribedParameter
from quire.query.plan import PublicationFilter
from quire.query.resolve.fields import default_fields
from quire.schema.attributes.base import Attribute, DynamicZoneAttribute, ScalarAttribute
from quire.schema.attributes.json_schema import JsonSchema
from quire.schema.class_names import class_name
from quire.schema.model import DRAFT_STATUS, PUBLISHED_STATUS, ContentType, Model

_WILDCARD_SCHEMA: JsonSchema = {"const": "*"}
_FLAGS: JsonSchema = {"type": "object", "additionalProperties": FLAG}
_ORDERS = ("", ":asc", ":desc")


class PopulateSchemas:
    """Describes the possible ``populate`` of one caller."""

    def __init__(self, models: Models, filters: Filters) -> None:
        self._models = models
        self._filters = filters

    def parameter(self, model: Model) -> DescribedParameter | None:
        """Describe the parameter; ``None`` if there is nothing to populate."""
        if not self._edges(model):
            return None
        return DescribedParameter(
            name="populate",
            schema=self._reference(model),
            deep=True,
            description="What to show beside the values: `*` for all of the first level, names or "
            "dotted paths, or an object of what to show of each.",
        )

    def field_names(self, model: Model) -> JsonSchema:
        """Describe a list of scalar attributes."""
        return array_of(self._field_name(model))

    def _field_name(self, model: Model) -> JsonSchema:
        computed = self._models.schema.computed.get(model.uid, {})
        return one_of_texts(["*", *default_fields(model), *computed])

    def order(self, model: Model) -> JsonSchema:
        """Describe one attribute to sort by, of the model or of a related one."""
        orders = [f"{name}{order}" for name in default_fields(model) for order in _ORDERS]
        relations = [edge for edge in self._edges(model) if self._filters.target(edge)]
        if not relations:
            return one_of_texts(orders)
        pattern = rf"^({_names_pattern(relations)})(\.\w+)+(:(asc|desc))?$"
        return any_of(one_of_texts(orders), {**TEXT, "pattern": pattern})

    def _edges(self, model: Model) -> list[Attribute]:
        return [
            attribute
            for attribute in model.attributes.values()
            if not isinstance(attribute, ScalarAttribute)
            and self._models.may_show(model, attribute)
        ]

    def _reference(self, model: Model) -> JsonSchema:
        return self._models.schemas.refer(
            ("populate", model.uid),
            f"{self._models.names[model.uid]}Populate",
            lambda: self._schema_of_model(model),
        )

    def _schema_of_model(self, model: Model) -> JsonSchema:
        edges = self._edges(model)
        paths = rf"^({_names_pattern(edges)})(\.\w+)*$"
        names = any_of(one_of_texts([edge.name for edge in edges]), {**TEXT, "pattern": paths})
        options_by_edge = self._models.schemas.refer(
            ("populate each", model.uid),
            f"{self._models.names[model.uid]}PopulateEach",
            lambda: record(
                {edge.name: any_of(FLAG, self._options(model, edge)) for edge in edges},
                required=(),
                closed=True,
            ),
        )
        return any_of(_WILDCARD_SCHEMA, *_alternatives(names), options_by_edge)

    def _options(self, model: Model, attribute: Attribute) -> JsonSchema:
        if isinstance(attribute, DynamicZoneAttribute):
            return self._zone(model, attribute)
        target = self._filters.target(attribute)
        if target is None:
            by_type = {"on": self._models.schemas.shared("PopulateOn", _FLAGS)}
            return self._models.schemas.shared("MorphPopulateOptions", record(by_type, closed=True))
        return self._options_reference(target)

    def _options_reference(self, target: Model) -> JsonSchema:
        return self._models.schemas.refer(
            ("populate options", target.uid),
            f"{self._models.names[target.uid]}PopulateOptions",
            lambda: self._options_schema(target),
        )

    def _options_schema(self, target: Model) -> JsonSchema:
        options = {
            "fields": _one_or_several(self._field_name(target)),
            "sort": _one_or_several(self.order(target)),
            "filters": self._filters.reference(target),
            **({"populate": self._reference(target)} if self._edges(target) else {}),
        }
        return record(options, required=(), closed=True)

    def _zone(self, model: Model, zone: DynamicZoneAttribute) -> JsonSchema:
        components, schemas = self._models.schema.components, self._models.schemas
        name = f"{self._models.names[model.uid]}{class_name(zone.name)}"
        component_options = {
            uid: any_of(FLAG, self._options_reference(components[uid])) for uid in zone.components
        }
        by_component = schemas.refer(
            ("zone components", model.uid, zone.name),
            f"{name}Components",
            lambda: record(component_options, required=(), closed=True),
        )
        return any_of(
            schemas.shared(
                "PopulateEverything", record({"populate": _WILDCARD_SCHEMA}, closed=True)
            ),
            schemas.refer(
                ("zone", model.uid, zone.name),
                f"{name}PopulateOptions",
                lambda: record({"on": by_component}, closed=True),
            ),
        )


def _names_pattern(attributes: Iterable[Attribute]) -> str:
    """Return a regular expression of names for JavaScript, which does not escape hyphens."""
    return "|".join(re.escape(attribute.name).replace(r"\-", "-") for attribute in attributes)


def _alternatives(item: JsonSchema) -> tuple[JsonSchema, JsonSchema]:
    """Return the two forms: one value or several."""
    return item, array_of(item)


def _one_or_several(item: JsonSchema) -> JsonSchema:
    return any_of(*_alternatives(item))


_WILDCARD = "*"
_NOT_WITH_PAGES = "not together with `pagination[page]` and `pagination[pageSize]`"


class PageLimits(Struct, frozen=True, kw_only=True):
    """The default and the maximum page size."""

    default: int
    maximum: int | None


class Queries:
    """Describes the queries of one caller."""

    def __init__(self, models: Models, pages: PageLimits) -> None:
        self._models = models
        self._pages = pages
        self._filters = Filters(models)
        self._populate_schemas = PopulateSchemas(models, self._filters)

    def of_kind(self, kind: str, uid: str) -> list[DescribedParameter]:
        """Describe what may be asked in a kind of read of a content type. Raises KeyError."""
        kinds = {
            "page": self.page,
            "window": self.window,
            "entry": self.document,
            "shape": self.shape,
            "count": self.narrowing,
        }
        return kinds[kind](self._models.schema.content_types[uid])

    def page(self, model: ContentType) -> list[DescribedParameter]:
        """Describe the parameters of a page of documents."""
        return [
            *self._list(model),
            *self._pagination(),
            *self._versions(model, several_locales=True),
        ]

    def window(self, model: ContentType) -> list[DescribedParameter]:
        """Describe the parameters of a list without pages."""
        return [
            *self._list(model),
            DescribedParameter(
                name="start", schema=_minimum(0), description="How many to leave out."
            ),
            DescribedParameter(name="limit", schema=_minimum(1), description="How many to show."),
        ]

    def narrowing(self, model: ContentType) -> list[DescribedParameter]:
        """Describe the parameters that only select documents."""
        return [self._filter(model), _SEARCH]

    def document(self, model: ContentType) -> list[DescribedParameter]:
        """Describe the parameters of a single document."""
        filters = self.narrowing(model)
        return [*self.shape(model), *filters, *self._versions(model, several_locales=False)]

    def write_parameters(self, model: ContentType) -> list[DescribedParameter]:
        """Describe the parameters of a write: the response, and the version."""
        return [*self.shape(model), *self._version(model), *self._locale(model, allows_many=False)]

    def removed(self, model: ContentType) -> list[DescribedParameter]:
        """Describe the locales of a deletion."""
        if not model.localized:
            return []
        description = f"The locale that goes, or `{_WILDCARD}` for all; the default one if absent."
        return [DescribedParameter(name="locale", schema=TEXT, description=description)]

    def shape(self, model: ContentType) -> list[DescribedParameter]:
        """Describe the selection of attributes of a response."""
        fields = DescribedParameter(
            name="fields",
            schema=self._populate_schemas.field_names(model),
            description="Attributes to show; all if absent. Ids are always shown.",
        )
        populate = self._populate_schemas.parameter(model)
        return [fields, *([] if populate is None else [populate])]

    def _list(self, model: ContentType) -> Iterator[DescribedParameter]:
        yield self._filter(model)
        yield _SEARCH
        yield DescribedParameter(
            name="sort",
            schema=array_of(self._populate_schemas.order(model)),
            description="Attributes to sort by, each with `:asc` or `:desc`.",
        )
        yield from self.shape(model)

    def _filter(self, model: ContentType) -> DescribedParameter:
        description = "Which entries to choose: conditions by attribute, all of which must hold."
        return DescribedParameter(
            name="filters",
            schema=any_of(self._filters.reference(model), NULL),
            deep=True,
            description=description,
        )

    def _pagination(self) -> Iterator[DescribedParameter]:
        """Describe each member separately, for tools that know no nested parameters."""
        pages = self._pages
        size = _minimum(1) if pages.maximum is None else {**_minimum(1), "maximum": pages.maximum}
        default_note = f"{pages.default} if absent"
        members: Mapping[str, tuple[JsonSchema, str]] = {
            "page": (_minimum(1), "Which page to show."),
            "pageSize": (size, f"How many entries a page has; {default_note}."),
            "start": (_minimum(0), f"How many entries to leave out, {_NOT_WITH_PAGES}."),
            "limit": (size, f"How many entries to show, {_NOT_WITH_PAGES}; {default_note}."),
            "withCount": (FLAG, "Whether to count all entries."),
        }
        for name, (schema, description) in members.items():
            yield DescribedParameter(
                name=f"pagination[{name}]", schema=schema, description=description
            )

    def _versions(
        self, model: ContentType, *, several_locales: bool
    ) -> Iterator[DescribedParameter]:
        yield from self._version(model)
        if model.draft_and_publish:
            names = [kind.value for kind in PublicationFilter]
            yield DescribedParameter(
                name="publicationFilter",
                schema=one_of_texts(names),
                description="Choose by how draft and published version differ.",
            )
        yield from self._locale(model, allows_many=several_locales)

    def _version(self, model: ContentType) -> Iterator[DescribedParameter]:
        if model.draft_and_publish:
            yield DescribedParameter(
                name="status",
                schema={**one_of_texts([PUBLISHED_STATUS, DRAFT_STATUS]), "default": "published"},
                description="Which version of a document.",
            )

    def _locale(self, model: ContentType, *, allows_many: bool) -> Iterator[DescribedParameter]:
        if model.localized:
            description = "Code of a locale; the default one if absent."
            yield DescribedParameter(
                name="locale",
                schema=any_of(TEXT, array_of(TEXT)) if allows_many else TEXT,
                description=f"{description} `{_WILDCARD}` for all." if allows_many else description,
            )


def _minimum(number: int) -> JsonSchema:
    return {**INTEGER, "minimum": number}


_SEARCH = DescribedParameter(
    name="_q", schema=TEXT, description="Text that any of the attributes has to contain."
)
