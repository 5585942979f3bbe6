"""Analyses middlewares and controller actions that change the query before the core responds.

A middleware may set parameters of the query and has to call ``next`` once; an action of a
controller may do the same before ``super.<action>(ctx)``, and has to return its result. Log calls
are ignored. With any other statement the code is not understood.
"""

from collections.abc import Sequence

from msgspec import Struct

from quire.customisations.error_responses import error_response
from quire.customisations.query_changes import QueryBranch, QueryChange, QueryStep
from quire.customisations.request_expressions import RequestValues
from quire.customisations.served_routes import CORE_ACTIONS
from quire.customisations.statements import (
    UNKNOWN_CODE,
    NotUnderstoodError,
    has_no_effect,
    is_harmless,
    statements_of,
    without_await,
    without_try,
    without_unused,
)
from quire.customisations.value_expressions import ObjectLiteral, Or, Parameter, WholeQuery
from quire.javascript.scope import Module
from quire.javascript.syntax import (
    Assign,
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
    Pattern,
    Property,
    Return,
    Spread,
    Statement,
)

_PARAMETERS = frozenset(
    {"populate", "filters", "sort", "fields", "pagination", "status", "locale", "_q"}
)
_RESULT = frozenset({"data", "meta"})
_READ_ACTIONS = frozenset({"find", "findOne"})
"""The core actions that ``findOne`` and own actions may call."""
_OTHER_CORE_ACTIONS = frozenset(CORE_ACTIONS) - {"findOne"}


def understand_middleware(module: Module) -> tuple[QueryStep, ...]:
    """Return the query changes of a module's middleware. Raises NotUnderstoodError."""
    exported = module.exported
    if not module.is_known or not isinstance(exported, Function):
        raise NotUnderstoodError("does not export a function alone")
    statements = without_try(statements_of(exported))
    scope = module
    if isinstance(exported.body, tuple):
        scope = module.inner(statements)
        statements = [statement for statement in statements if not is_harmless(statement)]
    match statements:
        case [*declarations, Return(value)] if value is not None:
            if not all(isinstance(statement, Declaration) for statement in declarations):
                raise NotUnderstoodError("does something before it returns the handler")
            handler = scope.followed(value)
        case _:
            raise NotUnderstoodError("does not return a handler")
    if not isinstance(handler, Function):
        raise NotUnderstoodError("does not return a function")
    return understand_inline_middleware(scope, handler)


def understand_inline_middleware(module: Module, handler: Function) -> tuple[QueryStep, ...]:
    """Return the query changes of ``(ctx, next) => …``. Raises NotUnderstoodError."""
    match handler.parameters:
        case (Name(ctx), Name(following)):
            values = RequestValues(module, ctx, frozenset({following, "super"}))
            statements = without_try(statements_of(handler))
            return _Interpreter(values, next_name=following).run(statements)
        case _:
            raise NotUnderstoodError("is not a function of ctx and next")


def understand_action(
    module: Module, action: str, function: Function
) -> tuple[str, tuple[QueryStep, ...]]:
    """Return the core action that an action ends with, and its query changes.

    Raises NotUnderstoodError.
    """
    match function.parameters:
        case (Name(ctx), *_):
            values = RequestValues(module, ctx, frozenset({"super"}))
            actions = _READ_ACTIONS if action not in _OTHER_CORE_ACTIONS else frozenset({action})
            interpreter = _Interpreter(values, actions=actions)
            steps = interpreter.run(without_try(statements_of(function)))
            return interpreter.core or action, steps
        case _:
            raise NotUnderstoodError("is not a function of ctx")


