"""Evaluates functions: statements in order, with JavaScript's conversions.

Asynchronous calls run at once, one after the other, which is one of the possible orders. Steps are
counted, so that no code runs forever.
"""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import ClassVar

from quire.javascript.interpreter.methods import call_method, property_of
from quire.javascript.interpreter.operators import operate, type_name
from quire.javascript.interpreter.packages import PACKAGES
from quire.javascript.interpreter.scopes import Closure, Constants, Frame, VariableScope
from quire.javascript.interpreter.values import (
    CallableObject,
    DateValue,
    ErrorValue,
    HostFunction,
    HostObject,
    Promise,
    ThrownError,
    UnsupportedError,
    is_nullish,
    is_truthy,
    key_of,
    number,
    number_of,
    own_keys,
    text_of,
    type_error,
)
from quire.javascript.scope import UNDEFINED, Module, NotPlainError
from quire.javascript.syntax import (
    Array,
    ArrayPattern,
    Assign,
    Binary,
    Call,
    Conditional,
    Declaration,
    Destructuring,
    Evaluate,
    Expression,
    ForOf,
    Function,
    Getter,
    If,
    Jump,
    Literal,
    Loop,
    Member,
    Name,
    Object,
    ObjectPattern,
    Opaque,
    OptionalCall,
    Pattern,
    Regex,
    RestParameter,
    Return,
    Spread,
    Statement,
    Switch,
    Template,
    Throw,
    Try,
    Unary,
    Update,
    WithDefault,
)

_MAX_STEPS = 300_000
_MAX_DEPTH = 40
_STEPS_BETWEEN_PAUSES = 2_000


class _ReturnSignal:
    """A function has returned."""

    __slots__ = ("value",)

    def __init__(self, value: object) -> None:
        self.value = value


_BREAK, _CONTINUE = object(), object()
_CHAIN_ENDED = object()
"""A chain of members that ended early, at a missing value."""


