"""Spans of requests, SQL statements, background work and outgoing calls.

This is the only module that imports OpenTelemetry, and only if traces are enabled.
"""

from collections.abc import Collection, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
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
from opentelemetry.sdk.trace.sampling import Decision, Sampler, TraceIdRatioBased
from opentelemetry.trace import Link, Span, SpanContext, SpanKind, Status, StatusCode
from opentelemetry.trace.propagation.tracecontext import TraceContextTextMapPropagator

import quire
from quire.database.observed_database import Operation, Record
from quire.database.program import Program, is_query
from quire.logging import trace_parent
from quire.tracing import TRACE_PARENT

T = TypeVar("T")

_PATH = "/v1/traces"
_TRACE_PARENT = TRACE_PARENT.encode()
_SERVER_ERROR = 500

_sampled_trace: ContextVar[int | None] = ContextVar("sampled_trace", default=None)
"""The id by which the request was sampled whose span is about to start."""


class RequestIdGenerator(RandomIdGenerator):
    """Gives the span of a request the trace id by which the request was sampled.

    Samplers decide by the trace id: with another one, the request would be sampled twice.
    """

    def generate_trace_id(self) -> int:
        """Return the id of a new trace."""
        return _sampled_trace.get() or super().generate_trace_id()


def export_to(endpoint: str, service_name: str) -> TracerProvider:
    """Create a provider that sends spans in batches, on another thread.

    The sampler, headers and the like are those of the environment, as OpenTelemetry describes them.
    """
    resource = Resource.create({"service.name": service_name, "service.version": quire.__version__})
    provider = TracerProvider(resource=resource, id_generator=RequestIdGenerator())
    exporter = OTLPSpanExporter(endpoint=endpoint.rstrip("/") + _PATH)
    provider.add_span_processor(BatchSpanProcessor(exporter))
    return provider


def _bound_of(sampler: Sampler) -> int | None:
    """Return which traces without a parent are recorded: those with an id below the bound.

    ``None`` if the sampler does not decide by a ratio, and has to be asked for each request.
    """
    root = getattr(sampler, "_root", sampler)  # `ParentBased` has no public name for it
    return root.bound if isinstance(root, TraceIdRatioBased) else None


class Tracing:
    """Makes spans; it observes the database (`quire.database.observed_database`)."""

    def __init__(self, provider: TracerProvider, system: str) -> None:
        """``provider`` has a `RequestIdGenerator`.

        ``system`` is the kind of database, as in the semantic conventions.
        """
        self._provider = provider
        self._bound = _bound_of(provider.sampler)
        self._system = system
        self._tracer = provider.get_tracer("quire", quire.__version__)

    def sample(self, path: bytes, headers: Mapping[bytes, bytes]) -> int:
        """Return the trace id of a GET that is recorded, 0 if it is not.

        It costs much less than a span. The sampler is given fewer attributes than by `request`.
        """
        parent = headers.get(_TRACE_PARENT)
        if parent is None:
            trace_id = self._provider.id_generator.generate_trace_id()
            if self._bound is not None:
                return trace_id if trace_id & TraceIdRatioBased.TRACE_ID_LIMIT < self._bound else 0
            return trace_id if self._is_sampled(trace_id, path, None) else 0
        context = _remote_context(parent.decode("latin-1"))
        cause = _context_of(context)
        trace_id = (
            cause.trace_id if cause.is_valid else self._provider.id_generator.generate_trace_id()
        )
        return trace_id if self._is_sampled(trace_id, path, context) else 0

    def _is_sampled(self, trace_id: int, path: bytes, parent: Context | None) -> bool:
        attributes = {"http.request.method": "GET", "url.path": path.decode("latin-1")}
        result = self._provider.sampler.should_sample(
            parent, trace_id, "GET", SpanKind.SERVER, attributes
        )
        return result.decision is not Decision.DROP

    @contextmanager
    def request(
        self,
        method: str,
        path: str,
        query: str,
        headers: Mapping[str, str],
        *,
        trace_id: int | None = None,
    ) -> Iterator[Span]:
        """The span of a request, which continues the trace of its ``traceparent`` if it has one.

        ``trace_id`` is the result of `sample`, if the request was sampled before.
        """
        attributes = {
            "http.request.method": method,
            "url.path": path,
            "url.scheme": "http",
            **({"url.query": query} if query else {}),
            **({"user_agent.original": headers["user-agent"]} if "user-agent" in headers else {}),
        }
        # Baggage of clients is ignored: it is not used, and would be sent on.
        parent = TraceContextTextMapPropagator().extract(headers, context=Context())
        token = _sampled_trace.set(trace_id)
        try:
            span = self._tracer.start_span(
                method, context=parent, kind=SpanKind.SERVER, attributes=attributes
            )
        finally:
            _sampled_trace.reset(token)
        with trace.use_span(span, end_on_exit=True), _announced(span):
            yield span

    def is_recording(self) -> bool:
        """Tell whether there is a span at present which is recorded."""
        return trace.get_current_span().is_recording()

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

        ``parent`` is that of the cause of the call, if it is another process.
        """
        address = urlsplit(url)
        attributes: dict[str, str | int] = {
            "http.request.method": method,
            # Neither credentials nor the query: both may be secret.
            "url.full": f"{address.scheme}://{address.hostname or ''}{address.path}",
            "server.address": address.hostname or "",
        }
        caused = None if parent is None else _remote_context(parent)
        with self._tracer.start_as_current_span(
            method, context=caused, kind=SpanKind.CLIENT, attributes=attributes
        ) as span:
            yield span, _parent_of(span)

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
            _announced(span),
        ):
            yield

    def observe(self, program: Program[T]) -> Program[T]:
        """Return a program with a span for each of its statements, on whatever thread it runs.

        Without a recorded span at present, it is the program itself.
        """
        if not self.is_recording():
            return program
        return self._traced(program, context.get_current())

    def recorder(self, operation: Operation) -> Record:  # noqa: ARG002 - for those who count
        """Return what ignores operations: statements have spans, operations have none."""
        return _ignore

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

    def close(self) -> None:
        """Send the remaining spans."""
        self._provider.shutdown()


def _ignore(seconds: float) -> None:
    """Do nothing with the duration of an operation."""


@contextmanager
def _announced(span: Span) -> Iterator[None]:
    """Set the trace of a span in log lines and webhook deliveries."""
    token = trace_parent.set(_parent_of(span))
    try:
        yield
    finally:
        trace_parent.reset(token)


def _remote_context(traceparent: str) -> Context:
    return extract({TRACE_PARENT: traceparent}, context=Context())


def _context_of(cause: Context) -> SpanContext:
    return trace.get_current_span(cause).get_span_context()


def _parent_of(span: Span) -> str:
    context = span.get_span_context()
    return f"00-{context.trace_id:032x}-{context.span_id:016x}-{context.trace_flags:02x}"
