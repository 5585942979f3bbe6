"""The dialect of PostgreSQL.

Timestamps are microseconds of local time (see ``timestamps``), booleans are booleans, JSON is
``jsonb``, numbers and texts are checked by the type of their column. Text comparison is
case-sensitive; otherwise text is folded by the rules of the database's locale.
"""

import math
from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

import msgspec
import orjson

from quire.clock import iso_or_none
from quire.database.dialect import Encode, Scalar
from quire.database.dialects.postgresql.timestamps import WallClock
from quire.database.program import Operand, Value
from quire.errors import ValidationError
from quire.schema.attributes.base import StorageKind
from quire.schema.attributes.number import parse_number

if TYPE_CHECKING:
    from sqlalchemy import ColumnElement, FromClause
    from sqlalchemy.engine.interfaces import Dialect as SqlAlchemyDialect
    from sqlalchemy.types import TypeEngine

    Expression = ColumnElement[Any]

_MEMO_SIZE = 100_000
_INT4 = 2**31
_INT8 = 2**63
_TEXTS = frozenset({StorageKind.STRING, StorageKind.TEXT})
_ROW_TYPES: Mapping[StorageKind, str] = MappingProxyType(
    {
        StorageKind.ID: "integer",
        StorageKind.INTEGER: "integer",
        StorageKind.FLOAT: "double precision",
        StorageKind.STRING: "varchar",
        StorageKind.TEXT: "text",
    }
)
"""The column kinds that bound rows have."""


class _MomentTexts(dict[Any, str | None]):
    """Cache of ISO texts by stored timestamp: many rows share them, and formatting is slow."""

    def __init__(self, clock: WallClock) -> None:
        self._clock = clock

    def __missing__(self, timestamp: int | None) -> str | None:
        if len(self) >= _MEMO_SIZE:
            self.clear()
        text = None if timestamp is None else self._text(timestamp)
        self[timestamp] = text
        return text

    def _text(self, timestamp: int) -> str | None:
        milliseconds = self._clock.epoch_ms(timestamp)
        return None if milliseconds is None else iso_or_none(milliseconds)


def json_text(value: str) -> object:
    """Return the JSON text of a string as Strapi shows it.

    A string that holds JSON is parsed again; any other is shown as stored, with its quotes.
    """
    text = orjson.loads(value)
    try:
        orjson.loads(text)
    except orjson.JSONDecodeError:
        return value
    return msgspec.Raw(text.encode())


_EXPRESSIONS: Mapping[StorageKind, str] = MappingProxyType(
    {
        StorageKind.DATETIME: "moments[{0}]",
        StorageKind.TIMESTAMP: "timestamps({0})",
        StorageKind.JSON: (
            "(None if {0} is None else fragment({0}) if {0}[0] != '\"' else json_text({0}))"
        ),
        StorageKind.BIGINTEGER: "(None if {0} is None else str({0}))",
        StorageKind.FLOAT: "({0} if {0} is None or {0} % 1 else int({0}))",
        StorageKind.DECIMAL: "({0} if {0} is None or {0} % 1 else int({0}))",
    }
)
"""All other kinds are shown as they are stored."""


def _integer_encoder(limit: int) -> Encode:
    """Return a function that binds integers below a bound, also those in text."""

    def encode(value: Scalar) -> Value:
        number = parse_number(value) if isinstance(value, str) else value
        if number is None and isinstance(value, str):
            raise ValidationError(f"Invalid number {value[:100]!r}")
        if number is None or isinstance(number, bool):
            return number
        if number % 1 or not -limit <= number < limit:
            raise ValidationError(f"{number} is outside the range of integers")
        return int(number)

    return encode


def _encode_float(value: Scalar) -> Value:
    if isinstance(value, int):
        try:
            return float(value)
        except OverflowError:
            text = str(value)[:100]
            raise ValidationError(f"{text} is beyond any number that is stored") from None
    return value


def _encode_decimal(value: Scalar) -> Value:
    """Bind a number with all its digits, as the text that the driver sends."""
    if isinstance(value, float) and not math.isfinite(value):
        raise ValidationError(f"{value} is no number")
    return None if value is None else str(value)


def _encode_boolean(value: Scalar) -> Value:
    return None if value is None else bool(value)


def _encode_text(value: Scalar) -> Value:
    return value if value is None or isinstance(value, str) else str(value)


def _encode_json_operand(value: Scalar) -> Value:
    """Bind the operand of a comparison with JSON, which is JSON itself."""
    if value is None:
        return None
    text = value if isinstance(value, str) else orjson.dumps(value).decode()
    return _require_json(text)


def _require_json(text: str) -> str:
    try:
        orjson.loads(text)
    except orjson.JSONDecodeError:
        raise ValidationError(f"{text[:100]!r} is not JSON") from None
    return text


