"""Bindings, imports and exports of a module, and plain expressions.

Plain are literals, objects and arrays of plain values, references to constants that nothing
changes, ``env`` with a default, calls of the core factories, and functions, which stay parsed.
"""

import copy
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import cached_property
from pathlib import Path
from typing import Final

import msgspec
from msgspec import Struct

from quire.javascript.parser import parse_module
from quire.javascript.syntax import (
    Array,
    ArrayPattern,
    Assign,
    Binary,
    Call,
    Conditional,
    Declaration,
    Evaluate,
    Export,
    Expression,
    ForOf,
    Function,
    Import,
    Literal,
    Member,
    Name,
    Object,
    ObjectPattern,
    Opaque,
    Pattern,
    Property,
    Return,
    Spread,
    Statement,
    Template,
    Unary,
    Update,
)

FACTORIES = frozenset({"createCoreController", "createCoreRouter", "createCoreService"})
_STRAPI = "@strapi/strapi"
_SUFFIXES = ("", ".ts", ".js", ".mjs", ".cjs", ".json", "/index.ts", "/index.js")
_DEEPEST_IMPORT = 8
_MAX_BYTES = 256 * 1024
_ENVIRONMENT_READERS = frozenset(
    {"int", "float", "bool", "json", "array", "date", "oneOf", "string"}
)


class NotPlainError(Exception):
    """An expression whose value is unknown without running it."""


class Factory(Struct, frozen=True):
    """A call of a core factory."""

    name: str
    arguments: tuple[object, ...]


class EnvironmentVariable(Struct, frozen=True):
    """A call of ``env``: the value of a variable, or else a default."""

    name: str
    default: object
    reader: str = ""
    """How the text is parsed: ``int`` for ``env.int``, empty for ``env``."""


class Code(Struct, frozen=True):
    """Any value that is not plain."""


CODE: Final = Code()


class Undefined(Struct, frozen=True):
    """The value ``undefined``."""


UNDEFINED: Final = Undefined()


