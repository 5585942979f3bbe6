from dataclasses import replace

import pytest

from bench.compare import Effort, Result
from bench.growth import Footprint, Growth, contestant_name
from bench.measure import Round, summarise
from bench.report import (
    AS_LEFT,
    READING,
    Run,
    Table,
    cpu_tables,
    equality_sentence,
    floor_table,
    growth_table,
    markdown,
    microseconds,
    rate_table,
    replace_between_markers,
    tables,
    times,
)
from bench.stage import Scale

SCALE = Scale(25_000)
RESULT = Result(
    "flat",
    "flat page of 25",
    {
        "Strapi": summarise([Round(7_300, 129, 100, 200)]),
        "Quire": summarise([Round(146, 5_672.4, 2.04, 4)]),
        "Bare driver": summarise([Round(62, None, None, None)]),
        "Plain server": summarise([Round(22, 45_270, 0.3, 0.5)]),
    },
)
RUN = Run(
    machine="a machine",
    effort=Effort(rounds=3, seconds=2.0, concurrency=16),
    scale=SCALE,
    results=(RESULT,),
    servers=("Strapi", "Quire", "Plain server"),
    footprints=(Footprint("Quire", SCALE, 0.456, 81.2),),
)
GROWTH = Growth(
    scales=(Scale(1_000), SCALE),
    servers=("Quire",),
    results=(
        Result(
            "flat",
            "flat page of 25",
            {
                contestant_name("Quire", Scale(1_000)): summarise([Round(140, 1, 1, 1)]),
                contestant_name("Quire", SCALE): summarise([Round(150, 1, 1, 1)]),
            },
        ),
    ),
    footprints=(Footprint("Quire", SCALE, 0.5, None),),
)


def row_of(table: Table) -> dict[str, str]:
    """The only row of a table, by the names of columns."""
    (row,) = table.rows
    return dict(zip(table.columns, row, strict=True))


def with_servers(*names: str) -> Run:
    """A run of servers that take 100 µs, 200 µs, ... in the order of their names."""
    summaries = {
        name: summarise([Round(100 * number, 1, 1, 1)]) for number, name in enumerate(names, 1)
    }
    servers = tuple(name for name in names if name != "Bare driver")
    return replace(RUN, results=(replace(RESULT, summaries=summaries),), servers=servers)


def test_the_first_table_has_cpu_times_of_servers_and_ratios() -> None:
    run = with_servers("Quire", READING, "Quire without pages", "Strapi", "Plain server")
    assert row_of(cpu_tables(run)[0]) == {
        "Workload": "flat page of 25",
        "Quire": "100 µs",
        "Strapi / Quire": "4.0x",
        READING: "200 µs",
        "Strapi / without response cache": "2.0x",
        "Quire without pages": "300 µs",
        "Strapi / without pages": "1.3x",
        "Strapi": "400 µs",
    }


def test_databases_as_strapi_left_them_have_a_table_of_their_own() -> None:
    run = with_servers("Quire", f"Quire{AS_LEFT}", "Strapi", f"Strapi{AS_LEFT}")
    indexed, left, _ = cpu_tables(run)
    assert row_of(indexed)["Strapi / Quire"] == "3.0x"
    assert row_of(left) == {
        "Workload": "flat page of 25",
        "Quire": "200 µs",
        "Strapi / Quire": "2.0x",
        "Strapi": "400 µs",
    }
    assert not any(AS_LEFT in column for column in rate_table(run).columns)


def test_statements_are_compared_with_what_runs_them() -> None:
    run = with_servers("Bare driver", READING, "Quire", "Plain server")
    assert row_of(floor_table(run)) == {
        "Workload": "flat page of 25",
        READING: "200 µs",
        "Bare driver": "100 µs",
        "without response cache / driver": "2.0x",
        "Quire": "300 µs",
        "Plain server": "400 µs",
    }


def test_without_the_peer_its_columns_are_left_out() -> None:
    table, _ = cpu_tables(replace(RUN, servers=("Quire", "Plain server")))
    assert table.columns == ("Workload", "Quire")


