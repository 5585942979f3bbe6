"""Opens tracing as the settings say."""

from importlib.util import find_spec
from typing import TYPE_CHECKING

from quire.settings import Settings
from quire.settings.load import adopt_environment

if TYPE_CHECKING:
    from quire.tracing.otel import Tracing

_VARIABLES = "OTEL_"
_SAMPLER = "OTEL_TRACES_SAMPLER"
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
    """Return the tracing, ``None`` if it is not configured or impossible.

    Variables of OpenTelemetry in ``.env`` become part of the environment of the process.
    """
    if settings.tracing.endpoint is None or not is_installed():
        return None
    from quire.tracing.otel import (  # noqa: PLC0415 - for those who want traces
        Tracing,
        export_to,
        rate_limiting_sampler,
    )

    variables = settings.extensions.variables
    # OpenTelemetry reads the environment of the process, which does not contain those of `.env`.
    adopt_environment({name: variables[name] for name in variables if name.startswith(_VARIABLES)})
    sampler = None
    if not variables.get(_SAMPLER):
        sampler = rate_limiting_sampler(settings.tracing.traces_per_second)
    provider = export_to(settings.tracing.endpoint, settings.tracing.service_name, sampler)
    return Tracing(provider, _SYSTEMS[settings.database.client])
