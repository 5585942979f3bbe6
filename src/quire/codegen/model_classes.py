"""The classes of a schema, independent of the target language.

Every content type and component has one with the values that are always in a response. Values that
``populate`` adds, and that may be absent, are in another one (``…Populated``), if there are any.
Components in dynamic zones have one more (``…InZone``), with their uid.
"""

from collections.abc import Collection, Iterator, Mapping, Sequence

from msgspec import Struct

from quire.schema.attributes.base import Attribute, ScalarAttribute
from quire.schema.attributes.json_schema import JsonSchema
from quire.schema.class_names import class_names, unused
from quire.schema.model import Component, ContentType, Model, Schema

_ALWAYS_SET = frozenset({"id", "documentId", "createdAt", "updatedAt"})
CLASS = "class"
"""The keyword with which types of attributes refer to a class or to a shared schema."""


class ModelField(Struct, frozen=True, kw_only=True):
    """One attribute of a class: its name in JSON, and its type in JSON Schema."""

    name: str
    type: JsonSchema
    nullable: bool


class ModelClass(Struct, frozen=True, kw_only=True):
    """One class of the model ``uid``.

    ``optional`` fields may be absent; ``tag`` is the value of ``__component``.
    """

    name: str
    uid: str
    about: str
    members: Sequence[ModelField]
    optional: bool = False
    base: str | None = None
    tag: str | None = None


class ModelClasses(Struct, frozen=True, kw_only=True):
    """All classes in the order of their names, and the schemas that several of them share."""

    version: str
    classes: Sequence[ModelClass]
    shared: Mapping[str, JsonSchema]


def make_model_classes(
    schema: Schema,
    *,
    drafts: bool,
    reserved: Collection[str],
    all_computed: bool = False,
) -> ModelClasses:
    """Return the classes of the project's own content types and of all that they refer to.

    With ``drafts`` they also fit drafts, in which required values may be null. No class has one of
    the ``reserved`` names. With ``all_computed`` they have computed fields that a response has only
    if the request names them, too.
    """
    return _ClassBuilder(schema, drafts=drafts, reserved=reserved, all_computed=all_computed).all()


class _ClassNames(Struct, frozen=True):
    """The names of the classes of a model.

    ``populated`` is the plain one without populated fields.
    """

    plain: str
    populated: str
    in_zone: str


class _ClassBuilder:
    """Makes classes, including those of related models."""

    def __init__(
        self, schema: Schema, *, drafts: bool, reserved: Collection[str], all_computed: bool
    ) -> None:
        self._schema = schema
        self._fits_drafts = drafts
        self._has_all_computed = all_computed
        self._names = _names(schema, reserved)
        self._pending_uids = [content_type.uid for content_type in schema.api_types]
        self._classes: dict[str, list[ModelClass]] = {}
        self._zone_uids: set[str] = set()
        self._shared: dict[str, JsonSchema] = {}

    def all(self) -> ModelClasses:
        """Make all classes."""
        while self._pending_uids:
            uid = self._pending_uids.pop()
            if uid not in self._classes:
                self._classes[uid] = [*self._classes_of_model(self._schema.model(uid))]
        zone_classes = [self._zone_class(uid) for uid in self._zone_uids]
        classes = [
            model_class for model_classes in self._classes.values() for model_class in model_classes
        ] + zone_classes
        return ModelClasses(
            version=self._schema.version,
            classes=sorted(classes, key=lambda model_class: model_class.name),
            shared=dict(sorted(self._shared.items())),
        )

    def _classes_of_model(self, model: Model) -> Iterator[ModelClass]:
        names, description = self._names[model.uid], _description(model)
        scalars = [scalar for scalar in model.scalars if not scalar.private and not scalar.secret]
        members = [self._member(model, attribute) for attribute in scalars]
        members += [
            ModelField(name=computed_field.name, type=computed_field.json_schema, nullable=False)
            for computed_field in self._schema.computed.get(model.uid, {}).values()
            if computed_field.default or self._has_all_computed
        ]
        yield ModelClass(name=names.plain, uid=model.uid, about=f"{description}.", members=members)
        edges = _edges(model)
        if not edges:
            return
        yield ModelClass(
            name=names.populated,
            uid=model.uid,
            about=f"{description}, with what was populated.",
            members=[self._member(model, attribute) for attribute in edges],
            optional=True,
            base=names.plain,
        )

    def _zone_class(self, uid: str) -> ModelClass:
        names = self._names[uid]
        description = f"{_description(self._schema.model(uid))}, in a dynamic zone."
        return ModelClass(
            name=names.in_zone,
            uid=uid,
            about=description,
            members=[],
            base=names.populated,
            tag=uid,
        )

    def _member(self, model: Model, attribute: Attribute) -> ModelField:
        return ModelField(
            name=attribute.name,
            type=attribute.type.json.response(attribute, self),
            nullable=self._is_nullable(model, attribute),
        )

    def _is_nullable(self, model: Model, attribute: Attribute) -> bool:
        if not isinstance(attribute, ScalarAttribute):
            return getattr(attribute, "to_many", False) is not True
        if attribute.name in _ALWAYS_SET:
            return False
        if isinstance(model, ContentType):
            always_set = attribute.required or attribute.name == "publishedAt"
            return not always_set or (self._fits_drafts and model.draft_and_publish)
        return not attribute.required or self._fits_drafts

    # References of attributes ------------------------------------------------------------------

    def document(self, uid: str) -> JsonSchema:
        """Refer to the documents of a content type."""
        return self._reference(uid, self._names[uid].populated)

    def component(self, uid: str) -> JsonSchema:
        """Refer to a component."""
        return self._reference(uid, self._names[uid].populated)

    def zone_item(self, uid: str) -> JsonSchema:
        """Refer to a component in a dynamic zone."""
        self._zone_uids.add(uid)
        return self._reference(uid, self._names[uid].in_zone)

    def _reference(self, uid: str, name: str) -> JsonSchema:
        self._pending_uids.append(uid)
        return {CLASS: name}

    def shared(self, name: str, schema: JsonSchema) -> JsonSchema:
        """Refer to a schema that many attributes share."""
        self._shared[name] = schema
        return {CLASS: name}


def _names(schema: Schema, reserved: Collection[str]) -> Mapping[str, _ClassNames]:
    plain_names = class_names(schema, reserved=reserved)
    used_names = {*reserved, *plain_names.values()}
    names = {}
    for uid, name in plain_names.items():
        has_edges = bool(_edges(schema.model(uid)))
        populated_name = unused(f"{name}Populated", used_names) if has_edges else name
        names[uid] = _ClassNames(name, populated_name, unused(f"{name}InZone", used_names))
    return names


def _edges(model: Model) -> list[Attribute]:
    """Return the attributes that can be populated."""
    attributes = model.attributes.values()
    return [
        attribute
        for attribute in attributes
        if not isinstance(attribute, ScalarAttribute) and not attribute.private
    ]


def _description(model: Model) -> str:
    kind = "component" if isinstance(model, Component) else "content type"
    return f"The {kind} {model.uid}"
