"""Rules on rows: the decorator, and checked rules as values."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Literal, get_args

from msgspec import Struct

from quire.hooks.document import Kind
from quire.hooks.marks import add_mark
from quire.hooks.principal import Principal
from quire.hooks.write import WRITE_ACTIONS, WriteAction

ReadAction = Literal["find", "find_one", "count"]
READ_ACTIONS: tuple[ReadAction, ...] = get_args(ReadAction)
RuleAction = ReadAction | WriteAction
RULE_ACTIONS: tuple[RuleAction, ...] = (*READ_ACTIONS, *WRITE_ACTIONS)

Condition = Mapping[str, Any] | bool
"""Filters as in the content API; True for all rows, False for none."""
RuleFunction = Callable[[Principal], Condition]


class RuleMark(Struct, frozen=True, kw_only=True, eq=False):
    """What the decorator said of a function; nothing of it has been checked."""

    kind: Any
    on: Any

    @property
    def phase(self) -> str:
        """The name of the decorator."""
        return "rule"


def rule(kind: Kind, *, on: Sequence[RuleAction]) -> Callable[[RuleFunction], RuleFunction]:
    """Limit actions on documents to those that satisfy the filters which a function returns.

    The function gets the `Principal` that acts, and returns filters, True for all documents or
    False for none. A condition with ``None`` in it holds for no document. What the function raises
    denies. Rules hold for everybody but the system, and several of them must all be satisfied.
    """
    mark = RuleMark(kind=kind, on=on)
    return lambda function: add_mark(function, mark)


class Rule(Struct, frozen=True, kw_only=True, eq=False):
    """A checked rule on one content type."""

    uid: str
    on: tuple[RuleAction, ...]
    function: RuleFunction
    name: str
    file: str
    line: int

    @property
    def place(self) -> str:
        """The file and line of the function."""
        return f"{self.file}:{self.line}"
