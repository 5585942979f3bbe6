"""Loads the schema files of a project, or reports all their problems.

``src/api/<api>/content-types/<type>/schema.json`` is the content type ``api::<api>.<type>``,
``src/components/<category>/<name>.json`` the component ``<category>.<name>``, and
``src/extensions/<plugin>/content-types/<type>/schema.json`` replaces a built-in type's schema, key
by key at the top level. Nothing is half-loaded: either everything is valid or `SchemaError` lists
each error with its file and JSON path.
"""

import hashlib
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path, PurePath
from types import MappingProxyType

import orjson
from msgspec import Struct, field

from quire.errors import SchemaError, SchemaProblem
from quire.hooks.errors import nearest
from quire.schema.attributes import ATTRIBUTE_TYPES, AttributeTypes
from quire.schema.attributes.base import Attribute
from quire.schema.builtin import builtin_schemas
from quire.schema.cross_file_checks import check_models
from quire.schema.custom_fields import CustomFieldTypes, WellKnownCustomFields
from quire.schema.model import Component, ContentType, Index, Model, Schema, TypeKind
from quire.schema.name_words import kebab_case
from quire.schema.normalize import normalize
from quire.schema.source_files import EXTENSION, SchemaFile
from quire.schema.system_attributes import leading_attributes, trailing_attributes

_KEBAB = re.compile(r"[a-z0-9]+(-[a-z0-9]+)*")


class LoadOptions(Struct, frozen=True, kw_only=True):
    """Options that do not come from schema files, but from settings and from code of the project.

    ``private_attributes`` are hidden in every content type; ``first_published`` adds
    ``firstPublishedAt`` to draft & publish types.
    """

    private_attributes: frozenset[str] = frozenset()
    first_published: bool = False
    attribute_types: AttributeTypes = field(default_factory=lambda: ATTRIBUTE_TYPES)
    custom_fields: CustomFieldTypes = field(default_factory=WellKnownCustomFields)


def load_schema(project: Path, options: LoadOptions | None = None) -> Schema:
    """Load the schema files of a project folder together with the built-in types.

    Raises SchemaError with every error.
    """
    problems: list[SchemaProblem] = []
    sources = list(_read_tree(project, problems))
    return build_schema(sources, options, problems)


def read_sources(project: Path) -> list[SchemaFile]:
    """Read the schema files of a project without checking them.

    Raises SchemaError for files that are not a JSON object.
    """
    problems: list[SchemaProblem] = []
    sources = list(_read_tree(project, problems))
    if problems:
        raise SchemaError(problems)
    return sources


def build_schema(
    sources: Sequence[SchemaFile],
    options: LoadOptions | None = None,
    problems: Sequence[SchemaProblem] = (),
) -> Schema:
    """Build a `Schema` from sources that were read already; built-in types are added.

    ``problems`` are errors found while reading. Raises SchemaError when there are any at all.
    """
    options = options or LoadOptions()
    all_sources = [*_builtin_sources(sources), *sources]
    files = [source for source in all_sources if not source.uid.startswith(EXTENSION)]
    normalized = normalize(files, options.custom_fields, options.attribute_types)
    merged_sources = normalized.sources
    all_problems = [
        *problems,
        *_duplicate_uids(merged_sources),
        *_file_problems(merged_sources, options.attribute_types),
    ]
    all_problems += check_models(
        {source.uid: (source.file, source.raw) for source in merged_sources},
        options.attribute_types,
    )
    if all_problems:
        raise SchemaError(
            sorted(set(all_problems), key=lambda problem: (problem.file, problem.path))
        )
    raws = {source.uid: source.raw for source in files}
    models = [_build(source, raws[source.uid], options) for source in merged_sources]
    return Schema(
        content_types=MappingProxyType({m.uid: m for m in models if isinstance(m, ContentType)}),
        components=MappingProxyType({m.uid: m for m in models if isinstance(m, Component)}),
        version=_digest(merged_sources, options),
        custom_fields=normalized.custom_fields,
        notices=normalized.notices,
    )


def _builtin_sources(sources: Sequence[SchemaFile]) -> Iterator[SchemaFile]:
    """Yield the built-in types, overridden by the project's extensions."""
    extensions = {s.uid.removeprefix(EXTENSION): s for s in sources}
    for uid, name, raw in builtin_schemas():
        extension = extensions.get(uid)
        if extension is None:
            yield SchemaFile(uid, f"(built-in) {name}", raw)
        else:
            yield SchemaFile(uid, extension.file, {**raw, **extension.raw})


def in_file_order(sources: Iterable[SchemaFile]) -> list[SchemaFile]:
    """Return sources in the order in which files are read, which `Schema.version` depends on."""
    return sorted(sources, key=lambda source: (_file_order(source), PurePath(source.file).parts))


