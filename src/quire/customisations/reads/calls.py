"""Calls with which code reads entries, and their parameters in the content API."""

from collections.abc import Callable, Mapping, Sequence

from msgspec import Struct
from msgspec.structs import replace

from quire.customisations.request_expressions import RequestValues
from quire.customisations.statements import UNKNOWN_CODE, NotUnderstoodError
from quire.customisations.value_expressions import (
    ArrayLiteral,
    Constant,
    MemberAccess,
    ObjectLiteral,
    Or,
    Value,
)
from quire.javascript.syntax import Call, Expression, Member, Name

Convert = Callable[[Value], Value]


class ReadCall(Struct, frozen=True):
    """A recognised call: the type that it reads, and its query."""

    uid: Expression
    query: Value
    is_list: bool
    of_any_version: bool = False
    is_core: bool = False
    first_of_single: bool = False
    """Whether a single type is read as one entry, although the method reads lists."""


class _Method(Struct, frozen=True):
    """A method that reads: how it uses its parameters, and what it returns."""

    of_any_version: bool
    is_list: bool
    convert: Convert


def read_call(call: Expression, values: RequestValues) -> ReadCall | None:
    """Return the read of a call, ``None`` for other calls. Raises NotUnderstoodError."""
    match call:
        case Call(Member(Member(Name("strapi"), "entityService"), "findMany"), (uid, *rest)):
            read = _read(_METHODS["documents", "findMany"], uid, rest, values)
            return replace(read, first_of_single=True)
        case Call(Member(Call(engine, (uid,)), str() as name), arguments):
            result = _METHODS.get((_engine(engine), name))
            return None if result is None else _read(result, uid, list(arguments), values)
        case _:
            return None


def core_call(
    uid: Expression, name: str, arguments: Sequence[Expression], values: RequestValues
) -> ReadCall | None:
    """Return the read of a call of a method of the core's services, ``None`` for others."""
    requested: Value = ObjectLiteral(())
    match name, arguments:
        case "find", ():
            return ReadCall(uid, requested, is_list=True, is_core=True)
        case "find", (parameters,):
            return ReadCall(uid, values.value(parameters), is_list=True, is_core=True)
        case "findOne", (document_id, *other_arguments) if len(other_arguments) <= 1:
            by_id = ("documentId", values.value(document_id))
            parameters_of_call = [
                pair
                for argument in other_arguments
                for pair in _spread_members(values.value(argument))
            ]
            requested = ObjectLiteral((by_id, *parameters_of_call))
            return ReadCall(uid, _one_document(requested), is_list=False, is_core=True)
        case _:
            return None


def _spread_members(value: Value) -> tuple[tuple[str | None, Value], ...]:
    return value.members if isinstance(value, ObjectLiteral) else ((None, value),)


def _read(
    method: _Method, uid: Expression, arguments: list[Expression], values: RequestValues
) -> ReadCall:
    match arguments:
        case []:
            requested: Value = ObjectLiteral(())
        case [parameters]:
            requested = values.value(parameters)
        case _:
            raise NotUnderstoodError(UNKNOWN_CODE)
    return ReadCall(uid, method.convert(requested), method.is_list, method.of_any_version)


def row_query(parameters: Mapping[str, object]) -> dict[str, object]:
    """Return the content API query for parameters of the query engine.

    Raises NotUnderstoodError.
    """
    literal = _convert_row_parameters(Constant(dict(parameters)))
    members = literal.members if isinstance(literal, ObjectLiteral) else ()
    return {
        name: value.value
        for name, value in members
        if name is not None and isinstance(value, Constant)
    }


def _engine(callee: Expression) -> str:
    match callee:
        case Member(Name("strapi"), "documents"):
            return "documents"
        case Member(Member(Name("strapi"), "db"), "query") | Member(Name("strapi"), "query"):
            return "rows"
        case _:
            return ""


# Parameters of the document service are those of the content API, except for the document id


def _identity(value: Value) -> Value:
    return value


