"""Checks functions that are marked as filter operators."""

import inspect
import re
from collections.abc import Callable, Collection, Iterator
from typing import Any

import msgspec
from msgspec.structs import replace

from quire.database.compile.custom_operators import try_condition
from quire.database.dialect import Dialect
from quire.database.dialects.postgresql.dialect import PostgresDialect
from quire.database.dialects.sqlite.dialect import SqliteDialect
from quire.extensions.modules import ExtensionProblem, line_of
from quire.hooks.errors import nearest
from quire.hooks.operators import CustomOperator, OperandField, OperatorMark
from quire.schema.attributes import ATTRIBUTE_TYPES

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
        known = _compared_types() | {*custom}
        for operator in self.operators.values():
            for one in sorted(operator.on - known):
                message = f'unknown attribute type "{one}" in on{nearest(one, known)}'
                at = f'operator("{operator.name}")'
                place = operator.file, operator.line
                self.problems.append(ExtensionProblem(*place, f"{at}: {message}"))

    def add(self, file: str, name: str, function: object, mark: OperatorMark) -> None:
        """Check one mark of a function."""
        line = line_of(function)
        found = list(self._problems(name, function, mark))
        if not found:
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
                found.append(f"{operator.name} is defined at {other.place} already")
            found += _trial_problems(operator)
        at = f'operator("{mark.name}")'
        self.problems += (ExtensionProblem(file, line, f"{at}: {one}") for one in found)

    def _problems(self, name: str, function: object, mark: OperatorMark) -> Iterator[str]:
        if not isinstance(mark.name, str) or not _NAME.fullmatch(mark.name):
            yield 'the name must begin with $ and have an underscore, such as "$geo_within"'
        if (
            isinstance(mark.on, str)
            or not isinstance(mark.on, list | tuple | set)
            or not mark.on
            or not all(isinstance(one, str) for one in mark.on)
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
        name for name, one in ATTRIBUTE_TYPES.items() if one.storage is not None and not one.secret
    )


def _fields(operand: Any) -> Iterator[OperandField]:  # noqa: ANN401 - any annotation
    """Yield the bound values of an operand. Raises TypeError for a type that cannot be bound."""
    described = msgspec.inspect.type_info(operand)
    if not isinstance(described, msgspec.inspect.StructType):
        yield _field("", described)
        return
    if not described.fields:
        raise TypeError(f"{operand.__name__} has no fields")
    for field in described.fields:
        yield replace(_field(field.name, field.type), required=field.required)


def _field(name: str, described: msgspec.inspect.Type) -> OperandField:
    match described:
        case msgspec.inspect.UnionType(types=types):
            others = [one for one in types if not isinstance(one, msgspec.inspect.NoneType)]
            if len(others) == 1:
                return _field(name, others[0])
        case msgspec.inspect.ListType(item_type=item):
            inner = _field(name, item)
            if not inner.is_list:
                return OperandField(name=name, kind=inner.kind, is_list=True)
        case msgspec.inspect.LiteralType(values=values) if all(isinstance(v, str) for v in values):
            return OperandField(name=name, kind=str)
        case _:
            for known, kind in _SCALARS:
                if isinstance(described, known):
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
