"""Imports what every server process needs, in the process that they are forked from.

Python's fork server imports this module once, before it forks the first of them.
"""

import gc
from importlib import import_module

from quire.cli.gc import pause_collector

pause_collector()
for _name in ("quire.app", "quire.cli.serve"):
    import_module(_name)
gc.freeze()  # a collection would write to, and so copy, memory that the processes share
