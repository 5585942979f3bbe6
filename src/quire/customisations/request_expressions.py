"""Analyses expressions over a request: its query, the parameters of its path, constants.

Anything else, such as the principal, is not understood.
"""

from msgspec import Struct, field

from quire.customisations.statements import (
    UNKNOWN_CODE,
    NotUnderstoodError,
)
from quire.customisations.value_expressions import (
    And,
    ArrayLiteral,
    ConditionalValue,
    Constant,
    Equals,
    Includes,
    IsArray,
    MemberAccess,
    Not,
    ObjectLiteral,
    Or,
    Parameter,
    PathParameter,
    Split,
    Trim,
    Value,
    WholeQuery,
    is_text,
    is_wire_value,
)
from quire.javascript.scope import Module, NotPlainError
from quire.javascript.syntax import (
    Array,
    Binary,
    Call,
    Conditional,
    Expression,
    Literal,
    Member,
    Name,
    Object,
    ObjectPattern,
    Property,
    Spread,
    Unary,
)

UNKNOWN_VALUE = "uses more of the request than its query and path"


class PathParameters(Struct, frozen=True):
    """All parameters of the path, ``ctx.params``."""


Symbol = Value | PathParameters


class RequestValues(Struct):
    """Analyses expressions in one function. ``ctx`` is its parameter for the request.

    ``other_names`` are other names for parts of the request in the function, such as ``next``.
    """

    module: Module
    ctx: str | None
    other_names: frozenset[str] = frozenset()
    symbols: dict[str, Symbol] = field(default_factory=dict)
    """Variables with parts of the request."""

    def value(self, value: Expression) -> Value:
        """Return the value of an expression. Raises NotUnderstoodError."""
        symbol = self.symbol(value)
        if isinstance(symbol, PathParameters):
            raise NotUnderstoodError("uses all parameters of the path at once")
        if symbol is not None:
            return symbol
        if not self.mentions_request(value):
            return self._constant(value)
        return self._computed_value(value)

    def _computed_value(self, value: Expression) -> Value:
        match value:
            case Object(members):
                return ObjectLiteral(tuple(self._member(member) for member in members))
            case Array(items) if not any(isinstance(item, Spread) for item in items):
                return ArrayLiteral(tuple(map(self.value, items)))
            case Binary(operator, left, right):
                return self._operator_value(operator, left, right)
            case Unary("!", inner):
                return Not(self.value(inner))
            case Conditional(test, then, otherwise):
                return ConditionalValue(self.value(test), self.value(then), self.value(otherwise))
            case Member(inner, str() as key, is_optional):
                return MemberAccess(self.value(inner), key, is_optional=is_optional)
            case Call(callee, arguments, False):
                return self._call_value(callee, arguments)
            case _:
                raise NotUnderstoodError(UNKNOWN_VALUE)

    def _operator_value(self, operator: str, left: Expression, right: Expression) -> Value:
        match operator:
            case "||" | "??":
                only_missing = operator == "??"
                return Or(self.value(left), self.value(right), only_missing=only_missing)
            case "&&":
                return And(self.value(left), self.value(right))
            case "===" | "==":
                return Equals(self.value(left), self.value(right), loose=operator == "==")
            case "!==" | "!=":
                return Not(Equals(self.value(left), self.value(right), loose=operator == "!="))
            case _:
                raise NotUnderstoodError(UNKNOWN_VALUE)

    def _call_value(self, callee: Expression, arguments: tuple[Expression, ...]) -> Value:
        """Return the result of a call of a function that only computes."""
        match callee, arguments:
            case Member(text, "split"), (Literal(str() as separator),) if separator:
                return Split(self.value(text), separator)
            case Member(text, "trim"), ():
                return Trim(self.value(text))
            case Member(items, "includes"), (item,) if self._is_list(items):
                return Includes(self.value(items), self.value(item))
            case Member(Name("Array"), "isArray"), (inner,):
                return IsArray(self.value(inner))
            case Name("Boolean"), (inner,):
                return Not(Not(self.value(inner)))
            case Name("String"), (inner,) if is_text(result := self.value(inner)):
                return result
            case Name(name), _ if name not in self.symbols:
                raise NotUnderstoodError(f"calls {name}")
            case _:
                raise NotUnderstoodError(UNKNOWN_VALUE)

    def _is_list(self, items: Expression) -> bool:
        """Whether an expression certainly is a list: texts have the same method."""
        return isinstance(self.module.followed(items), Array)

    def symbol(self, value: Expression) -> Symbol | None:
        """Return the part of the request of an expression, if it is one."""
        match value:
            case Name(name):
                return self.symbols.get(name)
            case Member(inner, "query") if self.is_ctx(inner):
                return WholeQuery()
            case Member(Member(inner, "request"), "query") if self.is_ctx(inner):
                return WholeQuery()
            case Member(inner, "params") if self.is_ctx(inner):
                return PathParameters()
            case Member(inner, str() as key, is_optional):
                return self._member_symbol(self.symbol(inner), key, is_optional=is_optional)
            case _:
                return None

    def _member_symbol(
        self, symbol: Symbol | None, key: str, *, is_optional: bool
    ) -> Symbol | None:
        match symbol:
            case None:
                return None
            case WholeQuery():
                return Parameter(key)
            case PathParameters():
                return PathParameter(key)
            case _:
                return MemberAccess(symbol, key, is_optional=is_optional)

    def declare(self, name: str, value: Expression) -> None:
        """Add a variable with a part of the request. Raises NotUnderstoodError."""
        symbol = self.symbol(value)
        self.symbols[name] = self.value(value) if symbol is None else symbol

    def declare_parts(self, target: ObjectPattern, value: Expression) -> None:
        """Add variables with parts of the request. Raises NotUnderstoodError."""
        symbol = self.symbol(value)
        is_whole = isinstance(symbol, WholeQuery | PathParameters)
        if not is_whole and not self.is_ctx(value):
            raise NotUnderstoodError(UNKNOWN_CODE)
        for key, variable in target.names:
            part = self.symbol(Member(value, key))
            if part is None:
                raise NotUnderstoodError(f"uses ctx.{key}")
            self.symbols[variable] = part

    def is_ctx(self, value: Expression) -> bool:
        """Whether an expression is the request itself."""
        return isinstance(value, Name) and value.text == self.ctx

    def mentions_request(self, value: object) -> bool:
        """Whether the request, or a part of it, occurs in an expression."""
        match value:
            case Name(name):
                return name == self.ctx or name in self.other_names or name in self.symbols
            case tuple():
                return any(map(self.mentions_request, value))
            case Struct():
                return any(
                    self.mentions_request(getattr(value, name)) for name in value.__struct_fields__
                )
            case _:
                return False

    def _member(self, member: Property | Spread) -> tuple[str | None, Value]:
        if isinstance(member, Spread):
            return None, self.value(member.value)
        if not isinstance(member.key, str):
            raise NotUnderstoodError("computes the name of a parameter")
        return member.key, self.value(member.value)

    def _constant(self, value: Expression) -> Constant:
        try:
            result = self.module.value(value)
        except NotPlainError:
            raise NotUnderstoodError("computes a value") from None
        if not is_wire_value(result):
            raise NotUnderstoodError("sets a value that no query can have")
        return Constant(result)
