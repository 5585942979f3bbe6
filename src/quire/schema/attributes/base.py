"""The base of all attribute types.

An *attribute type* (``string``, ``relation`` …) is a record: how its options are checked, in which
kind of column its values are stored, how the text of a filter becomes a value, whether full-text
search includes it. An *attribute* is one named use of a type in a content type or component.

Attribute types use a few kinds of column (`StorageKind`) and never a database; dialects implement
the kinds.
"""

from collections.abc import Callable, Mapping, Sequence
from enum import Enum, StrEnum
from typing import Any

from msgspec import Struct, field

from quire.schema.attributes.json_schema import JsonForm
from quire.schema.attributes.validation import ValueRules, accept_structured

FilterValue = str | int | float | bool | None
"""A parsed filter operand. Timestamps are epoch milliseconds (int)."""


class StorageKind(StrEnum):
    """The column kinds that a dialect must support."""

    ID = "id"
    STRING = "string"
    TEXT = "text"
    JSON = "json"
    INTEGER = "integer"
    BIGINTEGER = "biginteger"
    FLOAT = "float"
    DECIMAL = "decimal"
    BOOLEAN = "boolean"
    DATE = "date"
    TIME = "time"
    DATETIME = "datetime"
    TIMESTAMP = "timestamp"


class SearchMode(Enum):
    """How full-text search treats the values of a type."""

    NEVER = "never"
    TEXT = "text"
    NUMBER = "number"


OptionCheck = Callable[[object], str | None]
"""Checks the value of one option; returns what was expected when it is invalid."""


def boolean_option(value: object) -> str | None:
    """Accept true and false."""
    return None if isinstance(value, bool) else "expected true or false"


def name_option(value: object) -> str | None:
    """Accept a string that is not empty."""
    return None if isinstance(value, str) and value else "expected a name"


def count_option(value: object) -> str | None:
    """Accept an integer that is not negative."""
    is_valid = isinstance(value, int) and not isinstance(value, bool) and value >= 0
    return None if is_valid else "expected a whole number, zero or more"


def number_option(value: object) -> str | None:
    """Accept a number, or a number written as a string (as big integers are)."""
    if isinstance(value, bool):
        return "expected a number"
    if isinstance(value, int | float):
        return None
    if isinstance(value, str):
        try:
            float(value)
        except ValueError:
            return "expected a number"
        return None
    return "expected a number"


def object_option(value: object) -> str | None:
    """Accept a JSON object."""
    return None if isinstance(value, dict) else "expected an object"


def names_option(value: object) -> str | None:
    """Accept a list of names."""
    is_valid = isinstance(value, list) and all(isinstance(item, str) and item for item in value)
    return None if is_valid else "expected a list of names"


def any_option(value: object) -> str | None:  # noqa: ARG001 - the signature of all checks
    """Accept everything."""
    return None


COMMON_OPTIONS: Mapping[str, OptionCheck] = {
    "type": name_option,
    "required": boolean_option,
    "private": boolean_option,
    "unique": boolean_option,
    "configurable": boolean_option,
    "writable": boolean_option,
    "visible": boolean_option,
    "searchable": boolean_option,
    "default": any_option,
    "pluginOptions": object_option,
    "conditions": object_option,
    "column": object_option,
    "columnName": name_option,
    "columnType": any_option,
}
"""Options that an attribute of any type may have."""


class Attribute(Struct, frozen=True, kw_only=True):
    """One attribute of a content type or component.

    ``raw`` is the attribute's object in the schema file, for options that only some packages need
    (lengths, ranges, patterns). ``localized`` says whether each locale has its own value.
    """

    name: str
    type: "AttributeType"
    private: bool = False
    required: bool = False
    unique: bool = False
    writable: bool = True
    visible: bool = True
    searchable: bool = True
    localized: bool = False
    default: object = None
    raw: Mapping[str, object] = field(default_factory=dict)


class ScalarAttribute(Attribute, frozen=True, kw_only=True):
    """An attribute with its own column."""

    storage: StorageKind
    column_name: str | None = None
    """The physical column when the schema file names one; else it is derived from ``name``."""

    @property
    def secret(self) -> bool:
        """Whether values never leave the server, not even as a filter (passwords)."""
        return self.type.secret


class Relation(StrEnum):
    """The kinds of relation."""

    ONE_TO_ONE = "oneToOne"
    ONE_TO_MANY = "oneToMany"
    MANY_TO_ONE = "manyToOne"
    MANY_TO_MANY = "manyToMany"
    MORPH_TO_ONE = "morphToOne"
    MORPH_TO_MANY = "morphToMany"
    MORPH_ONE = "morphOne"
    MORPH_MANY = "morphMany"

    @property
    def to_many(self) -> bool:
        """Whether the attribute holds a list."""
        return self in _TO_MANY


_TO_MANY = frozenset(
    {Relation.ONE_TO_MANY, Relation.MANY_TO_MANY, Relation.MORPH_TO_MANY, Relation.MORPH_MANY}
)


class RelationAttribute(Attribute, frozen=True, kw_only=True):
    """An attribute that points to entries of another (or the same) content type.

    ``target`` is a uid, or ``None`` for relations to any content type. ``join_table`` is false when
    the id of the other row is in a column of this row.
    """

    relation: Relation
    target: str | None
    inversed_by: str | None = None
    mapped_by: str | None = None
    morph_by: str | None = None
    join_table: bool = True

    @property
    def to_many(self) -> bool:
        """Whether the attribute holds a list."""
        return self.relation.to_many


