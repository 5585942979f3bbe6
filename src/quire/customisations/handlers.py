"""Understands middlewares, controller actions and policies that only change or check a little.

A middleware may set parameters of the query and has to call ``next`` once; an action of a
controller may do the same before ``super.<action>(ctx)``, and has to return what that gives; a
policy may always allow, or ask for a signed-in user. Logs are passed over. One statement more, and
the code counts as not understood.
"""

from collections.abc import Sequence
from enum import Enum

from msgspec import Struct, field

from quire.customisations.query_changes import (
    And,
    Constant,
    Equals,
    Merged,
    Not,
    Or,
    Parameter,
    QueryBranch,
    QueryChange,
    QueryStep,
    Value,
    WholeQuery,
)
from quire.javascript.scope import Module, NotPlainError, is_harmless_call, is_truthy
from quire.javascript.syntax import (
    Assign,
    Binary,
    Call,
    Declaration,
    Evaluate,
    Expression,
    Function,
    If,
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
    Unary,
)

_PARAMETERS = frozenset(
    {"populate", "filters", "sort", "fields", "pagination", "status", "locale", "_q"}
)
_RESULT = frozenset({"data", "meta"})


class NotUnderstoodError(Exception):
    """Code that does more than what is recognised; the message says what."""


class PolicyResult(Enum):
    """What a policy decides."""

    ALLOW = "allow"
    DENY = "deny"
    SIGNED_IN = "signed in"
    """Allows end users who are signed in, and nobody else."""


def understand_middleware(module: Module) -> tuple[QueryStep, ...]:
    """Return what a module's middleware changes. Raises NotUnderstoodError."""
    exported = module.exported
    if not module.is_known or not isinstance(exported, Function):
        raise NotUnderstoodError("does not export a function alone")
    statements = _statements(exported)
    scope = module
    if isinstance(exported.body, tuple):
        scope = module.inner(statements)
        statements = [one for one in statements if not _is_harmless(one)]
    match statements:
        case [*before, Return(value)] if value is not None:
            if not all(isinstance(one, Declaration) for one in before):
                raise NotUnderstoodError("does something before it returns the handler")
            handler = scope.followed(value)
        case _:
            raise NotUnderstoodError("does not return a handler")
    if not isinstance(handler, Function):
        raise NotUnderstoodError("does not return a function")
    return understand_inline_middleware(scope, handler)


def understand_inline_middleware(module: Module, handler: Function) -> tuple[QueryStep, ...]:
    """Return what ``(ctx, next) => …`` changes. Raises NotUnderstoodError."""
    match handler.parameters:
        case (Name(ctx), Name(following)):
            return _Interpreter(module, ctx, next_name=following).run(_statements(handler))
        case _:
            raise NotUnderstoodError("is not a function of ctx and next")


def understand_action(module: Module, action: str, function: Function) -> tuple[QueryStep, ...]:
    """Return what an action changes before the core takes over. Raises NotUnderstoodError."""
    match function.parameters:
        case (Name(ctx), *_):
            return _Interpreter(module, ctx, action=action).run(_statements(function))
        case _:
            raise NotUnderstoodError("is not a function of ctx")


def understand_policy(module: Module) -> PolicyResult:
    """Return what a module's policy decides. Raises NotUnderstoodError."""
    exported = module.exported
    if not module.is_known or not isinstance(exported, Function):
        raise NotUnderstoodError("does not export a function alone")
    match exported.parameters:
        case (Name(context), *_):
            name = context
        case ():
            name = ""
        case _:
            raise NotUnderstoodError("is not a function of the context")
    statements = _statements(exported)
    return _policy(module.inner(statements), name, statements)


