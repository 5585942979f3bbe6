"""Traces by OpenTelemetry, where its SDK is installed and an exporter is configured."""

TRACE_PARENT = "traceparent"
"""The header of the W3C recommendation *Trace Context* that says which trace a request is of."""
