"""Spans of requests, SQL statements, background work and outgoing calls.

This is the only module that imports OpenTelemetry, and only if traces are enabled.
"""

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from random import getrandbits
from time import perf_counter
from typing import TypeVar
from urllib.parse import urlsplit

from opentelemetry import context, trace
from opentelemetry.context import Context
from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
from opentelemetry.propagate import extract
from opentelemetry.sdk.resources import Resource
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import BatchSpanProcessor
from opentelemetry.sdk.trace.id_generator import RandomIdGenerator
from opentelemetry.sdk.trace.sampling import (
    ALWAYS_OFF,
    Decision,
    ParentBased,
    Sampler,
    SamplingResult,
    TraceIdRatioBased,
)
from opentelemetry.trace import Link, Span, SpanContext, SpanKind, Status, StatusCode
from opentelemetry.trace.propagation.tracecontext import TraceContextTextMapPropagator
from opentelemetry.trace.span import TraceState
from opentelemetry.util.types import Attributes

import quire
from quire.database.program import Program, is_query
from quire.logging import trace_parent
from quire.tracing.trace_context import (
    TRACE_PARENT,
    is_sampled,
    new_unsampled_parent,
    present_tracing,
)

T = TypeVar("T")

_PATH = "/v1/traces"
_TRACE_HEADERS = (b"traceparent", b"tracestate")
_SERVER_ERROR = 500
_ID_BITS = 64
"""Half of the bits of a trace id: a ratio is applied to the lower half."""

_sampled_trace: ContextVar[int | None] = ContextVar("sampled_trace", default=None)
"""The id by which the request was sampled whose span is about to start."""


class RequestIdGenerator(RandomIdGenerator):
    """Gives the span of a request the trace id by which the request was sampled.

    Samplers decide by the trace id: with another one, the request would be sampled twice.
    """

    def generate_trace_id(self) -> int:
        """Return the id of a new trace."""
        return _sampled_trace.get() or super().generate_trace_id()


class RateLimitingSampler(Sampler):
    """Records a number of traces per second, evenly in time, and drops the others.

    After a pause, as many traces as in one second are recorded at once. ``clock`` returns seconds.
    """

    def __init__(self, per_second: int, clock: Callable[[], float] = perf_counter) -> None:
        self._per_second = per_second
        self._interval = 1 / per_second
        self._burst = 1 - self._interval
        self._clock = clock
        self.next_start = clock() - self._burst
        """From when on the next trace may start."""

    def take(self) -> bool:
        """Tell whether a trace may start now, and count it."""
        now = self._clock()
        if now < self.next_start:
            return False
        self.next_start = max(self.next_start, now - self._burst) + self._interval
        return True

    def should_sample(
        self,
        parent_context: Context | None,
        trace_id: int,
        name: str,
        kind: SpanKind | None = None,
        attributes: Attributes = None,
        links: Sequence[Link] | None = None,
        trace_state: TraceState | None = None,
    ) -> SamplingResult:
        """Decide about a new trace; a request that `Tracing.sample` has counted is recorded."""
        del parent_context, name, kind, links, trace_state
        if trace_id == _sampled_trace.get() or self.take():
            return SamplingResult(Decision.RECORD_AND_SAMPLE, attributes)
        return SamplingResult(Decision.DROP)

    def get_description(self) -> str:
        """Return the name of the sampler, with its limit."""
        return f"{type(self).__name__}{{{self._per_second}}}"


def export_to(endpoint: str, service_name: str, sampler: Sampler | None) -> TracerProvider:
    """Create a provider that sends spans in batches, on another thread.

    Headers and the like are those of the environment, as OpenTelemetry describes them, and so is
    the sampler if it is ``None``.
    """
    resource = Resource.create({"service.name": service_name, "service.version": quire.__version__})
    generator = RequestIdGenerator()
    provider = TracerProvider(resource=resource, sampler=sampler, id_generator=generator)
    exporter = OTLPSpanExporter(endpoint=endpoint.rstrip("/") + _PATH)
    provider.add_span_processor(BatchSpanProcessor(exporter))
    return provider


def rate_limiting_sampler(per_second: int) -> Sampler:
    """Return the sampler of servers whose environment names none.

    A request with a ``traceparent`` is recorded if its client records it; the limit is for others.
    """
    return ParentBased(RateLimitingSampler(per_second))


