"""The limits of a project's Python code."""

from msgspec import Struct


class CodeLimits(Struct, frozen=True, kw_only=True):
    """The limits of the settings.

    ``hook_seconds`` is how long a hook, or a transaction of a route or job, may take: nobody else
    writes meanwhile. ``prepare_seconds`` is how long a function may take before a transaction.
    ``statements`` is how many one transaction of code may run, ``levels`` how
    many functions may cause one another, ``rows`` how many documents one ``find`` may return.
    """

    hook_seconds: float = 2
    prepare_seconds: float = 10
    statements: int = 200
    levels: int = 8
    rows: int = 10_000


DEFAULT_LIMITS = CodeLimits()
