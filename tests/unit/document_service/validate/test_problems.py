"""Problems, and the error that contains them."""

import pytest

from quire.document_service.validate import Problem, validation_error
from quire.document_service.validate.problems import MAX_REPORTED, ValuePath, path_of, path_text


def test_a_single_problem_is_the_message_of_the_error() -> None:
    error = validation_error([Problem(("links", "0"), "links[0] is wrong", None)])
    assert (error.status, error.name, error.message) == (
        400,
        "ValidationError",
        "links[0] is wrong",
    )
    assert error.details == {
        "errors": [
            {
                "path": ["links", "0"],
                "message": "links[0] is wrong",
                "name": "ValidationError",
                "value": None,
            }
        ]
    }


def test_several_problems_are_counted() -> None:
    error = validation_error([Problem(("a",), "a is wrong"), Problem(("b",), "b is wrong")])
    assert error.message == "2 errors occurred"
    described = (error.details or {})["errors"]
    assert isinstance(described, list)
    assert [one["message"] for one in described] == ["a is wrong", "b is wrong"]


def test_of_very_many_problems_all_are_counted_and_the_first_are_reported() -> None:
    error = validation_error([Problem((str(i),), f"{i} is wrong") for i in range(MAX_REPORTED + 5)])
    assert error.message == f"{MAX_REPORTED + 5} errors occurred"
    described = (error.details or {})["errors"]
    assert isinstance(described, list)
    assert [one["path"] for one in described] == [[str(i)] for i in range(MAX_REPORTED)]


def test_a_problem_without_a_value_shows_none() -> None:
    error = validation_error([Problem(("a",), "a must be defined.")])
    described = (error.details or {})["errors"]
    assert isinstance(described, list)
    assert "value" not in described[0]


@pytest.mark.parametrize(
    ("place", "text", "path"),
    [
        ((), "this", ()),
        (("title",), "title", ("title",)),
        (("links", 0, "text"), "links[0].text", ("links", "0", "text")),
        (("seo", "title"), "seo.title", ("seo", "title")),
    ],
)
def test_indices_stand_in_brackets_in_sentences_and_are_text_in_paths(
    place: ValuePath, text: str, path: tuple[str, ...]
) -> None:
    assert (path_text(place), path_of(place)) == (text, path)
