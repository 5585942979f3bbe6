"""Spans of requests, of their statements, and of the webhooks that they cause."""

import asyncio
import json
import re
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any
from unittest.mock import patch

import httpx
import pytest
import structlog
from opentelemetry.sdk.trace import ReadableSpan, TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter
from opentelemetry.sdk.trace.sampling import (
    ALWAYS_OFF,
    ALWAYS_ON,
    Decision,
    ParentBased,
    Sampler,
    TraceIdRatioBased,
)
from opentelemetry.trace import SpanKind, StatusCode, format_span_id, format_trace_id

from quire.app import Application
from quire.database.program import Program, Statement
from quire.document_service.http_client import http
from quire.errors import AppError
from quire.logging import present_trace_id, trace_parent
from quire.settings import load_settings
from quire.tracing import otel, setup
from quire.tracing.otel import RateLimitingSampler, RequestIdGenerator, Tracing
from quire.tracing.setup import open_tracing, tracing_notices
from tests.conformance.client import AsgiClient, ClientResponse, running
from tests.databases.kind import Kind
from tests.extending.project import write_code
from tests.unit.kiosk import make_kiosk

TRACE = "0af7651916cd43dd8448eb211c80319c"
PARENT = f"00-{TRACE}-b7ad6b7169203331-01"
UNSAMPLED_PARENT = f"00-{TRACE}-b7ad6b7169203331-00"
SYSTEMS = {"sqlite": "sqlite", "postgresql": "postgresql"}


class Traced:
    """A kiosk whose spans are kept in memory."""

    def __init__(
        self, app: Application, client: AsgiClient, tracing: Tracing, kept: InMemorySpanExporter
    ) -> None:
        self.app = app
        self.tracing = tracing
        self._client = client
        self._kept = kept

    async def send(
        self, method: str, target: str, data: object = None, **headers: str
    ) -> ClientResponse:
        body = b"" if data is None else json.dumps({"data": data}).encode()
        sent = {"Content-Type": "application/json", **headers}
        return await self._client.request(method, target, sent, body)

    def spans(self) -> Sequence[ReadableSpan]:
        found = self._kept.get_finished_spans()
        self._kept.clear()
        return found


@asynccontextmanager
async def traced(folder: Path, kind: Kind, sampler: Sampler | None = None) -> AsyncIterator[Traced]:
    kind.settle(folder)
    settings = await make_kiosk(folder)
    kept = InMemorySpanExporter()
    provider = TracerProvider(sampler=sampler, id_generator=RequestIdGenerator())
    provider.add_span_processor(SimpleSpanProcessor(kept))
    tracing = Tracing(provider, SYSTEMS[kind.name])
    app = Application(settings, tracing=tracing)
    async with running(app) as client:
        kept.clear()
        yield Traced(app, client, tracing, kept)


def attributes(span: ReadableSpan) -> dict[str, Any]:
    return dict(span.attributes or {})


def server_span(spans: Sequence[ReadableSpan]) -> ReadableSpan:
    (found,) = [span for span in spans if span.kind is SpanKind.SERVER]
    return found


async def test_a_request_has_a_span_named_by_its_route(kind: Kind, tmp_path: Path) -> None:
    async with traced(tmp_path, kind) as kiosk:
        await kiosk.send("GET", "/api/papers/nothing?fields=title&password=hidden")
        span = server_span(kiosk.spans())

    found = attributes(span)
    assert span.name == "GET /api/papers/:documentId"
    assert found["http.request.method"] == "GET"
    assert found["http.route"] == "/api/papers/:documentId"
    assert found["http.response.status_code"] == 404
    assert found["url.path"] == "/api/papers/nothing"
    assert found["url.query"] == "fields=title&password=***"
    assert span.status.status_code is StatusCode.UNSET