class Module:
    """A parsed module. ``is_known`` tells whether its statements are harmless by themselves."""

    def __init__(self, source: str, path: Path | None = None, depth: int = 0) -> None:
        """Parse a module; relative imports start from ``path``."""
        self.path = path
        self._depth = depth
        self._bindings: dict[str, Expression] = {}
        self._imports: dict[str, tuple[str, str]] = {}
        self._parts: dict[str, Expression] = {}
        self._imported_values: dict[tuple[str, str], tuple[Module, Expression]] = {}
        self._modules: dict[str, object] = {}
        self._exported: list[Expression] = []
        self._evaluating: set[str] = set()
        self.is_known = True
        statements, self._lines = parse_module(source)
        self.statements = statements
        for statement in statements:
            self._analyse_statement(statement)
        self._modified_names = frozenset(_modified_names(statements))
        self._reassigned_names = frozenset(_assigned_names(statements))
        self._passed_names = frozenset(_passed_names(statements))

    def line_of(self, statement: Statement) -> int | None:
        """Return the number of the line in which a statement of the module begins."""
        return self._lines.get(id(statement))

    @cached_property
    def bindings(self) -> Mapping[str, Expression]:
        """The values of the module's own names."""
        return {**self._parts, **self._bindings}

    @property
    def imports(self) -> Mapping[str, tuple[str, str]]:
        """The imported names, with their modules and their names there."""
        return self._imports

    @cached_property
    def parameter_names(self) -> frozenset[str]:
        """The names of parameters of all functions, which hide constants of the same name."""
        functions = (part for part in walk(self.statements) if isinstance(part, Function))
        return frozenset().union(*(bound_names(function.parameters) for function in functions))

    @cached_property
    def ambiguous_names(self) -> frozenset[str]:
        """The names of parameters, and those that are declared more than once in the module."""
        counts = Counter(
            name
            for part in walk(self.statements)
            if isinstance(part, Declaration)
            for name in bound_names(part.target)
        )
        return self.parameter_names | {name for name, count in counts.items() if count > 1}

    def other(self, origin: str) -> "Module | None":
        """Return an imported module of the project, ``None`` if there is none."""
        if origin not in self._modules:
            try:
                self._modules[origin] = self._other_module(origin)
            except NotPlainError:
                return None
        other = self._modules[origin]
        return other if isinstance(other, Module) else None

    def imported(self, name: str) -> "tuple[Module, Expression]":
        """Return an imported expression with its module. Raises NotPlainError if it is unknown."""
        origin, imported_name = self._imports[name]
        key = (origin, imported_name)
        if key not in self._imported_values:
            self._imported_values[key] = self._import(origin, imported_name)
        return self._imported_values[key]

    def _import(self, origin: str, imported_name: str) -> "tuple[Module, Expression]":
        other = self._modules.get(origin)
        if other is None:
            other = self._modules[origin] = self._other_module(origin)
        if not isinstance(other, Module) or not other.is_known:
            raise NotPlainError
        if imported_name in other.bindings and imported_name not in {"default", "*"}:
            return other, Name(imported_name)
        exported = other.exported
        if exported is None:
            raise NotPlainError
        if imported_name in {"default", "*"}:
            return other, exported
        if isinstance(exported, Object):
            return other, Member(exported, imported_name)
        raise NotPlainError

    @property
    def is_empty(self) -> bool:
        """Whether the module declares and exports nothing, such as a file of comments."""
        return self.is_known and not (self._bindings or self._exported)

    @property
    def exported(self) -> Expression | None:
        """The export of the module, with names resolved; ``None`` if it is unknown."""
        if len(self._exported) != 1:
            return None
        return self.followed(self._exported[0])

    def followed(self, value: Expression) -> Expression:
        """Return the value of a name in this module; other expressions are unchanged."""
        for _ in range(_DEEPEST_IMPORT):
            if not isinstance(value, Name) or value.text not in self._bindings:
                break
            if self._may_change(value.text):
                return Opaque()
            value = self._bindings[value.text]
        return value

    def function(self, name: str) -> "tuple[Module, Function] | None":
        """Return the function of a name, here or where it is imported from."""
        if name in self._imports:
            return self._imported_function(*self._imports[name])
        result = self.followed(Name(name))
        if not isinstance(result, Function) and name not in self._reassigned_names:
            result = self.bindings.get(name, result)
        return (self, result) if isinstance(result, Function) else None

    def _imported_function(self, origin: str, name: str) -> "tuple[Module, Function] | None":
        try:
            other = self._other_module(origin)
        except NotPlainError:
            return None
        if not isinstance(other, Module) or not other.is_known:
            return None
        if name in other._bindings:  # noqa: SLF001 - of the same class
            return other.function(name)
        exported = other.exported
        if name == "default" and isinstance(exported, Function):
            return other, exported
        members = exported.members if isinstance(exported, Object) else ()
        for member in members:
            if isinstance(member, Property) and member.key == name:
                result = other.followed(member.value)
                return (other, result) if isinstance(result, Function) else None
        return None

    def _analyse_statement(self, statement: Statement) -> None:
        match statement:
            case Declaration(target, value):
                self._declare(target, value)
            case Import(names, origin):
                self._imports |= {variable: (origin, name) for name, variable in names}
            case Export(value):
                self._exported.append(value)
            case Evaluate(Assign("=", target, value)) if _is_exports(target):
                self._exported.append(value)
            case _:
                self.is_known &= _is_harmless(statement)

    def _declare(self, target: Pattern, value: Expression) -> None:
        required_origin = _required(value)
        match target:
            case ObjectPattern(names) if required_origin is not None:
                self._imports |= {variable: (required_origin, name) for name, variable in names}
            case Name(name) if required_origin is not None and isinstance(value, Call):
                self._imports[name] = (required_origin, "*")
            case Name(name):
                self._bindings[name] = value
            case ObjectPattern(names):
                self._parts |= {variable: Member(value, name) for name, variable in names}
            case _:
                return

    def value(self, expression: Expression, *, partial: bool = False) -> object:
        """Return the value of an expression; objects are dictionaries, arrays are lists.

        With ``partial``, members and items that are not plain are `CODE`. Raises NotPlainError.
        """
        try:
            return self._value(expression, partial=partial)
        except RecursionError:
            raise NotPlainError from None

    def exported_value(self, *, partial: bool = False) -> object:
        """Return the exported value of the module, or `CODE`.

        A function that returns a plain value stands for it, as configuration is written.
        """
        exported = self.exported
        if exported is None or not self.is_known:
            return CODE
        try:
            return self.value(exported, partial=partial)
        except NotPlainError:
            return CODE

    def inner(self, statements: Iterable[Statement]) -> "Module":
        """Return the scope inside a function: that of the module, and the function's constants."""
        scope = copy.copy(self)
        scope._bindings = dict(self._bindings)  # noqa: SLF001 - of the same class
        scope._evaluating = set()  # noqa: SLF001
        scope.__dict__.pop("bindings", None)
        for statement in statements:
            if isinstance(statement, Declaration) and isinstance(statement.target, Name):
                scope._bindings[statement.target.text] = statement.value  # noqa: SLF001
        return scope

    def returned_value(self, function: Function, *, partial: bool = False) -> object:
        """Return the result of a function whose body is constants and one ``return``."""
        has_defaults = any(isinstance(parameter, Opaque) for parameter in function.parameters)
        if has_defaults or isinstance(function.body, Opaque):
            raise NotPlainError
        if not isinstance(function.body, tuple):
            return self.value(function.body, partial=partial)
        *declarations, last = function.body or (Opaque(),)
        if not isinstance(last, Return) or last.value is None:
            raise NotPlainError
        if not all(isinstance(statement, Declaration) for statement in declarations):
            raise NotPlainError
        return self.inner(declarations).value(last.value, partial=partial)

    def _value(self, expression: Expression, *, partial: bool) -> object:
        match expression:
            case Literal(value):
                return value
            case Name(name):
                return UNDEFINED if name == "undefined" else self._name_value(name, partial=partial)
            case Object(members):
                return self._object(members, partial=partial)
            case Array(items):
                return self._array(items, partial=partial)
            case Call():
                return self._call(expression, partial=partial)
            case Function():
                return expression
            case _:
                return self._compute(expression, partial=partial)

    def _compute(self, expression: Expression, *, partial: bool) -> object:
        match expression:
            case Template(parts):
                return "".join(self._text(part) for part in parts)
            case Member(inner, str() as key):
                return self._member(inner, key, partial=partial)
            case Binary(operator, left, right):
                return self._binary(operator, left, right, partial=partial)
            case Conditional(test, then, otherwise):
                branch = then if is_truthy(self._value(test, partial=False)) else otherwise
                return self._value(branch, partial=partial)
            case Unary(operator, operand):
                return self._unary(operator, operand)
            case _:
                raise NotPlainError

    def _text(self, part: "str | Expression") -> str:
        value = part if isinstance(part, str) else self._value(part, partial=False)
        if isinstance(value, bool) or not isinstance(value, str | int):
            raise NotPlainError
        return str(value)

    def _name_value(self, name: str, *, partial: bool) -> object:
        if self._may_change(name) or name in self._evaluating:
            raise NotPlainError
        if name in self._imports:
            return self._import_value(*self._imports[name], partial=partial)
        if name not in self._bindings:
            raise NotPlainError
        self._evaluating.add(name)
        try:
            return self._value(self._bindings[name], partial=partial)
        finally:
            self._evaluating.discard(name)

    def _may_change(self, name: str) -> bool:
        """Whether a constant may change: texts and numbers cannot."""
        is_primitive = isinstance(self._bindings.get(name), Literal | Template)
        return name in self._modified_names or (name in self._passed_names and not is_primitive)

    def _import_value(self, origin: str, name: str, *, partial: bool) -> object:
        """Return a constant of another module of the project."""
        other = self._other_module(origin)
        if isinstance(other, Module):
            if not other.is_known:
                raise NotPlainError
            if name in other._bindings:  # noqa: SLF001 - of the same class
                return other._name_value(name, partial=partial)  # noqa: SLF001
            exported = other.exported_value()
        else:
            exported = other
        if exported is CODE:
            raise NotPlainError
        if name in {"default", "*"}:
            return exported
        if not isinstance(exported, dict) or name not in exported:
            raise NotPlainError
        return exported[name]

    def _other_module(self, origin: str) -> object:
        if self.path is None or not origin.startswith(".") or self._depth >= _DEEPEST_IMPORT:
            raise NotPlainError
        for suffix in _SUFFIXES:
            file = self.path.parent / f"{origin}{suffix}"
            if file.is_file() and file.stat().st_size <= _MAX_BYTES:
                try:
                    source = file.read_text(encoding="utf-8")
                    if file.suffix == ".json":
                        return msgspec.json.decode(source)
                except (OSError, ValueError, msgspec.DecodeError):
                    raise NotPlainError from None
                return Module(source, file, self._depth + 1)
        raise NotPlainError

    def _object(self, members: Iterable[Property | Spread], *, partial: bool) -> dict[str, object]:
        result: dict[str, object] = {}
        for member in members:
            if isinstance(member, Spread):
                value = self._partial_value(member.value, partial=partial)
                if value is CODE:
                    result["..."] = CODE
                elif isinstance(value, dict):
                    result |= value
                else:
                    raise NotPlainError
                continue
            if not isinstance(member.key, str):
                raise NotPlainError
            result[member.key] = self._partial_value(member.value, partial=partial)
        return {key: value for key, value in result.items() if value is not UNDEFINED}

    def _array(self, items: Iterable[Expression], *, partial: bool) -> list[object]:
        results: list[object] = []
        for item in items:
            if isinstance(item, Spread):
                value = self._partial_value(item.value, partial=partial)
                if isinstance(value, list):
                    results += value
                elif value is CODE:
                    results.append(CODE)
                else:
                    raise NotPlainError
            else:
                results.append(self._partial_value(item, partial=partial))
        return results

    def _partial_value(self, expression: Expression, *, partial: bool) -> object:
        if not partial:
            return self._value(expression, partial=False)
        try:
            return self._value(expression, partial=True)
        except NotPlainError:
            return CODE

    def _member(self, inner: Expression, key: str, *, partial: bool) -> object:
        if inner == Member(Name("process"), "env"):
            return EnvironmentVariable(key, None)
        value = self._value(inner, partial=partial)
        if isinstance(value, dict) and key in value:
            return value[key]
        raise NotPlainError

    def _call(self, call: Call, *, partial: bool) -> object:
        factory = self.factory_name(call)
        if factory is not None:
            arguments = tuple(self._value(argument, partial=partial) for argument in call.arguments)
            return Factory(factory, arguments)
        reader = _environment_reader(call.callee)
        if reader is None:
            raise NotPlainError
        match [self._value(argument, partial=partial) for argument in call.arguments]:
            case [str() as name]:
                return EnvironmentVariable(name, None, reader)
            case [str() as name, default]:
                return EnvironmentVariable(name, default, reader)
            case _:
                raise NotPlainError

    def factory_name(self, call: Call) -> str | None:
        """Return the name of the core factory that is called, if it is one of Strapi's."""
        match call.callee:
            case Name(name):
                origin, imported_name = self._imports.get(name, ("", ""))
                if imported_name in FACTORIES and origin == _STRAPI:
                    return imported_name
                is_global = name in FACTORIES and not self._knows(name)
                return name if is_global else None
            case Member(Name(of), str() as name) if name in FACTORIES:
                is_global = of == "factories" and not self._knows(of)
                is_factories = is_global or self._imports.get(of, ("", ""))[0] == _STRAPI
                return name if is_factories else None
            case Member(Member(inner, "factories"), str() as name) if name in FACTORIES:
                return name if self._is_strapi(inner) else None
            case _:
                return None

    def _knows(self, name: str) -> bool:
        return name in self._imports or name in self._bindings

    def _is_strapi(self, value: Expression) -> bool:
        match value:
            case Name(name):
                return self._imports.get(name, ("", ""))[0] == _STRAPI
            case Call(Name("require"), (Literal(origin),)):
                return origin == _STRAPI
            case _:
                return False

    def _binary(
        self, operator: str, left: Expression, right: Expression, *, partial: bool
    ) -> object:
        first = self._value(left, partial=partial)
        if isinstance(first, EnvironmentVariable) and operator in {"||", "??"}:
            default = (
                first.default if first.default is not None else self._value(right, partial=partial)
            )
            return EnvironmentVariable(first.name, default, first.reader)
        match operator:
            case "||":
                return first if is_truthy(first) else self._value(right, partial=partial)
            case "&&":
                return self._value(right, partial=partial) if is_truthy(first) else first
            case "??":
                is_missing = first is None or first is UNDEFINED
                return self._value(right, partial=partial) if is_missing else first
            case _:
                return self._compare(operator, first, right, partial=partial)

    def _compare(self, operator: str, first: object, right: Expression, *, partial: bool) -> object:
        second = self._value(right, partial=partial)
        if operator in {"==", "==="}:
            return _is_equal(first, second)
        if operator in {"!=", "!=="}:
            return not _is_equal(first, second)
        return _calculate(operator, first, second)

    def _unary(self, operator: str, operand: Expression) -> object:
        value = self._value(operand, partial=False)
        if operator == "!":
            return not is_truthy(value)
        if operator == "-" and isinstance(value, int | float) and not isinstance(value, bool):
            return -value
        raise NotPlainError


