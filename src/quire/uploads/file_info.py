"""``fileInfo``: metadata that is sent with an upload."""

import math
from collections.abc import Collection, Iterator, Mapping, Sequence

import orjson
from msgspec import Struct, field

from quire.document_service.relation_input import NO_ROW, row_id
from quire.document_service.validate.problems import Problem, path_text, validation_error
from quire.javascript.numbers import normalize_number, read_number
from quire.javascript.text import printed, string_of
from quire.schema.attributes.validation import (
    ABSENT,
    NUL_MESSAGE,
    AbsentType,
    mistyped,
    not_of_type,
)

_INFO = "fileInfo"
_TEXTS = ("name", "alternativeText", "caption")
_LONGEST_NAME = 255
_MAX_TEXT_LENGTH = 100_000
_MIN_PERCENT, _MAX_PERCENT = 0, 100


class FileInfo(Struct, frozen=True):
    """Attributes that a request gives for one file; ``values`` has only those that are given.

    ``values`` are attributes of a file. ``folder`` is the row id of a folder, or ``None`` for none.
    """

    values: Mapping[str, object] = field(default_factory=dict)
    folder: int | AbsentType | None = ABSENT

    @property
    def name(self) -> str:
        """The name to show, empty if none is given."""
        return str(self.values.get("name") or "")


NO_FILE_INFO = FileInfo()


def decode_fields(fields: Sequence[object]) -> object:
    """Parse the fields of a form: a value for one field, a list for several.

    Text that is not JSON stays text, which is ignored. Fields in brackets are objects already.
    """
    values = [_parse_json(field) if isinstance(field, str) else field for field in fields]
    return values[0] if len(values) == 1 else values


def information_of_one(value: object, *, folders: bool = False) -> FileInfo:
    """Parse the attributes of a single file, `NO_FILE_INFO` for ``ABSENT``.

    Raises ValidationError for anything that is not an object. ``folders`` says that a folder may be
    chosen; otherwise it is ignored, like unknown members.
    """
    if isinstance(value, AbsentType):
        return NO_FILE_INFO
    raw_value = _parse_json(value) if isinstance(value, str) else value
    if not isinstance(raw_value, dict):
        raise validation_error([_type_problem("object", raw_value)])
    return _parse_info(raw_value, (_INFO,), folders=folders)


def information_of_new(
    value: object, count: int, *, rejected: Collection[int] = (), folders: bool = False
) -> list[FileInfo]:
    """Parse the attributes of ``count`` new files, in their order, without the ``rejected`` ones.

    Of one file an object is expected, of several a list; ``ABSENT`` is `NO_FILE_INFO` for each. As
    in Strapi, a list of one is an object. Raises ValidationError.
    """
    accepted_count = count - len(rejected)
    if isinstance(value, AbsentType):
        return [NO_FILE_INFO] * accepted_count
    if isinstance(value, list):
        infos = [info for position, info in enumerate(value) if position not in rejected]
        value = infos[0] if len(infos) == 1 else infos
    if accepted_count == 1:
        return [information_of_one(value, folders=folders)]
    if not isinstance(value, list):
        raise validation_error([_type_problem("array", value)])
    file_infos = []
    for index, info in enumerate(value[:accepted_count]):
        if not isinstance(info, dict):
            info_path = f"{_INFO}[{index}]"
            message = f"{info_path} {not_of_type('object', None, info)}"
            raise validation_error([Problem((_INFO, str(index)), message, None)])
        file_infos.append(_parse_info(info, (_INFO, index), folders=folders))
    return [*file_infos, *[NO_FILE_INFO] * (accepted_count - len(file_infos))]


def _parse_json(text: str) -> object:
    try:
        value: object = orjson.loads(text)
    except orjson.JSONDecodeError:
        return text
    return value


def _type_problem(type_name: str, value: object) -> Problem:
    cast = ABSENT if value is None else value
    return Problem((_INFO,), f"{_INFO} {not_of_type(type_name, None, cast)}", None)


def _parse_info(
    file_info: Mapping[str, object], path: tuple[str | int, ...], *, folders: bool
) -> FileInfo:
    values: dict[str, object] = {}
    problems: list[Problem] = []
    for name in _TEXTS:
        value = file_info.get(name)
        if value is None:
            continue
        problem = _text_problem(name, value)
        if problem is None:
            values[name] = string_of(value)
        else:
            problems.append(_problem((*path, name), problem, value))
    if "focalPoint" in file_info:
        point, point_problems = _point(file_info["focalPoint"], (*path, "focalPoint"))
        values["focalPoint"] = point
        problems += point_problems
    folder: int | AbsentType | None = ABSENT
    if folders and "folder" in file_info:
        folder = _folder(file_info["folder"])
        if folder is ABSENT:
            message = "the folder does not exist"
            problems.append(Problem(_path((*path, "folder")), message, file_info["folder"]))
    if problems:
        raise validation_error(problems)
    return FileInfo(values, folder)


def _text_problem(name: str, value: object) -> str | None:
    if isinstance(value, dict | list):
        return mistyped("string", printed(value))
    text = string_of(value)
    if "\0" in text:
        return NUL_MESSAGE
    longest = _LONGEST_NAME if name == "name" else _MAX_TEXT_LENGTH
    return f"must be at most {longest} characters" if len(text) > longest else None


def _point(value: object, path: tuple[str | int, ...]) -> tuple[object, list[Problem]]:
    """Parse a focal point, in percent of width and height; ``None`` unless it is an object.

    The object may be sent as JSON.
    """
    if isinstance(value, str):
        value = _parse_json(value)
    if not isinstance(value, dict):
        return None, []
    point: dict[str, int | float] = {}
    problems = []
    for side in ("x", "y"):
        raw_value = value.get(side)
        problem, number = _percent(raw_value)
        if problem is None:
            point[side] = number
        else:
            text = ABSENT if raw_value is None else raw_value
            problems.append(_problem((*path, side), problem, text))
    return point, problems


def _percent(value: object) -> tuple[str | None, int | float]:
    if value is None:
        return "is a required field", 0
    text = value.strip() if isinstance(value, str) else ""
    number = read_number(text) if text else value
    if isinstance(number, bool) or not isinstance(number, int | float) or math.isnan(number):
        return not_of_type("number", value), 0
    if number < _MIN_PERCENT:
        return f"must be greater than or equal to {_MIN_PERCENT}", 0
    if number > _MAX_PERCENT:
        return f"must be less than or equal to {_MAX_PERCENT}", 0
    return None, normalize_number(number) if isinstance(number, float) else number


def _folder(value: object) -> int | AbsentType | None:
    """Parse the id of a folder, given as number or text; `ABSENT` for anything else."""
    if value is None:
        return None
    row = row_id(value)
    return ABSENT if row == NO_ROW else row


def _problem(path: tuple[str | int, ...], problem: str, value: object) -> Problem:
    return Problem(_path(path), f"{path_text(path)} {problem}", value)


def _path(path: tuple[str | int, ...]) -> tuple[str, ...]:
    return tuple(_texts(path))


def _texts(path: tuple[str | int, ...]) -> Iterator[str]:
    yield from (str(step) for step in path)