async def test_statements_are_children_of_the_request_without_values(
    kind: Kind, tmp_path: Path
) -> None:
    async with traced(tmp_path, kind) as kiosk:
        await kiosk.send("POST", "/api/papers", {"title": "a very secret title"})
        await kiosk.send("GET", "/api/papers?filters[title]=another secret".replace(" ", "%20"))
        spans = kiosk.spans()

    requests = {span.context.span_id: span for span in spans if span.kind is SpanKind.SERVER}
    statements = [span for span in spans if "db.query.text" in attributes(span)]
    assert {span.name for span in statements} >= {"SELECT", "INSERT"}
    for span in statements:
        assert attributes(span)["db.system.name"] == SYSTEMS[kind.name]
        assert "secret" not in attributes(span)["db.query.text"]
    caused = [span for span in statements if span.parent is not None]
    assert {requests[span.parent.span_id].name for span in caused if span.parent} == {
        "POST /api/papers",
        "GET /api/papers",
    }


async def test_the_trace_of_a_client_is_continued(kind: Kind, tmp_path: Path) -> None:
    async with traced(tmp_path, kind) as kiosk:
        await kiosk.send("GET", "/api/papers", traceparent=PARENT)
        span = server_span(kiosk.spans())
        assert format_trace_id(span.context.trace_id) == TRACE
        assert span.parent is not None
        assert format_span_id(span.parent.span_id) == "b7ad6b7169203331"

        for unsound in ("", "00-zz-zz-01", "x" * 5000, f"00-{'0' * 32}-b7ad6b7169203331-01"):
            await kiosk.send("GET", "/api/papers", traceparent=unsound)
            span = server_span(kiosk.spans())
            assert span.parent is None


