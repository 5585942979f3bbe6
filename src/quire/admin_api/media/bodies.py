"""Request bodies about files and folders."""

import re
from collections.abc import Iterator

from msgspec import Struct

from quire.content_api.validators import (
    AtLeast,
    AtMost,
    Fields,
    Flag,
    Items,
    Place,
    Rule,
    Text,
    id_of,
    required,
)
from quire.document_service.validate.problems import Problem, path_of, place_text
from quire.schema.attributes.validation import ABSENT, not_of_type
from quire.uploads.stored_settings import SORTS, SWITCHES

_LONGEST_NAME = 255
_SLASH, _EDGES = re.compile(r"[^/]+"), re.compile(r"\S(.*\S)?", re.DOTALL)
MOST_AT_ONCE = 1000
UNDEFINED = "destinationFolderId must be defined"


class Parent(Struct, frozen=True):
    """The id of a folder, or null; ``missing`` is told of what can be no id.

    ``undefined`` is told where nothing was sent, if that matters.
    """

    missing: str
    undefined: str | None = None

    def problems(self, place: Place, value: object) -> Iterator[Problem]:
        """See `Shape.problems`."""
        if value is ABSENT:
            if self.undefined is not None:
                yield Problem(path_of(place), self.undefined)
        elif value is not None and (isinstance(value, bool | float) or id_of(value) is None):
            yield Problem(path_of(place), self.missing, value)


class Number(Struct, frozen=True, kw_only=True):
    """A number."""

    rules: tuple[Rule, ...] = ()

    def problems(self, place: Place, value: object) -> Iterator[Problem]:
        """See `Shape.problems`."""
        wrong = isinstance(value, bool) or not isinstance(value, int | float)
        if value is not ABSENT and wrong:
            told = f"{place_text(place)} {not_of_type('number', value)}"
            yield Problem(path_of(place), told, value)
            return
        for rule in self.rules:
            told_of = rule(value)
            if told_of is not None:
                yield Problem(path_of(place), f"{place_text(place)} {told_of}")


class Choice(Struct, frozen=True, kw_only=True):
    """One of some texts, or nothing."""

    choices: tuple[str, ...]

    def problems(self, place: Place, value: object) -> Iterator[Problem]:
        """See `Shape.problems`."""
        if value is not ABSENT and value not in self.choices:
            listed = ", ".join(self.choices)
            told = f"{place_text(place)} must be one of the following values: {listed}"
            yield Problem(path_of(place), told, value)


def no_slashes(value: object) -> str | None:
    """Demand a text without slashes, and that there is one."""
    wrong = isinstance(value, str) and not _SLASH.fullmatch(value)
    return "cannot contain slashes" if wrong else None


def no_spaces_around(value: object) -> str | None:
    """Demand a text that begins and ends with something visible."""
    wrong = isinstance(value, str) and not _EDGES.fullmatch(value)
    return "cannot start or end with a whitespace" if wrong else None


_NAME: tuple[Rule, ...] = (AtLeast(1), no_slashes, no_spaces_around, AtMost(_LONGEST_NAME))
_PARENT = Parent("parent folder does not exist")
NEW_FOLDER = Fields(fields={"name": Text(rules=(*_NAME, required)), "parent": _PARENT})
CHANGED_FOLDER = Fields(fields={"name": Text(rules=_NAME), "parent": _PARENT})

_CHOSEN = {"fileIds": Items(most=MOST_AT_ONCE), "folderIds": Items(most=MOST_AT_ONCE)}
DELETED = Fields(fields=_CHOSEN)
MOVED = Fields(
    fields={
        **_CHOSEN,
        "destinationFolderId": Parent("destination folder does not exist", UNDEFINED),
    }
)
UPDATED = Fields(
    fields={
        "updates": Items(
            item=Fields(
                fields={
                    "id": Number(rules=(required,)),
                    "fileInfo": Fields(closed=False, rules=(required,)),
                },
                closed=False,
            ),
            least=1,
            most=MOST_AT_ONCE,
            rules=(required,),
        )
    },
    closed=False,
)
SETTINGS_FORM = Fields(
    fields={name: Flag(rules=(required,) if name in SWITCHES[:2] else ()) for name in SWITCHES},
    closed=False,
)
VIEW = Fields(
    fields={"pageSize": Number(rules=(required,)), "sort": Choice(choices=SORTS)}, closed=False
)
