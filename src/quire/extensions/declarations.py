"""Checks what the code of a project adds to Quire's own tables, such as filter operators."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, Protocol

from msgspec.structs import replace

from quire.extensions.attribute_types import AttributeTypeCheck
from quire.extensions.modules import ExtensionProblem
from quire.extensions.operators import OperatorCheck
from quire.extensions.requests import AsgiMiddlewareCheck, AuthStrategyCheck
from quire.hooks.attribute_types import AttributeTypeMark
from quire.hooks.extensions import Extensions
from quire.hooks.operators import OperatorMark
from quire.hooks.requests import AsgiMiddlewareMark, AuthStrategyMark
from quire.schema.model import Schema


class MarkCheck(Protocol):
    """The check of all marks of one kind."""

    problems: list[ExtensionProblem]

    def add(self, file: str, name: str, function: object, mark: Any, /) -> None:  # noqa: ANN401 - of that kind
        """Check one mark of a function or class."""


class DeclarationCheck:
    """The checks of all kinds, with all problems that were found."""

    def __init__(self, schema: Schema) -> None:
        self._attribute_types = AttributeTypeCheck(schema)
        self._operators = OperatorCheck()
        self._strategies, self._middlewares = AuthStrategyCheck(), AsgiMiddlewareCheck()
        self._checks: Mapping[type, MarkCheck] = MappingProxyType(
            {
                AttributeTypeMark: self._attribute_types,
                OperatorMark: self._operators,
                AuthStrategyMark: self._strategies,
                AsgiMiddlewareMark: self._middlewares,
            }
        )

    def takes(self, mark: object) -> bool:
        """Tell whether a mark is of one of these kinds."""
        return type(mark) in self._checks

    def add(self, file: str, name: str, function: object, mark: object) -> None:
        """Check one mark of a function or class."""
        self._checks[type(mark)].add(file, name, function, mark)

    def finish(self) -> list[ExtensionProblem]:
        """Check what depends on all marks; returns everything that is wrong."""
        self._attribute_types.check_attributes()
        self._operators.check_types(self._attribute_types.types)
        return [problem for check in self._checks.values() for problem in check.problems]

    def added_to(self, extensions: Extensions) -> Extensions:
        """Return a snapshot with what was declared."""
        return replace(
            extensions,
            attribute_types=self._attribute_types.types,
            operators=self._operators.operators,
            strategies=self._strategies.strategies,
            middlewares=self._middlewares.middlewares,
        )
