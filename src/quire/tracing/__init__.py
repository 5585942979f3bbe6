"""Traces by OpenTelemetry, if its SDK is installed and an exporter is configured."""
