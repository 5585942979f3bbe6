"""The header ``traceparent`` of the W3C recommendation *Trace Context*.

It is ``00-TRACE-SPAN-FLAGS`` in hexadecimal digits; the lowest bit of the flags is set if the trace
is recorded.
"""

import re
from collections.abc import Mapping
from contextvars import ContextVar
from random import getrandbits
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from quire.tracing.otel import Tracing

TRACE_PARENT = "traceparent"

_HEADER = TRACE_PARENT.encode()
_VALID = re.compile(rb"00-(?!0{32})[0-9a-f]{32}-(?!0{16})[0-9a-f]{16}-[0-9a-f]{2}")
_SAMPLED_DIGITS = frozenset("13579bdf")

present_tracing: ContextVar["Tracing | None"] = ContextVar("present_tracing", default=None)
"""What makes the spans of calls that are caused by the current request or job."""


def trace_parent_of(headers: Mapping[bytes, bytes]) -> str | None:
    """Return the ``traceparent`` among the headers of a request, ``None`` without a valid one."""
    value = headers.get(_HEADER)
    if value is None or _VALID.fullmatch(value) is None:
        return None
    return value.decode()


def is_sampled(trace_parent: str) -> bool:
    """Tell whether the sender of a valid ``traceparent`` records its trace."""
    return trace_parent[-1] in _SAMPLED_DIGITS


def new_unsampled_parent() -> str:
    """Return the ``traceparent`` of a new trace that is not recorded."""
    return f"00-{getrandbits(128) or 1:032x}-{getrandbits(64) or 1:016x}-00"
