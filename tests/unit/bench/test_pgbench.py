"""The scripts that pgbench runs."""

import pytest

from bench.pgbench import literal, script


def test_a_request_of_one_statement_has_its_values_in_variables() -> None:
    text, variables = script([("SELECT a\n FROM t WHERE b = $2 AND c = $1", [7, "x"])], "v0")
    assert text == "SELECT a FROM t WHERE b = :v0_0_2 AND c = :v0_0_1;\n"
    assert variables == {"v0_0_2": "x", "v0_0_1": "7"}


def test_several_statements_are_one_transaction() -> None:
    text, variables = script([("SELECT $1", [1]), ("SELECT $1::text", [None])], "v")
    assert text.splitlines() == [
        "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY;",
        "SELECT :v_0_1;",
        "SELECT NULL::text;",
        "COMMIT;",
    ]
    assert variables == {"v_0_1": "1"}


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (5, "5"),
        (True, "true"),
        ("a b", "a b"),
        ([1, 2], "{1,2}"),
        (['say "x"', "a\\b", None], '{"say \\"x\\"","a\\\\b",NULL}'),
    ],
)
def test_values_are_written_as_postgresql_reads_them(value: object, text: str) -> None:
    assert literal(value) == text