def _policy(module: Module, context: str, statements: Sequence[Statement]) -> PolicyResult:
    for index, statement in enumerate(statements):
        match statement:
            case Declaration():
                continue
            case Return(value) if value is not None:
                return _decision(module, context, value)
            case If(test, then, ()):
                chosen = _decision(module, context, test)
                rest = statements[index + 1 :]
                if chosen is PolicyResult.ALLOW:
                    return _policy(module, context, then)
                if chosen is PolicyResult.DENY:
                    return _policy(module, context, rest)
                inside, after = _policy(module, context, then), _policy(module, context, rest)
                if (inside, after) == (PolicyResult.ALLOW, PolicyResult.DENY):
                    return PolicyResult.SIGNED_IN
                raise NotUnderstoodError("decides by more than whether somebody is signed in")
            case _ if _is_harmless(statement):
                continue
            case _:
                break
    raise NotUnderstoodError("decides by code that does not run")


def _decision(module: Module, context: str, value: Expression) -> PolicyResult:
    match value:
        case Unary("!", Unary("!", inner)) | Call(Name("Boolean"), (inner,)):
            return _decision(module, context, inner)
        case Member(Member(Name(of), "state"), "user") if of == context and context:
            return PolicyResult.SIGNED_IN
    try:
        return PolicyResult.ALLOW if is_truthy(module.value(value)) else PolicyResult.DENY
    except NotPlainError:
        raise NotUnderstoodError("decides by code that does not run") from None


def _statements(function: Function) -> Sequence[Statement]:
    if isinstance(function.body, Opaque):
        raise NotUnderstoodError("holds code that does not run")
    if isinstance(function.body, tuple):
        return function.body
    return (Return(function.body),)


def _is_harmless(statement: Statement) -> bool:
    """Whether a statement only writes a line to a log."""
    match statement:
        case Evaluate(Call(callee, arguments)):
            return is_harmless_call(callee) and all(map(_has_no_effect, arguments))
        case _:
            return False


def _has_no_effect(value: object) -> bool:
    """Whether evaluating an expression changes nothing and waits for nothing."""
    match value:
        case Call(callee, arguments):
            return is_harmless_call(callee) and all(map(_has_no_effect, arguments))
        case Assign() | Opaque() | Function() | Unary("await" | "delete" | "++" | "--", _):
            return False
        case tuple():
            return all(map(_has_no_effect, value))
        case Struct():
            return all(_has_no_effect(getattr(value, name)) for name in value.__struct_fields__)
        case _:
            return True


