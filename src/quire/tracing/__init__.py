"""Traces by OpenTelemetry, if its SDK is installed and an exporter is configured."""

TRACE_PARENT = "traceparent"
"""The header of the W3C recommendation *Trace Context* with the trace of a request."""
