"""Reads a project's seed content and reports its problems.

The format is described in ``examples/blog/content/README.md``. Everything here is plain Python over
plain JSON, and knows nothing of the server: it is a second opinion on the same files.
"""

import json
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from typing import Any

JsonObject = dict[str, Any]
Problems = Iterator[str]

STATUSES = ("draft", "published", "modified")
SLUG = re.compile(r"[A-Za-z0-9\-_.~]+")
EMAIL = re.compile(r"[^@\s]+@[^@\s]+\.[^@\s]+")
LINK = re.compile(r"(https?|ftp)://\S+|(mailto|tel):\S+|/\S*")
MARKS = frozenset({"bold", "italic", "underline", "strikethrough", "code"})


@dataclass(frozen=True, slots=True)
class Document:
    """A document as it stands in a content file; ``where`` is its file and key."""

    where: str
    uid: str
    raw: JsonObject

    @property
    def key(self) -> str:
        return str(self.raw["key"])

    @property
    def versions(self) -> dict[str | None, JsonObject]:
        """Locale to version; a document without locales is its own version, of no locale."""
        return self.raw.get("locales") or {None: {k: v for k, v in self.raw.items() if k != "data"}}

    def status(self, locale: str | None) -> str | None:
        """The status of a version: its own, or else the document's."""
        own: str | None = self.versions[locale].get("status", self.raw.get("status"))
        return own


@dataclass(frozen=True, slots=True)
class Entry:
    """What is stored of a version: all of its values, in draft or published."""

    document: Document
    locale: str | None
    published: bool
    values: JsonObject

    @property
    def where(self) -> str:
        state = "published" if self.published else "draft"
        return f"{self.document.where} ({self.locale or 'no locale'}, {state})"


@dataclass(frozen=True, slots=True)
class Content:
    """The content types and components of a project, and its seed content."""

    folder: Path
    types: dict[str, JsonObject]
    components: dict[str, JsonObject]
    manifest: JsonObject
    media: list[JsonObject]
    documents: list[Document]

    @property
    def locales(self) -> list[str]:
        return [locale["code"] for locale in self.manifest["locales"]]

    def find(self, uid: str, key: object) -> Document | None:
        """The document of a content type with this key."""
        found = (d for d in self.documents if d.uid == uid and d.key == key)
        return next(found, None)


def read_content(project: Path) -> Content:
    """Read the schema tree and the content files of a project."""
    folder = project / "content"
    manifest = _read(folder / "manifest.json")
    documents = [
        Document(f"{path.relative_to(folder)}: {raw.get('key')}", group["contentType"], raw)
        for group in manifest["documents"]
        for path in content_files(folder, group)
        for raw in _as_list(_read(path))
    ]
    return Content(
        folder=folder,
        types={
            f"api::{path.parts[-4]}.{path.parts[-2]}": _read(path)
            for path in sorted(project.glob("src/api/*/content-types/*/schema.json"))
        },
        components={
            f"{path.parent.name}.{path.stem}": _read(path)
            for path in sorted(project.glob("src/components/*/*.json"))
        },
        manifest=manifest,
        media=_read(folder / manifest["media"]),
        documents=documents,
    )


def content_files(folder: Path, group: JsonObject) -> list[Path]:
    """The files of one group of the manifest, in the order of loading."""
    return [path for pattern in group["files"] for path in sorted(folder.glob(pattern))]


def entries(document: Document) -> Iterator[Entry]:
    """What is stored of a document: for each locale a draft, and what is published of it."""
    for locale, version in document.versions.items():
        values = document.raw.get("data", {}) | version.get("data", {})
        status = document.status(locale)
        if status != "draft":
            yield Entry(document, locale, published=True, values=values)
        if status in ("draft", "modified"):
            changed = values | version.get("draft", {})
            yield Entry(document, locale, published=False, values=changed)


def document_problems(content: Content, document: Document) -> list[str]:
    """Everything that is wrong with one document."""
    problems = [f"{document.where}: {text}" for text in _frame(content, document)]
    for entry in entries(document):
        attributes = content.types[document.uid]["attributes"]
        checker = _Checker(content, entry)
        texts = checker.values(attributes, entry.values)
        problems += [f"{entry.where}: {text}" for text in texts]
    return problems


def references(content: Content, document: Document) -> set[tuple[str, str]]:
    """The documents that a document refers to, as pairs of content type and key."""
    attributes = content.types[document.uid]["attributes"]
    return {
        found
        for entry in entries(document)
        for found in _references(content, attributes, entry.values)
    }


def _references(
    content: Content, attributes: JsonObject, values: JsonObject
) -> Iterator[tuple[str, str]]:
    for name, value in values.items():
        attribute = attributes.get(name, {})
        match attribute.get("type"):
            case "relation":
                yield from ((attribute["target"], key) for key in _as_list(value))
            case "component":
                component = content.components[attribute["component"]]["attributes"]
                for item in _as_list(value):
                    yield from _references(content, component, item)
            case "dynamiczone":
                for item in value:
                    component = content.components[item["__component"]]["attributes"]
                    yield from _references(content, component, item)
            case _:
                continue


