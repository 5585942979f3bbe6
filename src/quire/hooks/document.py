"""Documents for the code of a project: fields by name, or by attribute."""

from collections.abc import Iterable, Mapping
from dataclasses import is_dataclass
from typing import Any, ClassVar

from msgspec import Struct
from typing_extensions import TypeVar

from quire.hooks.errors import NotLoadedError


class Document(dict[str, Any]):
    """A document with the fields that were loaded, in the form of the content API.

    A subclass with annotations gives them types::

        class Article(Document):
            __uid__ = "api::article.article"
            title: str
            views: int

    Reading a field that was not loaded raises `NotLoadedError`.
    """

    __uid__: ClassVar[str | None] = None

    def __getattr__(self, name: str) -> Any:  # noqa: ANN401 - a field of any type
        """Return the value of a field. Raises NotLoadedError for one that was not loaded."""
        if name.startswith("__"):
            raise AttributeError(name)
        return self[name]

    def __missing__(self, name: str) -> Any:  # noqa: ANN401 - as a read of any field
        """Raise NotLoadedError."""
        message = (
            f'the field "{name}" was not loaded: name it in `needs` of the hook, '
            "or in `fields` or `populate` of the read"
        )
        raise NotLoadedError(message)


_UNRESTRICTED_KEY = "__quire_unrestricted__"


def mark_unrestricted(value: object) -> None:
    """Mark a document, and those in it, as read without permissions.

    Routes do not return such documents as they are.
    """
    if isinstance(value, Document):
        setattr(value, _UNRESTRICTED_KEY, True)
        value = list(value.values())
    if isinstance(value, list):
        for item in value:
            mark_unrestricted(item)


def is_unrestricted(value: object) -> bool:
    """Tell whether a value contains a document that was read without permissions."""
    match value:
        case Document() if getattr(value, _UNRESTRICTED_KEY, False):
            return True
        case dict():
            return any(map(is_unrestricted, value.values()))
        case list() | tuple():
            return any(map(is_unrestricted, value))
        case Struct():
            return any(is_unrestricted(getattr(value, name)) for name in value.__struct_fields__)
        case _:
            return is_dataclass(value) and any(map(is_unrestricted, vars(value).values()))


def make_document(document: "type[D]", data: Mapping[str, Any]) -> "D":
    """Return read data as a document of a class, with nested documents."""
    return document({name: convert_value(value) for name, value in data.items()})


def convert_value(value: object) -> object:
    """Return a value of a document, with nested documents."""
    match value:
        case dict():
            return make_document(Document, value)
        case list():
            return [convert_value(item) for item in value]
        case _:
            return value


D = TypeVar("D", bound=Document)
Filters = TypeVar("Filters", bound=Mapping[str, object], default=Mapping[str, Any])
"""The filters of a content type: a TypedDict that ``quire types`` writes."""
Input = TypeVar("Input", bound=Mapping[str, object], default=Mapping[str, Any])
"""The data of a content type, likewise."""
T = TypeVar("T")
Kind = type[Document] | str
"""A content type: a subclass of `Document`, a uid, or a pattern such as ``"api::*"``."""


def uid_of(kind: Kind) -> str:
    """Return the uid or pattern of a kind. Raises ValueError for a class without one."""
    if isinstance(kind, str):
        return kind
    uid = getattr(kind, "__uid__", None)
    if not isinstance(uid, str):
        raise ValueError(f"{kind!r} is not a content type: it has no __uid__")  # noqa: TRY004 - a wrong value
    return uid


class Page(list[T]):
    """Documents of one page; ``total`` is the number of all if ``with_count`` asked for it."""

    def __init__(
        self, documents: Iterable[T], *, page: int, page_size: int, total: int | None
    ) -> None:
        super().__init__(documents)
        self.page = page
        self.page_size = page_size
        self.total = total
