"""Of several errors of a query, the one that the reference reports is raised."""

import pytest

from quire.errors import ValidationError
from quire.query.querystring import QueryValue
from quire.query.resolve import ReadLimits
from quire.query.resolve.errors import CheckStage, Findings, Param, Pass
from tests.library.model import READER
from tests.library.queries import problem, resolve, resolver

IN_ORDER = [
    ("publicationFilter=x", "Invalid value for 'publicationFilter'."),
    ("filters[nope]=1", "Invalid key nope"),
    ("sort=nope2", "Invalid key nope2"),
    ("fields=nope3", "Invalid key nope3"),
    ("populate=nope4", "Invalid key nope4"),
    ("sort=title:up", "Invalid order."),
    ("pagination[page]=abc", "convertStartQueryParams"),
    ("filters[printed]=abc", "Invalid format, expected yyyy-MM-dd"),
    ("pagination[withCount]=x", "Invalid withCount parameter."),
]


@pytest.mark.parametrize("first", range(len(IN_ORDER)))
@pytest.mark.parametrize("second", range(len(IN_ORDER)))
def test_errors_of_different_parameters_have_an_order(first: int, second: int) -> None:
    queries = [IN_ORDER[first][0], IN_ORDER[second][0]]
    if first == second:
        queries.pop()
    if {first, second} in ({1, 7}, {2, 5}):
        # Two errors in one parameter: both stand in it.
        queries = (
            ["filters[printed]=abc&filters[nope]=1"]
            if 1 in {first, second}
            else ["sort=title:up,nope2"]
        )
    message = IN_ORDER[min(first, second)][1]
    assert problem("&".join(queries)).message.startswith(message)


@pytest.mark.parametrize(
    ("query", "message"),
    [
        # All keys are looked at for being known before any is for being secret, and so on.
        ("filters[code]=1&filters[nope]=1", "Invalid key nope"),
        ("filters[remark]=1&filters[nope]=1", "Invalid key nope"),
        ("filters[sections]=1&filters[nope]=1", "Invalid key nope"),
        ("filters[remark]=1&filters[sections]=1", "Invalid key sections"),
        ("filters[remark]=1&filters[code]=1", "Invalid key code"),
        ("filters[code]=1&filters[author][nope]=1", "Invalid key nope at author"),
        ("filters[nope]=1&filters[nope2]=1", "Invalid key nope"),
        ("filters[nope2]=1&filters[nope]=1", "Invalid key nope2"),
        ("filters[$eq]=1&filters[nope]=1", "Invalid key nope"),
        ("filters[$or]=1&sort=nope", "Invalid key nope"),
        ("filters[rating]=abc&filters[printed]=x", "Invalid number 'abc'"),
        ("filters[printed]=x&filters[rating]=abc", "Invalid format, expected yyyy-MM-dd"),
        ("sort=remark,nope", "Invalid key nope"),
        ("sort=title:up&filters[rating]=abc", "Invalid order."),
        ("populate[nope]=1&populate[author][fields]=nope2", "Invalid key nope"),
        ("populate[author][fields]=nope2&populate[nope]=1", "Invalid key nope2"),
        ("populate[author][sort]=name:up&populate[author][filters][nope]=1", "Invalid key nope"),
    ],
)
def test_errors_of_one_parameter_have_an_order(query: str, message: str) -> None:
    assert problem(query).message.startswith(message)


def test_permission_is_asked_for_last() -> None:
    query = "filters[tags][label]=a&filters[remark]=1"
    assert problem(query, ability=READER).message == "Invalid key remark"
    assert problem("filters[tags][label]=a&sort=nope", ability=READER).message == "Invalid key tags"


def test_the_first_of_equals_is_reported() -> None:
    findings = Findings()
    rank = (CheckStage.KEYS, Param.FILTERS, Pass.UNKNOWN)
    findings.add((CheckStage.CONVERSION,), ValidationError("late"))
    findings.add(rank, ValidationError("first"))
    findings.add(rank, ValidationError("second"))
    assert findings.count == 3
    with pytest.raises(ValidationError, match="first"):
        findings.raise_first()


def test_without_an_error_nothing_is_reported() -> None:
    Findings().raise_first()


STRICT = ReadLimits(strict_params=True)


@pytest.mark.parametrize("name", ["foo", "where", "_start", "filter", "publicationState"])
def test_unknown_parameters_are_ignored_unless_the_server_is_strict(name: str) -> None:
    assert resolve(f"{name}=1").plan == resolve("").plan
    error = problem(f"{name}=1", limits=STRICT)
    assert error.message == f"Invalid key {name}"
    assert error.details == {"key": name, "path": None, "source": "query", "param": name}


def test_a_strict_server_knows_every_parameter_that_means_something() -> None:
    query = (
        "filters[title]=a&sort=title&fields=title&populate=author&status=draft&locale=fr&_q=a"
        "&start=1&limit=1&pagination[page]=1&publicationFilter=modified&count=1&ordering=1"
        "&hasPublishedVersion=true"
    )
    assert resolve(query, limits=STRICT).plan == resolve(query).plan


def test_a_strict_server_checks_parameters_before_everything_but_the_publication_filter() -> None:
    assert problem("foo=1&filters[nope]=1", limits=STRICT).message == "Invalid key foo"
    message = problem("foo=1&publicationFilter=x", limits=STRICT).message
    assert message.startswith("Invalid value for 'publicationFilter'")


def test_one_internal_parameter_is_refused_always() -> None:
    assert problem("lookup=1").message == "Invalid params: 'lookup'"
    assert problem("lookup=1&filters[nope]=1").message == "Invalid key nope"


@pytest.mark.parametrize(
    ("query", "message"),
    [
        ({"locale": ["en"]}, "Invalid locale param en provided. Document locales must be strings."),
        ({"locale": ["en", "fr"]}, "Invalid locale param en,fr provided. Document locales must"),
        ({"locale": {"x": "en"}}, "Invalid locale param [object Object] provided. Document loc"),
        ({"locale": ["en"], "sort": "title:up"}, "Invalid locale param en provided."),
        ({"locale": ["en"], "start": "x"}, "Invalid locale param en provided."),
        ({"locale": ["en"], "filters": {"nope": "1"}}, "Invalid key nope"),
    ],
)
def test_one_document_is_read_in_one_locale(query: dict[str, QueryValue], message: str) -> None:
    with pytest.raises(ValidationError) as raised:
        resolver().document(query, "abc")
    assert raised.value.message.startswith(message)
    with pytest.raises(ValidationError) as raised:
        resolver().single(query)
    assert raised.value.message.startswith(message)


def test_errors_of_a_filter_by_document_id_count_though_the_path_decides() -> None:
    with pytest.raises(ValidationError, match=r"^Invalid key nope$"):
        resolver().document({"filters": {"documentId": {"nope": "1"}}}, "abc")


def test_the_path_decides_which_document_is_read_and_not_a_filter() -> None:
    found = resolver().document({"filters": {"documentId": "other", "title": "a"}}, "abc")
    assert found.plan.document is not None
    assert found.values[found.plan.document] == "abc"
    alone = resolver().document({"filters": {"title": "a"}}, "abc")
    assert str(found.plan.root.filter)[:40] == str(alone.plan.root.filter)[:40]


def test_a_row_of_users_and_files_is_read_by_its_id() -> None:
    found = resolver().entry({}, 7)
    assert found.plan.entry is not None
    assert found.values[found.plan.entry] == 7
