"""Python code of a project: imported, checked and made into a snapshot of hooks.

Nothing else imports modules of a project.
"""

from quire.extensions.load import (
    ExtensionError,
    ExtensionProblem,
    check_extensions,
    import_modules,
    load_extensions,
)

__all__ = [
    "ExtensionError",
    "ExtensionProblem",
    "check_extensions",
    "import_modules",
    "load_extensions",
]