class PostgresDialect:
    """PostgreSQL's side of `Dialect`."""

    name = "postgres"
    finds_in_order = False
    compares_texts_with_numbers = False
    versions_by_locale = False
    unites_edges = True

    def __init__(self, clock: WallClock | None = None) -> None:
        """``clock`` says in which zone timestamps are stored; UTC without one."""
        self._clock = clock or WallClock()
        self._moments = _MomentTexts(self._clock)
        self._encoders: Mapping[StorageKind, Encode] = {
            StorageKind.ID: _integer_encoder(_INT4),
            StorageKind.INTEGER: _integer_encoder(_INT4),
            StorageKind.BIGINTEGER: _integer_encoder(_INT8),
            StorageKind.FLOAT: _encode_float,
            StorageKind.DECIMAL: _encode_decimal,
            StorageKind.BOOLEAN: _encode_boolean,
            StorageKind.DATETIME: self._encode_moment,
            StorageKind.TIMESTAMP: self._encode_moment,
            StorageKind.JSON: _encode_json_operand,
        }

    def sqlalchemy_dialect(self) -> "SqlAlchemyDialect":
        """Return SQLAlchemy's PostgreSQL compiler with the placeholders of asyncpg."""
        from sqlalchemy.dialects.postgresql import asyncpg  # noqa: PLC0415 - only when a statement is new

        return asyncpg.dialect()  # type: ignore[no-untyped-call]  # SQLAlchemy's

    def united_type(self, kind: StorageKind) -> "TypeEngine[Any]":
        """See `Dialect.united_type`. Dates and times are text for the driver in any case."""
        from sqlalchemy.dialects import postgresql  # noqa: PLC0415 - only when a statement is new

        match kind:
            case StorageKind.ID | StorageKind.INTEGER | StorageKind.BIGINTEGER:
                return postgresql.BIGINT()
            case StorageKind.FLOAT | StorageKind.DECIMAL:
                return postgresql.DOUBLE_PRECISION()
            case StorageKind.BOOLEAN:
                return postgresql.BOOLEAN()
            case StorageKind.DATETIME | StorageKind.TIMESTAMP:
                return postgresql.TIMESTAMP()
            case StorageKind.JSON:
                return postgresql.JSONB()
            case _:
                return postgresql.TEXT()

    def encoder(self, kind: StorageKind) -> Encode:
        """Values must have the type of their column; raises ValidationError for any other."""
        return self._encoders.get(kind, _encode_text)

    def _encode_moment(self, value: Scalar) -> Value:
        return self._clock.stored(int(value)) if isinstance(value, int | float) else None

    def text_encoder(self) -> Encode:
        """Text is text."""
        return _encode_text

    def encode_list(self, values: Sequence[Value]) -> Operand:
        """A list is bound as one array."""
        return tuple(values)

    def list_of(self, bind: "Expression", kind: StorageKind) -> "FromClause":
        """Expand an array to rows; a limited type would cut its values."""
        from sqlalchemy import cast, func, select  # noqa: PLC0415 - only when a statement is new
        from sqlalchemy.dialects import postgresql  # noqa: PLC0415 - only when a statement is new

        exact: dict[StorageKind, TypeEngine[Any]] = {
            StorageKind.DECIMAL: postgresql.NUMERIC(),
            StorageKind.DATE: postgresql.DATE(),
            StorageKind.TIME: postgresql.TIME(),
        }
        array = cast(bind, postgresql.ARRAY(exact.get(kind, self.united_type(kind))))
        value_table = func.unnest(array).table_valued("value", with_ordinality="position")
        value_table = value_table.render_derived(name="listed")
        # Positions count from zero, as everywhere.
        return select(
            value_table.c.value, (value_table.c.position - 1).label("position")
        ).subquery()

    def encode_json(self, value: object) -> Value:
        """Everything is JSON text; a string is passed unchanged, as Strapi sends it.

        Raises ValidationError for a string that is not JSON.
        """
        if value is None:
            return None
        if isinstance(value, str):
            return _require_json(value)
        # Unlike orjson, msgspec writes integers beyond 64 bits, which jsonb may return.
        return msgspec.json.encode(value, enc_hook=str).decode()

    def stored_json(self, text: str) -> Value:
        """See `Dialect.stored_json`."""
        return text

    def decode_value(self, kind: StorageKind, value: Value) -> object:
        """See `Dialect.decode_value`."""
        if value is None:
            return None
        match kind:
            case StorageKind.DATETIME | StorageKind.TIMESTAMP:
                return self.epoch_ms(value)
            case StorageKind.JSON:
                return orjson.loads(str(value))
            case _:
                return value

    def encode_rows(self, rows: Sequence[Sequence[Value]]) -> Operand:
        """Rows are bound as one JSON text, a list of lists."""
        return orjson.dumps(rows, default=str).decode()

    def rows_of(self, bind: "Expression", columns: Mapping[str, StorageKind]) -> "FromClause":
        """Expand a JSON text to rows, and cast each value to the type of its column."""
        from sqlalchemy import cast, func, literal_column, select  # noqa: PLC0415 - only when a statement is new
        from sqlalchemy.dialects.postgresql import JSONB  # noqa: PLC0415 - only when a statement is new

        elements = func.jsonb_array_elements(cast(bind, JSONB))
        value_table = elements.table_valued("value", with_ordinality="position")
        value_table = value_table.render_derived(name="listed")
        positions: list[Expression] = [
            literal_column(f"(listed.value ->> {place})::{_ROW_TYPES[kind]}").label(name)
            for place, (name, kind) in enumerate(columns.items())
        ]
        # Positions count from zero, as everywhere.
        position: Expression = literal_column("(listed.position - 1)::integer").label("position")
        return select(position, *positions).select_from(value_table).subquery()

    def decode_expression(self, kind: StorageKind, variable: str) -> str:
        """See `Dialect.decode_expression`."""
        return _EXPRESSIONS.get(kind, "{0}").format(variable)

    def decode_names(self) -> Mapping[str, object]:
        """See `Dialect.decode_names`."""
        return {
            "moments": self._moments,
            "timestamps": self._timestamp_text,
            "fragment": msgspec.Raw,
            "json_text": json_text,
        }

    def _timestamp_text(self, timestamp: int | None) -> str | None:
        """Write a timestamp as the string of its epoch milliseconds."""
        milliseconds = None if timestamp is None else self._clock.epoch_ms(timestamp)
        return None if milliseconds is None else str(milliseconds)

    def epoch_ms(self, value: Value) -> int | None:
        """See `Dialect.epoch_ms`."""
        return self._clock.epoch_ms(value) if isinstance(value, int) else None

    def member_of(self, column: "Expression", bind: "Expression") -> "Expression":
        """Compare with the items of an array, which are cast to the type of the column."""
        from sqlalchemy.sql.elements import Grouping  # noqa: PLC0415 - only when a statement is new

        # SQLAlchemy negates `any_` to `!= ANY`, which means something else.
        comparison: Callable[[Any], Expression] = column.op("= ANY", is_comparison=True)
        return comparison(Grouping(bind))

    def as_text(self, column: "Expression", kind: StorageKind, *, fold: bool) -> "Expression":
        """Columns of any kind have a text, but only text columns are searched case-sensitively.

        Raises ValidationError for other columns unless case is ignored: Strapi casts to text only
        then.
        """
        from sqlalchemy import String, cast  # noqa: PLC0415 - only when a statement is new

        if kind in _TEXTS:
            return column
        if not fold:
            raise ValidationError(f"A column of the kind {kind} cannot be searched for text")
        return cast(column, String)

    def json_number(self, column: "Expression", path: Sequence[str]) -> "Expression":
        """See `Dialect.json_number`."""
        from sqlalchemy import Double, cast  # noqa: PLC0415 - only when a statement is new

        return _json_member(column, path, "number", lambda text: cast(text, Double))

    def json_text(self, column: "Expression", path: Sequence[str]) -> "Expression":
        """See `Dialect.json_text`."""
        return _json_member(column, path, "string", lambda text: text)

    def insert(self, table: "FromClause") -> Any:  # noqa: ANN401 - see `Dialect.insert`
        """See `Dialect.insert`."""
        from sqlalchemy.dialects.postgresql import insert  # noqa: PLC0415 - only when a statement is new

        return insert(table)  # type: ignore[arg-type]  # a table without metadata

    def exact(self, column: "Expression") -> "Expression":
        """The driver converts numbers to floats; their text has all digits."""
        from sqlalchemy import String, cast  # noqa: PLC0415 - only when a statement is new

        return cast(column, String)

    def unindexed(self, column: "Expression") -> "Expression":
        """The planner knows the distribution of values and needs no hint."""
        return column

    def unestimated(self, condition: "Expression") -> "Expression":
        """The planner does not estimate a CASE, and assumes that half of the rows match."""
        from sqlalchemy import case, false, true  # noqa: PLC0415 - only when a statement is new

        return case((condition, true()), else_=false())


def _json_member(
    column: "Expression",
    path: Sequence[str],
    type_: str,
    convert: "Callable[[Expression], Expression]",
) -> "Expression":
    """Return the value at a path of keys inside a column, if it is of this JSON type."""
    from sqlalchemy import Text, case, cast, func, literal  # noqa: PLC0415 - only when a statement is new

    if not path or any('"' in key for key in path):
        raise ValueError("a path consists of keys without quotes")
    keys = [cast(literal(key), Text) for key in path]
    fits = func.jsonb_typeof(func.jsonb_extract_path(column, *keys)) == type_
    return case((fits, convert(func.jsonb_extract_path_text(column, *keys))))
