"""All metrics of a server. `docs/metrics.md` has a row for each."""

from quire.metrics.families import Metric

_FAST_SECONDS = (0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 10.0)

BUILD = Metric(
    name="quire_build_info",
    kind="gauge",
    help="1, with the versions of Quire and Python and the kind of database.",
    labels=("version", "python", "database"),
    merge="max",
)
PROCESSES = Metric(
    name="quire_processes", kind="gauge", help="Server processes whose figures are added up."
)
REQUESTS = Metric(
    name="quire_http_requests",
    kind="counter",
    help="Completed requests.",
    labels=("route", "method", "status"),
)
REQUEST_SECONDS = Metric(
    name="quire_http_request_duration_seconds",
    kind="histogram",
    help="Time from the parsed header of a request to its response.",
    labels=("route", "method", "status"),
    bounds=_FAST_SECONDS,
)
RESPONSE_BYTES = Metric(
    name="quire_http_response_size_bytes",
    kind="counter",
    help="Bytes of the bodies of responses.",
    labels=("route", "method", "status"),
)
IN_FLIGHT = Metric(
    name="quire_http_requests_in_flight",
    kind="gauge",
    help="Requests in progress.",
)
DATABASE_SECONDS = Metric(
    name="quire_database_operation_duration_seconds",
    kind="histogram",
    help="Time of reads, writes (transactions) and questions for the version of the content.",
    labels=("operation",),
    bounds=_FAST_SECONDS,
)
SLOW_OPERATIONS = Metric(
    name="quire_database_slow_operations",
    kind="counter",
    help="Operations that took longer than metrics.slow_query_ms.",
    labels=("operation",),
)
SLOW_FUNCTIONS = Metric(
    name="quire_slow_function_calls",
    kind="counter",
    help="Calls of plain functions of the project's code that took longer than 20 ms.",
)
POOL_SIZE = Metric(
    name="quire_database_pool_size",
    kind="gauge",
    help="Connections that a pool may have.",
    labels=("pool",),
)
POOL_IN_USE = Metric(
    name="quire_database_pool_in_use",
    kind="gauge",
    help="Connections that are in use.",
    labels=("pool",),
)
POOL_WAITING = Metric(
    name="quire_database_pool_waiting",
    kind="gauge",
    help="Operations that wait for a connection.",
    labels=("pool",),
)
POOL_WAITS = Metric(
    name="quire_database_pool_waits",
    kind="counter",
    help="Operations that had to wait for a connection.",
    labels=("pool",),
)
POOL_WAIT_SECONDS = Metric(
    name="quire_database_pool_wait_seconds",
    kind="counter",
    help="Time for which operations have waited for a connection.",
    labels=("pool",),
)
POOL_REFUSED = Metric(
    name="quire_database_pool_refused",
    kind="counter",
    help="Operations that got no connection in time.",
    labels=("pool",),
)
CACHE_HITS = Metric(
    name="quire_cache_hits",
    kind="counter",
    help="Lookups that found an entry.",
    labels=("cache",),
)
CACHE_MISSES = Metric(
    name="quire_cache_misses",
    kind="counter",
    help="Lookups that found nothing.",
    labels=("cache",),
)
CACHE_ENTRIES = Metric(
    name="quire_cache_entries",
    kind="gauge",
    help="Entries of a cache.",
    labels=("cache",),
)
WEBHOOK_DELIVERIES = Metric(
    name="quire_webhook_delivery_attempts",
    kind="counter",
    help="Attempts to deliver an event to a webhook: delivered, retried later, or given up.",
    labels=("outcome",),
)
WEBHOOK_QUEUE = Metric(
    name="quire_webhook_queue_depth",
    kind="gauge",
    help="Deliveries of enabled webhooks that wait in the database.",
    merge="max",
)
WEBHOOK_LAG = Metric(
    name="quire_webhook_queue_lag_seconds",
    kind="gauge",
    help="Age of the oldest waiting delivery of an enabled webhook.",
    merge="max",
)
JOB_QUEUE = Metric(
    name="quire_job_queue_depth",
    kind="gauge",
    help="Jobs that are due and wait in the database.",
    merge="max",
)
JOB_LAG = Metric(
    name="quire_job_queue_lag_seconds",
    kind="gauge",
    help="Time since the first of them was due.",
    merge="max",
)
JOB_RUNS = Metric(
    name="quire_job_runs",
    kind="counter",
    help="Runs of jobs: done, retried later, or failed.",
    labels=("name", "outcome"),
)
LOOP_LAG = Metric(
    name="quire_event_loop_lag_seconds",
    kind="histogram",
    help="How late a timer of the event loop is, twice a second.",
    bounds=(0.001, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 5.0),
)
CPU_SECONDS = Metric(
    name="process_cpu_seconds",
    kind="counter",
    help="Processor time of the server processes.",
)
MEMORY = Metric(
    name="process_resident_memory_bytes",
    kind="gauge",
    help="Resident memory of the server processes.",
)
OPEN_FILES = Metric(
    name="process_open_fds",
    kind="gauge",
    help="Open file descriptors of the server processes.",
)
START_TIME = Metric(
    name="process_start_time_seconds",
    kind="gauge",
    help="Start of the latest server process, as Unix time.",
    merge="max",
)

CATALOGUE: tuple[Metric, ...] = tuple(
    value for value in list(globals().values()) if isinstance(value, Metric)
)
"""All of them, in the order of this module."""
