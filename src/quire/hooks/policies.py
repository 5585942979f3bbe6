"""Policies, which are asked for each request: the decorator, and checked ones as values."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from msgspec import Struct

from quire.hooks.document import Kind
from quire.hooks.marks import add_mark
from quire.hooks.principal import Principal
from quire.hooks.rules import RuleAction


class PolicyContext(Struct, frozen=True, kw_only=True):
    """What a policy may look at: who does what.

    ``action`` is as in ``on``, or the name of a route's action. ``uid`` is the content type,
    ``None`` for routes. ``document_id`` is ``None`` for lists, new documents and the document of a
    single type; ``locale`` is that of a write, ``"*"`` for all and ``None`` for the default one.
    ``data`` are what is to be written, or the arguments of a route; ``query`` are the parameters of
    a read.
    """

    principal: Principal
    action: str
    uid: str | None = None
    document_id: str | None = None
    locale: str | None = None
    data: Mapping[str, Any] = {}
    query: Mapping[str, Any] = {}


PolicyFunction = Callable[[PolicyContext], bool | None]


class PolicyMark(Struct, frozen=True, kw_only=True, eq=False):
    """What the decorator said of a function; nothing of it has been checked."""

    kind: Any
    on: Any

    @property
    def phase(self) -> str:
        """The name of the decorator."""
        return "policy"


def policy(
    kind: Kind | None, *, on: Sequence[RuleAction]
) -> Callable[[PolicyFunction], PolicyFunction]:
    """Ask a function before an action on documents: False refuses it with 403.

    ``None`` stands for all content types. The function gets a `PolicyContext` and may raise an
    error of ``quire`` instead, whose message reaches the client; what else it raises refuses, too.
    Policies hold for everybody but the system.
    """
    mark = PolicyMark(kind="*" if kind is None else kind, on=on)
    return lambda function: add_mark(function, mark)


class Policy(Struct, frozen=True, kw_only=True, eq=False):
    """A checked policy: on actions of one content type, or of one route, which is ``uid``."""

    uid: str
    on: tuple[str, ...]
    function: PolicyFunction
    name: str
    file: str
    line: int

    @property
    def place(self) -> str:
        """The file and line of the function."""
        return f"{self.file}:{self.line}"
