"""The table of filter operators: predicates and operands."""

import pytest

from quire.query.filter_operators import (
    GROUPS,
    OPERATORS,
    UNSUPPORTED,
    Operand,
    Operator,
    Predicate,
)
from tests.library.notation import shown_filter
from tests.library.queries import problem, resolve

every_operator = pytest.mark.parametrize("operator", OPERATORS.values(), ids=OPERATORS)

MEANINGS = {
    "$eq": "title = 'a'",
    "$ne": "not title = 'a'",
    "$eqi": "title =~ 'a'",
    "$nei": "not title =~ 'a'",
    "$lt": "title < 'a'",
    "$lte": "title <= 'a'",
    "$gt": "title > 'a'",
    "$gte": "title >= 'a'",
    "$in": "title in ['a']",
    "$notIn": "not title in ['a']",
    "$between": "title between 'a' and 'b'",
    "$null": "title is null",
    "$notNull": "not title is null",
    "$contains": "title contains 'a'",
    "$notContains": "not title contains 'a'",
    "$containsi": "title contains~ 'a'",
    "$notContainsi": "not title contains~ 'a'",
    "$startsWith": "title starts with 'a'",
    "$startsWithi": "title starts with~ 'a'",
    "$endsWith": "title ends with 'a'",
    "$endsWithi": "title ends with~ 'a'",
}
NEGATED = {
    meaning: meaning.removeprefix("not ") if meaning.startswith("not ") else f"not {meaning}"
    for meaning in MEANINGS.values()
}


def query(operator: Operator, prefix: str = "[title]") -> str:
    if operator.operand is Operand.PAIR:
        return f"filters{prefix}[{operator.name}]=a&filters{prefix}[{operator.name}]=b"
    return f"filters{prefix}[{operator.name}]=a"


def test_every_operator_has_a_meaning_here() -> None:
    assert list(OPERATORS) == list(MEANINGS)


@every_operator
def test_an_operator_stands_for_a_predicate(operator: Operator) -> None:
    assert shown_filter(resolve(query(operator))) == MEANINGS[operator.name]


@every_operator
def test_not_before_an_operator_turns_it_round(operator: Operator) -> None:
    meaning = NEGATED[MEANINGS[operator.name]]
    assert shown_filter(resolve(query(operator, "[title][$not]"))) == meaning
    assert shown_filter(resolve(query(operator, "[$not][title]"))) == meaning


@every_operator
def test_two_negations_are_none(operator: Operator) -> None:
    for prefix in ("[$not][$not][title]", "[$not][title][$not]", "[title][$not][$not]"):
        assert shown_filter(resolve(query(operator, prefix))) == MEANINGS[operator.name]


@every_operator
def test_an_operator_without_an_operand(operator: Operator) -> None:
    raw = f"filters[title][{operator.name}]"
    match operator.operand:
        case Operand.PAIR:
            assert "exactly two values" in problem(raw).message
            return
        case Operand.FLAG:
            expected = "title is null" if operator.negated else "not title is null"
        case Operand.LIST:
            expected = f"{'not ' if operator.negated else ''}title in [None]"
        case _ if operator.null:
            expected = f"{'not ' if operator.negated else ''}title is null"
        case Operand.TEXT:
            expected = MEANINGS[operator.name].replace("'a'", "'null'")
        case Operand.VALUE:
            expected = "false"
    assert shown_filter(resolve(raw)) == expected


@every_operator
def test_operators_are_told_apart_by_case(operator: Operator) -> None:
    error = problem(f"filters[title][{operator.name.upper()}]=a")
    assert error.message == f"Invalid key {operator.name.upper()} at title"


@every_operator
def test_an_operator_cannot_stand_where_an_attribute_is_expected(operator: Operator) -> None:
    assert problem(f"filters[{operator.name}]=a").status == 400


def test_values_are_cast_for_the_attribute_and_texts_are_not() -> None:
    assert shown_filter(resolve("filters[rating][$gt]=0x10")) == "rating > 16"
    assert shown_filter(resolve("filters[rating][$in]=1&filters[rating][$in]=2")) == (
        "rating in [1, 2]"
    )
    assert shown_filter(resolve("filters[rating][$eqi]=0x10")) == "rating =~ '0x10'"
    assert shown_filter(resolve("filters[rating][$contains]=abc")) == "rating contains 'abc'"


def test_no_operator_folds_case_and_casts_its_operand() -> None:
    for operator in OPERATORS.values():
        assert not operator.fold or operator.operand is Operand.TEXT


def test_groups_and_internal_operators_compare_nothing() -> None:
    assert not (GROUPS | UNSUPPORTED) & set(OPERATORS)
    assert {operator.predicate for operator in OPERATORS.values()} == set(Predicate)


@pytest.mark.parametrize("name", sorted(UNSUPPORTED))
def test_operators_that_are_not_for_clients_are_refused(name: str) -> None:
    assert problem(f"filters[extra][{name}]=a").status == 400
    assert problem(f"filters[{name}]=a").status == 400