class Machine:
    """Evaluates functions for one request.

    ``names`` are global values, including ``strapi``; ``packages`` can be imported. ``pause`` is
    awaited now and then, so that slow code does not block others.
    """

    def __init__(
        self,
        names: Mapping[str, object],
        pause: Callable[[], Awaitable[None]] | None = None,
        packages: Mapping[str, HostObject] = PACKAGES,
    ) -> None:
        self._names = names
        self._packages = packages
        self._pause = pause
        self._next_pause = _STEPS_BETWEEN_PAUSES
        self._constants = Constants()
        self._steps = 0
        self._depth = 0

    # Functions

    def scope_of(self, module: Module) -> VariableScope:
        """Return the scope of a module's functions."""
        return VariableScope(module, None, {})

    async def evaluate(self, expression: Expression, scope: VariableScope, frame: Frame) -> object:
        """Return the value of an expression. Raises ThrownError, UnsupportedError."""
        return await self._value(expression, scope, frame)

    async def call(self, function: object, arguments: Sequence[object], this: object) -> object:
        """Call a function of the code or of the server. Raises ThrownError, UnsupportedError."""
        if isinstance(function, CallableObject):
            function = function.function
        if isinstance(function, HostFunction):
            return await self._call_host(function, arguments)
        if not isinstance(function, Closure):
            raise UnsupportedError("calls something that is no function")
        if self._depth >= _MAX_DEPTH:
            raise UnsupportedError("calls too deep")
        self._depth += 1
        try:
            if not function.function.is_async:
                return await self._run(function, arguments, this)
            return Promise(settled(await self._run(function, arguments, this)))
        except ThrownError as error:
            if not function.function.is_async:
                raise
            return Promise(error=error)
        finally:
            self._depth -= 1

    async def _call_host(self, function: HostFunction, arguments: Sequence[object]) -> object:
        if not function.is_async:
            return await function.call(list(arguments))
        try:
            return Promise(await function.call(list(arguments)))
        except ThrownError as error:
            return Promise(error=error)

    async def _run(self, closure: Closure, arguments: Sequence[object], this: object) -> object:
        function = closure.function
        scope = VariableScope(closure.scope.module, closure.scope, {})
        frame = Frame(closure.this if function.is_arrow else this, closure.home)
        for index, parameter in enumerate(function.parameters):
            if isinstance(parameter, RestParameter):
                await self._bind(parameter.target, [*arguments[index:]], scope, frame)
                continue
            value = arguments[index] if index < len(arguments) else UNDEFINED
            await self._bind(parameter, value, scope, frame)
        if isinstance(function.body, tuple):
            completion = await self._statements(function.body, scope, frame)
            return completion.value if isinstance(completion, _ReturnSignal) else UNDEFINED
        return await self._value(function.body, scope, frame)

    # Statements

    async def _statements(
        self, statements: Sequence[Statement], scope: VariableScope, frame: Frame
    ) -> object:
        for statement in statements:
            if isinstance(statement, Declaration) and isinstance(statement.value, Function):
                await self._declare(statement, scope, frame)
        for statement in statements:
            self._count()
            if self._steps >= self._next_pause and self._pause is not None:
                self._next_pause = self._steps + _STEPS_BETWEEN_PAUSES
                await self._pause()
            run = self._STATEMENTS.get(type(statement))
            if run is None:
                raise UnsupportedError(f"a statement of the kind {type(statement).__name__}")
            completion = await run(self, statement, scope, frame)
            if completion is not None:
                return completion
        return None

    def _count(self) -> None:
        self._steps += 1
        if self._steps > _MAX_STEPS:
            raise UnsupportedError("runs for too long")

    async def _declare(self, statement: Declaration, scope: VariableScope, frame: Frame) -> object:
        value = statement.value
        result = UNDEFINED if _is_absent(value) else await self._value(value, scope, frame)
        await self._bind(statement.target, result, scope, frame)
        return None

    async def _evaluate(self, statement: Evaluate, scope: VariableScope, frame: Frame) -> object:
        await self._value(statement.expression, scope, frame)
        return None

    async def _return(self, statement: Return, scope: VariableScope, frame: Frame) -> object:
        value = statement.value
        return _ReturnSignal(UNDEFINED if value is None else await self._value(value, scope, frame))

    async def _if(self, statement: If, scope: VariableScope, frame: Frame) -> object:
        test = is_truthy(await self._value(statement.test, scope, frame))
        branch = statement.then if test else statement.otherwise
        return await self._statements(branch, scope.inner(), frame)

    async def _throw(self, statement: Throw, scope: VariableScope, frame: Frame) -> object:
        raise ThrownError(await self._value(statement.value, scope, frame))

    async def _try(self, statement: Try, scope: VariableScope, frame: Frame) -> object:
        try:
            completion = await self._statements(statement.body, scope.inner(), frame)
        except ThrownError as error:
            if not statement.handler and statement.caught is None and statement.finalizer:
                final = await self._statements(statement.finalizer, scope.inner(), frame)
                if final is not None:
                    return final
                raise
            completion = await self._catch(statement, error, scope, frame)
        final = await self._statements(statement.finalizer, scope.inner(), frame)
        return completion if final is None else final

    async def _catch(
        self, statement: Try, error: ThrownError, scope: VariableScope, frame: Frame
    ) -> object:
        inner = scope.inner()
        if statement.caught is not None:
            await self._bind(statement.caught, error.value, inner, frame)
        try:
            return await self._statements(statement.handler, inner, frame)
        except ThrownError:
            final = await self._statements(statement.finalizer, scope.inner(), frame)
            if final is not None:
                return final
            raise

    async def _for_of(self, statement: ForOf, scope: VariableScope, frame: Frame) -> object:
        items = await self._value(statement.items, scope, frame)
        if statement.of_keys:
            if not isinstance(items, dict):
                raise UnsupportedError("goes through the keys of something else than an object")
            items = list(own_keys(items))
        for item in iterated(items):
            inner = scope.inner()
            await self._bind(statement.target, item, inner, frame)
            completion = await self._statements(statement.body, inner, frame)
            if completion is _BREAK:
                break
            if isinstance(completion, _ReturnSignal):
                return completion
        return None

    async def _loop(self, statement: Loop, scope: VariableScope, frame: Frame) -> object:
        outer = scope.inner()
        await self._statements(statement.start, outer, frame)
        while statement.test is None or is_truthy(await self._value(statement.test, outer, frame)):
            self._count()
            completion = await self._statements(statement.body, outer.inner(), frame)
            if completion is _BREAK:
                break
            if isinstance(completion, _ReturnSignal):
                return completion
            if statement.step is not None:
                await self._value(statement.step, outer, frame)
        return None

    async def _switch(self, statement: Switch, scope: VariableScope, frame: Frame) -> object:
        value = await self._value(statement.value, scope, frame)
        start = None
        for index, (test, _) in enumerate(statement.cases):
            if test is None:
                continue
            if operate("===", value, await self._value(test, scope, frame)):
                start = index
                break
        else:
            default_indexes = [
                index for index, (test, _) in enumerate(statement.cases) if test is None
            ]
            start = default_indexes[0] if default_indexes else None
        if start is None:
            return None
        inner = scope.inner()
        for _, statements in statement.cases[start:]:
            completion = await self._statements(statements, inner, frame)
            if completion is _BREAK:
                return None
            if completion is not None:
                return completion
        return None

    async def _jump(self, statement: Jump, _scope: VariableScope, _frame: Frame) -> object:
        return _BREAK if statement.word == "break" else _CONTINUE

    _STATEMENTS: ClassVar[Mapping[type, Callable[..., Awaitable[object]]]] = {
        Declaration: _declare,
        Evaluate: _evaluate,
        Return: _return,
        If: _if,
        Throw: _throw,
        Try: _try,
        ForOf: _for_of,
        Loop: _loop,
        Switch: _switch,
        Jump: _jump,
    }

    # Patterns

    async def _bind(
        self, target: Pattern, value: object, scope: VariableScope, frame: Frame
    ) -> None:
        match target:
            case Name(name):
                scope.declare(name, value)
            case ObjectPattern(names):
                for key, variable in names:
                    scope.declare(variable, self.member(value, key))
            case ArrayPattern(names):
                items = iterated(value)
                for index, variable in enumerate(names):
                    scope.declare(variable, items[index] if index < len(items) else UNDEFINED)
            case WithDefault():
                if value is UNDEFINED:
                    value = await self._value(target.default, scope, frame)
                await self._bind(target.target, value, scope, frame)
            case Destructuring():
                await self._destructure(target, value, scope, frame)
            case _:
                raise UnsupportedError("takes a value apart in a way that is not known")

    async def _destructure(
        self, target: Destructuring, value: object, scope: VariableScope, frame: Frame
    ) -> None:
        if is_nullish(value):
            raise type_error(f"Cannot destructure '{text_of(value)}'")
        for key, inner in target.members:
            await self._bind(inner, self.member(value, key), scope, frame)
        if target.rest is None:
            return
        if not isinstance(value, dict):
            raise UnsupportedError("the rest of something else than an object")
        named_keys = {key for key, _ in target.members}
        rest = {key: value[key] for key in own_keys(value) if key not in named_keys}
        await self._bind(target.rest, rest, scope, frame)

    # Expressions

    async def _value(self, expression: Expression, scope: VariableScope, frame: Frame) -> object:
        self._count()
        make = self._EXPRESSIONS.get(type(expression))
        if make is None:
            raise UnsupportedError(f"an expression of the kind {type(expression).__name__}")
        result = await make(self, expression, scope, frame)
        return UNDEFINED if result is _CHAIN_ENDED else result

    async def _literal(self, expression: Literal, _scope: VariableScope, _frame: Frame) -> object:
        return expression.value

    async def _regex(self, expression: Regex, _scope: VariableScope, _frame: Frame) -> object:
        return expression

    async def _name(self, expression: Name, scope: VariableScope, frame: Frame) -> object:
        name = expression.text
        if name == "undefined":
            return UNDEFINED
        if name == "this":
            return frame.this
        if name == "super":
            return frame.home
        result = scope.find(name)
        if result is not None:
            return result.value(name)
        return await self._constant(scope.module, name)

    async def _constant(self, module: Module, name: str) -> object:
        """Return the value of a name in a module or the globals."""
        is_known, value = self._constants.constant(module, name)
        if is_known:
            return value
        if name in module.bindings:
            value = await self._value(
                module.bindings[name], self.scope_of(module), Frame(UNDEFINED, UNDEFINED)
            )
        elif name in module.imports:
            value = await self._import_value(module, name)
        elif name in self._names:
            return self._names[name]
        elif name == "require":
            return HostFunction(self._require)
        else:
            raise UnsupportedError(f"{name}, which is not known")
        self._constants.keep(module, name, value)
        return value

    async def _import_value(self, module: Module, name: str) -> object:
        origin, imported_name = module.imports[name]
        package = self._packages.get(origin)
        if package is not None:
            return package if imported_name in {"*", "default"} else package.member(imported_name)
        try:
            other, inner = module.imported(name)
        except NotPlainError:
            raise UnsupportedError(f"{name}, which is not known") from None
        return await self._value(inner, self.scope_of(other), Frame(UNDEFINED, UNDEFINED))

    async def _require(self, arguments: Sequence[object]) -> object:
        """Return a package. Raises UnsupportedError for an unknown one."""
        package = (
            self._packages.get(arguments[0])
            if arguments and isinstance(arguments[0], str)
            else None
        )
        if package is None:
            raise UnsupportedError("a package that is not known")
        return package

    async def _template(self, expression: Template, scope: VariableScope, frame: Frame) -> object:
        parts = [
            part if isinstance(part, str) else text_of(await self._value(part, scope, frame))
            for part in expression.parts
        ]
        return "".join(parts)

    async def _object(self, expression: Object, scope: VariableScope, frame: Frame) -> object:
        members: dict[str, object] = {}
        for member in expression.members:
            if isinstance(member, Spread):
                members |= spread(await self._value(member.value, scope, frame))
                continue
            key = member.key
            if not isinstance(key, str):
                key = key_of(await self._value(key, scope, frame))
            members[key_of(key)] = await self._value(member.value, scope, frame)
        return members

    async def _array(self, expression: Array, scope: VariableScope, frame: Frame) -> object:
        return await self._values(expression.items, scope, frame)

    async def _values(
        self, items: Sequence[Expression], scope: VariableScope, frame: Frame
    ) -> list[object]:
        values: list[object] = []
        for item in items:
            if isinstance(item, Spread):
                values += iterated(await self._value(item.value, scope, frame))
            else:
                values.append(await self._value(item, scope, frame))
        return values

    async def _function(self, expression: Function, scope: VariableScope, frame: Frame) -> object:
        return Closure(expression, scope, frame.this, frame.home)

    async def _getter(self, expression: Getter, scope: VariableScope, frame: Frame) -> object:
        """Return the value of a getter; checked code has none, except for lists of routes."""
        closure = Closure(expression.function, scope, frame.this, frame.home)
        return await self.call(closure, (), frame.this)

    async def _conditional(
        self, expression: Conditional, scope: VariableScope, frame: Frame
    ) -> object:
        test = is_truthy(await self._value(expression.test, scope, frame))
        return await self._value(expression.then if test else expression.otherwise, scope, frame)

    async def _binary(self, expression: Binary, scope: VariableScope, frame: Frame) -> object:
        left = await self._value(expression.left, scope, frame)
        match expression.operator:
            case "||":
                return (
                    left if is_truthy(left) else await self._value(expression.right, scope, frame)
                )
            case "&&":
                return (
                    await self._value(expression.right, scope, frame) if is_truthy(left) else left
                )
            case "??":
                if not is_nullish(left):
                    return left
                return await self._value(expression.right, scope, frame)
            case "instanceof":
                return self._is_instance(left, expression.right)
            case operator:
                return operate(operator, left, await self._value(expression.right, scope, frame))

    def _is_instance(self, value: object, class_name: Expression) -> bool:
        match class_name:
            case Name("Error"):
                return isinstance(value, ErrorValue)
            case Name("Date"):
                return isinstance(value, DateValue)
            case Name("Array"):
                return isinstance(value, list)
            case _:
                raise UnsupportedError("instanceof")

    async def _unary(self, expression: Unary, scope: VariableScope, frame: Frame) -> object:
        operator, operand = expression.operator, expression.operand
        if operator in {"++", "--"}:
            return await self._step(operand, operator, scope, frame, is_prefix=True)
        if operator == "delete":
            return await self._delete(operand, scope, frame)
        value = await self._value(operand, scope, frame)
        match operator:
            case "await":
                return settled(value)
            case "!":
                return not is_truthy(value)
            case "-":
                return number(-number_of(value))
            case "+":
                return number(number_of(value))
            case "typeof":
                return "function" if isinstance(value, Closure) else type_name(value)
            case "void":
                return UNDEFINED
            case "()":
                return value
            case _:
                raise UnsupportedError(f"the operator {operator}")

    async def _delete(self, operand: Expression, scope: VariableScope, frame: Frame) -> bool:
        if not isinstance(operand, Member):
            raise UnsupportedError("the operator delete")
        target = await self._value(operand.object, scope, frame)
        if is_nullish(target):
            raise type_error("Cannot convert undefined or null to object")
        if not isinstance(target, dict):
            raise UnsupportedError("the operator delete")
        self._constants.require_own(target)
        target.pop(await self._key(operand, scope, frame), None)
        return True

    async def _update(self, expression: Update, scope: VariableScope, frame: Frame) -> object:
        return await self._step(
            expression.target, expression.operator, scope, frame, is_prefix=False
        )

    async def _step(
        self,
        target: Expression,
        operator: str,
        scope: VariableScope,
        frame: Frame,
        *,
        is_prefix: bool,
    ) -> object:
        old_value = number(number_of(await self._value(target, scope, frame)))
        new_value = number(old_value + (1 if operator == "++" else -1))
        await self._assign_to(target, new_value, scope, frame)
        return new_value if is_prefix else old_value

    # Members and calls

    async def _member(self, expression: Member, scope: VariableScope, frame: Frame) -> object:
        value = await self._chain_object(expression.object, scope, frame)
        if value is _CHAIN_ENDED or (expression.is_optional and is_nullish(value)):
            return _CHAIN_ENDED
        return self.member(value, await self._key(expression, scope, frame))

    async def _chain_object(
        self, expression: Expression, scope: VariableScope, frame: Frame
    ) -> object:
        """Return the object of a member or a call, or that the chain ended early."""
        if isinstance(expression, Member):
            self._count()
            return await self._member(expression, scope, frame)
        if isinstance(expression, Call):
            self._count()
            return await self._call(expression, scope, frame)
        if isinstance(expression, OptionalCall):
            return await self._optional_call(expression, scope, frame)
        return await self._value(expression, scope, frame)

    async def _key(self, expression: Member, scope: VariableScope, frame: Frame) -> str:
        if isinstance(expression.key, str):
            return expression.key
        return key_of(await self._value(expression.key, scope, frame))

    def member(self, value: object, key: str) -> object:
        """Return a member of a value. Raises ThrownError, UnsupportedError."""
        if is_nullish(value):
            raise type_error(f"Cannot read properties of {text_of(value)} (reading '{key}')")
        if isinstance(value, HostObject):
            return value.member(key)
        return property_of(value, key)

    async def _call(self, expression: Call, scope: VariableScope, frame: Frame) -> object:
        callee = expression.callee
        if expression.is_new:
            return await self._construct(expression, scope, frame)
        if not isinstance(callee, Member):
            function = await self._chain_object(callee, scope, frame)
            if function is _CHAIN_ENDED:
                return _CHAIN_ENDED
            arguments = await self._values(expression.arguments, scope, frame)
            return await self._call_value(function, arguments, UNDEFINED)
        receiver = await self._chain_object(callee.object, scope, frame)
        if receiver is _CHAIN_ENDED or (callee.is_optional and is_nullish(receiver)):
            return _CHAIN_ENDED
        key = await self._key(callee, scope, frame)
        if is_nullish(receiver):
            raise type_error(f"Cannot read properties of {text_of(receiver)} (reading '{key}')")
        this = frame.this if callee.object == Name("super") else receiver
        return await self._call_member(receiver, key, expression.arguments, this, scope, frame)

    async def _call_member(
        self,
        receiver: object,
        key: str,
        arguments: Sequence[Expression],
        this: object,
        scope: VariableScope,
        frame: Frame,
    ) -> object:
        if isinstance(receiver, HostObject):
            function = receiver.member(key)
            values = await self._values(arguments, scope, frame)
            return await self._call_value(function, values, this)
        if isinstance(receiver, dict) and key in receiver:
            values = await self._values(arguments, scope, frame)
            return await self._call_value(receiver[key], values, this)
        values = await self._values(arguments, scope, frame)
        return await call_method(self, receiver, key, values)

    async def _call_value(
        self, function: object, arguments: Sequence[object], this: object
    ) -> object:
        if function is UNDEFINED or function is None:
            raise type_error("is not a function")
        return await self.call(function, arguments, this)

    async def _optional_call(
        self, expression: OptionalCall, scope: VariableScope, frame: Frame
    ) -> object:
        callee = expression.callee
        this: object = UNDEFINED
        if isinstance(callee, Member):
            this = await self._chain_object(callee.object, scope, frame)
            if this is _CHAIN_ENDED or (callee.is_optional and is_nullish(this)):
                return _CHAIN_ENDED
            if not isinstance(this, dict | HostObject):
                raise UnsupportedError("an optional call of a method")
            function = self.member(this, await self._key(callee, scope, frame))
        else:
            function = await self._value(callee, scope, frame)
        if is_nullish(function):
            return _CHAIN_ENDED
        arguments = await self._values(expression.arguments, scope, frame)
        return await self.call(function, arguments, this)

    async def _construct(self, expression: Call, scope: VariableScope, frame: Frame) -> object:
        function = await self._value(expression.callee, scope, frame)
        arguments = await self._values(expression.arguments, scope, frame)
        if not isinstance(function, HostObject):
            raise UnsupportedError("makes an object of a class of its own")
        return await self.call(function.member("new"), arguments, UNDEFINED)

    # Assignments

    async def _assign(self, expression: Assign, scope: VariableScope, frame: Frame) -> object:
        operator, target = expression.operator, expression.target
        if operator == "=":
            value = await self._value(expression.value, scope, frame)
            await self._assign_to(target, value, scope, frame)
            return value
        old_value = await self._value(target, scope, frame)
        if operator in {"??=", "||=", "&&="}:
            is_kept = {
                "??=": not is_nullish(old_value),
                "||=": is_truthy(old_value),
                "&&=": not is_truthy(old_value),
            }[operator]
            if is_kept:
                return old_value
            value = await self._value(expression.value, scope, frame)
        else:
            operand = await self._value(expression.value, scope, frame)
            value = operate(operator[:-1], old_value, operand)
        await self._assign_to(target, value, scope, frame)
        return value

    async def _assign_to(
        self, target: Expression, value: object, scope: VariableScope, frame: Frame
    ) -> None:
        match target:
            case Name(name):
                result = scope.find(name)
                if result is None:
                    raise UnsupportedError("assigns to what requests share")
                result.declare(name, value)
            case Member():
                target_object = await self._value(target.object, scope, frame)
                self._set(target_object, await self._key(target, scope, frame), value)
            case _:
                raise UnsupportedError("assigns in a way that is not known")

    def _set(self, target: object, key: str, value: object) -> None:
        if is_nullish(target):
            raise type_error(f"Cannot set properties of {text_of(target)} (setting '{key}')")
        self._constants.require_own(target)
        match target:
            case HostObject() | ErrorValue():
                target.assign(key, value)
            case dict():
                target[key] = value
            case list() if key.isdigit() and int(key) <= len(target):
                target[int(key) : int(key) + 1] = [value]
            case _:
                raise UnsupportedError("sets a member of something else than an object")

    def require_own(self, value: object) -> None:
        """Check that code does not change what requests share. Raises UnsupportedError."""
        self._constants.require_own(value)

    _EXPRESSIONS: ClassVar[Mapping[type, Callable[..., Awaitable[object]]]] = {
        Literal: _literal,
        Template: _template,
        Name: _name,
        Member: _member,
        Call: _call,
        OptionalCall: _optional_call,
        Object: _object,
        Array: _array,
        Unary: _unary,
        Update: _update,
        Binary: _binary,
        Conditional: _conditional,
        Assign: _assign,
        Function: _function,
        Getter: _getter,
        Regex: _regex,
    }


def _is_absent(value: Expression) -> bool:
    return type(value) is Opaque and not value.names


def settled(value: object) -> object:
    """Return the result of ``await value``. Raises ThrownError."""
    while isinstance(value, Promise):
        value = value.settled()
    return value


def iterated(value: object) -> list[object]:
    """Return the items of an iteration over a value. Raises ThrownError, UnsupportedError."""
    if isinstance(value, list):
        return [*value]
    if isinstance(value, str):
        return [*value]
    if is_nullish(value):
        raise type_error(f"{text_of(value)} is not iterable")
    items = getattr(value, "items", None)
    if isinstance(items, list):
        return [*items]
    raise UnsupportedError("goes through something else than a list")


def spread(value: object) -> dict[str, object]:
    """Return the members of spreading a value into an object."""
    if isinstance(value, dict):
        return {key: value[key] for key in own_keys(value)}
    if isinstance(value, list | str):
        return {str(index): item for index, item in enumerate(value)}
    if is_nullish(value) or isinstance(value, bool | int | float):
        return {}
    raise UnsupportedError("spreads something else than an object")
