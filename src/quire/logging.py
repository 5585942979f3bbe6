"""The format of log lines, and where they go.

Rooms log through ``structlog.get_logger()`` with an event and its facts; libraries log through the
standard library's ``logging``. Both end in the same lines, which are JSON for machines or coloured
text for people. Nothing here decides what is logged.
"""

import logging
import sys
from collections.abc import Sequence
from contextvars import ContextVar

import orjson
import structlog
from structlog.typing import EventDict, Processor

_LIBRARIES = ("uvicorn", "uvicorn.error", "asyncio", "pyvips")

request_id: ContextVar[str | None] = ContextVar("request_id", default=None)
"""The id of the request that is answered, for all lines that are written meanwhile."""

trace_parent: ContextVar[str | None] = ContextVar("trace_parent", default=None)
"""The ``traceparent`` of the request that is answered, where there are traces."""
_TRACE_ID = slice(3, 35)


def present_trace_id() -> str | None:
    """Return the id of the trace that the request which is answered is part of."""
    parent = trace_parent.get()
    return None if parent is None else parent[_TRACE_ID]


def configure_logging(*, level: str, as_json: bool) -> None:
    """Set up logging for this process.

    ``level`` is the least important one that is written: ``debug``, ``info``, ``warning`` or
    ``error``. What the server says of itself at ``info`` (processes, connections) is left out, and
    so is what libraries say below ``warning`` of each of their steps.
    """
    threshold = logging.getLevelNamesMapping()[level.upper()]
    shared = _facts()
    ending = _json_ending() if as_json else _console_ending()
    structlog.configure(
        processors=[*shared, structlog.stdlib.ProcessorFormatter.wrap_for_formatter],
        wrapper_class=structlog.make_filtering_bound_logger(threshold),
        logger_factory=structlog.stdlib.LoggerFactory(),
        cache_logger_on_first_use=True,
    )
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(
        structlog.stdlib.ProcessorFormatter(
            foreign_pre_chain=shared,
            processors=[structlog.stdlib.ProcessorFormatter.remove_processors_meta, *ending],
        )
    )
    root = logging.getLogger()
    root.handlers[:] = [handler]
    root.setLevel(threshold)
    for name in _LIBRARIES:
        logging.getLogger(name).setLevel(max(threshold, logging.WARNING))
    # Requests have lines of their own (`quire.content_api.request_log`), without secrets.
    logging.getLogger("uvicorn.access").setLevel(logging.CRITICAL)


def is_json(form: str, *, development: bool) -> bool:
    """Tell whether lines of a form (``auto``, ``json``, ``console``) are JSON, and not text."""
    if form == "auto":
        return not development and not sys.stderr.isatty()
    return form == "json"


def _facts() -> list[Processor]:
    """What every line carries, whoever wrote it."""
    return [
        structlog.contextvars.merge_contextvars,
        _add_ids,
        structlog.stdlib.add_logger_name,
        structlog.stdlib.add_log_level,
        structlog.processors.TimeStamper(fmt="iso", utc=True),
    ]


def _add_ids(_: object, __: str, event: EventDict) -> EventDict:
    present = request_id.get()
    if present is not None:
        event.setdefault("request_id", present)
    trace_id = present_trace_id()
    if trace_id is not None:
        event.setdefault("trace_id", trace_id)
    return event


def _json_ending() -> Sequence[Processor]:
    return (
        structlog.processors.format_exc_info,
        structlog.processors.JSONRenderer(serializer=_dump),
    )


def _console_ending() -> Sequence[Processor]:
    # Without the local variables of each frame: a secret may be among them.
    plain = structlog.dev.plain_traceback
    renderer = structlog.dev.ConsoleRenderer(colors=sys.stderr.isatty(), exception_formatter=plain)
    return (renderer,)


def _dump(event: object, **_: object) -> str:
    return orjson.dumps(event, default=str).decode()
