"""Random rows and filters of a small model."""

from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

from hypothesis import strategies as st

from quire.query.filter_operators import OPERATORS, Operand
from tests.property.evaluator import Kinds, Tree

TAG: Kinds = {"id": "id", "label": "string", "size": "integer"}
PART: Kinds = {"id": "id", "text": "string", "weight": "float"}
ITEM: Kinds = {
    "id": "id",
    "name": "string",
    "note": "text",
    "choice": "enumeration",
    "count": "integer",
    "big": "biginteger",
    "ratio": "float",
    "flag": "boolean",
    "day": "date",
    "hour": "time",
    "moment": "datetime",
    "tags": TAG,
    "owner": {**TAG},
    "part": PART,
    "parts": PART,
}

# Little enough that values meet, with all that patterns, folding and bytes could get wrong.
letters = st.sampled_from([*"aAbB%_\\ \u00e9\u00c9\u0130\u0131\u00df\U0001f600'\"[*"])
texts = st.one_of(
    st.sampled_from(["a", "A"]),
    st.sampled_from(["", "ab", "aB", "%", "_", "\\", "\u00e9", "\u00c9", "null", "1"]),
    st.text(letters, max_size=4),
)
integers = st.integers(-3, 3)
floats = st.sampled_from([-1.5, -1.0, 0.0, 0.5, 1.0, 2.25, 1e-7, 1e15])
days = st.sampled_from(["2024-02-29", "2024-03-01", "1969-12-31"])
hours = st.sampled_from(["00:00:00.000", "10:20:30.120", "23:59:59.999"])
moments = st.sampled_from([-1, 0, 1_700_000_000_123, 1_700_000_000_124])

VALUES: Mapping[str, st.SearchStrategy[Any]] = {
    "string": texts,
    "text": texts,
    "enumeration": st.sampled_from(["red", "green"]),
    "integer": integers,
    "biginteger": st.sampled_from([0, 1, 2**53, -(2**53)]),
    "float": floats,
    "boolean": st.booleans(),
    "date": days,
    "time": hours,
    "datetime": moments,
}


def _rows(kinds: Kinds) -> st.SearchStrategy[dict[str, Any]]:
    """Make rows of a model, without ids and related rows."""
    return st.fixed_dictionaries(
        {
            name: st.none() | VALUES[kind]
            for name, kind in kinds.items()
            if isinstance(kind, str) and kind != "id"
        }
    )


TAGS = 3
"""How many tags there are to be related; their ids are 1 to 3."""

tags = st.lists(_rows(TAG), min_size=TAGS, max_size=TAGS)
items = st.lists(
    st.tuples(
        _rows(ITEM),
        st.fixed_dictionaries(
            {
                "tags": st.lists(st.integers(1, TAGS), max_size=3, unique=True),
                "owner": st.lists(st.integers(1, TAGS), max_size=1),
                "part": st.lists(_rows(PART), max_size=1),
                "parts": st.lists(_rows(PART), max_size=2),
            }
        ),
    ),
    max_size=6,
)
"""Items with the ids of their tags and the rows of their components."""


def operands(kind: str) -> st.SearchStrategy[str]:
    """Write values of an attribute's type as a client would."""
    match kind:
        case "id":
            return st.integers(1, TAGS + 1).map(str)
        case "integer" | "biginteger" | "float":
            return VALUES[kind].map(str)
        case "boolean":
            return st.sampled_from(["true", "t", "1", "yes", "false", "f", "0", ""])
        case "datetime":
            return moments.map(
                lambda ms: datetime.fromtimestamp(ms / 1000, UTC).isoformat(timespec="milliseconds")
            )
        case "time":
            return hours | st.sampled_from(["10:20:30", "10:20:30.12"])
        case _:
            return VALUES[kind]


def comparisons(kind: str) -> st.SearchStrategy[dict[str, Tree]]:
    """Make an operator with an operand that goes with it."""
    value = operands(kind)
    nullable = st.none() | value
    takes: Mapping[Operand, st.SearchStrategy[Tree]] = {
        Operand.VALUE: nullable | st.lists(nullable, min_size=1, max_size=3),
        Operand.TEXT: st.none() | texts | value | st.lists(texts, min_size=1, max_size=2),
        Operand.LIST: nullable | st.lists(nullable, min_size=1, max_size=3),
        Operand.PAIR: st.lists(value, min_size=2, max_size=2),
        Operand.FLAG: st.sampled_from([None, "", "true", "false", "f", "0", "1", "x"]),
    }
    choices = {operator.name: takes[operator.operand] for operator in OPERATORS.values()}
    return st.sampled_from(sorted(choices)).flatmap(
        lambda name: st.fixed_dictionaries({name: choices[name]})
    )


def values(kind: str) -> st.SearchStrategy[Tree]:
    """Make a value that is compared as it is, or several of them."""
    nullable = st.none() | operands(kind)
    return nullable | st.lists(nullable, min_size=1, max_size=3)


def below(kind: str) -> st.SearchStrategy[Tree]:
    """Make what stands below a scalar attribute."""
    one = comparisons(kind)
    several = st.tuples(one, one).map(lambda pair: {**pair[0], **pair[1]})
    negated = st.fixed_dictionaries(
        {"$not": values(kind) | one | several | st.lists(one, min_size=1, max_size=2)}
    )
    return values(kind) | one | several | negated


def filters(kinds: Kinds, depth: int = 2) -> st.SearchStrategy[dict[str, Tree]]:
    """Make filters of a model."""
    choices: dict[str, st.SearchStrategy[Tree]] = {
        name: below(kind) if isinstance(kind, str) else _related(kind, depth)
        for name, kind in kinds.items()
    }
    if depth:
        inner = st.deferred(lambda: filters(kinds, depth - 1))
        several = st.lists(inner, min_size=1, max_size=3)
        choices |= {"$and": several, "$or": several, "$not": inner}
    one = st.sampled_from(sorted(choices)).flatmap(
        lambda name: st.fixed_dictionaries({name: choices[name]})
    )
    return st.lists(one, min_size=1, max_size=2).map(
        lambda parts: {key: value for part in parts for key, value in part.items()}
    )


def _related(kinds: Kinds, depth: int) -> st.SearchStrategy[Tree]:
    """Make what stands below a relation: ids, attributes of related rows, or one group of them."""
    attributes = filters({k: v for k, v in kinds.items() if isinstance(v, str)}, 0)
    group = st.sampled_from(["$and", "$or"]).flatmap(
        lambda name: st.fixed_dictionaries({name: st.lists(attributes, min_size=1, max_size=2)})
    )
    negated = st.fixed_dictionaries({"$not": values("id")})
    ids = values("id") | comparisons("id") | negated
    return attributes | ids | (group if depth else attributes)
