"""Variables of functions that are evaluated."""

from quire.javascript.interpreter.values import UnsupportedError
from quire.javascript.scope import Module
from quire.javascript.syntax import Function

_UNINITIALIZED = object()


class VariableScope:
    """The variables of a block, and of its enclosing blocks."""

    __slots__ = ("_outer", "_values", "module")

    def __init__(
        self, module: Module, outer: "VariableScope | None", values: dict[str, object]
    ) -> None:
        self.module = module
        self._outer = outer
        self._values = values

    def inner(self) -> "VariableScope":
        """Return the scope of a nested block."""
        return VariableScope(self.module, self, {})

    def declare(self, name: str, value: object) -> None:
        """Bind a name in this block."""
        self._values[name] = value

    def find(self, name: str) -> "VariableScope | None":
        """Return the scope that binds a name."""
        if name in self._values:
            return self
        return None if self._outer is None else self._outer.find(name)

    def value(self, name: str) -> object:
        """Return the value of a name in this block."""
        return self._values[name]


class Closure:
    """A function with the scope in which it was created, and its ``this`` and ``super``."""

    __slots__ = ("function", "home", "scope", "this")

    def __init__(
        self, function: Function, scope: VariableScope, this: object, home: object
    ) -> None:
        self.function = function
        self.scope = scope
        self.this = this
        self.home = home
        """The value of ``super``."""


class Frame:
    """The state of a running function besides its variables."""

    __slots__ = ("home", "this")

    def __init__(self, this: object, home: object) -> None:
        self.this = this
        self.home = home


class Constants:
    """The values of a module's constants, created on first use, once for each request."""

    def __init__(self) -> None:
        self._values: dict[tuple[int, str], object] = {}
        self._shared_values: dict[int, object] = {}

    def constant(self, module: Module, name: str) -> tuple[bool, object]:
        """Return whether a constant has a value, and the value."""
        result = self._values.get((id(module.bindings), name), _UNINITIALIZED)
        return (False, None) if result is _UNINITIALIZED else (True, result)

    def keep(self, module: Module, name: str, value: object) -> None:
        """Store a constant, whose value must not change, as requests would share it."""
        self._values[id(module.bindings), name] = value
        self._share(value)

    def _share(self, value: object) -> None:
        if isinstance(value, dict | list) and id(value) not in self._shared_values:
            self._shared_values[id(value)] = value
            for inner in value.values() if isinstance(value, dict) else value:
                self._share(inner)

    def require_own(self, value: object) -> None:
        """Check that code does not change a constant of a module. Raises UnsupportedError."""
        if id(value) in self._shared_values:
            raise UnsupportedError("changes what requests share")
