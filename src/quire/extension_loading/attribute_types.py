"""Checks classes that are marked as attribute types, and creates attribute types from them."""

import hashlib
import inspect
import re
from collections.abc import Callable, Iterator, Mapping
from decimal import Decimal
from pathlib import Path
from typing import Any, get_args, get_origin, get_type_hints

import msgspec
from msgspec.structs import replace

from quire.errors import ValidationError
from quire.extension_loading.module_import import SOURCE_FOLDER, ExtensionProblem, line_of
from quire.hooks.attribute_types import (
    AdminInput,
    AdminModule,
    AttributeOptions,
    AttributeType,
    AttributeTypeMark,
    CustomAttributeType,
)
from quire.hooks.errors import nearest
from quire.hooks.registry import Extensions
from quire.schema.attributes import ATTRIBUTE_TYPES
from quire.schema.attributes.base import AttributeType as SchemaType
from quire.schema.attributes.base import ScalarAttribute
from quire.schema.attributes.json_schema import JsonForm, JsonSchema, Pointers
from quire.schema.attributes.validation import Acceptor, Refusal, RefusedValue, ValueRules
from quire.schema.model import Model, Schema

_NAME = re.compile(r"[a-z][a-z0-9]*(-[a-z0-9]+)*")
_ELEMENT = re.compile(r"[a-z][a-z0-9]*(-[a-z0-9]+)+")
_OWN_NAME = "quire"
_LARGEST_FOLDER = 2_000_000
_STORAGE_TYPES = frozenset(
    name
    for name, type_ in ATTRIBUTE_TYPES.items()
    if type_.storage is not None and not type_.secret and name != "uid"
)


class AttributeTypeCheck:
    """The check of the attribute types of a project, and its problems."""

    def __init__(self, schema: Schema) -> None:
        self.problems: list[ExtensionProblem] = []
        self.types: dict[str, CustomAttributeType] = {}
        self._schema = schema

    def add(self, file: str, name: str, decorated: object, mark: AttributeTypeMark) -> None:
        """Check one mark of a class."""
        line = line_of(decorated)
        problems = list(_problems(name, decorated, mark))
        if not problems and isinstance(decorated, type):
            try:
                custom_type = _make_type(decorated, mark.name, file, line)
            except (TypeError, ValueError, OSError) as error:
                problems.append(str(error))
            else:
                other = self.types.setdefault(custom_type.name, custom_type)
                if other is not custom_type:
                    problems.append(f"the type is defined at {other.place} already")
        mark_text = f'attribute_type("{mark.name}")'
        self.problems += (
            ExtensionProblem(file, line, f"{mark_text}: {problem}") for problem in problems
        )

    def check_attributes(self) -> None:
        """Check the attributes of the schema that have custom types."""
        for model in self._schema.models():
            for attribute in model.scalars:
                for problem in _attribute_problems(attribute, self.types):
                    message = f"{model.uid}: {attribute.name}: {problem}"
                    self.problems.append(ExtensionProblem(model.file, 1, message))


def _problems(name: str, class_: object, mark: AttributeTypeMark) -> Iterator[str]:
    if not isinstance(mark.name, str) or not _NAME.fullmatch(mark.name):
        yield 'the name must be lower-case words with dashes, such as "money"'
    elif mark.name in ATTRIBUTE_TYPES:
        yield f"{mark.name} is one of Quire's own attribute types"
    if not isinstance(class_, type) or not issubclass(class_, AttributeType):
        yield f"{name} must derive from AttributeType"
        return
    stores = getattr(class_, "stores", None)
    if stores not in _STORAGE_TYPES:
        yield f"stores must be one of {', '.join(sorted(_STORAGE_TYPES))}, not {stores!r}"
    if class_.parse is AttributeType.parse:
        yield f"{name} must have a method parse(self, value, options)"
    admin: object = class_.admin
    if isinstance(admin, AdminInput):
        if not _ELEMENT.fullmatch(admin.element):
            yield f'admin: the element needs a dash, such as "quire-money", not {admin.element!r}'
    elif admin is not None:
        yield f"admin must be an AdminInput, not {admin!r}"


def _make_type(
    class_: "type[AttributeType[Any, Any]]", name: str, file: str, line: int
) -> CustomAttributeType:
    value, options = _parameters(class_)
    return CustomAttributeType(
        name=name,
        stores=class_.stores,
        implementation=class_(),
        value=value,
        options=options,
        admin=class_.admin,
        module=None if class_.admin is None else _read_module(class_, class_.admin),
        file=file,
        line=line,
    )


