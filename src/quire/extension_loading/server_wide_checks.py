"""Checks declarations without a content type, such as filter operators."""

import inspect
import re
from collections.abc import Callable, Collection, Iterator, Mapping
from types import MappingProxyType
from typing import Any, Protocol

import msgspec
from msgspec.structs import replace

from quire.database.compile.custom_operators import try_condition
from quire.database.dialect import Dialect
from quire.database.dialects.postgresql.dialect import PostgresDialect
from quire.database.dialects.sqlite.dialect import SqliteDialect
from quire.extension_loading.attribute_types import AttributeTypeCheck
from quire.extension_loading.module_import import ExtensionProblem, line_of
from quire.hooks.attribute_types import AttributeTypeMark
from quire.hooks.errors import nearest
from quire.hooks.operators import CustomOperator, OperandField, OperatorMark
from quire.hooks.registry import Extensions
from quire.hooks.storage_backends import (
    CustomStorageBackend,
    StorageBackend,
    StorageBackendMark,
)
from quire.hooks.strategies_and_middlewares import (
    AsgiMiddleware,
    AsgiMiddlewareMark,
    AuthStrategy,
    AuthStrategyMark,
)
from quire.schema.attributes import ATTRIBUTE_TYPES
from quire.schema.model import Schema
from quire.settings import STORAGE_NAME

_NAME = re.compile(r"\$[a-z][a-zA-Z0-9]*(_[a-zA-Z0-9]+)+")
_PARAMETERS = 2
_DIALECTS: tuple[Callable[[], Dialect], ...] = (SqliteDialect, PostgresDialect)
_SCALARS: tuple[tuple[type[msgspec.inspect.Type], type], ...] = (
    (msgspec.inspect.StrType, str),
    (msgspec.inspect.BoolType, bool),
    (msgspec.inspect.IntType, int),
    (msgspec.inspect.FloatType, float),
)


class OperatorCheck:
    """The check of the operators of a project, and its problems."""

    def __init__(self) -> None:
        self.problems: list[ExtensionProblem] = []
        self.operators: dict[str, CustomOperator] = {}

    def check_types(self, custom: Collection[str]) -> None:
        """Check the attribute types of operators; ``custom`` are those of the code."""
        known_types = _compared_types() | {*custom}
        for operator in self.operators.values():
            for type_name in sorted(operator.on - known_types):
                message = (
                    f'unknown attribute type "{type_name}" in on{nearest(type_name, known_types)}'
                )
                mark_text = f'operator("{operator.name}")'
                place = operator.file, operator.line
                self.problems.append(ExtensionProblem(*place, f"{mark_text}: {message}"))

    def add(self, file: str, name: str, function: object, mark: OperatorMark) -> None:
        """Check one mark of a function."""
        line = line_of(function)
        problems = list(self._problems(name, function, mark))
        if not problems:
            operator = CustomOperator(
                name=mark.name,
                on=frozenset(mark.on),
                operand=mark.operand,
                fields=tuple(_fields(mark.operand)),
                function=function,  # type: ignore[arg-type]  # it was checked
                file=file,
                line=line,
            )
            other = self.operators.setdefault(operator.name, operator)
            if other is not operator:
                problems.append(f"{operator.name} is defined at {other.place} already")
            problems += _trial_problems(operator)
        mark_text = f'operator("{mark.name}")'
        self.problems += (
            ExtensionProblem(file, line, f"{mark_text}: {problem}") for problem in problems
        )

    def _problems(self, name: str, function: object, mark: OperatorMark) -> Iterator[str]:
        if not isinstance(mark.name, str) or not _NAME.fullmatch(mark.name):
            yield 'the name must begin with $ and have an underscore, such as "$geo_within"'
        if (
            isinstance(mark.on, str)
            or not isinstance(mark.on, list | tuple | set)
            or not mark.on
            or not all(isinstance(type_name, str) for type_name in mark.on)
        ):
            yield f'on must be a list of attribute types, such as ["json"], not {mark.on!r}'
        if not inspect.isfunction(function) or inspect.iscoroutinefunction(function):
            yield f"{name} must be a plain function"
        elif len(inspect.signature(function).parameters) != _PARAMETERS:
            signature = f"{name}{inspect.signature(function)}"
            yield f"{signature} must take two arguments, the column and the operand"
        try:
            list(_fields(mark.operand))
        except TypeError as error:
            yield f"operand: {error}"


def _compared_types() -> frozenset[str]:
    return frozenset(
        name
        for name, type_ in ATTRIBUTE_TYPES.items()
        if type_.storage is not None and not type_.secret
    )


