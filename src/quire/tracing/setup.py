"""Opens tracing as the settings say."""

from importlib.util import find_spec
from typing import TYPE_CHECKING

from quire.settings import Settings

if TYPE_CHECKING:
    from quire.tracing.otel import Tracing

_SYSTEMS = {"sqlite": "sqlite", "postgres": "postgresql"}
"""Names of kinds of database in OpenTelemetry's semantic conventions."""


def is_installed() -> bool:
    """Tell whether the packages for traces are installed."""
    try:
        specs = find_spec("opentelemetry.sdk"), find_spec("opentelemetry.exporter.otlp.proto.http")
    except ModuleNotFoundError:  # the parent package of one of them is missing
        return False
    return all(specs)


def tracing_notices(settings: Settings) -> list[str]:
    """Return a warning if traces are configured but impossible."""
    if settings.tracing.endpoint is None or is_installed():
        return []
    return ["there are no traces, because their packages are missing: install quire[otel]"]


def open_tracing(settings: Settings) -> "Tracing | None":
    """Return the tracing, ``None`` if it is not configured or impossible."""
    if settings.tracing.endpoint is None or not is_installed():
        return None
    from quire.tracing.otel import Tracing, export_to  # noqa: PLC0415 - for those who want traces

    provider = export_to(settings.tracing.endpoint, settings.tracing.service_name)
    return Tracing(provider, _SYSTEMS[settings.database.client])
