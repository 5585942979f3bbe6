import pytest

from bench.measure import Round, percentile, ratio, summarise


@pytest.mark.parametrize(("fraction", "expected"), [(0.01, 1), (0.50, 50), (0.99, 99), (1.0, 100)])
def test_percentile_is_the_nearest_rank(fraction: float, expected: int) -> None:
    values = list(range(100, 0, -1))
    assert percentile(values, fraction) == expected


def test_percentile_of_one_value_is_that_value() -> None:
    assert percentile([7.5], 0.99) == 7.5


def test_percentile_of_nothing_is_refused() -> None:
    with pytest.raises(ValueError, match="no values"):
        percentile([], 0.5)


def test_a_summary_has_the_median_of_each_figure_and_the_range_of_cpu_time() -> None:
    rounds = [Round(30, 100, 1, 9), Round(10, 300, 2, 8), Round(20, 200, 3, 7)]
    summary = summarise(rounds)
    assert (summary.cpu_us, summary.cpu_us_min, summary.cpu_us_max) == (20, 10, 30)
    assert (summary.rate, summary.p50_ms, summary.p99_ms) == (200, 2, 8)


def test_a_summary_leaves_out_what_was_not_measured() -> None:
    summary = summarise([Round(None, 10, 1, 2), Round(None, 20, 1, 2)])
    assert summary.cpu_us is None
    assert summary.cpu_us_max is None
    assert summary.rate == 15


def test_no_rounds_have_no_summary() -> None:
    with pytest.raises(ValueError, match="no rounds"):
        summarise([])


def test_a_ratio_says_how_often_one_goes_into_the_other() -> None:
    assert ratio(7300, 146) == 50


@pytest.mark.parametrize(("value", "base"), [(None, 1.0), (1.0, None), (1.0, 0.0)])
def test_a_ratio_with_something_unknown_is_unknown(value: float | None, base: float | None) -> None:
    assert ratio(value, base) is None