async def test_an_error_of_the_server_is_one_of_its_span(
    kind: Kind, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with traced(tmp_path, kind) as kiosk:
        services = kiosk.app.services
        assert services is not None

        async def broken(*_: object, **__: object) -> None:
            raise AppError

        monkeypatch.setattr(type(services.database), "present_version", broken)
        monkeypatch.setattr(services.database, "version", lambda: None)
        response = await kiosk.send("GET", "/api/papers")
        span = server_span(kiosk.spans())

    assert response.status == 500
    assert span.status.status_code is StatusCode.ERROR
    assert attributes(span)["error.type"] == "500"


async def test_a_statement_that_fails_ends_its_span_with_an_error(
    kind: Kind, tmp_path: Path
) -> None:
    def program() -> Program[None]:
        yield Statement("SELECT nothing_like_this FROM papers")

    async with traced(tmp_path, kind) as kiosk:
        assert kiosk.app.database is not None
        with pytest.raises(AppError), kiosk.tracing.background("job", []):
            await kiosk.app.database.read(program)
        spans = [span for span in kiosk.spans() if "nothing_like_this" in str(attributes(span))]

    assert spans
    assert {span.status.status_code for span in spans} == {StatusCode.ERROR}


async def test_a_webhook_is_told_the_trace_that_caused_it(kind: Kind, tmp_path: Path) -> None:
    spans, sent = await create_with_webhook(tmp_path, kind, traceparent=PARENT)

    (call,) = [span for span in spans if span.name == "POST" and span.kind is SpanKind.CLIENT]
    assert format_trace_id(call.context.trace_id) == TRACE
    assert call.parent is not None
    assert call.parent.span_id == server_span(spans).context.span_id
    assert attributes(call)["url.full"] == "http://127.0.0.1/hook"
    assert attributes(call)["http.response.status_code"] == 204
    assert sent == f"00-{TRACE}-{format_span_id(call.context.span_id)}-01"


async def test_a_webhook_of_a_trace_that_its_client_does_not_record_continues_it(
    kind: Kind, tmp_path: Path
) -> None:
    spans, sent = await create_with_webhook(tmp_path, kind, traceparent=UNSAMPLED_PARENT)
    assert spans == ()
    assert re.fullmatch(f"00-{TRACE}-[0-9a-f]{{16}}-00", sent)


async def test_a_webhook_of_a_request_that_is_not_recorded_is_not_recorded(
    kind: Kind, tmp_path: Path
) -> None:
    spans, sent = await create_with_webhook(tmp_path, kind, ParentBased(ALWAYS_OFF))
    assert spans == ()
    assert re.fullmatch("00-[0-9a-f]{32}-[0-9a-f]{16}-00", sent)


async def create_with_webhook(
    folder: Path, kind: Kind, sampler: Sampler | None = None, **headers: str
) -> tuple[Sequence[ReadableSpan], str]:
    """Create an entry; return the spans until its webhook was sent, and its ``traceparent``."""
    heard: list[bytes] = []
    reported = asyncio.Event()

    async def hear(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        heard.append(await reader.readuntil(b"\r\n\r\n"))
        writer.write(b"HTTP/1.1 204 No Content\r\n\r\n")
        await writer.drain()
        writer.close()
        reported.set()

    (folder / "quire.toml").write_text("[webhooks]\nprivate_addresses = true\n")
    server = await asyncio.start_server(hear, "127.0.0.1", 0)
    async with server, traced(folder, kind, sampler) as kiosk:
        port = server.sockets[0].getsockname()[1]
        await add_webhook(kiosk, kind, f"http://someone:secret@127.0.0.1:{port}/hook?key=secret")
        await kiosk.send("POST", "/api/papers", {"title": "one"}, **headers)
        async with asyncio.timeout(60):
            await reported.wait()
            services = kiosk.app.services
            assert services is not None
            await services.webhooks.worker.stop()
        spans = kiosk.spans()
    (sent,) = re.findall(r"traceparent: (\S+)", heard[0].decode())
    return spans, sent


async def add_webhook(kiosk: Traced, kind: Kind, url: str) -> None:
    services = kiosk.app.services
    assert services is not None
    enabled = "true" if kind.name == "postgresql" else "1"

    def program() -> Program[None]:
        yield Statement(
            "INSERT INTO strapi_webhooks (name, url, headers, events, enabled)"
            f" VALUES ('one', '{url}', '{{}}', '[\"entry.create\"]', {enabled})"
        )

    await services.database.write(program())
    await services.webhooks.outbox.refresh()


CODE = """
class Title(Shape["Paper"]):
    title: str | None

class Paper(Document):
    __uid__ = PAPER

@job()
async def note(document_id: str) -> None:
    fired.append("note")

@job(retries=0)
async def fail() -> None:
    raise ValueError("no such file")

@after_write(PAPER, on=["create"])
async def enqueue(write):
    await note.enqueue(write.document_id)
    await fail.enqueue()

@after_commit(PAPER, on=["create"], shape=Title)
async def tell(changes):
    fired.extend(["tell"] * len(changes))
"""


async def test_background_work_is_part_of_the_trace_that_caused_it(
    kind: Kind, tmp_path: Path
) -> None:
    write_code(tmp_path, CODE)
    async with traced(tmp_path, kind) as kiosk:
        await kiosk.send("POST", "/api/papers", {"title": "one"}, traceparent=PARENT)
        spans: list[ReadableSpan] = []
        async with asyncio.timeout(60):
            while sum(span.kind is SpanKind.CONSUMER for span in spans) < 3:
                spans += kiosk.spans()
                await asyncio.sleep(0.02)

    cause = server_span(spans).context.span_id
    work = {span.name: span for span in spans if span.kind is SpanKind.CONSUMER}
    assert work.keys() == {"src.api.paper.paper.note", "src.api.paper.paper.fail", "tell"}
    for span in work.values():
        assert format_trace_id(span.context.trace_id) == TRACE
        assert span.parent is not None
        assert span.parent.span_id == cause
    assert work["src.api.paper.paper.fail"].status.status_code is StatusCode.ERROR
    assert work["src.api.paper.paper.note"].status.status_code is StatusCode.UNSET


CALLING_CODE = """
@job()
async def look_up(address: str) -> None:
    await http.get(address)
    fired.append("done")

@after_write(PAPER, on=["create"])
async def enqueue(write):
    await look_up.enqueue("https://example.org/look?key=secret")
"""


@pytest.mark.parametrize("is_sampled", [True, False])
async def test_calls_of_project_code_are_part_of_the_trace_that_caused_them(
    kind: Kind, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, *, is_sampled: bool
) -> None:
    calls: asyncio.Queue[httpx.Request] = asyncio.Queue()

    def respond(request: httpx.Request) -> httpx.Response:
        calls.put_nowait(request)
        return httpx.Response(404 if is_sampled else 200)

    monkeypatch.setattr(http, "transport", httpx.MockTransport(respond))
    write_code(tmp_path, CALLING_CODE)
    async with traced(tmp_path, kind) as kiosk:
        parent = PARENT if is_sampled else UNSAMPLED_PARENT
        await kiosk.send("POST", "/api/papers", {"title": "one"}, traceparent=parent)
        async with asyncio.timeout(60):
            call = await calls.get()
        spans: list[ReadableSpan] = []
        async with asyncio.timeout(60):
            while is_sampled and not any(span.kind is SpanKind.CONSUMER for span in spans):
                spans += kiosk.spans()
                await asyncio.sleep(0.02)

    _, trace, sent_span, flags = call.headers["traceparent"].split("-")
    assert trace == TRACE
    assert int(flags, 16) & 1 == is_sampled
    if is_sampled:
        (job,) = [span for span in spans if span.kind is SpanKind.CONSUMER]
        (sent,) = [span for span in spans if format_span_id(span.context.span_id) == sent_span]
        assert sent.parent is not None
        assert sent.parent.span_id == job.context.span_id
        assert attributes(sent)["url.full"] == "https://example.org/look"
        assert attributes(sent)["http.response.status_code"] == 404
    else:
        assert spans == []


async def test_a_call_without_a_span_has_the_trace_of_the_request(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    calls: list[httpx.Request] = []

    def respond(request: httpx.Request) -> httpx.Response:
        calls.append(request)
        return httpx.Response(204)

    monkeypatch.setattr(http, "transport", httpx.MockTransport(respond))
    await http.get("https://example.org/")
    trace_parent.set(UNSAMPLED_PARENT)
    await http.get("https://example.org/")
    await http.get("https://example.org/", headers={"traceparent": PARENT})

    sent = [call.headers.get("traceparent") for call in calls]
    assert sent == [None, UNSAMPLED_PARENT, PARENT]


def test_a_call_for_several_requests_is_linked_to_their_traces() -> None:
    kept = InMemorySpanExporter()
    provider = TracerProvider()
    provider.add_span_processor(SimpleSpanProcessor(kept))
    other = PARENT.replace(TRACE, TRACE[::-1])
    with Tracing(provider, "sqlite").background("tell", [PARENT, None, other, PARENT]):
        pass

    (span,) = kept.get_finished_spans()
    assert span.parent is None
    assert [format_trace_id(one.context.trace_id) for one in span.links] == [TRACE, TRACE[::-1]]


async def test_log_lines_carry_the_trace(
    kind: Kind, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "quire.toml").write_text('[log]\nrequests = true\nformat = "json"\n')
    async with traced(tmp_path, kind) as kiosk:
        await kiosk.send("GET", "/api/papers", traceparent=PARENT)

    lines = [json.loads(line) for line in capsys.readouterr().err.splitlines() if line[:1] == "{"]
    (line,) = [one for one in lines if one.get("event") == "request"]
    assert line["trace_id"] == TRACE
    assert present_trace_id() is None
    assert structlog.is_configured()


def test_without_an_address_there_are_no_traces(tmp_path: Path) -> None:
    assert open_tracing(load_settings(tmp_path, environ={})) is None


def test_without_the_packages_there_is_a_warning_and_no_trace(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    environ = {"OTEL_EXPORTER_OTLP_ENDPOINT": "http://127.0.0.1:4318"}
    settings = load_settings(tmp_path, environ=environ)
    assert tracing_notices(settings) == []

    monkeypatch.setattr(setup, "find_spec", lambda _: None)
    assert open_tracing(settings) is None
    (notice,) = tracing_notices(settings)
    assert "quire[otel]" in notice


@pytest.mark.parametrize("low", [0, 1, 2**63 - 1, 2**63, 2**64 - 1])
def test_a_ratio_is_applied_as_by_the_sampler(low: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """A new version of the SDK that stores the ratio elsewhere fails here."""
    sampler = ParentBased(TraceIdRatioBased(0.5))
    tracing = Tracing(TracerProvider(sampler=sampler, id_generator=RequestIdGenerator()), "sqlite")
    bits = iter((low, 77))
    monkeypatch.setattr(otel, "getrandbits", lambda _: next(bits))
    monkeypatch.setattr(sampler, "should_sample", None)

    trace_id = tracing.sample("GET", b"/api/papers", None)

    decision = TraceIdRatioBased(0.5).should_sample(None, 77 << 64 | low, "GET").decision
    assert trace_id == (77 << 64 | low if decision is Decision.RECORD_AND_SAMPLE else 0)


def test_a_client_that_does_not_record_decides_without_the_sampler(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A new version of the SDK that stores the decision elsewhere fails here."""
    sampler = ParentBased(ALWAYS_ON)
    tracing = Tracing(TracerProvider(sampler=sampler), "sqlite")
    assert tracing.sample("GET", b"/api/papers", PARENT) == int(TRACE, 16)
    monkeypatch.setattr(sampler, "should_sample", None)
    assert tracing.sample("GET", b"/api/papers", UNSAMPLED_PARENT) == 0


def test_a_sampler_without_parents_decides_about_all_traces() -> None:
    tracing = Tracing(TracerProvider(sampler=ALWAYS_ON), "sqlite")
    assert tracing.sample("GET", b"/api/papers", UNSAMPLED_PARENT) == int(TRACE, 16)


def test_the_rate_of_new_traces_is_limited() -> None:
    moments = [moment for moment in (100.0, 100.2, 100.25, 100.5, 103.0) for _ in range(10)]
    sampler = RateLimitingSampler(4, clock=iter([100.0, *moments]).__next__)
    started = [moment for moment in moments if sampler.take()]
    assert started == [100.0] * 4 + [100.25, 100.5] + [103.0] * 4


def test_a_request_counts_once_against_the_rate() -> None:
    kept = InMemorySpanExporter()
    sampler = ParentBased(RateLimitingSampler(2, clock=lambda: 0.0))
    provider = TracerProvider(sampler=sampler, id_generator=RequestIdGenerator())
    provider.add_span_processor(SimpleSpanProcessor(kept))
    tracing = Tracing(provider, "sqlite")
    trace_ids = [tracing.sample("GET", b"/", None) for _ in range(3)]
    for trace_id in trace_ids[:2]:
        with tracing.request("GET", b"/", "", {}, trace_id), tracing.background("job", [None]):
            pass

    assert trace_ids[2] == 0
    # The job has no parent here: it would be a third trace.
    assert [span.context.trace_id for span in kept.get_finished_spans()] == trace_ids[:2]


ENDPOINT = "OTEL_EXPORTER_OTLP_ENDPOINT=http://127.0.0.1:4318"


@pytest.mark.parametrize(
    ("lines", "environ", "recorded"),
    [
        ([], {}, [True, False, False]),
        (["OTEL_TRACES_SAMPLER="], {}, [True, False, False]),
        (["OTEL_TRACES_SAMPLER=parentbased_always_on"], {}, [True] * 3),
        ([], {"OTEL_TRACES_SAMPLER": "always_off"}, [False] * 3),
        (["OTEL_TRACES_SAMPLER=always_on"], {"OTEL_TRACES_SAMPLER": "always_off"}, [False] * 3),
        # OpenTelemetry itself reads this argument.
        (["OTEL_TRACES_SAMPLER=traceidratio", "OTEL_TRACES_SAMPLER_ARG=0"], {}, [False] * 3),
    ],
)
def test_the_sampler_is_that_of_the_environment_or_of_dotenv(
    lines: list[str], environ: dict[str, str], recorded: list[bool], tmp_path: Path
) -> None:
    (tmp_path / ".env").write_text("\n".join([ENDPOINT, *lines]))
    overrides = {"tracing.traces_per_second": 1}
    with patch.dict("os.environ"):
        tracing = open_tracing(load_settings(tmp_path, environ=environ, overrides=overrides))
        assert tracing is not None
        assert [bool(tracing.sample("GET", b"/", None)) for _ in range(3)] == recorded
        tracing.close()