def _parameters(class_: type) -> tuple[Any, type[AttributeOptions]]:
    """Return the types in ``AttributeType[T, Options]``. Raises TypeError if they are missing."""
    for base in getattr(class_, "__orig_bases__", ()):
        if get_origin(base) is AttributeType:
            value, options = get_args(base)
            if isinstance(options, type) and issubclass(options, AttributeOptions):
                return value, options
            raise TypeError(f"{options!r} must derive from AttributeOptions")
    raise TypeError("name the types of values and options: AttributeType[Decimal, MoneyOptions]")


def _read_module(class_: type, admin: AdminInput) -> AdminModule:
    """Read the files of a module of the admin UI. Raises ValueError if there are none."""
    source = Path(inspect.getfile(class_)).parent.resolve()
    path = (source / admin.module).resolve()
    if not path.is_relative_to(source) or path.suffix != ".js" or not path.is_file():
        message = f"admin: there is no module {admin.module} below {source.name}/"
        raise ValueError(f"{message}{_package_data_hint(class_)}")
    files = {file.name: file.read_bytes() for file in sorted(path.parent.glob("*.js"))}
    if sum(map(len, files.values())) > _LARGEST_FOLDER:
        raise ValueError(f"admin: the files beside {admin.module} are larger than 2 MB")
    digest = hashlib.blake2b(digest_size=10)
    for name, content in files.items():
        digest.update(f"{name}\0{len(content)}\0".encode() + content)
    return AdminModule(name=path.name, version=digest.hexdigest(), files=files)


def _package_data_hint(class_: type) -> str:
    """Return a hint for packages, whose builds contain only Python files by default."""
    if class_.__module__.partition(".")[0] == SOURCE_FOLDER:
        return ""
    return (
        "; a build contains it only as package data: "
        f'[tool.setuptools.package-data] {class_.__module__.partition(".")[0]} = ["**/*.js"]'
    )


# Attributes -----------------------------------------------------------------------------------


def _quire_options(attribute: ScalarAttribute) -> Mapping[str, Any] | None:
    """Return the type and options of an attribute with a custom type, from its schema file."""
    plugin_options = attribute.raw.get("pluginOptions")
    quire_options = plugin_options.get(_OWN_NAME) if isinstance(plugin_options, Mapping) else None
    return quire_options if isinstance(quire_options, Mapping) and "type" in quire_options else None


def _attribute_problems(
    attribute: ScalarAttribute, types: Mapping[str, CustomAttributeType]
) -> Iterator[str]:
    options = _quire_options(attribute)
    if options is None:
        return
    name = options["type"]
    custom = types.get(name) if isinstance(name, str) else None
    if custom is None:
        yield f'pluginOptions.quire: unknown attribute type "{name}"{nearest(str(name), types)}'
        return
    if attribute.type.name != custom.stores:
        yield f'type is "{attribute.type.name}", but {custom.name} is stored as "{custom.stores}"'
    try:
        _options(custom, options)
    except msgspec.ValidationError as error:
        yield f"pluginOptions.quire: {error}"


def _options(custom: CustomAttributeType, options: Mapping[str, Any]) -> AttributeOptions:
    option_values = {name: value for name, value in options.items() if name != "type"}
    return msgspec.convert(option_values, custom.options)


def extend_schema(schema: Schema, extensions: Extensions) -> Schema:
    """Return a schema with the attribute types, operators and computed fields of a project's code.

    The code was checked against the schema.
    """
    types = extensions.attribute_types
    if types:
        schema = replace(
            schema,
            content_types={
                uid: _extend_model(model, types) for uid, model in schema.content_types.items()
            },
            components={
                uid: _extend_model(model, types) for uid, model in schema.components.items()
            },
        )
    if extensions.operators:
        schema = replace(schema, operators=extensions.operators)
    if extensions.computed:
        schema = replace(schema, computed=extensions.computed)
    return schema


def _extend_model(model: Any, types: Mapping[str, CustomAttributeType]) -> Any:  # noqa: ANN401 - any kind of model
    changed_attributes = {
        attribute.name: replace(
            attribute, type=_customize_type(attribute, types[options["type"]], options)
        )
        for attribute in _scalars(model)
        if (options := _quire_options(attribute)) is not None
    }
    return (
        replace(model, attributes={**model.attributes, **changed_attributes})
        if changed_attributes
        else model
    )


