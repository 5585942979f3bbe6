"""Tests of a project's Python code: the project in a process of pytest, without a socket.

The plug-in (`quire.testing.plugin`) registers itself with pytest and gives the fixture ``project``.
Only pytest is needed beside Quire itself.
"""

from quire.testing.client import Client
from quire.testing.clock import ProjectClock
from quire.testing.project import Project

__all__ = ["Client", "Project", "ProjectClock"]
