"""Quire: a headless content server.

Content types, components, drafts, locales and permissions, described by schema files and served
over an HTTP API from SQLite or PostgreSQL.

The names in ``__all__`` are for the Python code of projects (``src/**/*.py``).
"""

import sys
from importlib import import_module
from types import ModuleType
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from quire.database.compile.custom_operators import Sql
    from quire.document_service.extension_context import wait
    from quire.document_service.hook_principal import (
        as_principal,
        as_system,
        principal,
        transaction,
    )
    from quire.document_service.http_client import HttpClient, http
    from quire.document_service.mail_client import MailClient, mail
    from quire.document_service.python_api import Documents, documents
    from quire.errors import MailError, ValidationError
    from quire.extension_loading.code_settings import settings
    from quire.hooks.after_commit import Change, LinkedDocument, after_commit
    from quire.hooks.around import Call, Proceed, Result, around
    from quire.hooks.attribute_types import (
        AdminInput,
        AttributeOptions,
        AttributeType,
        attribute_type,
    )
    from quire.hooks.computed import computed
    from quire.hooks.document import Document, Page
    from quire.hooks.errors import (
        Conflict,
        Forbidden,
        NotFound,
        NotLoadedError,
        PreconditionFailed,
        TooManyRequests,
        Unauthenticated,
        UnitOfWorkError,
    )
    from quire.hooks.marks import after_write, before_write, prepare
    from quire.hooks.operators import operator
    from quire.hooks.policies import PolicyContext, policy, rule
    from quire.hooks.principal import Principal
    from quire.hooks.routes import route
    from quire.hooks.schedules import schedule
    from quire.hooks.shape import Shape
    from quire.hooks.startup_shutdown import on_start, on_stop
    from quire.hooks.storage_backends import (
        ByteRange,
        FileMeta,
        StorageBackend,
        StoredFile,
        storage_backend,
    )
    from quire.hooks.strategies_and_middlewares import (
        Credential,
        Request,
        asgi_middleware,
        auth_strategy,
    )
    from quire.hooks.time import now
    from quire.hooks.write import Write
    from quire.jobs.job import Job, job
    from quire.script import unit_of_work

__version__ = "0.1.0"

__all__ = [
    "AdminInput",
    "AttributeOptions",
    "AttributeType",
    "ByteRange",
    "Call",
    "Change",
    "Conflict",
    "Credential",
    "Document",
    "Documents",
    "FileMeta",
    "Forbidden",
    "HttpClient",
    "Job",
    "LinkedDocument",
    "MailClient",
    "MailError",
    "NotFound",
    "NotLoadedError",
    "Page",
    "PolicyContext",
    "PreconditionFailed",
    "Principal",
    "Proceed",
    "Request",
    "Result",
    "Shape",
    "Sql",
    "StorageBackend",
    "StoredFile",
    "TooManyRequests",
    "Unauthenticated",
    "UnitOfWorkError",
    "ValidationError",
    "Write",
    "after_commit",
    "after_write",
    "around",
    "as_principal",
    "as_system",
    "asgi_middleware",
    "attribute_type",
    "auth_strategy",
    "before_write",
    "computed",
    "documents",
    "http",
    "job",
    "mail",
    "now",
    "on_start",
    "on_stop",
    "operator",
    "policy",
    "prepare",
    "principal",
    "route",
    "rule",
    "schedule",
    "settings",
    "storage_backend",
    "transaction",
    "unit_of_work",
    "wait",
]

# Imported when they are asked for: the command line and the server need none of them to start.
_MODULES = {
    "Document": "quire.hooks.document",
    "Page": "quire.hooks.document",
    "Write": "quire.hooks.write",
    "after_write": "quire.hooks.marks",
    "before_write": "quire.hooks.marks",
    "prepare": "quire.hooks.marks",
    "Principal": "quire.hooks.principal",
    "computed": "quire.hooks.computed",
    "now": "quire.hooks.time",
    "Sql": "quire.database.compile.custom_operators",
    "operator": "quire.hooks.operators",
    "PolicyContext": "quire.hooks.policies",
    "policy": "quire.hooks.policies",
    "route": "quire.hooks.routes",
    "rule": "quire.hooks.policies",
    "settings": "quire.extension_loading.code_settings",
    "schedule": "quire.hooks.schedules",
    **dict.fromkeys(("Call", "Proceed", "Result", "around"), "quire.hooks.around"),
    **dict.fromkeys(("Change", "LinkedDocument", "after_commit"), "quire.hooks.after_commit"),
    **dict.fromkeys(("on_start", "on_stop"), "quire.hooks.startup_shutdown"),
    **dict.fromkeys(("HttpClient", "http"), "quire.document_service.http_client"),
    **dict.fromkeys(("MailClient", "mail"), "quire.document_service.mail_client"),
    **dict.fromkeys(("MailError", "ValidationError"), "quire.errors"),
    "unit_of_work": "quire.script",
    "wait": "quire.document_service.extension_context",
    "Shape": "quire.hooks.shape",
    **dict.fromkeys(
        ("ByteRange", "FileMeta", "StorageBackend", "StoredFile", "storage_backend"),
        "quire.hooks.storage_backends",
    ),
    **dict.fromkeys(
        ("AdminInput", "AttributeOptions", "AttributeType", "attribute_type"),
        "quire.hooks.attribute_types",
    ),
    **dict.fromkeys(
        ("Credential", "Request", "asgi_middleware", "auth_strategy"),
        "quire.hooks.strategies_and_middlewares",
    ),
    **dict.fromkeys(("Job", "job"), "quire.jobs.job"),
    **dict.fromkeys(
        (
            "Conflict",
            "Forbidden",
            "NotFound",
            "NotLoadedError",
            "PreconditionFailed",
            "TooManyRequests",
            "Unauthenticated",
            "UnitOfWorkError",
        ),
        "quire.hooks.errors",
    ),
    **dict.fromkeys(("Documents", "documents"), "quire.document_service.python_api"),
    **dict.fromkeys(
        ("as_principal", "as_system", "principal", "transaction"),
        "quire.document_service.hook_principal",
    ),
}


def __getattr__(name: str) -> object:
    """Import a public name."""
    module = _MODULES.get(name)
    if module is None:
        message = f"module {__name__!r} has no attribute {name!r}"
        raise AttributeError(message)
    value: object = getattr(import_module(module), name)
    globals()[name] = value
    return value


_NO_SUBPACKAGES = frozenset({"mail", "settings"})


class _Package(ModuleType):
    """This package, in which ``mail`` and ``settings`` are not the subpackages of these names."""

    def __setattr__(self, name: str, value: object) -> None:
        """Set an attribute, as the import system does with each subpackage."""
        if name not in _NO_SUBPACKAGES or not isinstance(value, ModuleType):
            super().__setattr__(name, value)


sys.modules[__name__].__class__ = _Package