def _scalars(model: Model) -> tuple[ScalarAttribute, ...]:
    return model.scalars


def _customize_type(
    attribute: ScalarAttribute, custom: CustomAttributeType, declared_options: Mapping[str, Any]
) -> SchemaType:
    """Return the type of an attribute: its storage type, with the code's own rules."""
    base = attribute.type
    options = _options(custom, declared_options)
    return replace(
        base,
        custom_name=custom.name,
        accept=lambda one: _rules(custom, options, base.accept(one)),
        json=_json_form(custom, base.json),
        present=_make_presenter(custom, options),
    )


def _rules(custom: CustomAttributeType, options: AttributeOptions, rules: ValueRules) -> ValueRules:
    return ValueRules(
        draft=_accept(custom, options, rules.draft),
        full=_accept(custom, options, rules.full),
        null=rules.null,
    )


def _accept(custom: CustomAttributeType, options: AttributeOptions, store: Acceptor) -> Acceptor:
    """Return a parser of values that also applies the rules of the storage type."""

    def accept(value: object) -> object:
        try:
            parsed_value = custom.implementation.parse(value, options)
        except ValidationError as error:
            raise RefusedValue(Refusal(message=error.message, value=value)) from None
        if parsed_value is None:
            raise TypeError(f"parse of {custom.name} ({custom.place}) returned None")
        return store(msgspec.to_builtins(parsed_value))

    return accept


def _make_presenter(
    custom: CustomAttributeType, options: AttributeOptions
) -> Callable[[Any], Any] | None:
    """Return a function that converts a stored value; ``None`` if it is shown unchanged."""
    if type(custom.implementation).serialize is AttributeType.serialize:
        return None
    serialize, as_python = custom.implementation.serialize, _reader(custom.value)

    def present(value: Any) -> Any:  # noqa: ANN401 - what a column has
        if value is None:
            return None
        plain = msgspec.json.decode(value) if isinstance(value, msgspec.Raw) else value
        return serialize(as_python(plain), options)

    return present


def _reader(type_: Any) -> Callable[[Any], Any]:  # noqa: ANN401 - any annotation
    if type_ is Decimal:
        return lambda value: Decimal(str(value))
    return lambda value: msgspec.convert(value, type_, strict=False)


def _json_form(custom: CustomAttributeType, base: JsonForm) -> JsonForm:
    """Return the JSON form: that of both methods' annotations, else that of the storage type."""
    kind = type(custom.implementation)
    is_own = kind.serialize is not AttributeType.serialize
    response_schema = _describe_hint(kind.serialize, "return") if is_own else None
    request_schema = _describe_hint(kind.parse, "value")

    def describe_shown(attribute: Any, pointers: Pointers) -> JsonSchema:  # noqa: ANN401 - see JsonForm
        return base.response(attribute, pointers) if response_schema is None else response_schema

    def describe_written(attribute: Any, pointers: Pointers) -> JsonSchema:  # noqa: ANN401, ARG001 - likewise
        return {} if request_schema is None else request_schema

    return JsonForm(
        response=describe_shown,
        request=describe_written,
        published_only=base.published_only,
        operand=base.operand or _operand_schema(base),
    )


def _describe_hint(method: Callable[..., Any], name: str) -> JsonSchema | None:
    """Return the JSON schema of an annotation, ``None`` if it is missing or empty."""
    hint = get_type_hints(method).get(name, Any)
    if hint is Any or hint is object:
        return None
    json_schema = msgspec.json.schema(hint)
    return None if "$defs" in json_schema or "$ref" in json_schema else json_schema


def _operand_schema(base: JsonForm) -> JsonSchema | None:
    """Return the operand schema of the stored type, if it does not depend on options."""
    try:
        return base.response(None, _NO_POINTERS)
    except (AttributeError, TypeError):
        return None


class _NoPointers:
    def document(self, uid: str) -> JsonSchema:  # noqa: ARG002 - see `Pointers`
        return {}

    component = zone_item = document

    def shared(self, name: str, schema: JsonSchema) -> JsonSchema:  # noqa: ARG002 - likewise
        return {}


_NO_POINTERS = _NoPointers()
