"""Search: the searched attributes."""

import pytest

from quire.query.plan import SearchCondition
from tests.library.model import BOOK, PERSON, TAG
from tests.library.queries import plan, problem, resolve

TEXTS = ("id", "documentId", "title", "summary", "body", "slug", "contact", "kind", "locale")


def searched(query: str, uid: str = BOOK) -> tuple[str, ...]:
    found = plan(query, uid).search
    assert isinstance(found, SearchCondition)
    return found.attributes


def test_a_word_is_looked_for_in_every_public_text() -> None:
    assert searched("_q=sea") == TEXTS


@pytest.mark.parametrize("term", ["7", "7.5", " 7 ", "0x10", "1e3"])
def test_a_number_is_looked_for_in_numbers_too(term: str) -> None:
    found = searched(f"_q={term}")
    assert set(found) == {*TEXTS, "rating", "copies", "weight", "price"}


def test_private_and_secret_attributes_are_never_looked_into() -> None:
    assert not {"remark", "code", "shelf"} & set(searched("_q=x"))
    assert "pin" not in searched("_q=1", PERSON)


def test_types_without_locales_are_not_searched_by_locale() -> None:
    assert searched("_q=en", TAG) == ("id", "documentId", "label")


@pytest.mark.parametrize("query", ["", "_q", "_q="])
def test_nothing_is_looked_for_without_a_term(query: str) -> None:
    assert plan(query).search is None


@pytest.mark.parametrize("query", ["_q[x]=1", "_q=a&_q=b", "_q[]=a"])
def test_the_term_is_one_text(query: str) -> None:
    assert problem(query).message == "The _q parameter must be a string"


def test_the_term_is_a_value_and_not_in_the_plan() -> None:
    assert resolve("_q=a").plan == resolve("_q=b").plan
    assert "a" in resolve("_q=a").values
