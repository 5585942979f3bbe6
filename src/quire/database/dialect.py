"""The SQL differences between databases.

Shared code asks these methods and never checks a database's name. A dialect knows column kinds and
predicates, not attribute types and operators.
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
    """The SQL of one database, as far as reading and writing content needs it."""

    @property
    def name(self) -> str:
        """The name that settings and logs use."""

    @property
    def finds_in_order(self) -> bool:
        """Whether unsorted rows are returned in the same order each time.

        If not, rows of a list without pages are sorted by id.
        """

    @property
    def compares_texts_with_numbers(self) -> bool:
        """Whether text may be compared with a number, and then equals none.

        If not, the database rejects the statement.
        """

    @property
    def versions_by_locale(self) -> bool:
        """Whether unsorted versions of a document are returned by locale, or by id.

        Strapi leaves that to the database, and so to the index that it uses.
        """

    @property
    def unites_edges(self) -> bool:
        """Whether the rows behind several edges of a node are read by one statement.

        This pays where each statement is a round trip, not where it is a function call.
        """

    def united_type(self, kind: StorageKind) -> "TypeEngine[Any] | None":
        """Return the type that values of a kind have in a union query, whatever their column.

        ``None`` is any type. Values are decoded like those of a column of the kind.
        """

    def sqlalchemy_dialect(self) -> "SqlAlchemyDialect":
        """Return the SQLAlchemy dialect that compiles expressions, with positional parameters."""

    def encoder(self, kind: StorageKind) -> Encode:
        """Return a function that converts a resolved operand for a column of this kind."""

    def text_encoder(self) -> Encode:
        """Return a function that converts the operand of a text comparison to a bound value."""

    def encode_list(self, values: Sequence[Value]) -> Operand:
        """Return any number of values as one bound value."""

    def list_of(self, bind: "Expression", kind: StorageKind) -> "FromClause":
        """Return a list from `encode_list`, of values for a column of a kind, as a table.

        Its columns are ``value`` and ``position``.
        """

    def encode_json(self, value: object) -> Value:
        """Return what a JSON column stores for a value, in the form that Strapi stores."""

    def stored_json(self, text: str) -> Value:
        """Return what a JSON column stores for the text of any JSON value, a string included."""

    def decode_value(self, kind: StorageKind, value: Value) -> object:
        """Return a stored value in Python: JSON parsed, times as epoch milliseconds."""

    def encode_rows(self, rows: Sequence[Sequence[Value]]) -> Operand:
        """Return any number of rows, all of one width, as one bound value."""

    def rows_of(self, bind: "Expression", columns: Mapping[str, StorageKind]) -> "FromClause":
        """Return bound rows as a table with these columns, and their order as ``position``."""

    def decode_expression(self, kind: StorageKind, variable: str) -> str:
        """Return Python source that converts a fetched value to its JSON form.

        ``variable`` is the name of the fetched value; the source may use the names of
        `decode_names`.
        """

    def decode_names(self) -> Mapping[str, object]:
        """Return the names that decode expressions may use."""

    def member_of(self, column: "Expression", bind: "Expression") -> "Expression":
        """Return the condition that a column has a value of a bound list."""

    def as_text(self, column: "Expression", kind: StorageKind, *, fold: bool) -> "Expression":
        """Return a column of any kind as text that can be searched.

        ``fold`` says whether case will be ignored. Raises ValidationError for a kind that cannot be
        searched.
        """

    def json_number(self, column: "Expression", path: Sequence[str]) -> "Expression":
        """Return the number at a path of keys inside a JSON column; null if there is none."""

    def json_text(self, column: "Expression", path: Sequence[str]) -> "Expression":
        """Return the text at a path of keys inside a JSON column; null if there is none."""

    def insert(self, table: "FromClause") -> Any:  # noqa: ANN401 - each dialect has a class for it
        """Return an insert that may update the conflicting row."""

    def exact(self, column: "Expression") -> "Expression":
        """Return a numeric column in a form that is fetched with all its digits."""

    def unindexed(self, column: "Expression") -> "Expression":
        """Return the column in a form for which the planner uses no index."""

    def unestimated(self, condition: "Expression") -> "Expression":
        """Return a condition for which the planner uses no index and assumes no selectivity."""

    def epoch_ms(self, value: Value) -> int | None:
        """Return a stored time as epoch milliseconds."""
