"""Traces by OpenTelemetry, where its SDK is installed and an exporter is configured."""
