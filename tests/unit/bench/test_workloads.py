import json

import pytest

from bench.compare import requests_per_round
from bench.dataset import DatasetSize
from bench.load import LoadJob
from bench.workloads import choose, deep_page, first_difference, workloads

WORKLOADS = workloads(DatasetSize(1_000))


@pytest.mark.parametrize(("documents", "page"), [(25_000, 800), (1_000, 32), (10, 1)])
def test_the_deep_page_is_four_fifths_into_the_list(documents: int, page: int) -> None:
    assert deep_page(documents) == page


def test_every_workload_has_a_name_of_its_own() -> None:
    assert len({workload.name for workload in WORKLOADS}) == len(WORKLOADS)


def test_every_target_can_stand_in_a_request_line() -> None:
    targets = [target for workload in WORKLOADS for target in workload.targets]
    assert all(target.isascii() and " " not in target for target in targets)


def test_targets_are_the_same_in_every_run() -> None:
    assert workloads(DatasetSize(1_000)) == WORKLOADS


def test_chosen_workloads_keep_the_order_of_the_report() -> None:
    chosen = choose(WORKLOADS, ["sort", "flat"])
    assert [workload.name for workload in chosen] == ["flat", "sort"]


def test_all_workloads_are_chosen_when_none_is_named() -> None:
    assert choose(WORKLOADS, []) == WORKLOADS


def test_an_unknown_workload_is_refused_with_the_names_there_are() -> None:
    with pytest.raises(ValueError, match=r"no workload named flap; .*find-one"):
        choose(WORKLOADS, ["flap"])


@pytest.mark.parametrize(
    ("left", "right"),
    [
        ({"a": 1, "b": [True, None]}, {"b": [True, None], "a": 1}),
        ([], []),
        ("é", "é"),
        (1.5, 1.5),
    ],
)
def test_equal_responses_have_no_difference(left: object, right: object) -> None:
    assert first_difference(left, right) is None


@pytest.mark.parametrize(
    ("left", "right", "difference"),
    [
        ({"data": [{"id": 1}]}, {"data": [{"id": 2}]}, ".data[0].id: 1 and 2"),
        ({"a": 1}, {"a": True}, ".a: 1 and true"),
        ({"a": 1}, {"a": 1.0}, ".a: 1 and 1.0"),
        ({"a": 1, "b": 2}, {"a": 1}, ".: only one side has b"),
        ({"data": [1, 2]}, {"data": [1]}, ".data: 2 and 1 items"),
        ([1, 2], [2, 1], "[0]: 1 and 2"),
        ({"a": None}, {"a": {}}, ".a: null and {}"),
    ],
)
def test_the_first_difference_is_reported_with_its_path(
    left: object, right: object, difference: str
) -> None:
    assert first_difference(left, right) == difference


@pytest.mark.parametrize(("rate", "expected"), [(1_000.0, 2_000), (3.0, 48), (1_000_000.0, 40_000)])
def test_a_round_is_as_long_as_asked_within_bounds(rate: float, expected: int) -> None:
    assert requests_per_round(rate, seconds=2.0, concurrency=16) == expected


def test_one_request_of_twenty_writes_where_a_workload_does() -> None:
    (mixed,) = choose(WORKLOADS, ["mixed"])
    job = LoadJob(1, mixed.targets, "token", requests=400, writes=mixed.writes)
    methods = [message.split(b" ")[0] for message in job.messages()]
    assert len(mixed.targets) == 260
    assert [methods.count(method) for method in (b"GET", b"PUT", b"POST")] == [380, 15, 5]
    bodies = [message.partition(b"\r\n\r\n")[2] for message in job.messages()]
    assert json.loads(bodies[19]) == {"data": {"title": "Changed 0"}}
