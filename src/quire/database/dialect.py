"""What differs between databases in SQL.

Shared code asks these and never a database's name. A dialect speaks of column kinds and predicates,
not of attribute types and operators, so a new one is a folder and nothing else.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Protocol

from quire.database.program import Operand, Value
from quire.schema.attributes.base import StorageKind

if TYPE_CHECKING:
    from sqlalchemy import ColumnElement, FromClause
    from sqlalchemy.engine.interfaces import Dialect as SqlAlchemyDialect
    from sqlalchemy.types import TypeEngine

    Expression = ColumnElement[Any]

Scalar = str | int | float | bool | None
Encode = Callable[[Scalar], Value]


class Dialect(Protocol):
    """What differs between databases when content is read."""

    @property
    def name(self) -> str:
        """The name that settings and logs use."""

    @property
    def finds_in_order(self) -> bool:
        """Whether rows that nobody sorts come in the same order each time.

        Where they do not, those of a list without pages are put in the order of their ids.
        """

    @property
    def compares_texts_with_numbers(self) -> bool:
        """Whether a text may be compared with a number, and is then unlike every one.

        Where it may not, the database refuses the statement.
        """

    @property
    def versions_by_locale(self) -> bool:
        """Whether the versions of a document come by locale where nobody sorts them, or by id.

        The reference leaves that to the database, and so to the index that finds them there.
        """

    @property
    def unites_edges(self) -> bool:
        """Whether the rows behind several edges of a node come with one statement.

        It pays where each statement is a round trip, and costs where it is the call of a function.
        """

    def united_type(self, kind: StorageKind) -> "TypeEngine[Any] | None":
        """Return the type that values of a kind have in such a statement, whatever they are from.

        ``None`` is any type. What is fetched is decoded as what comes from a column of the kind.
        """

    def sqlalchemy_dialect(self) -> "SqlAlchemyDialect":
        """Return what compiles expressions to this database's SQL, with positional binds."""

    def encoder(self, kind: StorageKind) -> Encode:
        """Return what turns a resolved operand into a value for a column of this kind."""

    def text_encoder(self) -> Encode:
        """Return what turns the operand of a text comparison into a bound value."""

    def encode_list(self, values: Sequence[Value]) -> Operand:
        """Bind any number of values as one."""

    def encode_json(self, value: object) -> Value:
        """Return what a JSON column stores for a value, in the form that the reference stores."""

    def stored_json(self, text: str) -> Value:
        """Return what a JSON column stores for the text of any JSON value, a string included."""

    def decode_value(self, kind: StorageKind, stored: Value) -> object:
        """Return a stored value as Python has it: JSON parsed, moments as epoch milliseconds."""

    def encode_rows(self, rows: Sequence[Sequence[Value]]) -> Operand:
        """Bind any number of rows, all of one width, as one value."""

    def rows_of(self, bind: "Expression", columns: Mapping[str, StorageKind]) -> "FromClause":
        """Read bound rows as a table with these columns, and their place as ``position``.

        Positions rise with the order in which the rows were bound.
        """

    def decode_expression(self, kind: StorageKind, variable: str) -> str:
        """Return Python source that turns a fetched value into what JSON shows.

        ``variable`` is the name of the fetched value; the source may use the names of
        `decode_names`.
        """

    def decode_names(self) -> Mapping[str, object]:
        """Return the names that decode expressions may use."""

    def member_of(self, column: "Expression", bind: "Expression") -> "Expression":
        """Compare a column with a bound list."""

    def as_text(self, column: "Expression", kind: StorageKind, *, fold: bool) -> "Expression":
        """Return a column of any kind in a form that text can be looked for in.

        ``fold`` says whether case will be disregarded. Raises ValidationError for a kind that
        cannot be looked into so.
        """

    def json_number(self, column: "Expression", path: Sequence[str]) -> "Expression":
        """Return the number at a path of keys inside a JSON column; null if there is none."""

    def json_text(self, column: "Expression", path: Sequence[str]) -> "Expression":
        """Return the text at a path of keys inside a JSON column; null if there is none."""

    def equals_folded(self, column: "Expression", bind: "Expression") -> "Expression":
        """Compare text without regard to case."""

    def insert(self, table: "FromClause") -> Any:  # noqa: ANN401 - each dialect has a class for it
        """Return an insert that may change the row that it conflicts with."""

    def like(self, column: "Expression", bind: "Expression", *, fold: bool) -> "Expression":
        r"""Match a pattern, ``\`` being its escape; ``fold`` disregards case."""

    def exact(self, column: "Expression") -> "Expression":
        """Return a column of numbers in a form that reaches the client with all their digits."""

    def unindexed(self, column: "Expression") -> "Expression":
        """Return the column in a form that the planner will not choose an index for."""

    def unestimated(self, condition: "Expression") -> "Expression":
        """Return a condition that the planner chooses no index for, nor expects to fit few rows."""

    def epoch_ms(self, stored: Value) -> int | None:
        """Read a stored moment as epoch milliseconds."""
