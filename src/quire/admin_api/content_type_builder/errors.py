"""Errors of the content-type builder, which have their own form: ``{"error": …}``."""

from collections.abc import Sequence

from quire.builder.schema_files import InvalidDefinitionError
from quire.document_service.validate.problems import Problem, validation_error
from quire.errors import QuireError, SchemaError, ValidationError
from quire.schema.model import Schema
from quire.schema.source_files import EXTENSION

CONTENT_TYPE_NOT_FOUND = "contentType.notFound"
CONTENT_TYPE_EXISTS = "contentType.alreadyExists"
COMPONENT_NOT_FOUND = "component.notFound"
COMPONENT_EXISTS = "component.alreadyExists"


class BuilderError(QuireError):
    """Responds with ``{"error": error}``."""

    def __init__(self, error: object, status: int = 400) -> None:
        """``error`` is a text, or an object."""
        self.error = error
        self.status = status
        super().__init__(str(error))


def body_error(problems: Sequence[Problem]) -> BuilderError:
    """Return the error that lists the problems of a body; there is at least one."""
    return builder_validation_error(validation_error(problems))


def builder_validation_error(error: ValidationError) -> BuilderError:
    """Return a validation error in the form of the content-type builder."""
    return BuilderError({"name": error.name, "message": error.message, "details": error.details})


def definition_problems(
    error: SchemaError | InvalidDefinitionError, uids: dict[str, str]
) -> list[Problem]:
    """Return the problems of the resulting model; paths begin with the uid.

    ``uids`` are those of schema files.
    """
    if isinstance(error, InvalidDefinitionError):
        return [_problem(problem.uid, problem.path, problem.message) for problem in error.problems]
    return [
        _problem(uids.get(problem.file, problem.file), problem.path.split("."), problem.message)
        for problem in error.problems
    ]


def uids_of_files(schema: Schema) -> dict[str, str]:
    """Return the uids of models by their files."""
    return {model.file: model.uid for model in schema.models()}


def _problem(uid: str, path: Sequence[str], message: str) -> Problem:
    steps = tuple(step for step in path if step)
    problem_path = ".".join(steps)
    text = (
        f"{uid.removeprefix(EXTENSION)}: {problem_path} {message}"
        if problem_path
        else f"{uid}: {message}"
    )
    return Problem((uid.removeprefix(EXTENSION), *steps), text)


def raise_problems(problems: list[Problem]) -> None:
    """Raise BuilderError if there are any problems."""
    if problems:
        raise body_error(problems)
