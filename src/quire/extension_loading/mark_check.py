"""The check of marked functions, as far as all kinds on content types share it."""

import inspect
from collections.abc import Callable, Collection, Sequence
from fnmatch import fnmatchcase
from typing import Generic, Protocol, TypeVar

from quire.extension_loading.module_import import ExtensionProblem
from quire.hooks.document import Document, uid_of
from quire.hooks.errors import nearest
from quire.schema.model import USER_UID, ContentType, Schema

_DRAFT_ACTIONS = frozenset({"publish", "unpublish", "discard_draft"})
"""Actions that only types with draft & publish have."""
_POSITIONAL = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)
_VARIADIC = (inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD)
_PARTICIPLES = {
    "publish": "published",
    "unpublish": "unpublished",
    "discard_draft": "reset to what is published",
}

A = TypeVar("A", bound=str)


class KindMark(Protocol):
    """A mark that names a content type."""

    @property
    def phase(self) -> str:
        """The name of the decorator."""

    @property
    def kind(self) -> object:
        """A class of documents, a uid or a pattern, unless the code is wrong."""


M = TypeVar("M", bound=KindMark)


class MarkCheck(Generic[M]):
    """The check of one mark of one function; ``problems`` are its results."""

    def __init__(self, schema: Schema, file: str, name: str, function: object, mark: M) -> None:
        self.problems: list[ExtensionProblem] = []
        self.file = file
        self.name = name
        self.function = function
        self.mark = mark
        self._schema = schema
        code = getattr(inspect.unwrap(function), "__code__", None)  # type: ignore[arg-type]  # any object may be marked
        self.line: int = getattr(code, "co_firstlineno", 1)

    def report(self, message: str) -> None:
        """Add a problem."""
        kind = self.mark.kind
        kind_name = kind.__name__ if isinstance(kind, type) else f'"{kind}"'
        text = f"{self.mark.phase}({kind_name}): {message}"
        self.problems.append(ExtensionProblem(self.file, self.line, text))

    def check_signature(self, arguments: Sequence[str]) -> None:
        """Check that the function takes these arguments, and requires no others."""
        function = self.function
        if not inspect.isfunction(function):
            self.report(f"{self.name} is not a function")
            return
        if inspect.isgeneratorfunction(function) or inspect.isasyncgenfunction(function):
            self.report(f"{self.name} is a generator; it must return, not yield")
        if not takes_arguments(function, len(arguments)):
            signature = f"{self.name}{inspect.signature(function)}"
            count = "one argument" if len(arguments) == 1 else "two arguments"
            self.report(f"{signature} must take {count}, {' and '.join(arguments)}")

    def check_plain(self) -> None:
        """Check that the function is a plain ``def``."""
        if inspect.iscoroutinefunction(self.function):
            self.report(f"{self.name} must be a plain def, which awaits nothing")

    def names(self, value: object, option: str) -> list[str]:
        """Return the names in an option."""
        if isinstance(value, str) or not isinstance(value, Sequence | set | frozenset):
            self.report(f'{option} must be a list of names, such as ["title"], not {value!r}')
            return []
        names = [name for name in value if isinstance(name, str)]
        if len(names) != len(value):
            self.report(f"{option} must be a list of names, not {value!r}")
        return names

    def actions(self, value: object, known_actions: Collection[A]) -> list[A]:
        """Return the actions in ``on``, in their usual order."""
        names = self.names(value, "on")
        if not names and not self.problems:
            self.report("on names no action")
        for name in names:
            if name not in known_actions:
                similar = nearest(name, known_actions) or f"; known are {', '.join(known_actions)}"
                self.report(f'unknown action "{name}" in on{similar}')
        return [action for action in known_actions if action in names]

    def order(self, value: object) -> int:
        """Return the option ``order``."""
        if not isinstance(value, int) or isinstance(value, bool):
            self.report(f"order must be an integer, not {value!r}")
            return 0
        return value

    def is_pattern(self) -> bool:
        """Tell whether the mark uses a pattern for content types."""
        return isinstance(self.mark.kind, str) and "*" in self.mark.kind

    def types(self) -> list[ContentType]:
        """Return the content types of the mark."""
        try:
            uid = uid_of(self.mark.kind)  # type: ignore[arg-type]  # it is checked there
        except ValueError as error:
            self.report(str(error))
            return []
        types_by_uid = {content_type.uid: content_type for content_type in self._schema.api_types}
        if USER_UID in self._schema.content_types:
            types_by_uid[USER_UID] = self._schema.content_types[USER_UID]
        if self.is_pattern():
            types = [
                content_type
                for name, content_type in types_by_uid.items()
                if fnmatchcase(name, uid)
            ]
            if not types:
                self.report(
                    f"no content type matches the pattern; there are {', '.join(types_by_uid)}"
                )
            return types
        if uid in types_by_uid:
            return [types_by_uid[uid]]
        if uid in self._schema.content_types:
            self.report("documents of this content type are not written through actions")
        else:
            self.report(f"unknown content type{nearest(uid, types_by_uid)}")
        return []

    def actions_of(self, content_type: ContentType, actions: Sequence[A]) -> tuple[A, ...]:
        """Return the actions that a type has; a pattern may match types that lack some."""
        if content_type.draft_and_publish:
            return tuple(actions)
        draft_actions = [action for action in actions if action in _DRAFT_ACTIONS]
        if draft_actions and not self.is_pattern():
            self.report(
                f"{content_type.uid} has no draft & publish, so it is never "
                f"{' or '.join(_PARTICIPLES[action] for action in draft_actions)}"
            )
        return tuple(action for action in actions if action not in _DRAFT_ACTIONS)

    def check_fields(self, content_type: ContentType, needs: Sequence[str]) -> None:
        """Check the fields in ``needs``."""
        for name in needs:
            attribute = content_type.attributes.get(name)
            if attribute is None:
                attributes = content_type.attributes
                owner = f" of {content_type.uid}" if self.is_pattern() else ""
                self.report(f'unknown field "{name}"{owner} in needs{nearest(name, attributes)}')
            elif attribute.type.secret:
                self.report(f'the field "{name}" in needs is a password, which is never read')

    def document(self) -> type[Document]:
        """Return the class of the documents for the function."""
        kind = self.mark.kind
        return kind if isinstance(kind, type) and issubclass(kind, Document) else Document


def takes_arguments(function: Callable[..., object], count: int) -> bool:
    """Tell whether a function can be called with exactly so many positional arguments."""
    parameters = inspect.signature(function).parameters.values()
    required = [
        parameter
        for parameter in parameters
        if parameter.default is parameter.empty and parameter.kind not in _VARIADIC
    ]
    positional = [parameter for parameter in parameters if parameter.kind in _POSITIONAL]
    return len(required) <= count <= len(positional) and all(
        parameter in positional for parameter in required
    )
