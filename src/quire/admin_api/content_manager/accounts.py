"""What a request body must contain to create an end user."""

from collections.abc import Iterator

from msgspec import Struct

from quire.content_api.validators import REQUIRED, Email, Fields, Place, Text, read_body, required
from quire.document_service.validate.problems import Problem, path_of, place_text
from quire.schema.attributes.validation import ABSENT


class _Given(Struct, frozen=True):
    """Anything but nothing."""

    def problems(self, place: Place, value: object) -> Iterator[Problem]:
        """See `Shape.problems`."""
        if value is ABSENT or value is None:
            yield Problem(path_of(place), f"{place_text(place)} {REQUIRED}")


_ACCOUNT = Fields(
    fields={
        "email": Text(rules=(required, Email())),
        "username": Text(rules=(required,)),
        "password": Text(rules=(required,)),
        "role": _Given(),
    },
    closed=False,
)


def check_account(body: object) -> None:
    """Demand all that an account needs. Raises ValidationError with all faults."""
    read_body(body, _ACCOUNT)
