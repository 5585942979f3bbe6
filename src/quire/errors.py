"""The errors that clients see, with status, name and message.

::

    QuireError
    ├── AppError                      sent over HTTP in the error envelope
    │   ├── ValidationError           400  query, body or value is invalid
    │   │   └── InvalidKeyError       400  a key that does not exist or may not be used
    │   ├── ApplicationError          400  a business rule rejects the request
    │   ├── PaginationError           400  contradictory pagination
    │   ├── ForeignComponentError     400  a component of a dynamic zone of another entry
    │   ├── BadInputError             400  a form of the admin API, by field
    │   ├── BadRequestError           400  the HTTP layer cannot parse the request
    │   ├── BodySyntaxError           400  the body is not JSON
    │   ├── UnauthorizedError         401  credentials missing, unknown or expired
    │   │   ├── RejectedCredentialError
    │   │   │                         401  with the reason for the log
    │   │   └── SecondFactorError     401  the password is right, a code is missing
    │   ├── ForbiddenError            403  the principal lacks the permission
    │   │   ├── AccessDeniedError     403  with the reason for the log
    │   │   └── PolicyError           403  an administrator lacks the permission
    │   ├── NotFoundError             404  no such document, file, role or route
    │   ├── ConflictError             409  the state is not as the request requires
    │   ├── PreconditionFailedError   412  the document was changed by somebody else
    │   ├── PayloadTooLargeError      413  body beyond the limit
    │   ├── UnsupportedEncodingError  415  unknown Content-Encoding
    │   ├── RateLimitError            429  too many requests
    │   ├── UnimplementedError        501  a route that is not implemented
    │   ├── ServiceUnavailableError   503  the database cannot respond now
    │   │   ├── DatabaseBusyError     503  too busy for the time limit
    │   │   ├── ProjectCodeTimeoutError
    │   │   │                         503  a function of the project takes too long
    │   │   └── StorageError          503  files cannot be stored or read now
    │   ├── OutOfSpaceError           507  the file storage is full
    │   └── InternalServerError       500  an internal error; the cause is only logged
    │       ├── ProjectCodeError      500  a function of the project has failed
    │       └── StaleSchemaError      500  the tables are not those of the schema
    ├── ConfigurationError            settings that cannot work (exit code 2)
    ├── SchemaError                   a schema tree with errors, all listed (exit code 2)
    ├── DatabaseOpenError             a database that cannot be opened as it is (exit code 2)
    ├── SeedingError                  content that cannot be loaded as it is (exit code 2)
    ├── CopyError                     a database that cannot be copied as it is (exit code 2)
    └── MailError                     a mail that could not be sent

What a client may see (``message``, ``details``) and the private cause (``__cause__``) are kept
apart.
"""

from collections.abc import Mapping, Sequence
from typing import ClassVar

from msgspec import Struct


def os_error_reason(error: OSError) -> str:
    """Return the reason of an operating system error, without its number and path."""
    return error.strerror or str(error)


Path = str | Sequence[str | int]
"""The position of an error in the data: ``"title"``, or ``["lines", 2, "product"]``."""


class QuireError(Exception):
    """Root of all errors that Quire raises on purpose."""


def list_problems(problems: Sequence[object], place: str) -> str:
    """Return a message that counts problems, and lists them in a line each."""
    lines = "\n".join(f"  {problem}" for problem in problems)
    return f"{len(problems)} problem{'s' if len(problems) != 1 else ''} in {place}:\n{lines}"


class AppError(QuireError):
    """An error with an HTTP response.

    ``details`` is the object under ``error.details``; ``None`` leaves the key out, as errors of the
    HTTP layer (body parser, path decoding, static files) and internal errors do.
    """

    status: ClassVar[int] = 500
    name: ClassVar[str] = "InternalServerError"
    default_message: ClassVar[str] = "Internal Server Error"

    def __init__(
        self,
        message: str | None = None,
        details: Mapping[str, object] | None = None,
        *,
        path: Path = (),
        headers: Mapping[str, str] | None = None,
    ) -> None:
        """``message`` is shown to clients; it defaults to the message of the class.

        ``path`` names the attribute that the message is about, so that a form shows it there.
        """
        self.message = self.default_message if message is None else message
        if path and details is None:
            parts = [path] if isinstance(path, str) else [str(part) for part in path]
            details = {"errors": [{"path": parts, "message": message, "name": self.name}]}
        self.details: Mapping[str, object] | None = {} if details is None else details
        self.headers: Mapping[str, str] = {} if headers is None else headers
        super().__init__(self.message)