def _frame(content: Content, document: Document) -> Problems:
    """Check a document around its values: keys, status, locales, and which value stands where."""
    schema = content.types[document.uid]
    localized = _is_localized(schema)
    extra = document.raw.keys() - {"key", "status", "data", "draft", "locales"}
    if extra:
        yield f"unknown keys {sorted(extra)}"
    if localized != ("locales" in document.raw):
        yield "localized content types, and only they, have locales"
    for locale, version in document.versions.items():
        if localized and locale not in content.locales:
            yield f"locale {locale} is not in the manifest"
        yield from _version(schema, document, locale, version)
    if localized:
        yield from _placement(schema, "data", document.raw.get("data", {}), in_locale=False)


def _version(
    schema: JsonObject, document: Document, locale: str | None, version: JsonObject
) -> Problems:
    status = document.status(locale)
    if schema["options"]["draftAndPublish"]:
        if status not in STATUSES:
            yield f"status must be one of {STATUSES}, not {status}"
    elif status is not None:
        yield "only content types with draft & publish have a status"
    if (status == "modified") != bool(version.get("draft")):
        yield f"locale {locale}: modified versions, and only they, have draft values"
    if locale is None:
        return
    if extra := version.keys() - {"status", "data", "draft"}:
        yield f"locale {locale}: unknown keys {sorted(extra)}"
    if twice := document.raw.get("data", {}).keys() & version.get("data", {}).keys():
        yield f"locale {locale}: {sorted(twice)} are in the data of the document, too"
    for part in ("data", "draft"):
        yield from _placement(schema, f"{locale}.{part}", version.get(part, {}), in_locale=True)


def _placement(schema: JsonObject, where: str, values: JsonObject, *, in_locale: bool) -> Problems:
    """Localized values stand in a locale, shared ones in the document, relations in either."""
    for name in values:
        attribute = schema["attributes"].get(name)
        if attribute is None or attribute["type"] == "relation":
            continue
        if (_is_localized(attribute) or attribute["type"] == "uid") != in_locale:
            yield f"{where}.{name} is {'not ' if in_locale else ''}localized"


def _is_localized(holder: JsonObject) -> bool:
    return bool(holder.get("pluginOptions", {}).get("i18n", {}).get("localized", False))


@dataclass(frozen=True, slots=True)
class _Checker:
    """Checks the values of one entry against attributes."""

    content: Content
    entry: Entry

    def values(self, attributes: JsonObject, values: JsonObject, path: str = "") -> Problems:
        """Check an object against the attributes of its content type or component."""
        for name in values.keys() - attributes.keys() - {"__component"}:
            yield f"{path}{name} is no attribute"
        for name, attribute in attributes.items():
            value = values.get(name)
            if value not in (None, "", []):
                yield from self.value(attribute, value, f"{path}{name}")
            elif attribute.get("required") and self.entry.published and "default" not in attribute:
                yield f"{path}{name} is required"

    def value(self, attribute: JsonObject, value: Any, path: str) -> Problems:  # noqa: ANN401 (JSON)
        """Check one value against its attribute."""
        kind = attribute["type"]
        if kind in SCALARS:
            if not SCALARS[kind](attribute, value):
                yield f"{path} is no {kind} that its attribute allows: {value!r}"
            return
        match kind:
            case "relation":
                yield from self.relation(attribute, value, path)
            case "media":
                yield from self.media(attribute, value, path)
            case "component":
                yield from self.component(attribute, value, path)
            case "dynamiczone":
                yield from self.zone(attribute, value, path)
            case "blocks":
                yield from self.blocks(value, path)
            case _:
                yield f"{path}: the type {kind} is not known here"

    def relation(self, attribute: JsonObject, value: Any, path: str) -> Problems:  # noqa: ANN401
        """Check that the documents exist, in the same locale, and published where they must be."""
        if "mappedBy" in attribute:
            yield f"{path} is written on the other side of the relation"
        if isinstance(value, list) == attribute["relation"].endswith("ToOne"):
            yield f"{path} must be {'a key' if isinstance(value, list) else 'a list of keys'}"
        target, locale = attribute["target"], self.entry.locale
        localized = _is_localized(self.content.types[target])
        drafts = self.content.types[target]["options"]["draftAndPublish"]
        for key in _as_list(value):
            found = self.content.find(target, key)
            if found is None:
                yield f"{path}: there is no {target} {key}"
            elif localized and locale not in found.versions:
                yield f"{path}: {key} has no locale {locale}"
            elif drafts and self.entry.published and found.status(locale) == "draft":
                yield f"{path}: {key} is not published"

    def media(self, attribute: JsonObject, value: Any, path: str) -> Problems:  # noqa: ANN401
        """Check that the files are listed."""
        if isinstance(value, list) != attribute["multiple"]:
            yield f"{path} must be {'a list of files' if attribute['multiple'] else 'a file'}"
        listed = {media["file"] for media in self.content.media}
        for name in _as_list(value):
            if name not in listed:
                yield f"{path}: there is no media file {name}"

    def component(self, attribute: JsonObject, value: Any, path: str) -> Problems:  # noqa: ANN401
        """Check one component or a list of them."""
        repeatable = attribute["repeatable"]
        if isinstance(value, list) != repeatable:
            yield f"{path} must be {'a list' if repeatable else 'an object'}"
            return
        attributes = self.content.components[attribute["component"]]["attributes"]
        items = _as_list(value)
        if len(items) > attribute.get("max", len(items)):
            yield f"{path} has too many components"
        for index, item in enumerate(items):
            yield from self.values(
                attributes, item, f"{path}[{index}]." if repeatable else f"{path}."
            )

    def zone(self, attribute: JsonObject, value: list[JsonObject], path: str) -> Problems:
        """Check the components of a dynamic zone."""
        if len(value) > attribute.get("max", len(value)):
            yield f"{path} has too many components"
        for index, item in enumerate(value):
            uid = str(item.get("__component"))
            if uid not in attribute["components"]:
                yield f"{path}[{index}]: no component {uid} may be in this zone"
                continue
            attributes = self.content.components[uid]["attributes"]
            yield from self.values(attributes, item, f"{path}[{index}].")

    def blocks(self, value: Any, path: str) -> Problems:  # noqa: ANN401
        """Check a list of blocks, down to the text."""
        if not isinstance(value, list):
            yield f"{path} must be a list of blocks"
            return
        for index, block in enumerate(value):
            yield from self.block(block, f"{path}[{index}]")

    def block(self, block: JsonObject, path: str) -> Problems:
        """Check one block and what is in it."""
        children = block.get("children")
        if not isinstance(children, list) or not children:
            yield f"{path} has no children"
            return
        match block:
            case {"type": "paragraph" | "quote"}:
                yield from _inlines(children, path)
            case {"type": "heading", "level": 1 | 2 | 3 | 4 | 5 | 6}:
                yield from _inlines(children, path)
            case {"type": "code", "language": str() | None}:
                yield from _inlines(children, path, links=False)
            case {"type": "image", "image": {"file": str(name)}}:
                yield from self.media({"multiple": False}, name, path)
                yield from _inlines(children, path, links=False)
            case {"type": "list", "format": "ordered" | "unordered"}:
                yield from self.items(children, path)
            case _:
                yield f"{path} is no block: {block.get('type')}"

    def items(self, children: list[JsonObject], path: str) -> Problems:
        """Check the items of a list, and the lists inside of it."""
        for index, child in enumerate(children):
            if child.get("type") == "list-item":
                yield from _inlines(child.get("children") or [], f"{path}[{index}]")
            elif child.get("type") == "list":
                yield from self.block(child, f"{path}[{index}]")
            else:
                yield f"{path}[{index}] is no list item"


