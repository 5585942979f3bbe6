"""Names that code may use without defining them: those of the language, and packages.

Each function raises NotUnderstoodError for unknown names.
"""

from collections.abc import Sequence

from msgspec import Struct

from quire.customisations.statements import NotUnderstoodError
from quire.javascript.interpreter.builtins import GLOBAL_NAMES
from quire.javascript.interpreter.local_dates import LOCAL_METHODS, is_known_form
from quire.javascript.interpreter.packages import PACKAGES
from quire.javascript.scope import UNDEFINED, Module, NotPlainError
from quire.javascript.syntax import Call, Expression, Function, Literal, Member, Name

Path = tuple[str, ...]
"""A member of the request or the server, such as ``("ctx", "request", "body")``."""


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

    def function(self, index: int) -> Function:
        """Return a function by its number."""
        return self._functions[index]


def path_text(path: Path) -> str:
    """Return a path in the notation of code."""
    return ".".join(part for part in path if part not in {"method", "function"})


_NAMESPACE_IMPORTS = frozenset({"*", "default"})
_RANDOM = frozenset({("Math", "random"), ("crypto", "randomUUID"), ("Date", "now")})


def package_of(expression: Expression, names: KnownNames) -> str | None:
    """Return the name of the package of an expression, ``None`` for anything else."""
    match expression:
        case Call(Name("require"), (Literal(str() as origin),)) if not names.knows("require"):
            return origin if origin in PACKAGES else None
        case Name(name) if not names.knows(name):
            origin, imported_name = names.module.imports.get(name, ("", ""))
            return origin if origin in PACKAGES and imported_name in _NAMESPACE_IMPORTS else None
        case _:
            return None


def package_member(value: Expression, names: KnownNames) -> bool:
    """Whether an expression is a function of a package. Raises NotUnderstoodError for others."""
    if not isinstance(value, Member) or not isinstance(value.key, str):
        return False
    origin = package_of(value.object, names)
    if origin is None:
        return False
    require_package_member(origin, value.key)
    return True


def require_package_member(origin: str, key: str) -> None:
    """Check that a package has a member."""
    if key not in PACKAGES[origin].members:
        raise NotUnderstoodError(f"uses {key} of {origin}")


def global_of(expression: Expression, names: KnownNames) -> str | None:
    """Return the name of the global object of an expression."""
    if (
        not isinstance(expression, Name)
        or names.knows(expression.text)
        or expression.text not in GLOBAL_NAMES
    ):
        return None
    module = names.module
    is_own_name = expression.text in module.bindings or expression.text in module.imports
    return None if is_own_name else expression.text


def require_global_member(name: str, key: str) -> None:
    """Check members of global objects: some are not evaluated, such as ``Object.freeze``."""
    if key not in GLOBAL_NAMES[name]:
        raise NotUnderstoodError(f"uses {name}.{key}")


def require_known_locale(key: str, arguments: Sequence[Expression], module: Module) -> None:
    """Check that the locale of a text or an order is a known constant."""
    if key == "localeCompare" and len(arguments) != 1:
        raise NotUnderstoodError("calls localeCompare with a locale")
    if key not in LOCAL_METHODS:
        return
    try:
        values: list[object] = [module.value(argument) for argument in arguments]
    except NotPlainError:
        raise NotUnderstoodError(f"calls {key} with a locale that is computed") from None
    locale = values[0] if values else UNDEFINED
    options = values[1] if len(values) > 1 else {}
    if len(values) > 2 or not isinstance(options, dict) or options.keys() - {"timeZone"}:
        raise NotUnderstoodError(f"calls {key} with options")
    if not is_known_form(key, locale, options.get("timeZone", UNDEFINED)):
        raise NotUnderstoodError(f"calls {key} with another locale")


def require_constant(value: Expression, module: Module) -> None:
    """Check that the constants of a module do not depend on the start of the server."""
    match value:
        case Function():
            return
        case Call(Name("Date"), (), True):
            raise NotUnderstoodError("keeps the time of the start")
        case Call(Member(of, str() as key)):
            names = KnownNames(module)
            if (global_of(of, names) or "", key) in _RANDOM or package_of(of, names):
                raise NotUnderstoodError("keeps what differs from start to start")
        case Call(Name(name)) if module.imports.get(name, ("",))[0] in PACKAGES:
            raise NotUnderstoodError("keeps what differs from start to start")
        case Call(Name(name)) if package_member(module.followed(Name(name)), KnownNames(module)):
            raise NotUnderstoodError("keeps what differs from start to start")
        case _:
            pass
    for key in value.__struct_fields__:
        _require_constants(getattr(value, key), module)


def _require_constants(value: object, module: Module) -> None:
    if isinstance(value, tuple):
        for item in value:
            _require_constants(item, module)
    elif isinstance(value, Struct):
        require_constant(value, module)  # type: ignore[arg-type]
