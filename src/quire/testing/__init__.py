"""Tests of a project's Python code: the project in a process of pytest, without a socket.

The plug-in (`quire.testing.plugin`) registers itself with pytest and provides the fixture
``project``. Only pytest is needed besides Quire itself.
"""

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from quire.mail.message import Mail
    from quire.testing.client import Client
    from quire.testing.clock import ProjectClock
    from quire.testing.project import Project

__all__ = ["Client", "Mail", "Project", "ProjectClock"]

# Imported on first use: pytest loads the plug-in in all runs.
_MODULES = {
    "Client": "quire.testing.client",
    "Mail": "quire.mail.message",
    "Project": "quire.testing.project",
    "ProjectClock": "quire.testing.clock",
}


def __getattr__(name: str) -> object:
    module = _MODULES.get(name)
    if module is None:
        message = f"module {__name__!r} has no attribute {name!r}"
        raise AttributeError(message)
    value: object = getattr(import_module(module), name)
    globals()[name] = value
    return value