class LocalizationsAttribute(Attribute, frozen=True, kw_only=True):
    """The other locales of a document: no storage, found by the document id."""

    target: str

    @property
    def to_many(self) -> bool:
        """Localizations are always a list."""
        return True


class MediaAttribute(Attribute, frozen=True, kw_only=True):
    """One file or several, through the link table of the media library."""

    multiple: bool = False
    allowed_types: tuple[str, ...] = ()

    @property
    def to_many(self) -> bool:
        """Whether the attribute holds a list."""
        return self.multiple


class ComponentAttribute(Attribute, frozen=True, kw_only=True):
    """One component or a list of them. ``component`` is a uid such as ``shared.seo``."""

    component: str
    repeatable: bool = False

    @property
    def to_many(self) -> bool:
        """Whether the attribute holds a list."""
        return self.repeatable


class DynamicZoneAttribute(Attribute, frozen=True, kw_only=True):
    """A list of components of several kinds. ``components`` are uids."""

    components: tuple[str, ...]

    @property
    def to_many(self) -> bool:
        """Dynamic zones are always a list."""
        return True


OptionProblem = tuple[str, str]
"""An error of one attribute: the option ("" for the attribute itself) and the message."""

Build = Callable[["AttributeType", str, Mapping[str, object]], Attribute]
Cast = Callable[[str], FilterValue]
Check = Callable[[Mapping[str, object]], Sequence[OptionProblem]]


def no_further_problems(raw: Mapping[str, object]) -> Sequence[OptionProblem]:  # noqa: ARG001 - a `Check`
    """Return no problems."""
    return ()


Accept = Callable[[ScalarAttribute], ValueRules]


def accept_anything(attribute: ScalarAttribute) -> ValueRules:  # noqa: ARG001 - an `Accept`
    """Accept every JSON value, in drafts and published entries."""
    return ValueRules(draft=accept_structured, full=accept_structured)


def as_text(text: str) -> FilterValue:
    """Return the operand unchanged."""
    return text


class AttributeType(Struct, frozen=True, kw_only=True):
    """The behaviour that all attributes of one type share: a table of functions, not a class tree.

    ``options`` are checked one by one, ``check`` then checks the whole; ``build`` makes the
    attribute from a valid object. ``cast`` parses the text of a filter operand and raises
    ValidationError with Strapi's message when it cannot. ``accept`` parses written values of an
    attribute with a column; with ``unique`` no two entries have the same value, whether the schema
    file says so or not.
    """

    name: str
    build: Build
    json: JsonForm
    """The JSON form of values in requests and responses."""
    options: Mapping[str, OptionCheck] = field(default_factory=dict)
    needs: tuple[str, ...] = ()
    check: Check = no_further_problems
    storage: StorageKind | None = None
    cast: Cast = as_text
    accept: Accept = accept_anything
    search: SearchMode = SearchMode.NEVER
    secret: bool = False
    per_entry: bool = False
    """Whether each locale has its own value, whatever the options say (as a uid must)."""
    unique: bool = False
    custom_name: str | None = None
    """The name of a type of the project's code, which is stored as this one."""
    present: Callable[[Any], Any] | None = None
    """Converts a value to the form that a type of the project's code shows."""
    few_values: bool = False
    """Whether each value is shared by many entries, so that an index is not selective."""

    def problems(self, raw: Mapping[str, object]) -> list[OptionProblem]:
        """List every error of an attribute's object in a schema file."""
        missing_options = [(name, "is missing") for name in self.needs if name not in raw]
        known_options = {**COMMON_OPTIONS, **self.options}
        invalid_options = [
            (name, message)
            for name, value in raw.items()
            if name in known_options and (message := known_options[name](value)) is not None
        ]
        return (
            missing_options + invalid_options
            if missing_options or invalid_options
            else list(self.check(raw))
        )


def common_fields(raw: Mapping[str, object]) -> dict[str, object]:
    """Read the options that any attribute may have, as fields of `Attribute`."""
    plugin_options = raw.get("pluginOptions")
    i18n = plugin_options.get("i18n") if isinstance(plugin_options, dict) else None
    return {
        "private": raw.get("private") is True,
        "required": raw.get("required") is True,
        "unique": raw.get("unique") is True,
        "writable": raw.get("writable") is not False,
        "visible": raw.get("visible") is not False,
        "searchable": raw.get("searchable") is not False,
        "localized": isinstance(i18n, dict) and i18n.get("localized") is True,
        "default": raw.get("default"),
        "raw": raw,
    }


def build_scalar(type_: AttributeType, name: str, raw: Mapping[str, object]) -> Attribute:
    """Make an attribute with its own column."""
    if type_.storage is None:
        message = f"the attribute type {type_.name} has no storage"
        raise TypeError(message)
    column_name = raw.get("columnName")
    return ScalarAttribute(
        name=name,
        type=type_,
        storage=type_.storage,
        column_name=column_name if isinstance(column_name, str) else None,
        **common_fields(raw),  # type: ignore[arg-type]  # a dict of keyword arguments
    )