class _Interpreter(Struct):
    """Goes through the statements of a handler, and collects what it does to the query.

    ``next_name`` is the parameter that a middleware calls to go on, ``action`` the method of
    ``super`` that an action calls.
    """

    module: Module
    ctx: str
    next_name: str | None = None
    action: str | None = None
    symbols: dict[str, Value] = field(default_factory=dict)
    """Variables that hold parts of the query."""
    response: str | None = None
    """The variable that holds what the core returned."""
    has_response_parts: bool = False
    has_gone_on: bool = False

    def run(self, statements: Sequence[Statement]) -> tuple[QueryStep, ...]:
        self.module = self.module.inner([one for one in statements if not self._is_symbolic(one)])
        steps = self._block(statements, is_branch=False)
        if not self.has_gone_on:
            raise NotUnderstoodError("does not always go on to the next handler")
        return steps

    def _is_symbolic(self, statement: Statement) -> bool:
        if not isinstance(statement, Declaration):
            return False
        return self._mentions_ctx(statement.value)

    def _mentions_ctx(self, value: object) -> bool:
        match value:
            case Name(name):
                return name in {self.ctx, self.next_name, "super"}
            case tuple():
                return any(map(self._mentions_ctx, value))
            case Struct():
                return any(
                    self._mentions_ctx(getattr(value, name)) for name in value.__struct_fields__
                )
            case _:
                return False

    def _block(self, statements: Sequence[Statement], *, is_branch: bool) -> tuple[QueryStep, ...]:
        """Return what statements do; in a branch they may only change the query."""
        steps: list[QueryStep] = []
        for index, statement in enumerate(statements):
            if self.has_gone_on and not self._is_after(statement):
                raise NotUnderstoodError("does something after the core has answered")
            if _is_harmless(statement):
                continue
            match statement:
                case Evaluate(Assign(operator, target, value)):
                    steps.append(self._assignment(operator, target, value))
                case If(test, (Return(value),), ()) if (
                    not is_branch and value is not None and self._goes_on(value)
                ):
                    rest = self._block(statements[index + 1 :], is_branch=False)
                    steps.append(QueryBranch(self._value(test), (), rest))
                    break
                case If(test, then, otherwise):
                    condition = self._value(test)
                    first = self._block(then, is_branch=True)
                    second = self._block(otherwise, is_branch=True)
                    steps.append(QueryBranch(condition, first, second))
                case _ if is_branch:
                    raise NotUnderstoodError("holds code that does not run")
                case _:
                    self._statement(statement)
        return tuple(steps)

    def _is_after(self, statement: Statement) -> bool:
        """Whether a statement may stand behind the call that goes on."""
        return isinstance(statement, Return) or _is_harmless(statement)

    def _statement(self, statement: Statement) -> None:
        match statement:
            case Declaration(target, value):
                self._declaration(target, value)
            case Evaluate(value) if self._goes_on(value):
                self.has_gone_on = True
            case Return(value):
                self._return(value)
            case _:
                raise NotUnderstoodError("holds code that does not run")

    def _declaration(self, target: Pattern, value: Expression) -> None:
        if self._goes_on(value):
            self.has_gone_on = True
            self._response(target)
        elif isinstance(target, Name) and self._mentions_ctx(value):
            self.symbols[target.text] = self._value(value)
        elif isinstance(target, ObjectPattern):
            self._parts(target, value)
        elif not isinstance(target, Name) or not _has_no_effect(value):
            raise NotUnderstoodError("holds code that does not run")

    def _response(self, target: Pattern) -> None:
        """Take in the variables that hold what the core returned."""
        match target:
            case Name(name):
                self.response = name
            case ObjectPattern(names) if dict(names) == {part: part for part in _RESULT}:
                self.has_response_parts = True
            case _:
                raise NotUnderstoodError("takes the response apart")

    def _parts(self, target: ObjectPattern, value: Expression) -> None:
        """Take in variables that hold parts of the request: of its query only."""
        is_query = isinstance(self._symbol(value), WholeQuery)
        if not is_query and not self._is_ctx(value):
            raise NotUnderstoodError("holds code that does not run")
        for key, bound in target.names:
            if not is_query and key != "query":
                raise NotUnderstoodError(f"uses ctx.{key}")
            self.symbols[bound] = Parameter(key) if is_query else WholeQuery()

    def _assignment(self, operator: str, target: Expression, value: Expression) -> QueryChange:
        name = self._target(target)
        if name is not None and name not in _PARAMETERS:
            raise NotUnderstoodError(f"sets ctx.query.{name}")
        made = self._value(value)
        if operator in {"??=", "||="} and name is not None:
            made = Or(Parameter(name), made, only_missing=operator == "??=")
        elif operator != "=":
            raise NotUnderstoodError("holds code that does not run")
        if name is None and not isinstance(made, Merged):
            raise NotUnderstoodError("replaces the query by a computed value")
        return QueryChange(name, made)

    def _target(self, target: Expression) -> str | None:
        """Return the parameter that is assigned to, ``None`` for the whole query."""
        if self._is_query(target):
            if isinstance(target, Name):
                raise NotUnderstoodError("assigns to a variable")
            return None
        match target:
            case Member(inner, str() as key) if self._is_query(inner):
                return key
            case _:
                raise NotUnderstoodError("assigns to something else than the query")

    def _return(self, value: Expression | None) -> None:
        if value is None:
            return
        if self._goes_on(value) and not self.has_gone_on:
            self.has_gone_on = True
            return
        match value:
            case Name(name) if self.has_gone_on and name == self.response:
                return
            case Object(members) if self.has_gone_on and self._is_result(members):
                return
            case _:
                raise NotUnderstoodError("returns a response of its own")

    def _is_result(self, members: Sequence[Property | Spread]) -> bool:
        found = {
            member.key
            for member in members
            if isinstance(member, Property) and self._is_part_of_response(member)
        }
        return found == _RESULT and len(members) == len(_RESULT)

    def _is_part_of_response(self, member: Property) -> bool:
        match member.value:
            case Name(name):
                return self.has_response_parts and name == member.key
            case Member(Name(name), str() as key):
                return name == self.response and key == member.key
            case _:
                return False

    def _goes_on(self, value: Expression) -> bool:
        """Whether an expression is the call that leaves the rest to the core."""
        if isinstance(value, Unary) and value.operator == "await":
            value = value.operand
        match value:
            case Call(Name(name), ()):
                return name == self.next_name
            case Call(Member(Name("super"), str() as name), (Name(ctx), *_)):
                return self.action is not None and name == self.action and ctx == self.ctx
            case _:
                return False

    # Values

    def _is_ctx(self, value: Expression) -> bool:
        return isinstance(value, Name) and value.text == self.ctx

    def _is_query(self, value: Expression) -> bool:
        return isinstance(self._symbol(value), WholeQuery)

    def _symbol(self, value: Expression) -> Value | None:
        """Return the query, or the parameter of it, that an expression stands for."""
        match value:
            case Name(name):
                return self.symbols.get(name)
            case Member(inner, "query") if self._is_ctx(inner):
                return WholeQuery()
            case Member(Member(inner, "request"), "query") if self._is_ctx(inner):
                return WholeQuery()
            case Member(inner, str() as key) if isinstance(self._symbol(inner), WholeQuery):
                return Parameter(key)
            case _:
                return None

    def _value(self, value: Expression) -> Value:
        symbol = self._symbol(value)
        if symbol is not None:
            return symbol
        if not self._mentions_ctx(value) and not self._mentions_symbol(value):
            return self._constant(value)
        match value:
            case Object(members):
                return Merged(tuple(self._member(member) for member in members))
            case Binary("||" | "??" as operator, left, right):
                only_missing = operator == "??"
                return Or(self._value(left), self._value(right), only_missing=only_missing)
            case Binary("&&", left, right):
                return And(self._value(left), self._value(right))
            case Binary("===" | "==" as operator, left, right):
                return Equals(self._value(left), self._value(right), loose=operator == "==")
            case Binary("!==" | "!=" as operator, left, right):
                return Not(Equals(self._value(left), self._value(right), loose=operator == "!="))
            case Unary("!", inner):
                return Not(self._value(inner))
            case _:
                raise NotUnderstoodError("uses more of the request than its query")

    def _mentions_symbol(self, value: object) -> bool:
        match value:
            case Name(name):
                return name in self.symbols
            case tuple():
                return any(map(self._mentions_symbol, value))
            case Struct():
                return any(
                    self._mentions_symbol(getattr(value, name)) for name in value.__struct_fields__
                )
            case _:
                return False

    def _member(self, member: Property | Spread) -> tuple[str | None, Value]:
        if isinstance(member, Spread):
            return None, self._value(member.value)
        if not isinstance(member.key, str):
            raise NotUnderstoodError("computes the name of a parameter")
        return member.key, self._value(member.value)

    def _constant(self, value: Expression) -> Constant:
        try:
            found = self.module.value(value)
        except NotPlainError:
            raise NotUnderstoodError("computes a value") from None
        if not _is_wire_value(found):
            raise NotUnderstoodError("sets a value that no query can have")
        return Constant(found)


def _is_wire_value(value: object) -> bool:
    """Whether a query string could say the same: text, numbers, true, false, and such in others."""
    if isinstance(value, dict):
        return all(map(_is_wire_value, value.values()))
    if isinstance(value, list):
        return all(map(_is_wire_value, value))
    return isinstance(value, str | int | float)
