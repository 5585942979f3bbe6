"""What a request body must contain to create an end user."""

from collections.abc import Iterator
from typing import Annotated

from msgspec import Struct

from quire.content_api.request_bodies import RequestBody, read_body
from quire.content_api.validators import REQUIRED, Email, Place
from quire.document_service.validate.problems import Problem, path_of, place_text
from quire.schema.attributes.validation import ABSENT


class _Given(Struct, frozen=True):
    """Anything but nothing."""

    def problems(self, place: Place, value: object) -> Iterator[Problem]:
        """See `Shape.problems`."""
        if value is ABSENT or value is None:
            yield Problem(path_of(place), f"{place_text(place)} {REQUIRED}")


class EndUserInput(RequestBody, forbid_unknown_fields=False):
    """What a new end user cannot do without."""

    email: Annotated[str, Email()]
    username: str
    password: str
    role: Annotated[object, _Given()]


def check_account(body: object) -> None:
    """Demand all that an account needs. Raises ValidationError with all faults."""
    read_body(body, EndUserInput)