def _file_order(source: SchemaFile) -> int:
    if source.uid.startswith(EXTENSION):
        return 2
    return 1 if source.is_component else 0


def _read_tree(project: Path, problems: list[SchemaProblem]) -> Iterator[SchemaFile]:
    for path in sorted(project.glob("src/api/*/content-types/*/schema.json")):
        api, name = path.parts[-4], path.parts[-2]
        yield from _read_file(project, path, f"api::{_uid_part(api)}.{_uid_part(name)}", problems)
    for path in sorted(project.glob("src/components/*/*.json")):
        yield from _read_file(project, path, f"{path.parent.name}.{path.stem}", problems)
    for path in sorted(project.glob("src/extensions/*/content-types/*/schema.json")):
        plugin, name = path.parts[-4], path.parts[-2]
        yield from _read_file(project, path, f"{EXTENSION}plugin::{plugin}.{name}", problems)


def _uid_part(name: str) -> str:
    return name if _KEBAB.fullmatch(name) else kebab_case(name)


def _read_file(
    project: Path, path: Path, uid: str, problems: list[SchemaProblem]
) -> Iterator[SchemaFile]:
    file = path.relative_to(project).as_posix()
    try:
        raw = orjson.loads(path.read_bytes())
    except orjson.JSONDecodeError as error:
        problems.append(SchemaProblem(file, "", f"is not JSON: {error}"))
        return
    except OSError as error:
        problems.append(SchemaProblem(file, "", f"cannot be read: {error.strerror}"))
        return
    if not isinstance(raw, dict):
        problems.append(SchemaProblem(file, "", "must hold a JSON object"))
        return
    yield SchemaFile(uid, file, raw)


def _duplicate_uids(sources: Sequence[SchemaFile]) -> Iterator[SchemaProblem]:
    """Find folders whose names result in the same uid, such as ``blogPost`` and ``blog-post``."""
    file_by_uid: dict[str, str] = {}
    for source in sources:
        first_file = file_by_uid.setdefault(source.uid, source.file)
        if first_file != source.file:
            yield SchemaProblem(source.file, "", f"{source.uid} is the uid of {first_file} already")


def _file_problems(sources: Sequence[SchemaFile], types: AttributeTypes) -> Iterator[SchemaProblem]:
    """Find problems that a file has by itself; `check_models` compares files with each other."""
    for source in sources:
        for path, message in _model_problems(source):
            yield SchemaProblem(source.file, path, message)
        attributes = source.raw.get("attributes", {})
        if not isinstance(attributes, dict):
            yield SchemaProblem(source.file, "attributes", "must be an object")
            continue
        for name, raw in attributes.items():
            for option, message in _attribute_problems(raw, types):
                path = f"attributes.{name}.{option}" if option else f"attributes.{name}"
                yield SchemaProblem(source.file, path, message)


def _attribute_problems(raw: object, types: AttributeTypes) -> list[tuple[str, str]]:
    if not isinstance(raw, dict):
        return [("", "must be an object")]
    name = raw.get("type")
    type_ = types.get(name) if isinstance(name, str) else None
    if type_ is None:
        type_names = ", ".join(types)
        hint = _custom_type_hint(name, types) if isinstance(name, str) else ""
        return [("type", f"is not an attribute type (known: {type_names}){hint}")]
    return type_.problems(raw)


def _custom_type_hint(name: str, types: AttributeTypes) -> str:
    """Return how an attribute has a type of Python code, unless a name is a misspelt one."""
    suggestion = nearest(name, types)
    if suggestion:
        return suggestion
    plugin_options = f'"pluginOptions": {{"quire": {{"type": "{name}"}}}}'
    return (
        f"; if {name} is a type of Python code, write the type that it stores, such as "
        f'"string", and {plugin_options}'
    )


def _model_problems(source: SchemaFile) -> Iterator[tuple[str, str]]:
    raw = source.raw
    collection = raw.get("collectionName")
    if collection is not None and not (isinstance(collection, str) and collection):
        yield "collectionName", "expected a name"
    if source.is_component:
        if collection is None:
            yield "collectionName", "is missing (components need one)"
        return
    if raw.get("kind", "collectionType") not in [kind.value for kind in TypeKind]:
        yield "kind", "expected collectionType or singleType"
    yield from _option_problems(raw.get("options", {}))
    yield from _info_problems(raw.get("info"))


def _info_problems(info: object) -> Iterator[tuple[str, str]]:
    if not isinstance(info, dict):
        yield "info", "is missing"
        return
    for key in ("singularName", "pluralName"):
        name = info.get(key)
        if not isinstance(name, str) or not _KEBAB.fullmatch(name):
            yield f"info.{key}", "expected a name in kebab-case, such as blog-post"
    if not isinstance(info.get("displayName"), str):
        yield "info.displayName", "is missing"