class _DetaillessError(AppError):
    """An error whose envelope carries no ``details`` key."""

    def __init__(
        self, message: str | None = None, *, headers: Mapping[str, str] | None = None
    ) -> None:
        super().__init__(message, headers=headers)
        self.details = None


class ValidationError(AppError):
    """The query, the body or a value is not acceptable."""

    status = 400
    name = "ValidationError"
    default_message = "Validation error"


class InvalidKeyError(ValidationError):
    """A key in a query or body that does not exist or that the caller may not use.

    The text names the path only if it adds something: ``Invalid key name at author``.
    """

    def __init__(
        self,
        key: str,
        path: str | None,
        *,
        source: str,
        param: str | None = None,
        show_path: bool = True,
    ) -> None:
        """``path`` is dotted, ``None`` at the root; ``param`` is the invalid query parameter.

        Without ``show_path`` the details have no path at all.
        """
        place = "" if path is None or path == key else f" at {path}"
        details: dict[str, object] = {"key": key, "path": path, "source": source}
        if not show_path:
            del details["path"]
        if param is not None:
            details["param"] = param
        super().__init__(f"Invalid key {key}{place}", details)
        self.key = key
        self.path = path


class ApplicationError(AppError):
    """A business rule rejects the request."""

    status = 400
    name = "ApplicationError"
    default_message = "An application error occurred"


class PaginationError(AppError):
    """Contradictory or misplaced pagination parameters."""

    status = 400
    name = "PaginationError"
    default_message = "Invalid pagination"


class ForeignComponentError(_DetaillessError):
    """The id of a component of a dynamic zone belongs to another entry."""

    status = 400
    name = "Error"
    default_message = "Some of the provided components are not related to the entity"


class BadRequestError(_DetaillessError):
    """The HTTP layer cannot parse the request."""

    status = 400
    name = "BadRequestError"
    default_message = "Bad Request"


class BadInputError(AppError):
    """A form of the admin API is invalid; details say why, by field."""

    status = 400
    name = "BadRequestError"
    default_message = "ValidationError"


class BodySyntaxError(_DetaillessError):
    """The request body is not valid JSON."""

    status = 400
    name = "SyntaxError"
    default_message = "invalid JSON, only supports object and array"


class UnauthorizedError(AppError):
    """Credentials are missing, unknown or expired."""

    status = 401
    name = "UnauthorizedError"
    default_message = "Missing or invalid credentials"


class RejectedCredentialError(UnauthorizedError):
    """A credential is missing, invalid, or of somebody who may not sign in.

    ``reason`` is for the log; no response contains it.
    """

    def __init__(self, reason: str, message: str | None = None) -> None:
        super().__init__(message)
        self.reason = reason


class SecondFactorError(UnauthorizedError):
    """The password is right, and a code of the second factor is also needed."""

    name = "SecondFactorError"
    default_message = "A code of your second factor is needed"


class ForbiddenError(AppError):
    """The principal is known but lacks the permission."""

    status = 403
    name = "ForbiddenError"
    default_message = "Forbidden"


class AccessDeniedError(ForbiddenError):
    """A permission is missing, or the code of the project denies the request.

    ``reason`` is for the log and for super admins; no other response contains it.
    """

    def __init__(self, reason: str) -> None:
        super().__init__()
        self.reason = reason


class PolicyError(ForbiddenError):
    """An administrator lacks the permission for a route."""

    name = "PolicyError"
    default_message = "Policy Failed"


class NotFoundError(AppError):
    """No such document, file, role or route."""

    status = 404
    name = "NotFoundError"
    default_message = "Not Found"


class ConflictError(AppError):
    """The state is not, or no longer, as the request requires."""

    status = 409
    name = "ConflictError"
    default_message = "Things are not as this request needs them"


