"""``quire top``: what a running server does, from its metrics, renewed every few seconds."""

import time
from collections.abc import Iterable, Mapping
from http.client import HTTPException
from pathlib import Path
from urllib.request import Request, urlopen

from msgspec import Struct
from prometheus_client.parser import text_string_to_metric_families
from rich.console import Console, Group
from rich.live import Live
from rich.table import Table
from rich.text import Text

from quire.cli.terminal import EXIT_OK
from quire.errors import ApplicationError, ConfigurationError
from quire.settings import load_settings

_TIMEOUT_SECONDS = 10
_MAX_ROUTES = 15
_MEBIBYTE = 1 << 20

Labels = frozenset[tuple[str, str]]


class MetricsSnapshot(Struct, frozen=True):
    """The values of all samples at a time of a monotonic clock."""

    taken_at: float
    values: Mapping[tuple[str, Labels], float]

    def labels(self, name: str, label: str) -> list[str]:
        """List the values of a label of a metric, in order."""
        return sorted(
            {dict(labels)[label] for sample_name, labels in self.values if sample_name == name}
        )

    def total(self, name: str, **labels: str) -> float:
        """Add up the samples of a name that have these labels."""
        required_labels = labels.items()
        return sum(
            value
            for (sample_name, sample_labels), value in self.values.items()
            if sample_name == name and sample_labels >= required_labels
        )

    def buckets(self, name: str, **labels: str) -> dict[float, float]:
        """Add up the cumulative buckets of a histogram, by upper bound."""
        required_labels = labels.items()
        counts: dict[float, float] = {}
        for (sample_name, sample_labels), value in self.values.items():
            if sample_name == f"{name}_bucket" and sample_labels >= required_labels:
                upper_bound = float(dict(sample_labels)["le"])
                counts[upper_bound] = counts.get(upper_bound, 0.0) + value
        return counts


class Interval(Struct, frozen=True):
    """The differences between two snapshots of one server."""

    before: MetricsSnapshot
    after: MetricsSnapshot

    @property
    def seconds(self) -> float:
        """Its duration."""
        return max(self.after.taken_at - self.before.taken_at, 1e-9)

    def rate(self, name: str, **labels: str) -> float:
        """Return the growth of a counter per second; a counter that went back has restarted."""
        end_total = self.after.total(name, **labels)
        start_total = self.before.total(name, **labels)
        return (end_total if end_total < start_total else end_total - start_total) / self.seconds

    def quantile(self, share: float, name: str, **labels: str) -> float | None:
        """Return the bucket bound of a quantile; ``None`` without values.

        It is infinite when the value is beyond the last bound.
        """
        start_counts = self.before.buckets(name, **labels)
        increases = {
            upper_bound: count - start_counts.get(upper_bound, 0.0)
            for upper_bound, count in sorted(self.after.buckets(name, **labels).items())
        }
        total = max(increases.values(), default=0.0)
        if total <= 0:
            return None
        return next(
            upper_bound for upper_bound, count in increases.items() if count >= share * total
        )

    def hit_rate(self, cache: str) -> float | None:
        """Return the share of lookups of a cache that were hits; ``None`` without lookups."""
        hits = self.rate("quire_cache_hits_total", cache=cache)
        misses = self.rate("quire_cache_misses_total", cache=cache)
        return hits / (hits + misses) if hits + misses else None


def show_top(project: Path, *, address: str | None, interval: float, once: bool) -> int:
    """Show a server until a signal ends it, or one interval of it.

    ``address`` is that of its metrics, by default the one in the project's settings. Raises
    ConfigurationError when there is none there, and ApplicationError when the server does not
    respond.
    """
    url, token = (address, _token_of(project)) if address else _address_of(project)
    console = Console()
    previous_snapshot = _fetch(url, token)
    if once:
        time.sleep(interval)
        console.print(view(Interval(previous_snapshot, _fetch(url, token)), url))
        return EXIT_OK
    with Live(Text(f"{url}: waiting for values ..."), console=console, screen=True) as display:
        while True:
            time.sleep(interval)
            snapshot = _fetch(url, token)
            display.update(view(Interval(previous_snapshot, snapshot), url))
            previous_snapshot = snapshot


def _token_of(project: Path) -> str | None:
    return load_settings(project).metrics.token


def _address_of(project: Path) -> tuple[str, str | None]:
    metrics = load_settings(project).metrics
    if not metrics.port:
        raise ConfigurationError(
            "The project serves no metrics on a port that is known: set metrics.port, or name "
            "their address with --address http://HOST:PORT."
        )
    host = metrics.address if metrics.address not in {"0.0.0.0", "::"} else "localhost"  # noqa: S104 - compared
    url_host = f"[{host}]" if ":" in host else host
    return f"http://{url_host}:{metrics.port}", metrics.token