class Tracing:
    """Makes spans; it observes the database (`quire.database.observed_database`)."""

    def __init__(self, provider: TracerProvider, system: str) -> None:
        """``provider`` has a `RequestIdGenerator`.

        ``system`` is the kind of database, as in the semantic conventions.
        """
        self._provider = provider
        sampler = provider.sampler
        # `ParentBased` has no public names for them. Without them, the sampler is asked.
        root = getattr(sampler, "_root", sampler)
        self._bound = root.bound if isinstance(root, TraceIdRatioBased) else None
        self.limit = root if isinstance(root, RateLimitingSampler) else None
        """Decides about requests without a ``traceparent``, if it is the sampler."""
        unsampled = getattr(sampler, "_remote_parent_not_sampled", None)
        self._drops_unsampled = isinstance(sampler, ParentBased) and unsampled is ALWAYS_OFF
        self._system = system
        self._tracer = provider.get_tracer("quire", quire.__version__)

    def sample(self, method: str, path: bytes, parent: str | None) -> int:
        """Return the trace id of a request that is recorded, 0 if it is not.

        ``parent`` is its valid ``traceparent``. For most requests of a busy server the result is 0,
        so this has to take less than a microsecond for the usual samplers. Others are asked, with
        fewer attributes than `request` has.
        """
        if parent is not None:
            if self._drops_unsampled and not is_sampled(parent):
                return 0
            context = _remote_context(parent)
            trace_id = _context_of(context).trace_id
            return trace_id if self._is_sampled(trace_id, method, path, context) else 0
        if self._bound is not None:
            half = getrandbits(_ID_BITS)
            return 0 if half >= self._bound else getrandbits(_ID_BITS) << _ID_BITS | half
        if self.limit is not None and not self.limit.take():
            return 0
        trace_id = self._provider.id_generator.generate_trace_id()
        is_decided = self.limit is not None or self._is_sampled(trace_id, method, path, None)
        return trace_id if is_decided else 0

    def _is_sampled(self, trace_id: int, method: str, path: bytes, parent: Context | None) -> bool:
        attributes = {"http.request.method": method, "url.path": path.decode("latin-1")}
        result = self._provider.sampler.should_sample(
            parent, trace_id, method, SpanKind.SERVER, attributes
        )
        return result.decision is not Decision.DROP

    @contextmanager
    def request(
        self, method: str, path: bytes, query: str, headers: Mapping[bytes, bytes], trace_id: int
    ) -> Iterator[Span]:
        """The span of a recorded request, which continues the trace of its ``traceparent``.

        ``trace_id`` is the result of `sample`. Secrets in ``query`` are masked.
        """
        attributes = {
            "http.request.method": method,
            "url.path": path.decode("latin-1"),
            "url.scheme": "http",
        }
        if query:
            attributes["url.query"] = query
        if b"user-agent" in headers:
            attributes["user_agent.original"] = headers[b"user-agent"].decode("latin-1")
        parent = Context()
        if _TRACE_HEADERS[0] in headers:
            carrier = {
                name.decode(): headers[name].decode("latin-1")
                for name in _TRACE_HEADERS
                if name in headers
            }
            # Baggage of clients is ignored: it is not used, and would be sent on.
            parent = TraceContextTextMapPropagator().extract(carrier, context=parent)
        token = _sampled_trace.set(trace_id)
        try:
            span = self._tracer.start_span(
                method, context=parent, kind=SpanKind.SERVER, attributes=attributes
            )
        finally:
            _sampled_trace.reset(token)
        with trace.use_span(span, end_on_exit=True), self._announced(_parent_of(span)):
            yield span

    @contextmanager
    def unrecorded(self, parent: str | None) -> Iterator[None]:
        """Within it, calls and background work are part of a trace that is not recorded.

        ``parent`` is the ``traceparent`` of the request, if it has one.
        """
        with self._announced(parent or new_unsampled_parent()):
            yield

    def is_recording(self) -> bool:
        """Tell whether there is a span at present which is recorded."""
        # The second question takes ten times as long, and most requests are not recorded.
        return trace_parent.get() is not None and trace.get_current_span().is_recording()

    def note_response(self, route: str, method: str, status: int) -> None:
        """Add the attributes of the response to the present span."""
        span = trace.get_current_span()
        span.update_name(f"{method} {route}")
        span.set_attribute("http.route", route)
        span.set_attribute("http.response.status_code", status)
        if status >= _SERVER_ERROR:
            span.set_attribute("error.type", str(status))
            span.set_status(Status(StatusCode.ERROR))

    @contextmanager
    def call(self, method: str, url: str, parent: str | None) -> Iterator[tuple[Span, str]]:
        """The span of an outgoing request, with the ``traceparent`` to send.

        ``parent`` is that of the cause of the call if that is not the current request or job.
        """
        address = urlsplit(url)
        attributes: dict[str, str | int] = {
            "http.request.method": method,
            # Neither credentials nor the query: both may be secret.
            "url.full": f"{address.scheme}://{address.hostname or ''}{address.path}",
            "server.address": address.hostname or "",
        }
        if parent is None and not self.is_recording():
            parent = trace_parent.get()
        caused = None if parent is None else _remote_context(parent)
        # Messages of errors may contain the whole URL.
        with self._tracer.start_as_current_span(
            method,
            context=caused,
            kind=SpanKind.CLIENT,
            attributes=attributes,
            record_exception=False,
            set_status_on_exception=False,
        ) as span:
            try:
                yield span, _parent_of(span)
            except Exception as error:
                span.set_attribute("error.type", type(error).__qualname__)
                span.set_status(StatusCode.ERROR)
                raise

    @contextmanager
    def background(self, name: str, parents: Collection[str | None]) -> Iterator[None]:
        """The span of a job, or of a call for changes.

        It continues the trace of its cause; several causes are linked.
        """
        causes = [
            _remote_context(parent) for parent in dict.fromkeys(parents) if parent is not None
        ]
        is_single = len(causes) == 1
        links = [] if is_single else [Link(_context_of(cause)) for cause in causes]
        with (
            self._tracer.start_as_current_span(
                name,
                context=causes[0] if is_single else Context(),
                kind=SpanKind.CONSUMER,
                links=links,
            ) as span,
            self._announced(_parent_of(span)),
        ):
            yield

    def observe(self, make: Callable[[], Program[T]]) -> Callable[[], Program[T]]:
        """Return what makes programs with a span for each statement, on whatever thread they run.

        Without a recorded span at present, it is ``make`` itself.
        """
        if not self.is_recording():
            return make
        parent = context.get_current()
        return lambda: self._traced(make(), parent)

    def _traced(self, program: Program[T], parent: Context) -> Program[T]:
        try:
            statement = next(program)
            while True:
                if not is_query(statement):
                    rows = yield statement
                    statement = program.send(rows)
                    continue
                verb = statement.sql.split(None, 1)[0].upper()
                attributes = {
                    "db.system.name": self._system,
                    "db.operation.name": verb,
                    # Values are bound, so the text has none.
                    "db.query.text": statement.sql,
                }
                span = self._tracer.start_span(
                    verb, context=parent, kind=SpanKind.CLIENT, attributes=attributes
                )
                try:
                    rows = yield statement
                except GeneratorExit:  # the statement has failed, or was given up
                    span.set_status(Status(StatusCode.ERROR))
                    raise
                finally:
                    span.end()
                statement = program.send(rows)
        except StopIteration as done:
            return done.value  # type: ignore[no-any-return]  # the program's own result
        finally:
            program.close()

    @contextmanager
    def _announced(self, parent: str) -> Iterator[None]:
        """Set the trace of log lines, webhook deliveries and outgoing calls."""
        tokens = trace_parent.set(parent), present_tracing.set(self)
        try:
            yield
        finally:
            trace_parent.reset(tokens[0])
            present_tracing.reset(tokens[1])

    def close(self) -> None:
        """Send the remaining spans."""
        self._provider.shutdown()


def _remote_context(traceparent: str) -> Context:
    return extract({TRACE_PARENT: traceparent}, context=Context())


def _context_of(cause: Context) -> SpanContext:
    return trace.get_current_span(cause).get_span_context()


def _parent_of(span: Span) -> str:
    context = span.get_span_context()
    return f"00-{context.trace_id:032x}-{context.span_id:016x}-{context.trace_flags:02x}"