class PreconditionFailedError(AppError):
    """The document has changed since the client read it (``If-Match``)."""

    status = 412
    name = "PreconditionFailedError"
    default_message = "The document has changed meanwhile"


class PayloadTooLargeError(_DetaillessError):
    """The body is larger than the limit of its kind."""

    status = 413
    name = "PayloadTooLargeError"
    default_message = "request entity too large"


class UnsupportedEncodingError(_DetaillessError):
    """The Content-Encoding of the body is not supported."""

    status = 415
    name = "Error"
    default_message = "Unsupported Content-Encoding"


class RateLimitError(AppError):
    """Too many requests of one kind from one client."""

    status = 429
    name = "RateLimitError"
    default_message = "Too many requests, please try again later."


class UnimplementedError(AppError):
    """A route that is known but not implemented."""

    status = 501
    name = "NotImplementedError"
    default_message = "This feature is not implemented yet"


class ServiceUnavailableError(_DetaillessError):
    """The database cannot respond now; retrying later makes sense."""

    status = 503
    name = "ServiceUnavailableError"
    default_message = "Service Unavailable"

    def __init__(self, message: str | None = None) -> None:
        super().__init__(message, headers={"Retry-After": "1"})


class DatabaseBusyError(ServiceUnavailableError):
    """Others keep the database busy for as long as a request may wait, or too many are waiting.

    Nothing was read or written, and an immediate retry would double the load.
    """


class StorageError(ServiceUnavailableError):
    """The file storage cannot be reached, or fails."""

    default_message = "The storage of files is not available"


class OutOfSpaceError(_DetaillessError):
    """The file storage is full."""

    status = 507
    name = "InsufficientStorageError"
    default_message = "There is no room for the file"


class UncertainOutcomeError(ServiceUnavailableError):
    """The connection was lost at the end of a write: whether it was committed is unknown.

    It must not be retried without checking.
    """

    default_message = "Whether this was stored is not known; look before trying again"


class InternalServerError(_DetaillessError):
    """An internal error. The cause is logged and never sent to the client."""


class ProjectCodeError(InternalServerError):
    """A function of the project has failed: ``function`` at ``place``, its file and line.

    Only super admins are told which; the cause is the exception of the function.
    """

    def __init__(self, function: str, place: str) -> None:
        super().__init__()
        self.function = function
        self.place = place


class ProjectCodeTimeoutError(ServiceUnavailableError):
    """A function of the project takes too long: ``function`` at ``place``, its file and line.

    Only super admins are told which.
    """

    def __init__(self, function: str, place: str) -> None:
        super().__init__()
        self.function = function
        self.place = place


class StaleSchemaError(InternalServerError):
    """The tables are not, or no longer, those of the schema that a request was handled by.

    If the schema has just been changed, the request is repeated with the new one.
    """


class ConfigurationError(QuireError):
    """Settings that cannot work; the message names the setting and says how to fix it."""


class DatabaseOpenError(QuireError):
    """A database that cannot be opened as it is; nothing was written to it."""


class DatabaseLockedError(DatabaseOpenError):
    """Another program has locked the database; retrying later makes sense."""


class MailError(QuireError):
    """A mail that no server accepted; the message contains no part of the mail."""


class SeedingError(QuireError):
    """Content files that cannot be loaded, or a database that cannot receive them."""


class CopyError(QuireError):
    """A database that cannot be copied as it is, or to its target."""


class TransferError(QuireError):
    """An export archive that cannot be read or written, or a project that cannot receive it."""


class SchemaProblem(Struct, frozen=True):
    """One error in a schema tree: the file, the JSON path, and what is wrong."""

    file: str
    path: str
    message: str

    def __str__(self) -> str:
        place = f"{self.file}: {self.path}" if self.path else self.file
        return f"{place}: {self.message}"


class SchemaError(QuireError):
    """A schema tree with errors. Nothing of it was loaded; ``problems`` lists all of them."""

    def __init__(self, problems: Sequence[SchemaProblem]) -> None:
        """``problems`` is not empty."""
        self.problems = tuple(problems)
        super().__init__(list_problems(self.problems, "the schema tree"))