def is_truthy(value: object) -> bool:
    """Return the truth value of a plain value. Raises NotPlainError for variables and code."""
    if isinstance(value, EnvironmentVariable | Code | Factory | Function):
        raise NotPlainError
    if value is UNDEFINED or value is None:
        return False
    return isinstance(value, dict | list) or bool(value)


def _is_equal(first: object, second: object) -> bool:
    if any(
        isinstance(operand, EnvironmentVariable | Code | dict | list) for operand in (first, second)
    ):
        raise NotPlainError
    return type(first) is type(second) and first == second


def _calculate(operator: str, first: object, second: object) -> object:
    if isinstance(first, str) and isinstance(second, str) and operator == "+":
        return first + second
    numbers = [operand for operand in (first, second) if type(operand) in {int, float}]
    if len(numbers) == len((first, second)) and operator in {"+", "-", "*"}:
        left, right = numbers
        calculate: Mapping[str, Callable[[object, object], object]] = {
            "+": lambda a, b: a + b,  # type: ignore[operator]
            "-": lambda a, b: a - b,  # type: ignore[operator]
            "*": lambda a, b: a * b,  # type: ignore[operator]
        }
        return calculate[operator](left, right)
    raise NotPlainError


def _environment_reader(callee: Expression) -> str | None:
    match callee:
        case Name("env"):
            return ""
        case Member(Name("env"), str() as reader) if reader in _ENVIRONMENT_READERS:
            return reader
        case _:
            return None


