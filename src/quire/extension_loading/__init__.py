"""Python code of a project: imported, checked and collected in a snapshot of hooks.

No other package imports modules of a project.
"""

from quire.extension_loading.attribute_types import extend_schema
from quire.extension_loading.collect_hooks import (
    ExtensionError,
    ExtensionProblem,
    check_extensions,
    import_modules,
    load_extensions,
    load_storage_backends,
)
from quire.extension_loading.module_import import ImportedModules, python_files
from quire.extension_loading.package_loading import installed_packages

__all__ = [
    "ExtensionError",
    "ExtensionProblem",
    "ImportedModules",
    "check_extensions",
    "extend_schema",
    "import_modules",
    "installed_packages",
    "load_extensions",
    "load_storage_backends",
    "python_files",
]