class _Interpreter(Struct):
    """Analyses the statements of a handler, and collects its query changes.

    ``next_name`` is the parameter that a middleware calls to go on, ``actions`` the methods of
    ``super`` that an action may call, and ``core`` the one that it calls.
    """

    values: RequestValues
    next_name: str | None = None
    actions: frozenset[str] = frozenset()
    core: str | None = None
    response: str | None = None
    """The variable with the response of the core."""
    has_response_parts: bool = False
    has_gone_on: bool = False

    def run(self, statements: Sequence[Statement]) -> tuple[QueryStep, ...]:
        statements = without_unused(statements, self.values.ctx)
        constants = [statement for statement in statements if not self._is_symbolic(statement)]
        self.values.module = self.values.module.inner(constants)
        steps = self._block(statements, is_branch=False)
        if not self.has_gone_on:
            raise NotUnderstoodError("does not always go on to the next handler")
        return steps

    def _is_symbolic(self, statement: Statement) -> bool:
        if not isinstance(statement, Declaration):
            return False
        return self.values.mentions_request(statement.value)

    def _block(self, statements: Sequence[Statement], *, is_branch: bool) -> tuple[QueryStep, ...]:
        """Return the changes of statements; a branch may only change the query."""
        steps: list[QueryStep] = []
        for index, statement in enumerate(statements):
            if self.has_gone_on and not self._is_after(statement):
                raise NotUnderstoodError("does something after the response of the core")
            if is_harmless(statement):
                continue
            match statement:
                case Evaluate(Assign(operator, target, value)):
                    steps.append(self._assignment(operator, target, value))
                case If(test, (Return(value),), ()) if (
                    not is_branch and value is not None and self._goes_on(value)
                ):
                    following_steps = self._block(statements[index + 1 :], is_branch=False)
                    steps.append(QueryBranch(self.values.value(test), (), following_steps))
                    break
                case If(test, then, ()) if (
                    response := error_response(self.values, then)
                ) is not None:
                    steps.append(QueryBranch(self.values.value(test), (response,)))
                case If(test, then, otherwise):
                    condition = self.values.value(test)
                    then_steps = self._block(then, is_branch=True)
                    else_steps = self._block(otherwise, is_branch=True)
                    steps.append(QueryBranch(condition, then_steps, else_steps))
                case _ if is_branch:
                    raise NotUnderstoodError(UNKNOWN_CODE)
                case _:
                    self._statement(statement)
        return tuple(steps)

    def _is_after(self, statement: Statement) -> bool:
        """Whether a statement is allowed after the call of the core."""
        return isinstance(statement, Return) or is_harmless(statement)

    def _statement(self, statement: Statement) -> None:
        match statement:
            case Declaration(target, value):
                self._declaration(target, value)
            case Evaluate(value) if self._goes_on(value):
                self.has_gone_on = True
            case Return(value):
                self._return(value)
            case _:
                raise NotUnderstoodError(UNKNOWN_CODE)

    def _declaration(self, target: Pattern, value: Expression) -> None:
        if self._goes_on(value):
            self.has_gone_on = True
            self._response(target)
        elif isinstance(target, Name) and self.values.mentions_request(value):
            self.values.declare(target.text, value)
        elif isinstance(target, ObjectPattern):
            self.values.declare_parts(target, value)
        elif not isinstance(target, Name) or not has_no_effect(value):
            raise NotUnderstoodError(UNKNOWN_CODE)

    def _response(self, target: Pattern) -> None:
        """Add the variables with the response of the core."""
        match target:
            case Name(name):
                self.response = name
            case ObjectPattern(names) if dict(names) == {part: part for part in _RESULT}:
                self.has_response_parts = True
            case _:
                raise NotUnderstoodError("takes the response apart")

    def _assignment(self, operator: str, target: Expression, value: Expression) -> QueryChange:
        name = self._target(target)
        if name is not None and name not in _PARAMETERS:
            raise NotUnderstoodError(f"sets ctx.query.{name}")
        result = self.values.value(value)
        if operator in {"??=", "||="} and name is not None:
            result = Or(Parameter(name), result, only_missing=operator == "??=")
        elif operator != "=":
            raise NotUnderstoodError(UNKNOWN_CODE)
        if name is None and not isinstance(result, ObjectLiteral):
            raise NotUnderstoodError("replaces the query by a computed value")
        return QueryChange(name, result)

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
        results = {
            member.key
            for member in members
            if isinstance(member, Property) and self._is_part_of_response(member)
        }
        return results == _RESULT and len(members) == len(_RESULT)

    def _is_part_of_response(self, member: Property) -> bool:
        match member.value:
            case Name(name):
                return self.has_response_parts and name == member.key
            case Member(Name(name), str() as key):
                return name == self.response and key == member.key
            case _:
                return False

    def _goes_on(self, value: Expression) -> bool:
        """Whether an expression is the call of the core."""
        match without_await(value):
            case Call(Name(name), ()):
                return name == self.next_name
            case Call(Member(Name("super"), str() as name), (Name(ctx), *_)):
                is_core = name in self.actions and ctx == self.values.ctx
                self.core = name if is_core else self.core
                return is_core
            case _:
                return False

    def _is_query(self, value: Expression) -> bool:
        return isinstance(self.values.symbol(value), WholeQuery)