def _is_exports(target: Expression) -> bool:
    match target:
        case Member(Name("module"), "exports") | Member(Name("exports"), "default"):
            return True
        case _:
            return False


def _required(value: Expression) -> str | None:
    """Return the module of ``require("…")``, or of its ``factories``."""
    match value:
        case Member(inner, "factories"):
            return _required(inner)
        case Call(Name("require"), (Literal(str() as origin),)):
            return origin
        case _:
            return None


def _is_harmless(statement: Statement) -> bool:
    """Whether a statement of a module neither runs code nor changes anything."""
    match statement:
        case Evaluate(Literal(str())) | Opaque(frozenset()):
            return not isinstance(statement, Opaque) or not statement.names
        case Evaluate(Call(Member(Name("Object"), "defineProperty"), (Name("exports"), *_))):
            return True
        case _:
            return False


# Names that something in the module may change

_HARMLESS_RECEIVERS = frozenset({"console", "JSON"})
_READ_METHODS = frozenset(
    {
        *("documents", "query", "service", "controller", "findFirst", "findMany", "findOne"),
        *("sanitizeOutput", "sanitizeQuery", "validateQuery", "transformResponse"),
    }
)
"""Methods of ``strapi`` and ``this`` that do not change their arguments."""


_PURE_METHODS = frozenset({"has", "includes", "indexOf", "join", "split", "trim"})
"""Methods of texts, arrays and sets that do not change them."""


