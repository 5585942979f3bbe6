"""The header of the W3C recommendation *Trace Context* that says which trace a request is of."""

TRACE_PARENT = "traceparent"
