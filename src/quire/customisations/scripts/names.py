"""Names in code that is checked, and the parts of the request or the server that they denote."""

from collections.abc import Mapping

from quire.javascript.scope import Module
from quire.javascript.syntax import Function

Path = tuple[str, ...]
"""A member of the request or the server, such as ``("ctx", "request", "body")``."""
Kinds = Mapping[str, Path | None]


class KnownNames:
    """The names that are known in a block: plain values have no path."""

    def __init__(self, module: Module, outer: "KnownNames | None" = None) -> None:
        self.module = module
        self._outer = outer
        self._kinds: dict[str, Path | None] = {}
        self._functions: list[Function] = [] if outer is None else outer._functions  # noqa: SLF001 - of the same class

    def inner(self) -> "KnownNames":
        """Return the names of a nested block."""
        return KnownNames(self.module, self)

    def bind(self, name: str, kind: Path | None) -> None:
        """Bind a name."""
        self._kinds[name] = kind

    def knows(self, name: str) -> bool:
        """Whether a name is bound in a function."""
        return name in self._kinds or (self._outer is not None and self._outer.knows(name))

    def kind(self, name: str) -> Path | None:
        """Return the path of a bound name."""
        if name in self._kinds:
            return self._kinds[name]
        return None if self._outer is None else self._outer.kind(name)

    def keep(self, function: Function) -> int:
        """Store a function that is bound to a name; returns its number."""
        self._functions.append(function)
        return len(self._functions) - 1

    def kept(self, index: int) -> Function:
        """Return a function by its number."""
        return self._functions[index]


def path_text(path: Path) -> str:
    """Return a path in the notation of code."""
    return ".".join(part for part in path if part not in {"method", "function"})