def _inlines(children: list[JsonObject], path: str, *, links: bool = True) -> Problems:
    if not children:
        yield f"{path} is empty"
    for index, child in enumerate(children):
        match child:
            case {"type": "text", "text": str()}:
                marks = {name: mark for name, mark in child.items() if name not in ("type", "text")}
                if not marks.keys() <= MARKS or not all(
                    isinstance(m, bool) for m in marks.values()
                ):
                    yield f"{path}[{index}] has unknown marks {sorted(marks)}"
            case {"type": "link", "url": str(url), "children": [*texts]} if links:
                if not LINK.fullmatch(url):
                    yield f"{path}[{index}] has no valid link: {url}"
                yield from _inlines(texts, f"{path}[{index}]", links=False)
            case _:
                yield f"{path}[{index}] is neither text nor a link"


def _text(attribute: JsonObject, value: object) -> bool:
    longest = 255 if attribute["type"] in ("string", "email", "uid") else None
    if not isinstance(value, str):
        return False
    limit = attribute.get("maxLength", longest)
    return attribute.get("minLength", 0) <= len(value) and (limit is None or len(value) <= limit)


def _integer(attribute: JsonObject, value: object) -> bool:
    if not isinstance(value, int) or isinstance(value, bool):
        return False
    return bool(attribute.get("min", value) <= value <= attribute.get("max", value))


def _date(_: JsonObject, value: object) -> bool:
    try:
        return isinstance(value, str) and date.fromisoformat(value).isoformat() == value
    except ValueError:
        return False


SCALARS: dict[str, Callable[[JsonObject, Any], bool]] = {
    "string": _text,
    "text": _text,
    "richtext": _text,
    "uid": lambda attribute, value: _text(attribute, value) and bool(SLUG.fullmatch(value)),
    "email": lambda attribute, value: _text(attribute, value) and bool(EMAIL.fullmatch(value)),
    "enumeration": lambda attribute, value: value in attribute["enum"],
    "integer": _integer,
    "boolean": lambda _, value: isinstance(value, bool),
    "date": _date,
}


def _as_list(value: Any) -> list[Any]:  # noqa: ANN401
    return value if isinstance(value, list) else [] if value is None else [value]


def _read(path: Path) -> Any:  # noqa: ANN401
    return json.loads(path.read_text(encoding="utf-8"))
