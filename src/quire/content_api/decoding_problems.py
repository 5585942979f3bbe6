"""Problems of request bodies that msgspec decodes, in the form of those that `validators` find."""

import re

from quire.content_api.validators import REQUIRED, UNSPECIFIED_KEYS
from quire.document_service.validate.problems import Problem, ValuePath, path_of, path_text

_POSITION = re.compile(r" - at (?P<key>`key` in )?`\$(?P<path>.*)`$")
_STEP = re.compile(r"\.(?P<name>[^.\[]+)|\[(?P<index>[0-9]+)\]")
_ANY_KEY = "[...]"
_MISSING = re.compile(r"Object missing required field `(.+)`")
_UNKNOWN = re.compile(r"Object contains unknown field `(.+)`")


def decoding_problem(message: str) -> Problem:
    """Return the problem that a message of `msgspec.ValidationError` describes.

    Such a message ends in the position, ``$.lines[0].product``, unless it is about the whole body.
    Keys of dictionaries are not in it: then the position is that of the dictionary.
    """
    path: ValuePath = ()
    position = _POSITION.search(message)
    if position is not None:
        message = message[: position.start()]
        path = tuple(
            step["name"] if step["index"] is None else int(step["index"])
            for step in _STEP.finditer(position["path"].partition(_ANY_KEY)[0])
        )
    if match := _MISSING.fullmatch(message):
        path = (*path, match[1])
        text = f"{path_text(path)} {REQUIRED}"
    elif match := _UNKNOWN.fullmatch(message):
        text = f"{path_text(path)} {UNSPECIFIED_KEYS.format(keys=match[1])}"
    else:
        subject = path_text(path) if path else "the body"
        key = ", a key" if position is not None and position["key"] else ""
        text = f"{subject}{key}: {message}"
    return Problem(path_of(path), text)
