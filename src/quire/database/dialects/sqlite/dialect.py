"""The dialect of SQLite.

Timestamps are integers (epoch milliseconds), booleans 1 and 0, JSON is text. Comparison that
ignores case folds ASCII only, and ``LIKE`` always ignores case.
"""

import json
import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import msgspec
import orjson

from quire.clock import iso_or_none
from quire.database.dialect import Encode, Scalar
from quire.database.program import Value
from quire.javascript.numbers import number_text
from quire.schema.attributes.base import StorageKind
from quire.schema.attributes.number import parse_number
from quire.schema.attributes.temporal import parse_moment

if TYPE_CHECKING:
    from sqlalchemy import ColumnElement, FromClause
    from sqlalchemy.engine.interfaces import Dialect as SqlAlchemyDialect
    from sqlalchemy.types import TypeEngine

    Expression = ColumnElement[Any]

_MEMO_SIZE = 100_000
_EXACT = 2**53


class _MomentTexts(dict[Any, str | None]):
    """Cache of ISO texts by stored timestamp: many rows share them, and formatting is slow."""

    def __missing__(self, timestamp: object) -> str | None:
        if len(self) >= _MEMO_SIZE:
            self.clear()
        text = moment_text(timestamp)
        self[timestamp] = text
        return text


def moment_text(timestamp: object) -> str | None:
    """Write a stored timestamp as ISO; text that is a date is unchanged, others are null."""
    if timestamp is None:
        return None
    if isinstance(timestamp, str):
        return timestamp
    if not isinstance(timestamp, int | float) or not math.isfinite(timestamp):
        return None
    return iso_or_none(int(timestamp))


_known_json: set[int] = set()
"""Hashes of texts that are known to be JSON, so that they need not be parsed again."""


def json_value(value: object) -> object:
    """Return the JSON text of a stored value: JSON text is unchanged, other text is a string.

    Text in quotes is a string as well, with its quotes, as in Strapi. Texts that are known to be
    JSON are remembered; generated mappers check there first.
    """
    if not isinstance(value, str):
        return _number(value) if isinstance(value, float) else value
    if isinstance(_parse_json(value), str):
        return value
    if len(_known_json) >= _MEMO_SIZE:
        _known_json.clear()
    _known_json.add(hash(value))
    return msgspec.Raw(value.encode())


def _number(number: float) -> int | float:
    """Write an integer without a fraction, unless it is beyond 64 bits: see `_TO_INTEGER`."""
    return int(number) if number.is_integer() and -9e18 < number < 9e18 else number


def big_text(value: object) -> str | None:
    """Write a big integer as a string; beyond 2^53 with the precision of a double."""
    if value is None:
        return None
    if isinstance(value, int) and -_EXACT <= value <= _EXACT:
        return str(value)
    if isinstance(value, int | float):
        return number_text(float(value))
    return str(value)


def timestamp_text(timestamp: object) -> str | None:
    """Write a timestamp as the string of its epoch milliseconds."""
    return (
        None
        if timestamp is None
        else str(int(timestamp) if isinstance(timestamp, float) else timestamp)
    )


_TO_INTEGER = "({0} if {0} is None or {0} % 1 or not -9e18 < {0} < 9e18 else int({0}))"
"""Integers without a fraction; beyond 64 bits as floats, which other programs can read."""

_EXPRESSIONS = {
    StorageKind.BOOLEAN: "(None if {0} is None else {0} != 0)",
    StorageKind.DATETIME: "moments[{0}]",
    StorageKind.TIMESTAMP: "timestamp_text({0})",
    StorageKind.JSON: "(fragment({0}) if hash({0}) in known_json else json_value({0}))",
    StorageKind.BIGINTEGER: (
        "(str({0}) if {0}.__class__ is int and -9007199254740992 <= {0} <= 9007199254740992"
        " else big_text({0}))"
    ),
    StorageKind.FLOAT: _TO_INTEGER,
    StorageKind.DECIMAL: _TO_INTEGER,
}
"""Text, dates and times are shown as they are stored."""