def _fields(operand: Any) -> Iterator[OperandField]:  # noqa: ANN401 - any annotation
    """Yield the bound values of an operand. Raises TypeError for a type that cannot be bound."""
    type_info = msgspec.inspect.type_info(operand)
    if not isinstance(type_info, msgspec.inspect.StructType):
        yield _field("", type_info)
        return
    if not type_info.fields:
        raise TypeError(f"{operand.__name__} has no fields")
    for field in type_info.fields:
        yield replace(_field(field.name, field.type), required=field.required)


def _field(name: str, type_info: msgspec.inspect.Type) -> OperandField:
    match type_info:
        case msgspec.inspect.UnionType(types=types):
            value_types = [
                type_ for type_ in types if not isinstance(type_, msgspec.inspect.NoneType)
            ]
            if len(value_types) == 1:
                return _field(name, value_types[0])
        case msgspec.inspect.ListType(item_type=item):
            item_field = _field(name, item)
            if not item_field.is_list:
                return OperandField(name=name, kind=item_field.kind, is_list=True)
        case msgspec.inspect.LiteralType(values=values) if all(
            isinstance(value, str) for value in values
        ):
            return OperandField(name=name, kind=str)
        case _:
            for scalar_type, kind in _SCALARS:
                if isinstance(type_info, scalar_type):
                    return OperandField(name=name, kind=kind)
    place = f"the field {name}" if name else "it"
    raise TypeError(f"{place} must be a str, int, float or bool, or a list of one of these")


def _trial_problems(operator: CustomOperator) -> Iterator[str]:
    """Compile the condition once for each database, to find errors."""
    for make in _DIALECTS:
        try:
            try_condition(operator, make())
        except Exception as error:  # noqa: BLE001 - whatever the function raises is reported
            yield f"fails when its condition is made: {type(error).__name__}: {error}"
            return


class AuthStrategyCheck:
    """The check of strategies, and its problems."""

    def __init__(self) -> None:
        self.problems: list[ExtensionProblem] = []
        self._strategies: list[AuthStrategy] = []

    @property
    def strategies(self) -> tuple[AuthStrategy, ...]:
        """All strategies in the order in which they are called."""
        return tuple(
            sorted(
                self._strategies,
                key=lambda strategy: (strategy.order, strategy.file, strategy.line),
            )
        )

    def add(self, file: str, name: str, function: object, mark: AuthStrategyMark) -> None:
        """Check one mark of a function."""
        problems = [*_order_problems(mark.order)]
        if not isinstance(mark.name, str) or not mark.name:
            problems.append(f"the name must be a text, not {mark.name!r}")
        elif any(strategy.name == mark.name for strategy in self._strategies):
            problems.append("there is a strategy of this name already")
        if not inspect.iscoroutinefunction(function):
            problems.append(f"{name} must be an async def")
        elif _count_required(function) != 1:
            problems.append(
                f"{name}{inspect.signature(function)} must take one argument, the request"
            )
        line = line_of(function)
        mark_text = f'auth_strategy("{mark.name}")'
        self.problems += (
            ExtensionProblem(file, line, f"{mark_text}: {problem}") for problem in problems
        )
        if not problems:
            self._strategies.append(
                AuthStrategy(
                    name=mark.name,
                    order=mark.order,
                    function=function,  # type: ignore[arg-type]  # it was checked
                    file=file,
                    line=line,
                )
            )


class AsgiMiddlewareCheck:
    """The check of middlewares, and its problems."""

    def __init__(self) -> None:
        self.problems: list[ExtensionProblem] = []
        self._middlewares: list[AsgiMiddleware] = []

    @property
    def middlewares(self) -> tuple[AsgiMiddleware, ...]:
        """All middlewares, the outermost first."""
        return tuple(
            sorted(
                self._middlewares,
                key=lambda middleware: (middleware.order, middleware.file, middleware.line),
            )
        )

    def add(self, file: str, name: str, decorated: object, mark: AsgiMiddlewareMark) -> None:
        """Check one mark of a class or function."""
        problems = [*_order_problems(mark.order)]
        if inspect.iscoroutinefunction(decorated) or not callable(decorated):
            problems.append(f"{name} must be a class or a function that takes the application")
        elif _count_required(decorated) != 1:
            problems.append(f"{name} must take one argument, the application")
        elif isinstance(decorated, type) and "__call__" not in _members(decorated):
            problems.append(f"{name} must have a method __call__(self, scope, receive, send)")
        line = line_of(decorated)
        self.problems += (
            ExtensionProblem(file, line, f"asgi_middleware: {problem}") for problem in problems
        )
        if not problems:
            self._middlewares.append(
                AsgiMiddleware(
                    name=name,
                    order=mark.order,
                    wrap=decorated,  # type: ignore[arg-type]  # it was checked
                    file=file,
                    line=line,
                )
            )