def _modified_names(statements: Iterable[Statement]) -> Iterator[str]:
    """Yield the names that are assigned to, as a whole or in part."""
    for part in walk(statements):
        match part:
            case Opaque(names):
                yield from names
            case Assign(_, target, _):
                yield from _root(target)
            case Unary("++" | "--" | "delete", operand):
                yield from _root(operand)
            case _:
                continue


def _assigned_names(statements: Iterable[Statement]) -> Iterator[str]:
    """Yield the names that are bound again, and those in unparsed code."""
    for part in walk(statements):
        match part:
            case (
                Assign(_, Name(name), _)
                | ForOf(target=Name(name))
                | Update(target=Name(name))
                | Unary("++" | "--", Name(name))
            ):
                yield name
            case Assign(_, target, _) if not isinstance(target, Member):
                yield from (node.text for node in walk((target,)) if isinstance(node, Name))
            case Opaque(names) if type(part) is Opaque:
                yield from names
            case _:
                continue


def _passed_names(statements: Iterable[Statement]) -> Iterator[str]:
    """Yield the names whose values a called function may change.

    These are values that are passed to a function, or whose method is called.
    """
    for part in walk(statements):
        if isinstance(part, Call) and not (is_harmless_call(part.callee) or _is_read(part.callee)):
            if isinstance(part.callee, Member) and part.callee.key not in _PURE_METHODS:
                yield from _root(part.callee)
            for argument in part.arguments:
                value = argument.value if isinstance(argument, Spread) else argument
                yield from _root(value)