def test_a_database_with_processes_of_its_own_has_a_table_and_its_limit_a_rate() -> None:
    summaries = {
        "Quire": summarise([Round(300, 1_000, 2, 4, database_us=400)]),
        "Quire, 2 processes": summarise([Round(310, 1_500, 2, 4, database_us=410)]),
        "pgbench": summarise([Round(20, 9_000, None, None, database_us=390)]),
        "Plain server": summarise([Round(30, 20_000, 1, 2, database_us=0)]),
    }
    servers = ("Quire", "Quire, 2 processes", "Plain server")
    run = replace(
        RUN, results=(replace(RESULT, summaries=summaries),), servers=servers, floor="pgbench"
    )
    cpu, floors, database, rates, _ = tables(run)
    assert cpu.rows[0][1:] == ("300 µs", "310 µs")
    assert row_of(floors)["Quire / pgbench"] == "15x"
    assert database.rows[0][1:] == ("400 µs", "410 µs", "390 µs")
    assert rates.columns[-1] == "pgbench req/s"
    assert rates.rows[0][-1] == "9,000"


def test_what_was_not_measured_is_said_to_be_unknown() -> None:
    unknown = replace(RESULT, summaries={"Quire": summarise([Round(None, 10, 1, 1)])})
    for table in cpu_tables(replace(RUN, results=(unknown,))):
        assert set(table.rows[0][1:]) == {"n/a"}


def test_throughput_has_requests_per_second_and_latencies() -> None:
    table = rate_table(RUN)
    assert table.rows[0][3:5] == ("5,672", "2.0 / 4.0 ms")


def test_growth_adds_tables_with_a_column_for_each_scale() -> None:
    titles = [table.title for table in tables(replace(RUN, by_documents=GROWTH))]
    assert "CPU time per request by number of documents" in titles
    growth = tables(replace(RUN, by_documents=GROWTH))[4]
    assert growth.columns[1:] == ("Quire, 1,000 docs", "Quire, 25,000 docs")
    assert growth.rows[0][1:] == ("140 µs", "150 µs")


def test_growth_by_types_names_the_number_of_types() -> None:
    scales = (Scale(1_000, 10), Scale(1_000, 400))
    table = growth_table("by types", replace(GROWTH, scales=scales, results=()))
    assert table.columns == ("Workload", "Quire, 10 types", "Quire, 400 types")


def test_every_row_of_every_table_has_all_columns() -> None:
    for table in tables(replace(RUN, by_documents=GROWTH, by_types=GROWTH)):
        assert all(len(row) == len(table.columns) for row in table.rows)


def test_equal_responses_are_said_to_be_equal() -> None:
    assert equality_sentence(RUN).endswith("they are equal.")


def test_a_single_server_is_not_reported_to_have_equal_responses() -> None:
    alone = replace(RUN, servers=("Quire", "Plain server"))
    assert "equal" not in equality_sentence(alone)


def test_unequal_responses_are_marked_and_reported() -> None:
    unequal = replace(RESULT, difference="/api/articles: Strapi and Quire differ at .data")
    text = markdown(replace(RUN, results=(unequal,)))
    assert "| flat page of 25 * |" in text
    assert "NOT equal: /api/articles: Strapi and Quire differ at .data." in text


def test_markdown_states_the_machine_and_the_number_of_rounds() -> None:
    text = markdown(RUN)
    assert text.startswith("Measured on a machine; 25,000 documents, 4 content types; ")
    assert "medians of 3 interleaved rounds of about 2 s, 16 connections" in text


def test_only_what_is_between_the_markers_is_replaced() -> None:
    page = "before\n<!-- bench:start -->\nold\n<!-- bench:end -->\nafter\n"
    expected = "before\n<!-- bench:start -->\n\nnew\n\n<!-- bench:end -->\nafter\n"
    assert replace_between_markers(page, "new", "bench") == expected


@pytest.mark.parametrize("page", ["no markers", "<!-- bench:start --> only the first"])
def test_a_page_without_markers_is_refused(page: str) -> None:
    with pytest.raises(ValueError, match="has no"):
        replace_between_markers(page, "new", "bench")


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (None, "n/a"),
        (9.42, "9.4 µs"),
        (131.4, "131 µs"),
        (7_320.0, "7.3 ms"),
        (250_000.0, "250 ms"),
    ],
)
def test_durations_have_the_digits_that_mean_something(value: float | None, text: str) -> None:
    assert microseconds(value) == text


@pytest.mark.parametrize(
    ("value", "text"), [(None, "n/a"), (0.94, "0.9x"), (4.21, "4.2x"), (57.3, "57x")]
)
def test_ratios_have_the_digits_that_mean_something(value: float | None, text: str) -> None:
    assert times(value) == text
