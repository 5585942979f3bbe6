"""Holds the documents of the content files against the schema.

What is published has to be complete; a draft may lack required values and be too short, as it may
everywhere else.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from itertools import chain

from quire.schema.attributes.base import (
    Attribute,
    ComponentAttribute,
    DynamicZoneAttribute,
    MediaAttribute,
    Relation,
    RelationAttribute,
    ScalarAttribute,
)
from quire.schema.automatic import trailing_attributes
from quire.schema.model import ContentType, Model, Schema
from quire.seeding.content import ContentFault, Document, Status, Values, Version
from quire.seeding.scalars import scalar_fault
from quire.seeding.source import Source

COMPONENT_KEY = "__component"

Reference = tuple[str, str]
"""A content type and the key of one of its documents."""

Fault = tuple[str, str]
"""A JSON path and what is wrong there."""

_LINKED = frozenset(
    {Relation.ONE_TO_ONE, Relation.ONE_TO_MANY, Relation.MANY_TO_ONE, Relation.MANY_TO_MANY}
)
_AUTOMATIC = frozenset({"id", "documentId"}) | {
    attribute.name
    for attribute in trailing_attributes(
        "", localized=False, creators_private=True, first_published=True
    )
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Known:
    """What values may refer to.

    ``locales`` begins with the default; ``groups`` is the order in which content types are loaded.
    """

    schema: Schema
    locales: tuple[str, ...]
    media: frozenset[str]
    documents: Mapping[Reference, Document]
    groups: Mapping[str, int]


def is_own(name: str) -> bool:
    """Whether an attribute belongs to the project, and not to those that the server adds."""
    return name not in _AUTOMATIC


def target_locale(
    source: ContentType, locale: str | None, target: ContentType, default: str
) -> str | None:
    """Return the locale in which a relation finds its target.

    Between localized types it is the same; what is not localized refers to the default locale.
    """
    if not target.localized:
        return None
    return locale if source.localized else default


def check_document(known: Known, source: Source) -> Iterator[ContentFault]:
    """List every fault of one document."""
    frame = [*_frame_faults(known, source)]
    found = frame or [*_placement_faults(source), *_value_faults(known, source)]
    for path, message in dict.fromkeys(found):
        yield ContentFault(source.file, path, message)


def references(schema: Schema, document: Document) -> set[Reference]:
    """Return the documents that any entry of a document refers to, through components too."""
    content_type = schema.content_types[document.content_type]
    entries = chain.from_iterable(version.entries() for version in document.versions)
    return set(chain.from_iterable(_references(schema, content_type, values) for values in entries))


def _references(schema: Schema, model: Model, values: Values) -> Iterator[Reference]:
    for name, value in values.items():
        attribute = model.attributes.get(name)
        match attribute:
            case RelationAttribute(target=str(target)):
                yield from ((target, key) for key in as_list(value) if isinstance(key, str))
            case ComponentAttribute() | DynamicZoneAttribute():
                for component, inner in components_of(schema, attribute, value):
                    yield from _references(schema, component, inner)
            case _:
                continue


def components_of(
    schema: Schema, attribute: ComponentAttribute | DynamicZoneAttribute, value: object
) -> Iterator[tuple[Model, Values]]:
    """Iterate over the components in a value; what is none is left out."""
    for item in as_list(value):
        if not isinstance(item, dict):
            continue
        match attribute:
            case ComponentAttribute():
                uid = attribute.component
            case DynamicZoneAttribute():
                uid = str(item.get(COMPONENT_KEY))
        component = schema.components.get(uid)
        if component is not None:
            yield component, {name: one for name, one in item.items() if name != COMPONENT_KEY}


def as_list(value: object) -> list[object]:
    """Return a list as it is, one value as a list of it, and nothing as an empty list."""
    if isinstance(value, list):
        return value
    return [] if value is None else [value]


def _frame_faults(known: Known, source: Source) -> Iterator[Fault]:
    """Find what is wrong around the values: locales and statuses."""
    content_type, item = source.content_type, source.item
    if not content_type.localized and item.locales is not None:
        yield source.at("locales"), f"{content_type.uid} is not localized"
        return
    if content_type.localized and not item.locales:
        yield source.at("locales"), f"{content_type.uid} is localized: name at least one locale"
        return
    if content_type.localized and item.draft:
        yield source.at("draft"), "belongs into a locale"
    for locale, version in source.items().items():
        inner = "" if locale is None else f"locales.{locale}."
        if locale is not None and locale not in known.locales:
            yield source.at(f"locales.{locale}"), "is not in the manifest"
        status = version.status or item.status
        message = _status_fault(content_type, status, changed=bool(version.draft))
        if message is not None:
            yield source.at(f"{inner}status"), message
        twice = sorted(item.data.keys() & version.data.keys())
        for name in twice if locale is not None else ():
            yield source.at(f"{inner}data.{name}"), "is in the data of the document, too"


def _status_fault(content_type: ContentType, status: Status | None, *, changed: bool) -> str | None:
    if not content_type.draft_and_publish:
        if status is not None:
            return f"{content_type.uid} is without draft & publish"
        return "only a modified version has changes in draft" if changed else None
    if status is None:
        return f"expected one of {', '.join(Status)}"
    if (status is Status.MODIFIED) != changed:
        return "a modified version, and no other, has changes in draft"
    return None


def _placement_faults(source: Source) -> Iterator[Fault]:
    """Values that all locales share stand in the document, the others in a locale."""
    if not source.content_type.localized:
        return
    for name in source.item.data:
        attribute = source.content_type.attributes.get(name)
        shared = not source.belongs_to_locale(name) or isinstance(attribute, RelationAttribute)
        if not shared:
            yield source.at(f"data.{name}"), "is localized: it belongs into the locales"
    for locale, version in source.items().items():
        for part, values in (("data", version.data), ("draft", version.draft)):
            for name in values:
                if name in source.content_type.attributes and not source.belongs_to_locale(name):
                    path = source.at(f"locales.{locale}.{part}.{name}")
                    yield path, "is not localized: it belongs into the data of the document"


def _value_faults(known: Known, source: Source) -> Iterator[Fault]:
    for version in source.document().versions:
        yield from _entry_faults(known, source, version, draft=False)
        if version.draft is not None:
            yield from _entry_faults(known, source, version, draft=True)


def _entry_faults(
    known: Known, source: Source, version: Version, *, draft: bool
) -> Iterator[Fault]:
    values = version.draft if draft else version.published
    if values is None:
        return
    checker = _Checker(known=known, source=source, locale=version.locale, complete=not draft)
    yield from checker.model(
        source.content_type,
        values,
        lambda name: source.place(version.locale, name, draft=draft),
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class _Checker:
    """Checks the values of one entry; ``complete`` ones are published."""

    known: Known
    source: Source
    locale: str | None
    complete: bool

    def model(self, model: Model, values: Values, place: Callable[[str], str]) -> Iterator[Fault]:
        """Check the values of a content type or component; ``place`` gives the path of each."""
        for name in values:
            if name not in model.attributes or not is_own(name):
                yield place(name), f"{model.uid} has no attribute {name}"
        for name, attribute in model.attributes.items():
            if not is_own(name):
                continue
            value = values.get(name)
            if value is not None:
                yield from self.value(attribute, value, place(name))
            elif self.complete and _is_missed(attribute, given=name in values):
                yield place(name), "is required"

    def value(self, attribute: Attribute, value: object, path: str) -> Iterator[Fault]:
        """Check one value that is there."""
        match attribute:
            case ScalarAttribute():
                message = scalar_fault(attribute, value, complete=self.complete)
                if message is not None:
                    yield path, message
                elif attribute.type.name == "blocks":
                    yield from self.blocks(value, path)
            case RelationAttribute():
                yield from self.relation(attribute, value, path)
            case MediaAttribute():
                yield from self.media(value, path, many=attribute.multiple)
            case ComponentAttribute() | DynamicZoneAttribute():
                yield from self.components(attribute, value, path)
            case _:
                yield path, "cannot be given"

    def relation(self, attribute: RelationAttribute, value: object, path: str) -> Iterator[Fault]:
        """Check that the documents exist where the relation will look for them."""
        target = self.known.schema.content_types.get(attribute.target or "")
        if target is None or not target.is_api or attribute.relation not in _LINKED:
            yield path, "content files refer to documents of the project's own content types only"
            return
        if attribute.mapped_by is not None:
            yield path, f"is written on its other end, {target.uid}.{attribute.mapped_by}"
            return
        keys, fault = _names(value, many=attribute.to_many, what="key")
        if fault is not None:
            yield path, fault
        for key in keys:
            message = self._target_fault(target, key)
            if message is not None:
                yield path, message

    def _target_fault(self, target: ContentType, key: str) -> str | None:
        source, groups = self.source.content_type, self.known.groups
        document = self.known.documents.get((target.uid, key))
        if document is None:
            return f"there is no {target.uid} {key}"
        if groups[target.uid] > groups[source.uid]:
            return f"{target.uid} has to come before {source.uid} in the manifest"
        locale = target_locale(source, self.locale, target, self.known.locales[0])
        version = document.version(locale)
        if version is None:
            return f"{target.uid} {key} has no locale {locale}"
        needs_published = self.complete and source.draft_and_publish and target.draft_and_publish
        if needs_published and version.status is Status.DRAFT:
            return f"{target.uid} {key} is not published"
        return None

    def media(self, value: object, path: str, *, many: bool) -> Iterator[Fault]:
        """Check that the files are in the list of media files."""
        names, fault = _names(value, many=many, what="file")
        if fault is not None:
            yield path, fault
        for name in names:
            if name not in self.known.media:
                yield path, f"there is no media file {name}"

    def components(
        self, attribute: ComponentAttribute | DynamicZoneAttribute, value: object, path: str
    ) -> Iterator[Fault]:
        """Check one component or a list of them."""
        if attribute.to_many != isinstance(value, list):
            yield path, f"expected {'a list of components' if attribute.to_many else 'an object'}"
            return
        items = as_list(value)
        for option, wrong in (("max", len(items).__gt__), ("min", len(items).__lt__)):
            limit = attribute.raw.get(option)
            if self.complete and isinstance(limit, int) and wrong(limit):
                yield path, f"expected at {'most' if option == 'max' else 'least'} {limit}"
        for index, item in enumerate(items):
            inner = f"{path}[{index}]" if isinstance(value, list) else path
            yield from self.component(attribute, item, inner)

    def component(
        self, attribute: ComponentAttribute | DynamicZoneAttribute, item: object, path: str
    ) -> Iterator[Fault]:
        """Check one component."""
        if not isinstance(item, dict):
            yield path, "expected an object"
            return
        if isinstance(attribute, DynamicZoneAttribute):
            uid = item.get(COMPONENT_KEY)
            if uid not in attribute.components:
                allowed = ", ".join(attribute.components)
                yield f"{path}.{COMPONENT_KEY}", f"expected one of {allowed}"
                return
        for component, values in components_of(self.known.schema, attribute, item):
            yield from self.model(component, values, lambda name: f"{path}.{name}")

    def blocks(self, value: object, path: str) -> Iterator[Fault]:
        """Check that blocks are blocks, and that the files of images are there."""
        if not isinstance(value, list):
            yield path, "expected a list of blocks"
            return
        for index, block in enumerate(value):
            inner = f"{path}[{index}]"
            match block:
                case {"type": "image", "image": {"file": name}, "children": list()}:
                    yield from self.media(name, f"{inner}.image.file", many=False)
                case {"type": "image"}:
                    yield inner, "expected an image with the name of a file and children"
                case {"type": str(), "children": list()}:
                    continue
                case _:
                    yield inner, "expected a block with a type and children"


def _is_missed(attribute: Attribute, *, given: bool) -> bool:
    """Whether an attribute must not be null: its default is for what is not mentioned at all."""
    return attribute.required and (given or attribute.default is None)


def _names(value: object, *, many: bool, what: str) -> tuple[list[str], str | None]:
    """Return the names in a value, and what is wrong with its form."""
    expected = f"expected a list of {what}s" if many else f"expected a {what}"
    if many != isinstance(value, list):
        return [], expected
    items = as_list(value)
    names = [item for item in items if isinstance(item, str)]
    if len(names) != len(items):
        return [], expected
    twice = sorted({name for name in names if names.count(name) > 1})
    return names, f"names {twice[0]} twice" if twice else None