def _option_problems(options: object) -> Iterator[tuple[str, str]]:
    if not isinstance(options, dict):
        yield "options", "must be an object"
    elif not isinstance(options.get("draftAndPublish", False), bool):
        yield "options.draftAndPublish", "expected true or false"


def _build(source: SchemaFile, raw: Mapping[str, object], options: LoadOptions) -> Model:
    """Build a model from a normalized source; ``raw`` is the file as it was read."""
    if source.is_component:
        return _build_component(source, raw, options)
    return _build_type(source, raw, options)


def _own_attributes(source: SchemaFile, options: LoadOptions) -> dict[str, Attribute]:
    attributes = _object_at(source.raw, "attributes")
    built_attributes = {}
    for name, raw in attributes.items():
        if isinstance(raw, dict):
            type_ = options.attribute_types[str(raw["type"])]
            built_attributes[name] = type_.build(type_, name, raw)
    return built_attributes


def _build_component(
    source: SchemaFile, raw: Mapping[str, object], options: LoadOptions
) -> Component:
    category, _, name = source.uid.partition(".")
    leading = {attribute.name: attribute for attribute in leading_attributes(component=True)}
    return Component(
        uid=source.uid,
        category=category,
        collection_name=str(source.raw["collectionName"]),
        singular_name=name,
        display_name=str(_object_at(source.raw, "info").get("displayName", name)),
        attributes=MappingProxyType({**leading, **_own_attributes(source, options)}),
        file=source.file,
        raw=raw,
    )


def _build_type(source: SchemaFile, raw: Mapping[str, object], options: LoadOptions) -> ContentType:
    info, model_options = _object_at(raw, "info"), _object_at(raw, "options")
    localized = _object_at(_object_at(raw, "pluginOptions"), "i18n").get("localized") is True
    draft_and_publish = model_options.get("draftAndPublish") is True
    shows_creators = model_options.get("populateCreatorFields") is True
    singular = str(info["singularName"])
    return ContentType(
        uid=source.uid,
        kind=TypeKind(str(raw.get("kind", "collectionType"))),
        collection_name=str(raw.get("collectionName") or singular),
        singular_name=singular,
        plural_name=str(info["pluralName"]),
        display_name=str(info["displayName"]),
        draft_and_publish=draft_and_publish,
        localized=localized,
        populate_creator_fields=shows_creators,
        plugin=source.uid.partition(".")[0].removeprefix("plugin::")
        if source.uid.startswith("plugin::")
        else None,
        indexes=_indexes(raw.get("indexes")),
        attributes=_type_attributes(source, options),
        file=source.file,
        raw=raw,
    )


def _type_attributes(source: SchemaFile, options: LoadOptions) -> Mapping[str, Attribute]:
    model_options = _object_at(source.raw, "options")
    own_attributes = _own_attributes(source, options)
    trailing = trailing_attributes(
        source.uid,
        localized=_object_at(_object_at(source.raw, "pluginOptions"), "i18n").get("localized")
        is True,
        creators_private=model_options.get("populateCreatorFields") is not True,
        first_published=options.first_published and model_options.get("draftAndPublish") is True,
    )
    leading = {attribute.name: attribute for attribute in leading_attributes(component=False)}
    attributes = {**leading, **own_attributes}
    for attribute in trailing:
        attributes.setdefault(attribute.name, attribute)
    hidden = options.private_attributes | _attribute_names(model_options.get("privateAttributes"))
    return MappingProxyType(
        {
            name: _as_private(attribute) if name in hidden else attribute
            for name, attribute in attributes.items()
        }
    )


def _as_private(attribute: Attribute) -> Attribute:
    type_ = attribute.type
    return type_.build(type_, attribute.name, {**attribute.raw, "private": True})


def _attribute_names(value: object) -> frozenset[str]:
    return frozenset(str(item) for item in value) if isinstance(value, list) else frozenset()


def _indexes(value: object) -> tuple[Index, ...]:
    if not isinstance(value, list):
        return ()
    return tuple(
        Index(
            name=str(item["name"]),
            columns=tuple(str(column) for column in item["columns"]),
            unique=item.get("type") == "unique",
        )
        for item in value
        if isinstance(item, dict) and "name" in item and isinstance(item.get("columns"), list)
    )


def _object_at(raw: Mapping[str, object], key: str) -> Mapping[str, object]:
    value = raw.get(key)
    return value if isinstance(value, dict) else {}


def _digest(sources: Sequence[SchemaFile], options: LoadOptions) -> str:
    """Return a digest of sources and options.

    The order of attributes matters, because it is the key order of responses; the order of sources
    and of their members does not.
    """
    models = [[s.uid, sorted(s.raw.items())] for s in sorted(sources, key=lambda s: s.uid)]
    seed = [models, sorted(options.private_attributes), options.first_published]
    return hashlib.sha256(orjson.dumps(seed)).hexdigest()[:16]
