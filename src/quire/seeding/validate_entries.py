"""Validates the values of entries in content files.

Published entries have to be complete; a draft may lack required values and be too short, as always.
These rules and their messages are those of `document_service.validate`. This module checks the
rest: that the keys and names in content files exist, and which values that the content API ignores
would be mistakes in a file.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path

from msgspec import Struct

from quire.document_service.validate import CheckedEntry, ValidationRules, check_entry
from quire.document_service.validate.problems import ValuePath, path_text
from quire.schema.attributes.base import (
    Attribute,
    ComponentAttribute,
    DynamicZoneAttribute,
    MediaAttribute,
    Relation,
    RelationAttribute,
    ScalarAttribute,
)
from quire.schema.attributes.validation import Step
from quire.schema.model import ContentType, Model, Schema
from quire.schema.system_attributes import trailing_attributes
from quire.seeding.media import describe_file, plan_upload
from quire.seeding.references import Reference, target_locale
from quire.seeding.seed_values import DocumentVersion, SeedDocument, SeedMediaFile, Status, Values
from quire.seeding.source_position import DocumentSource
from quire.seeding.wire_format import COMPONENT_KEY, WireFormat, as_list, components_of, is_blocks

PathProblem = tuple[str, str]
"""A JSON path and what is wrong there."""

_LINK_TYPES = frozenset(
    {Relation.ONE_TO_ONE, Relation.ONE_TO_MANY, Relation.MANY_TO_ONE, Relation.MANY_TO_MANY}
)
_AUTOMATIC = frozenset({"id", "documentId"}) | {
    attribute.name
    for attribute in trailing_attributes(
        "", localized=False, creators_private=True, first_published=True
    )
}
_ANY: Mapping[str, object] = {"id": 1}
"""A placeholder for any target, where only its existence counts."""
_MISSING_FILE: Mapping[str, object] = {
    **dict.fromkeys(("name", "url", "hash", "ext", "mime", "provider"), "-"),
    **dict.fromkeys(("width", "height", "size"), 0),
    **dict.fromkeys(("createdAt", "updatedAt"), "-"),
}
"""A placeholder for the file of an image that is reported as missing already."""


class KnownTargets(Struct, frozen=True, kw_only=True):
    """The targets that values may refer to.

    ``locales`` begins with the default; ``groups`` is the order in which content types are loaded.
    """

    schema: Schema
    locales: tuple[str, ...]
    media: Mapping[str, SeedMediaFile]
    documents: Mapping[Reference, SeedDocument]
    groups: Mapping[str, int]


class EntryCheck:
    """Checks the values of entries, one after the other."""

    def __init__(self, known_targets: KnownTargets) -> None:
        """``known_targets`` are the targets that values may refer to."""
        self._known = known_targets
        self._wire = WireFormat(
            schema=known_targets.schema,
            related=lambda *_: _ANY,
            file=lambda _: _ANY,
            image=self._describe_media,
        )
        self._taken: set[tuple[object, ...]] = set()

    def problems(
        self, source: DocumentSource, version: DocumentVersion, values: Values, *, draft: bool
    ) -> Iterator[PathProblem]:
        """List every error of one entry; its unique values are taken from now on."""
        model, locale = source.content_type, version.locale
        names = _EntryKeys(
            known_targets=self._known, source=source, locale=locale, complete=not draft
        )
        key_problems = [
            *names.problems(model, values, lambda name: source.place(locale, name, draft=draft))
        ]
        yield from key_problems
        data = self._wire.data(model, values)
        rules = ValidationRules(draft=draft, creating=True, strict_relations=True)
        checked_entry = check_entry(self._known.schema, model, data, rules)
        paths = {path for path, _ in key_problems}
        messages = [
            *_messages_of(checked_entry),
            *self._duplicate_values(source, locale, checked_entry),
        ]
        for (name, *below), message in messages:
            path = source.place(locale, str(name), draft=draft) + _path_text(below)
            if path not in paths:
                yield path, message

    def _duplicate_values(
        self, source: DocumentSource, locale: str | None, checked_entry: CheckedEntry
    ) -> Iterator[tuple[ValuePath, str]]:
        """Find values that another document has published in the same locale."""
        uid = source.content_type.uid
        for unique in checked_entry.uniques:
            value = (uid, locale, unique.component_path, unique.attribute, unique.value)
            if value in self._taken:
                yield _value_path(unique.path), f"{unique.original} is taken"
            self._taken.add(value)

    def _describe_media(self, name: str) -> Mapping[str, object]:
        """Describe the file of an image as far as possible before it is stored."""
        file = self._known.media.get(name)
        if file is None or not file.path.is_file():
            return _MISSING_FILE
        return describe_file(1, "", plan_upload(file, Path(), str).values, 0)


def _is_own(name: str) -> bool:
    """Whether an attribute belongs to the project, and is not added by the server."""
    return name not in _AUTOMATIC


def _messages_of(checked_entry: CheckedEntry) -> Iterator[tuple[ValuePath, str]]:
    """Iterate over validation messages, without the position at their beginning.

    A message about the entry as a whole is assigned to one of its values.
    """
    for problem in checked_entry.problems:
        if problem.path:
            path = _value_path(problem.path)
            message = problem.message.removeprefix(f"{path_text(path)} ")
            yield path, " ".join(line.strip() for line in message.splitlines())
    for late_problem in checked_entry.lates:
        yield _value_path(late_problem.path), late_problem.error.message


def _value_path(path: Sequence[str]) -> ValuePath:
    """Convert indices in a path back to numbers."""
    return tuple(int(step) if step.isdigit() else step for step in path)


def _path_text(path: Sequence[Step]) -> str:
    return "".join(f"[{step}]" if isinstance(step, int) else f".{step}" for step in path)


class _EntryKeys(Struct, frozen=True, kw_only=True):
    """Checks the keys and names in one entry; targets of ``complete`` ones must be published."""

    known_targets: KnownTargets
    source: DocumentSource
    locale: str | None
    complete: bool

    def problems(
        self, model: Model, values: Values, path: Callable[[str], str]
    ) -> Iterator[PathProblem]:
        """Check the values of a content type or component; ``place`` gives the path of each."""
        for name, value in values.items():
            attribute = model.attributes.get(name)
            if attribute is None or not _is_own(name):
                yield path(name), f"{model.uid} has no attribute {name}"
            elif value is not None:
                yield from self._value(attribute, value, path(name))

    def _value(self, attribute: Attribute, value: object, path: str) -> Iterator[PathProblem]:
        match attribute:
            case ScalarAttribute():
                if attribute.secret:
                    yield path, "secrets do not belong into content files"
                elif is_blocks(attribute):
                    yield from self._blocks(value, path)
            case RelationAttribute():
                yield from self._relation(attribute, value, path)
            case MediaAttribute():
                yield from self._media(value, path, to_many=attribute.multiple)
            case ComponentAttribute() | DynamicZoneAttribute():
                yield from self._components(attribute, value, path)
            case _:
                yield path, "cannot be given"

    def _relation(
        self, attribute: RelationAttribute, value: object, path: str
    ) -> Iterator[PathProblem]:
        """Check that the documents exist where the relation will look for them."""
        target = self.known_targets.schema.content_types.get(attribute.target or "")
        if target is None or not target.is_api or attribute.relation not in _LINK_TYPES:
            yield path, "content files refer to documents of the project's own content types only"
            return
        if attribute.mapped_by is not None:
            yield path, f"is written on its other end, {target.uid}.{attribute.mapped_by}"
            return
        keys, problem = _read_names(value, many=attribute.to_many, task_name="key")
        if problem is not None:
            yield path, problem
        for key in keys:
            message = self._target_problem(target, key)
            if message is not None:
                yield path, message

    def _target_problem(self, target: ContentType, key: str) -> str | None:
        source, groups = self.source.content_type, self.known_targets.groups
        document = self.known_targets.documents.get((target.uid, key))
        if document is None:
            return f"there is no {target.uid} {key}"
        if groups[target.uid] > groups[source.uid]:
            return f"{target.uid} has to come before {source.uid} in the manifest"
        locale = target_locale(source, self.locale, target, self.known_targets.locales[0])
        version = document.version(locale)
        if version is None:
            return f"{target.uid} {key} has no locale {locale}"
        needs_published = self.complete and source.draft_and_publish and target.draft_and_publish
        if needs_published and version.status is Status.DRAFT:
            return f"{target.uid} {key} is not published"
        return None

    def _media(self, value: object, path: str, *, to_many: bool) -> Iterator[PathProblem]:
        """Check that the files are in the list of media files."""
        names, problem = _read_names(value, many=to_many, task_name="file")
        if problem is not None:
            yield path, problem
        for name in names:
            if name not in self.known_targets.media:
                yield path, f"there is no media file {name}"

    def _components(
        self, attribute: ComponentAttribute | DynamicZoneAttribute, value: object, path: str
    ) -> Iterator[PathProblem]:
        """Check components; in a dynamic zone they must be listed."""
        match attribute:
            case ComponentAttribute(component=uid):
                allowed_uids: tuple[str, ...] = (uid,)
            case DynamicZoneAttribute(components=allowed_uids):
                pass
        for index, item in enumerate(as_list(value)):
            item_path = f"{path}[{index}]" if isinstance(value, list) else path
            for component, values in components_of(self.known_targets.schema, attribute, item):
                if component.uid in allowed_uids:
                    yield from self.problems(component, values, f"{item_path}.{{}}".format)
                else:
                    yield (
                        f"{item_path}.{COMPONENT_KEY}",
                        f"expected one of {', '.join(allowed_uids)}",
                    )

    def _blocks(self, value: object, path: str) -> Iterator[PathProblem]:
        """Check that blocks are a list, and that the files of images exist."""
        if not isinstance(value, list):
            yield path, "expected a list of blocks"
            return
        for index, block in enumerate(value):
            match block:
                case {"type": "image", "image": {"file": name}}:
                    yield from self._media(name, f"{path}[{index}].image.file", to_many=False)
                case {"type": "image"}:
                    yield f"{path}[{index}].image", "expected the name of a file"
                case _:
                    continue


def _read_names(value: object, *, many: bool, task_name: str) -> tuple[list[str], str | None]:
    """Return the names in a value, and the problem of its form."""
    message = f"expected a list of {task_name}s" if many else f"expected a {task_name}"
    if many != isinstance(value, list):
        return [], message
    items = as_list(value)
    names = [item for item in items if isinstance(item, str)]
    if len(names) != len(items):
        return [], message
    repeated_names = sorted({name for name in names if names.count(name) > 1})
    return names, f"names {repeated_names[0]} twice" if repeated_names else None