def _encode_number_or_text(value: Scalar) -> Value:
    """Bind a numeric operand as a number; other text equals no number."""
    number = parse_number(value) if isinstance(value, str) else value
    return value if number is None else _encode_plain(number)


def _encode_plain(value: Scalar) -> Value:
    if isinstance(value, bool):
        return int(value)
    if isinstance(value, int) and not -(2**63) <= value < 2**63:
        return float(value)
    return value


class SqliteDialect:
    """SQLite's side of `Dialect`."""

    name = "sqlite"
    finds_in_order = True
    compares_texts_with_numbers = True
    versions_by_locale = True
    unites_edges = False

    def __init__(self) -> None:
        self._moments = _MomentTexts()

    def sqlalchemy_dialect(self) -> "SqlAlchemyDialect":
        """Return SQLAlchemy's SQLite compiler with ``?`` placeholders."""
        from sqlalchemy.dialects import sqlite  # noqa: PLC0415 - only when a statement is new

        return sqlite.dialect(paramstyle="qmark")

    def united_type(self, kind: StorageKind) -> "TypeEngine[Any] | None":
        """See `Dialect.united_type`. Columns have no types."""
        del kind
        return None

    def encoder(self, kind: StorageKind) -> Encode:
        """Ids accept numbers in text; everything else is bound as resolved."""
        return _encode_number_or_text if kind is StorageKind.ID else _encode_plain

    def text_encoder(self) -> Encode:
        """Text is text."""
        return lambda value: value

    def encode_list(self, values: Sequence[Value]) -> Value:
        """A list is bound as one JSON text."""
        return orjson.dumps(values, default=_encode_other).decode()

    def list_of(self, bind: "Expression", kind: StorageKind) -> "FromClause":
        """Expand a JSON text to rows; a value has the type that it was bound with."""
        from sqlalchemy import func, select  # noqa: PLC0415 - only when a statement is new

        del kind  # columns have no types
        value_table = func.json_each(bind).table_valued("key", "value")
        return select(value_table.c.value, value_table.c.key.label("position")).subquery()

    def encode_json(self, value: object) -> Value:
        """Objects and lists are JSON text; scalars are stored without quotes, as by Strapi."""
        if value is None or isinstance(value, str | float):
            return value
        if isinstance(value, int):
            return _encode_plain(value)
        # Unlike orjson, msgspec writes integers beyond 64 bits, which content files may have.
        return msgspec.json.encode(value, enc_hook=_encode_other).decode()

    def stored_json(self, text: str) -> Value:
        """See `Dialect.stored_json`; the text of objects and lists is unchanged.

        So is that of booleans: a 1, their other form, would be read as a number.
        """
        value = None if text.lstrip()[:1] in {"{", "["} else json.loads(text)
        return text if value is None or isinstance(value, bool) else self.encode_json(value)

    def decode_value(self, kind: StorageKind, value: Value) -> object:
        """See `Dialect.decode_value`."""
        if value is None:
            return None
        match kind:
            case StorageKind.BOOLEAN:
                return bool(value)
            case StorageKind.DATETIME | StorageKind.TIMESTAMP:
                return self.epoch_ms(value)
            case StorageKind.JSON:
                return _parse_json(value)
            case _:
                return value

    def encode_rows(self, rows: Sequence[Sequence[Value]]) -> Value:
        """Rows are bound as one JSON text, a list of lists."""
        return orjson.dumps(rows, default=_encode_other).decode()

    def rows_of(self, bind: "Expression", columns: Mapping[str, StorageKind]) -> "FromClause":
        """Expand a JSON text to rows; a value has the type that it was bound with."""
        from sqlalchemy import func, literal_column, select  # noqa: PLC0415 - see above

        value_table = func.json_each(bind).table_valued("key", "value")
        positions = [
            func.json_extract(value_table.c.value, literal_column(f"'$[{position}]'")).label(name)
            for position, name in enumerate(columns)
        ]
        return select(value_table.c.key.label("position"), *positions).subquery()

    def decode_expression(self, kind: StorageKind, variable: str) -> str:
        """See `Dialect.decode_expression`."""
        return _EXPRESSIONS.get(kind, "{0}").format(variable)

    def decode_names(self) -> Mapping[str, object]:
        """See `Dialect.decode_names`."""
        return {
            "moments": self._moments,
            "fragment": msgspec.Raw,
            "known_json": _known_json,
            "json_value": json_value,
            "big_text": big_text,
            "timestamp_text": timestamp_text,
        }

    def epoch_ms(self, value: Value) -> int | None:
        """Timestamps are epoch milliseconds already; text is parsed as a date."""
        if isinstance(value, str):
            return parse_moment(value)
        return int(value) if isinstance(value, int | float) else None

    def member_of(self, column: "Expression", bind: "Expression") -> "Expression":
        """Look the column up among the values of a JSON text."""
        from sqlalchemy import func, select  # noqa: PLC0415 - only when a statement is new

        value_table = func.json_each(bind).table_valued("value")
        return column.in_(select(value_table.c.value))

    def as_text(
        self,
        column: "Expression",
        kind: StorageKind,
        *,
        fold: bool,  # noqa: ARG002 - of no matter here
    ) -> "Expression":
        """Columns of any kind compare as text; floats are written with 15 digits.

        SQLite before 3.53 did so, and Strapi compares its texts.
        """
        from sqlalchemy import case, func, literal_column  # noqa: PLC0415 - see above

        if kind not in {StorageKind.FLOAT, StorageKind.DECIMAL}:
            return column
        text = func.printf(literal_column("'%!.15g'"), column)
        return case((column.is_not(None), text))

    def json_number(self, column: "Expression", path: Sequence[str]) -> "Expression":
        """See `Dialect.json_number`."""
        return _json_member(column, path, "integer", "real")

    def json_text(self, column: "Expression", path: Sequence[str]) -> "Expression":
        """See `Dialect.json_text`."""
        return _json_member(column, path, "text")

    def insert(self, table: "FromClause") -> Any:  # noqa: ANN401 - see `Dialect.insert`
        """See `Dialect.insert`."""
        from sqlalchemy.dialects.sqlite import insert  # noqa: PLC0415 - only when a statement is new

        return insert(table)  # type: ignore[arg-type]  # a table without metadata

    def exact(self, column: "Expression") -> "Expression":
        """Stored numbers are fetched unchanged."""
        return column

    def unindexed(self, column: "Expression") -> "Expression":
        """A unary plus keeps the planner from using the index of a column with few values."""
        from sqlalchemy.sql.elements import UnaryExpression  # noqa: PLC0415 - see above
        from sqlalchemy.sql.operators import custom_op  # noqa: PLC0415 - see above

        return UnaryExpression(column, operator=custom_op("+"))

    def unestimated(self, condition: "Expression") -> "Expression":
        """A unary plus turns a condition into a plain expression."""
        return self.unindexed(condition.self_group())


def _parse_json(value: Value) -> object:
    """Parse a stored JSON value; text that is not JSON, or in quotes, is returned as a string."""
    if not isinstance(value, str):
        return value
    try:
        parsed = orjson.loads(value)
    except orjson.JSONDecodeError:
        return value
    return value if isinstance(parsed, str) else parsed


def _encode_other(value: object) -> object:
    """Serialize values that JSON lacks; numbers beyond 64 bits compare unequal to text."""
    return str(value)


def _json_member(column: "Expression", path: Sequence[str], *types: str) -> "Expression":
    """Return the value at a path of keys inside a column, if it is of one of these JSON types.

    Not all texts in such columns are JSON. Raises ValueError for a key that cannot be a path.
    """
    from sqlalchemy import case, func, literal, or_  # noqa: PLC0415 - only when a statement is new

    if not path or any('"' in key for key in path):
        raise ValueError("a path consists of keys without quotes")
    json_path = literal("$" + "".join(f'."{key}"' for key in path))
    document = case((func.json_valid(column) == 1, column))
    fits = or_(*(func.json_type(document, json_path) == name for name in types))
    return case((fits, func.json_extract(document, json_path)))