def _one_document(value: Value) -> Value:
    """Convert ``{ documentId, ... }`` to an additional filter."""
    if not isinstance(value, ObjectLiteral):
        raise NotUnderstoodError(UNKNOWN_CODE)
    ids = [inner for name, inner in value.members if name == "documentId"]
    other_members = tuple(pair for pair in value.members if pair[0] != "documentId")
    if len(ids) != 1:
        raise NotUnderstoodError("reads a document by something else than its id")
    conditions: list[Value] = [ObjectLiteral((("documentId", ids[0]),))]
    for name, inner in other_members:
        if name == "filters":
            conditions.append(inner)
        elif name is None:
            member_filters = MemberAccess(inner, "filters", is_optional=True)
            conditions.append(Or(member_filters, Constant({}), only_missing=True))
    filters = (
        conditions[0]
        if len(conditions) == 1
        else ObjectLiteral((("$and", ArrayLiteral(tuple(conditions))),))
    )
    return ObjectLiteral(
        (*(pair for pair in other_members if pair[0] != "filters"), ("filters", filters))
    )


# Parameters of the query engine


def _convert_row_parameters(value: Value) -> Value:
    """Convert parameters of the query engine to those of the content API."""
    members = _parameter_members(value)
    converted_members: list[tuple[str | None, Value]] = []
    for name, inner in members:
        conversion = _ROW_PARAMETERS.get(name or "")
        if conversion is None:
            raise NotUnderstoodError(f"reads rows by {name}")
        new_name, convert = conversion
        converted_members.append((new_name, convert(inner)))
    return ObjectLiteral(tuple(converted_members))


def _parameter_members(value: Value) -> tuple[tuple[str | None, Value], ...]:
    match value:
        case ObjectLiteral(members):
            return members
        case Constant(dict() as constant):
            return tuple((name, Constant(inner)) for name, inner in constant.items())
        case _:
            raise NotUnderstoodError("computes what rows it reads")


def _populate(value: Value) -> Value:
    """Check the populated attributes; only constants are supported."""
    if not isinstance(value, Constant):
        raise NotUnderstoodError("computes what it populates")
    return Constant(_convert_populate(value.value))


def _convert_populate(value: object) -> object:
    match value:
        case list() if all(isinstance(item, str) for item in value):
            return value
        case dict():
            return {name: _convert_populate_options(inner) for name, inner in value.items()}
        case _:
            raise NotUnderstoodError("populates in a way that is not known")


def _convert_populate_options(value: object) -> object:
    """Convert the options of a populated relation to the form of the content API."""
    if isinstance(value, bool):
        return value
    if not isinstance(value, dict):
        raise NotUnderstoodError("populates in a way that is not known")
    options = {}
    for name, inner in value.items():
        match name, inner:
            case "populate", _:
                options["populate"] = _convert_populate(inner)
            case "where", dict():
                options["filters"] = inner
            case "select", _:
                options["fields"] = _require_ids(inner)
            case "orderBy", _:
                options["sort"] = inner
            case "sort", _:
                continue  # the query engine does not have it
            case "on", dict():
                options["on"] = {
                    uid: _convert_populate_options(part) for uid, part in inner.items()
                }
            case _:
                raise NotUnderstoodError(f"populates by {name}")
    return options


def _select(value: Value) -> Value:
    return Constant(_require_ids(value.value if isinstance(value, Constant) else None))


def _require_ids(names: object) -> list[object]:
    """Check the selected columns: the content API always shows both ids."""
    if not isinstance(names, list) or not {"id", "documentId"}.issubset(names):
        raise NotUnderstoodError("selects columns without the ids")
    return names


_ROW_PARAMETERS: Mapping[str, tuple[str, Convert]] = {
    "where": ("filters", _identity),
    "select": ("fields", _select),
    "orderBy": ("sort", _identity),
    "populate": ("populate", _populate),
    "limit": ("limit", _identity),
    "offset": ("start", _identity),
}
_METHODS: Mapping[tuple[str, str], _Method] = {
    ("documents", "findFirst"): _Method(of_any_version=False, is_list=False, convert=_identity),
    ("documents", "findMany"): _Method(of_any_version=False, is_list=True, convert=_identity),
    ("documents", "findOne"): _Method(of_any_version=False, is_list=False, convert=_one_document),
    ("rows", "findOne"): _Method(
        of_any_version=True, is_list=False, convert=_convert_row_parameters
    ),
    ("rows", "findMany"): _Method(
        of_any_version=True, is_list=True, convert=_convert_row_parameters
    ),
}