class StorageBackendCheck:
    """The check of storage backends, with all problems that were found."""

    def __init__(self) -> None:
        self.problems: list[ExtensionProblem] = []
        self.backends: dict[str, CustomStorageBackend] = {}

    def add(self, file: str, name: str, decorated: object, mark: StorageBackendMark) -> None:
        """Check one mark of a class."""
        problems = list(self._problems(name, decorated, mark))
        line = line_of(decorated)
        mark_text = f'storage_backend("{mark.name}")'
        self.problems += (
            ExtensionProblem(file, line, f"{mark_text}: {problem}") for problem in problems
        )
        if not problems:
            self.backends[mark.name] = CustomStorageBackend(
                name=mark.name,
                backend=decorated,  # type: ignore[arg-type]  # it was checked
                file=file,
                line=line,
            )

    def _problems(self, name: str, class_: object, mark: StorageBackendMark) -> Iterator[str]:
        if not isinstance(mark.name, str) or not STORAGE_NAME.fullmatch(mark.name):
            yield f"the name must be small letters, digits and dashes, not {mark.name!r}"
        elif mark.name == "local":
            yield 'the name "local" is that of the folder for uploads'
        elif mark.name in self.backends:
            yield f"there is a storage backend of this name at {self.backends[mark.name].place}"
        if not isinstance(class_, type) or not issubclass(class_, StorageBackend):
            yield f"{name} must be a class that derives from quire.StorageBackend"
        else:
            yield from self._method_problems(name, class_)

    def _method_problems(self, name: str, class_: type[StorageBackend]) -> Iterator[str]:
        for method in sorted(class_.__abstractmethods__):
            yield f"{name} lacks the method {method}"
        for method in ("put", "delete", "version", "url"):
            if not inspect.iscoroutinefunction(getattr(class_, method)):
                yield f"{name}.{method} must be an async def"
        if inspect.iscoroutinefunction(class_.open):
            yield f"{name}.open must yield pieces of the file, or return an asynchronous iterator"
        if _count_required(class_):
            yield f"{name} is made without arguments: read its settings with quire.settings"


def _order_problems(order: object) -> Iterator[str]:
    if not isinstance(order, int) or isinstance(order, bool):
        yield f"order must be an integer, not {order!r}"


def _count_required(function: object) -> int:
    """Return the number of required arguments."""
    parameters = inspect.signature(function).parameters.values()  # type: ignore[arg-type]  # it is callable
    return sum(1 for parameter in parameters if parameter.default is parameter.empty)


def _members(class_: type) -> frozenset[str]:
    return frozenset(name for base in class_.__mro__[:-1] for name in vars(base))


class DeclarationMarkCheck(Protocol):
    """The check of all marks of one kind."""

    problems: list[ExtensionProblem]

    def add(self, file: str, name: str, function: object, mark: Any, /) -> None:  # noqa: ANN401 - of that kind
        """Check one mark of a function or class."""


class DeclarationCheck:
    """The checks of all kinds, and their problems."""

    def __init__(self, schema: Schema) -> None:
        self._attribute_types = AttributeTypeCheck(schema)
        self._operators = OperatorCheck()
        self._storage_backends = StorageBackendCheck()
        self._strategies, self._middlewares = AuthStrategyCheck(), AsgiMiddlewareCheck()
        self._checks: Mapping[type, DeclarationMarkCheck] = MappingProxyType(
            {
                AttributeTypeMark: self._attribute_types,
                OperatorMark: self._operators,
                AuthStrategyMark: self._strategies,
                AsgiMiddlewareMark: self._middlewares,
                StorageBackendMark: self._storage_backends,
            }
        )

    def accepts(self, mark: object) -> bool:
        """Tell whether a mark is of one of these kinds."""
        return type(mark) in self._checks

    def add(self, file: str, name: str, function: object, mark: object) -> None:
        """Check one mark of a function or class."""
        self._checks[type(mark)].add(file, name, function, mark)

    def finish(self, *, is_complete: bool) -> list[ExtensionProblem]:
        """Check what depends on all marks; returns all problems.

        Without ``is_complete`` some code could not be imported, which may define unknown types.
        """
        if is_complete:
            self._attribute_types.check_attributes()
            self._operators.check_types(self._attribute_types.types)
        return [problem for check in self._checks.values() for problem in check.problems]

    def added_to(self, extensions: Extensions) -> Extensions:
        """Return a snapshot with the checked declarations."""
        return replace(
            extensions,
            attribute_types=self._attribute_types.types,
            operators=self._operators.operators,
            strategies=self._strategies.strategies,
            middlewares=self._middlewares.middlewares,
            storage_backends=self._storage_backends.backends,
        )
