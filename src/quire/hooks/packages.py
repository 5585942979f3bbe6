"""Which installed packages may not act as the system."""

import sys

AS_SYSTEM = "as_system"
_FORBIDDEN = "__quire_forbids_as_system__"


def allow_as_system(package: str, *, allowed: bool) -> None:
    """Allow or forbid a package, by the name of its top-level module, to call `as_system`."""
    setattr(sys.modules[package], _FORBIDDEN, not allowed)


def may_act_as_system(module: str) -> bool:
    """Tell whether code of a module may call `as_system`."""
    package = sys.modules.get(module.partition(".")[0])
    return getattr(package, _FORBIDDEN, False) is not True