def is_harmless_call(callee: Expression) -> bool:
    """Whether a call does not change its arguments: logs, and the core factories."""
    match callee:
        case Member(Name(receiver), _) if receiver in _HARMLESS_RECEIVERS:
            return True
        case Member(Member(Name("strapi"), "log"), _):
            return True
        case Name(name) | Member(_, str() as name) if name in FACTORIES:
            return True
        case _:
            return False


def _is_read(callee: Expression) -> bool:
    match callee:
        case Member(inner, str() as name) if name in _READ_METHODS:
            return _receiver(inner) in {"strapi", "this"}
        case _:
            return False


def _receiver(value: Expression) -> str | None:
    """Return the name that a chain of members and calls begins with."""
    while isinstance(value, Member | Call):
        value = value.object if isinstance(value, Member) else value.callee
    return value.text if isinstance(value, Name) else None


def _root(value: Expression) -> Iterator[str]:
    while isinstance(value, Member):
        value = value.object
    if isinstance(value, Name):
        yield value.text


def bound_names(pattern: object) -> frozenset[str]:
    """Return the names that a pattern, or parameters, bind."""
    names: set[str] = set()
    for part in walk(pattern):
        match part:
            case Name(name):
                names.add(name)
            case ObjectPattern(pairs):
                names |= {name for _, name in pairs}
            case ArrayPattern(items):
                names |= {*items}
            case _:
                continue
    return frozenset(names)


def walk(part: object) -> Iterator[object]:
    """Yield every part of a syntax tree."""
    if isinstance(part, tuple | list):
        for inner in part:
            yield from walk(inner)
    elif isinstance(part, Struct):
        yield part
        for name in part.__struct_fields__:
            yield from walk(getattr(part, name))
