"""Operations: parameters, bodies and responses of one route."""

from collections.abc import Mapping, Sequence

from msgspec import Struct

from quire.openapi.json_schema import FREE_OBJECT, INTEGER, TEXT, Schemas, nullable, record
from quire.schema.attributes.json_schema import JsonSchema

JSON = "application/json"
FORM = "multipart/form-data"


class DescribedParameter(Struct, frozen=True, kw_only=True):
    """One parameter of an operation. Nested ones are written with brackets (``deep``)."""

    name: str
    schema: JsonSchema
    description: str = ""
    place: str = "query"
    required: bool = False
    deep: bool = False

    def described(self) -> Mapping[str, object]:
        """Return the parameter in the form of the document."""
        description: dict[str, object] = {"name": self.name, "in": self.place}
        if self.description:
            description["description"] = self.description
        if self.required or self.place == "path":
            description["required"] = True
        if self.deep:
            description |= {"style": "deepObject", "explode": True}
        return {**description, "schema": self.schema}


class DescribedBody(Struct, frozen=True, kw_only=True):
    """A request body, by media type."""

    content: Mapping[str, JsonSchema]
    required: bool = True

    def described(self) -> Mapping[str, object]:
        """Return the body in the form of the document."""
        return {
            "required": self.required,
            "content": {kind: {"schema": schema} for kind, schema in self.content.items()},
        }


def json_body(schema: JsonSchema, *, required: bool = True) -> DescribedBody:
    """Return a body of JSON."""
    return DescribedBody(content={JSON: schema}, required=required)


class DescribedResponse(Struct, frozen=True, kw_only=True):
    """A successful response; without a schema it has no body."""

    status: int = 200
    description: str = "Done."
    schema: JsonSchema | None = None
    media_type: str = JSON
    headers: Mapping[str, str] = {}

    def described(self) -> Mapping[str, object]:
        """Return the response in the form of the document."""
        description: dict[str, object] = {"description": self.description}
        if self.headers:
            description["headers"] = {
                name: {"description": text, "schema": TEXT} for name, text in self.headers.items()
            }
        if self.schema is not None:
            description["content"] = {self.media_type: {"schema": self.schema}}
        return description


class DescribedOperation(Struct, frozen=True, kw_only=True):
    """The input and output of a route. ``errors`` are statuses; any other may occur, too."""

    id: str
    summary: str
    tag: str
    responses: Sequence[DescribedResponse]
    parameters: Sequence[DescribedParameter] = ()
    body: DescribedBody | None = None
    errors: Sequence[int] = (400, 401, 403)
    description: str = ""

    def described(self) -> Mapping[str, object]:
        """Return the operation in the form of the document."""
        description: dict[str, object] = {
            "operationId": self.id,
            "summary": self.summary,
            "tags": [self.tag],
        }
        if self.description:
            description["description"] = self.description
        if self.parameters:
            description["parameters"] = [parameter.described() for parameter in self.parameters]
        if self.body is not None:
            description["requestBody"] = self.body.described()
        responses = {str(response.status): response.described() for response in self.responses}
        failures = {str(status): _failure(FAILURES[status][0]) for status in self.errors}
        return {
            **description,
            "responses": {**responses, **failures, "default": _failure(OTHER_FAILURE)},
        }


FAILURES: Mapping[int, tuple[str, str]] = {
    400: ("BadRequest", "The query, the body or a value in them is not acceptable."),
    401: ("Unauthorized", "The credentials are missing or no longer hold."),
    403: ("Forbidden", "The caller lacks the permission for this."),
    404: ("NotFound", "There is no such thing, or not in this locale and status."),
    409: ("Conflict", "The present state does not allow this."),
    412: ("PreconditionFailed", "The document has changed meanwhile."),
    413: ("PayloadTooLarge", "The body or a file in it is too large."),
    429: ("TooManyRequests", "Too many attempts; `Retry-After` says when to try again."),
}
"""Names and meanings of the error statuses."""
OTHER_FAILURE = "OtherError"
NO_DATA: JsonSchema = {**nullable(FREE_OBJECT), "maxProperties": 0, "description": "Always null."}
"""The ``data`` of errors: `{"type": "null"}` alone makes openapi-generator fail."""


def error_schema(schemas: Schemas) -> JsonSchema:
    """Return the reference to the schema of errors."""
    error = record(
        {
            "status": {**INTEGER, "description": "The status of the response."},
            "name": {**TEXT, "description": "The class of the error, for programs."},
            "message": {**TEXT, "description": "What is wrong, for people."},
            "details": {
                **FREE_OBJECT,
                "description": "Where and why. Absent when the request could not be read.",
            },
        },
        required=("status", "name", "message"),
    )
    return schemas.shared("Error", record({"data": NO_DATA, "error": error}))


def error_responses(schemas: Schemas) -> Mapping[str, object]:
    """Return the error responses, by the names by which operations refer to them."""
    failures = [*FAILURES.values(), (OTHER_FAILURE, "Any other error.")]
    content = {JSON: {"schema": error_schema(schemas)}}
    return {
        name: {"description": description, "content": content} for name, description in failures
    }


def _failure(name: str) -> Mapping[str, object]:
    return {"$ref": f"#/components/responses/{name}"}


def path_parameter(
    name: str, schema: JsonSchema = TEXT, description: str = ""
) -> DescribedParameter:
    """Return a path parameter."""
    return DescribedParameter(name=name, place="path", schema=schema, description=description)
