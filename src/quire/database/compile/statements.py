"""Builds one statement: tables with aliases, placeholders, and where their values come from."""

from collections.abc import Callable, Sequence
from typing import Any

import sqlalchemy as sa
from msgspec import Struct
from sqlalchemy.sql.compiler import SQLCompiler
from sqlalchemy.sql.elements import ColumnElement

from quire.database.dialect import Dialect, Encode, Scalar
from quire.database.program import Operand, Value
from quire.database.versioned_cache import Tables
from quire.query.plan import Slot
from quire.query.resolve.scope import SlotValue

Values = Sequence[SlotValue]
Binder = Callable[[Values], Operand]
"""Takes the values of a plan's slots and returns the bound value of one placeholder."""

_PARENTS = "parents"


class Query(Struct, frozen=True, eq=False):
    """A compiled statement; compared by identity.

    ``binders`` has one entry per placeholder; ``parents`` is the position of the placeholder for
    the keys of parent rows, or -1. ``keyed`` are the placeholders for different keys of parents:
    the position of each, and the position of the key in a row of the parents.
    """

    sql: str
    binders: tuple[Binder, ...]
    parents: int
    keyed: tuple[tuple[int, int], ...] = ()

    def positions(self, slot: Slot) -> tuple[int, ...]:
        """Return the placeholders that bind a slot unchanged."""
        return tuple(
            position
            for position, binder in enumerate(self.binders)
            if isinstance(binder, _UnchangedSlot) and binder.slot == slot
        )

    def bind(self, values: Values) -> list[Operand]:
        """Return the values of all placeholders; those of parents are still ``None``."""
        return [binder(values) for binder in self.binders]


class _UnchangedSlot(Struct, frozen=True):
    """Binds the value of a slot unchanged."""

    slot: Slot

    def __call__(self, values: Values) -> Value:
        return _scalar(values[self.slot])


class AliasedTable:
    """A table of a statement, with its alias."""

    def __init__(self, name: str, alias: str) -> None:
        self.source = sa.table(name).alias(alias)
        self._alias = alias
        self.name = name

    def c(self, column: str) -> ColumnElement[Any]:
        """Return a column."""
        column_element: ColumnElement[Any] = sa.column(column, _selectable=self.source)
        return column_element


class ReadTables:
    """The tables that the statements of a read name, collected while these are compiled.

    Some statements are compiled only when they are needed, so the set is complete once the read has
    been run.
    """

    __slots__ = ("_names", "tables")

    def __init__(self) -> None:
        self._names: set[str] = set()
        self.tables: Tables = frozenset()
        """The tables named so far; ``None`` as soon as a statement may read any table."""

    def add(self, name: str) -> None:
        """Add a table."""
        name = name.lower()
        if name not in self._names:
            self._names.add(name)
            if self.tables is not None:
                self.tables = frozenset(self._names)

    def add_all(self) -> None:
        """Record that any table may be read."""
        self.tables = None


class StatementBuilder:
    """Hands out aliases and placeholders while one statement is built, then compiles it."""

    def __init__(
        self, dialect: Dialect, *, aliases: int = 0, reads: ReadTables | None = None
    ) -> None:
        """``aliases`` is the number of aliases that the statement already uses.

        The tables that it reads are added to ``reads``.
        """
        self.dialect = dialect
        self.reads = ReadTables() if reads is None else reads
        self._binders: dict[str, Binder] = {}
        self._keyed: dict[str, int] = {}
        self._aliases = aliases

    def table(self, name: str) -> AliasedTable:
        """Add a table."""
        self._aliases += 1
        self.reads.add(name)
        return AliasedTable(name, f"t{self._aliases}")

    def _bind(self, binder: Binder) -> ColumnElement[Any]:
        name = f"p{len(self._binders)}"
        self._binders[name] = binder
        return sa.bindparam(name, type_=sa.types.NULLTYPE)

    def slot(self, slot: Slot, encode: Encode) -> ColumnElement[Any]:
        """Bind the value of a slot."""
        return self._bind(lambda values: encode(_scalar(values[slot])))

    def plain_slot(self, slot: Slot) -> ColumnElement[Any]:
        """Bind the value of a slot unchanged (limits, offsets, codes)."""
        return self._bind(_UnchangedSlot(slot))

    def list_slot(self, slot: Slot, encode: Encode) -> ColumnElement[Any]:
        """Bind a slot that holds a list."""
        encode_list = self.dialect.encode_list

        def bind(values: Values) -> Operand:
            value = values[slot]
            items = value if isinstance(value, list) else [value]
            return encode_list([encode(item) for item in items])

        return self._bind(bind)

    def constant(self, value: Operand) -> ColumnElement[Any]:
        """Bind a constant of the plan."""
        return self._bind(lambda _: value)

    def parents(self) -> ColumnElement[Any]:
        """Bind the keys of parent rows."""
        self._binders[_PARENTS] = lambda _: None
        return sa.bindparam(_PARENTS, type_=sa.types.NULLTYPE)

    def parents_by(self, key: int) -> ColumnElement[Any]:
        """Bind keys of parent rows that are at the position ``key`` of each row."""
        name = f"{_PARENTS}{key}"
        self._keyed[name] = key
        self._binders[name] = lambda _: None
        return sa.bindparam(name, type_=sa.types.NULLTYPE)

    def finish(self, statement: sa.ClauseElement) -> Query:
        """Compile the statement."""
        compiled = statement.compile(dialect=self.dialect.sqlalchemy_dialect())
        names: list[str] = list(getattr(compiled, "positiontup", None) or ())
        sql, constants = str(compiled), compiled.params
        if isinstance(compiled, SQLCompiler) and compiled.post_compile_params:
            # The code of a project may compare with a constant list.
            expanded_state = compiled.construct_expanded_state(dict.fromkeys(self._binders))
            sql, constants = expanded_state.statement, expanded_state.parameters
            names = list(expanded_state.positiontup or ())
        binders = tuple(self._binders.get(name) or _constant(constants[name]) for name in names)
        parents = names.index(_PARENTS) if _PARENTS in names else -1
        keyed = tuple(
            (position, self._keyed[name])
            for position, name in enumerate(names)
            if name in self._keyed
        )
        return Query(sql, binders, parents, keyed)


def _constant(value: Value) -> Binder:
    """Bind a value that the compiler added to a statement itself (an offset of zero)."""
    return lambda _: value


def _scalar(value: SlotValue) -> Scalar:
    if isinstance(value, list):
        message = "a list cannot be bound as one value"
        raise TypeError(message)
    return value
