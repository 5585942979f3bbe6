"""Rules and policies of a project: the decorators, and the checked functions as values.

A rule restricts the rows of an ability; a policy is checked for each request.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Literal, get_args

from msgspec import Struct

from quire.hooks.checked_function import CheckedFunction
from quire.hooks.document import Kind
from quire.hooks.marks import Replaces, add_mark
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
    """The arguments of the decorator, unchecked."""

    kind: Any
    on: Any

    @property
    def phase(self) -> str:
        """The name of the decorator."""
        return "rule"


def rule(
    kind: Kind, *, on: Sequence[RuleAction], replaces: Replaces = ()
) -> Callable[[RuleFunction], RuleFunction]:
    """Limit actions on documents to those that satisfy the filters which a function returns.

    The function gets the `Principal` that acts, and returns filters, True for all documents or
    False for none. A condition with ``None`` in it matches no document. An exception denies access.
    Rules apply to all principals except the system, and documents must satisfy all of them.
    ``replaces`` are JavaScript files that the rule takes the place of.
    """
    mark = RuleMark(kind=kind, on=on)
    return lambda function: add_mark(function, mark, replaces)


class Rule(CheckedFunction, frozen=True, kw_only=True, eq=False):
    """A checked rule on one content type."""

    uid: str
    on: tuple[RuleAction, ...]
    function: RuleFunction


class PolicyContext(Struct, frozen=True, kw_only=True):
    """The context of a policy: the principal and the action.

    ``action`` is as in ``on``, or the name of a route's action. ``uid`` is the content type,
    ``None`` for routes. ``document_id`` is ``None`` for lists, new documents and the document of a
    single type; ``locale`` is that of a write, ``"*"`` for all and ``None`` for the default one.
    ``data`` are the data of a write, or the arguments of a route; ``query`` are the parameters of a
    read.
    """

    principal: Principal
    action: str
    uid: str | None = None
    document_id: str | None = None
    locale: str | None = None
    data: Mapping[str, Any] = {}
    query: Mapping[str, Any] = {}

    def __repr__(self) -> str:
        """Return a description of the action, without its data: they may include passwords."""
        return f"PolicyContext({self.action} {self.uid} {self.document_id} {self.locale})"


PolicyFunction = Callable[[PolicyContext], bool | None]


class PolicyMark(Struct, frozen=True, kw_only=True, eq=False):
    """The arguments of the decorator, unchecked."""

    kind: Any
    on: Any

    @property
    def phase(self) -> str:
        """The name of the decorator."""
        return "policy"


def policy(
    kind: Kind | None, *, on: Sequence[RuleAction], replaces: Replaces = ()
) -> Callable[[PolicyFunction], PolicyFunction]:
    """Call a function before an action on documents: False rejects it with 403.

    ``None`` stands for all content types. The function gets a `PolicyContext` and may raise an
    error of ``quire`` instead, whose message is sent to the client; other exceptions reject the
    action, too. Policies apply to all principals except the system. ``replaces`` are JavaScript
    files that the policy takes the place of.
    """
    mark = PolicyMark(kind="*" if kind is None else kind, on=on)
    return lambda function: add_mark(function, mark, replaces)


class Policy(CheckedFunction, frozen=True, kw_only=True, eq=False):
    """A checked policy: on actions of one content type, or of one route, which is ``uid``."""

    uid: str
    on: tuple[str, ...]
    function: PolicyFunction
