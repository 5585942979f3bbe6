"""Attribute types of a project's Python code: the class to derive from, and checked types."""

from collections.abc import Callable, Mapping
from typing import Any, ClassVar, Generic, TypeVar

from msgspec import Struct

from quire.hooks.checked_function import CheckedFunction
from quire.hooks.marks import add_mark

T = TypeVar("T")


# Not frozen: type checkers would require frozen=True of every subclass.
class AttributeOptions(Struct, kw_only=True, forbid_unknown_fields=True):
    """The options of an attribute of a custom type, below ``pluginOptions.quire`` in its schema."""


Options = TypeVar("Options", bound=AttributeOptions)
C = TypeVar("C", bound="type[AttributeType[Any, Any]]")


class AdminInput(Struct, frozen=True, kw_only=True):
    """The input of an attribute type in the admin UI: a custom element of an ES module.

    ``module`` is the file, relative to the one with the class; ``element`` is the name that it is
    defined by. ``cell`` is what lists show, such as ``"{value} {options.currency}"``.
    """

    module: str
    element: str
    cell: str = "{value}"


class AttributeType(Generic[T, Options]):
    """An attribute type: what values it accepts, and how they are stored and shown.

    ``stores`` is the built-in attribute type that it is stored as, whose column, filters, order
    and limits it has; ``admin`` is its input, by default that of this type. Methods are called in
    place, for one value at a time, and must have no effects.
    """

    stores: ClassVar[str]
    admin: ClassVar[AdminInput | None] = None

    def parse(self, value: Any, options: Options) -> T:  # noqa: ANN401 - JSON
        """Parse a value of a request, or a stored one.

        Raises `quire.ValidationError` for an invalid one; its message follows the path of the
        attribute ("price must be …"). The value is stored in its JSON form.
        """
        raise NotImplementedError

    def serialize(self, value: T, options: Options) -> Any:  # noqa: ANN401, ARG002 - JSON; for subclasses
        """Return the form of a value in responses; by default the value itself."""
        return value


class AttributeTypeMark(Struct, frozen=True, kw_only=True, eq=False):
    """The arguments of the decorator, unchecked."""

    name: Any

    phase = "attribute_type"


def attribute_type(name: str) -> Callable[[C], C]:
    """Make a subclass of `AttributeType` an attribute type.

    An attribute uses it by ``"pluginOptions": {"quire": {"type": name}}``, together with the
    options of the type; its own ``type`` is the one that it is stored as.
    """
    mark = AttributeTypeMark(name=name)
    return lambda decorated: add_mark(decorated, mark)


class AdminModule(Struct, frozen=True, kw_only=True):
    """A module of the admin UI: its name, and the folder whose files it may import.

    ``files`` are the files of the folder by name; ``version`` is a hash of them.
    """

    name: str
    version: str
    files: Mapping[str, bytes]

    def path(self, name: str) -> str:
        """The path of a file below ``/admin/``; it changes with the content."""
        return f"extensions/{self.version}/{name}"


class CustomAttributeType(CheckedFunction, frozen=True, kw_only=True, eq=False):
    """A checked attribute type.

    ``implementation`` parses and serializes, ``value`` is the type of its values, ``options`` the
    class of its options.
    """

    stores: str
    implementation: AttributeType[Any, Any]
    value: Any
    options: type[AttributeOptions]
    admin: AdminInput | None
    module: AdminModule | None
