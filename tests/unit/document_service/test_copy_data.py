"""Copies of data, which functions of a project may change in place."""

from collections import OrderedDict
from datetime import UTC, datetime

from quire.document_service.commands import copy_data


def test_a_change_of_a_copy_does_not_change_the_data() -> None:
    moment = datetime(2027, 1, 15, tzinfo=UTC)
    inner = OrderedDict(a=[1])
    data = {"title": "Sea", "lines": [{"text": "x", "tags": ["y"]}], "at": moment, "other": inner}
    copy = copy_data(data)
    assert copy == data
    lines: list[dict[str, object]] = copy["lines"]  # type: ignore[assignment]  # as above
    lines[0]["text"] = "changed"
    lines.append({})
    other: dict[str, list[int]] = copy["other"]  # type: ignore[assignment]  # likewise
    other["a"].append(2)
    copy["title"] = "changed"
    assert data["lines"] == [{"text": "x", "tags": ["y"]}]
    assert inner == {"a": [1]}
    assert data["title"] == "Sea"
