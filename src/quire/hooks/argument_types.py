"""Checks the types of the parameters of routes and jobs, whose values are decoded from JSON."""

from collections.abc import Iterator
from typing import Any

import msgspec
from msgspec import Struct, inspect

from quire.hooks.document import Document
from quire.hooks.principal import Principal

_PACKAGE = __name__.partition(".")[0]


def undecodable_reason(hint: Any) -> str | None:  # noqa: ANN401 - any annotation
    """Return why no value of an annotation can be decoded from JSON, ``None`` if some can."""
    try:
        msgspec.json.schema(hint)
    except TypeError as error:
        custom = next(
            (kind for kind in _types_in(hint) if isinstance(kind, inspect.CustomType)), None
        )
        if custom is None:
            return str(error).partition("\n")[0]
        if issubclass(custom.cls, Document):
            return f"{custom.cls.__name__} is a document: pass its documentId, a str"
        return f"{custom.cls.__module__}.{custom.cls.__qualname__} has no form in JSON"
    return None


def server_class_in(hint: Any) -> type | None:  # noqa: ANN401 - any annotation
    """Return the first class in an annotation whose objects only the server makes.

    Those are `Principal`, subclasses included, and all other classes that Quire defines: a client
    could state any values for them.
    """
    for kind in _types_in(hint):
        class_ = getattr(kind, "cls", None)
        if isinstance(class_, type) and (
            issubclass(class_, Principal) or class_.__module__.partition(".")[0] == _PACKAGE
        ):
            return class_
    return None


def _types_in(hint: Any) -> Iterator[inspect.Type]:  # noqa: ANN401 - any annotation
    """Yield the types that an annotation consists of, each once; none for an unsupported one."""
    try:
        pending: list[object] = [inspect.type_info(hint)]
    except TypeError:
        return
    visited: set[int] = set()
    while pending:
        part = pending.pop()
        if isinstance(part, tuple):
            pending += part
        elif isinstance(part, Struct) and id(part) not in visited:
            visited.add(id(part))
            if isinstance(part, inspect.Type):
                yield part
            pending += (getattr(part, name) for name in part.__struct_fields__)