def _fetch(address: str, token: str | None) -> MetricsSnapshot:
    url = f"{address.rstrip('/')}/metrics"
    if not url.startswith(("http://", "https://")):
        raise ApplicationError(f"{address} is no address of metrics: it begins with http://.")
    try:
        headers = {} if token is None else {"Authorization": f"Bearer {token}"}
        with urlopen(Request(url, headers=headers), timeout=_TIMEOUT_SECONDS) as response:  # noqa: S310 - http alone
            text = response.read().decode()
        return read_snapshot(text, time.monotonic())
    except (OSError, ValueError, HTTPException) as error:
        raise ApplicationError(f"{url} has no metrics: {error}") from error


def read_snapshot(text: str, time: float) -> MetricsSnapshot:
    """Parse the text form of metrics. Raises ValueError for anything else."""
    return MetricsSnapshot(
        time,
        {
            (sample.name, frozenset(sample.labels.items())): sample.value
            for family in text_string_to_metric_families(text)
            for sample in family.samples
        },
    )


def view(interval: Interval, address: str) -> Group:
    """Return the text of an interval."""
    return Group(
        _summary(interval, address),
        _routes(interval),
        Text(),
        _arrange_tables(_database(interval), _caches(interval), _queues(interval)),
    )


def _summary(interval: Interval, address: str) -> Text:
    snapshot = interval.after
    requests = interval.rate("quire_http_requests_total")
    errors = interval.rate("quire_http_requests_total", status="5xx")
    memory = snapshot.total("process_resident_memory_bytes") / _MEBIBYTE
    lag = interval.quantile(0.99, "quire_event_loop_lag_seconds")
    return Text(
        f"{address}   {snapshot.total('quire_processes'):.0f} processes   "
        f"{requests:.1f} requests/s   {errors:.1f} errors/s   "
        f"{snapshot.total('quire_http_requests_in_flight'):.0f} in flight   "
        f"CPU {interval.rate('process_cpu_seconds_total'):.0%}   {memory:.0f} MiB   "
        f"loop lag {_time(lag)}\n",
        style="bold",
    )


def _routes(interval: Interval) -> Table:
    table = _table("Route", "requests/s", "errors/s", "p50", "p99")
    name = "quire_http_requests_total"
    rows = []
    for route in interval.after.labels(name, "route"):
        times = "quire_http_request_duration_seconds"
        cells = (
            f"{interval.rate(name, route=route, status='5xx'):.1f}",
            _time(interval.quantile(0.5, times, route=route)),
            _time(interval.quantile(0.99, times, route=route)),
        )
        rows.append((interval.rate(name, route=route), route, cells))
    for rate, route, cells in sorted(rows, key=lambda row: (-row[0], row[1]))[:_MAX_ROUTES]:
        table.add_row(route, f"{rate:.1f}", *cells)
    return table


def _database(interval: Interval) -> Table:
    table = _table("Database", "per second", "p99", "in use", "waiting")
    name = "quire_database_operation_duration_seconds"
    snapshot = interval.after
    for operation in snapshot.labels(f"{name}_count", "operation"):
        size = snapshot.total("quire_database_pool_size", pool=operation)
        in_use = snapshot.total("quire_database_pool_in_use", pool=operation)
        table.add_row(
            operation,
            f"{interval.rate(f'{name}_count', operation=operation):.1f}",
            _time(interval.quantile(0.99, name, operation=operation)),
            f"{in_use:.0f}/{size:.0f}" if size else "",
            f"{snapshot.total('quire_database_pool_waiting', pool=operation):.0f}" if size else "",
        )
    return table


def _caches(interval: Interval) -> Table:
    table = _table("Cache", "hits", "entries")
    for cache in interval.after.labels("quire_cache_entries", "cache"):
        rate = interval.hit_rate(cache)
        entries = interval.after.total("quire_cache_entries", cache=cache)
        table.add_row(cache, "" if rate is None else f"{rate:.0%}", f"{entries:.0f}")
    return table


def _queues(interval: Interval) -> Table:
    table = _table("Queue", "waiting", "oldest")
    snapshot = interval.after
    for title, name in (("webhooks", "quire_webhook_queue"), ("jobs", "quire_job_queue")):
        lag = snapshot.total(f"{name}_lag_seconds")
        table.add_row(title, f"{snapshot.total(f'{name}_depth'):.0f}", f"{lag:.0f} s")
    return table


def _table(first: str, *others: str) -> Table:
    table = Table(box=None, pad_edge=False, header_style="bold cyan")
    table.add_column(first, overflow="fold")
    for title in others:
        table.add_column(title, justify="right")
    return table


def _arrange_tables(*tables: Table) -> Table:
    grid = Table.grid(padding=(0, 4))
    for _ in tables:
        grid.add_column()
    cells: Iterable[Table] = tables
    grid.add_row(*cells)
    return grid


def _time(seconds: float | None) -> str:
    """Write the bound of a bucket, which is an upper limit."""
    if seconds is None:
        return ""
    if seconds == float("inf"):
        return "> 10 s"
    return f"≤ {seconds * 1000:g} ms" if seconds < 1 else f"≤ {seconds:g} s"
