"""The blocks values of the recorded corpus, for the unit tests of the editor of the admin UI.

`python -m tests.ui.recorded_blocks` writes them again.
"""

import json
from collections.abc import Iterator
from itertools import chain
from pathlib import Path

from tests.conformance.corpus import JSON, read_cases, write_scenarios

PATH = Path(__file__).parents[2] / "ui" / "src" / "test" / "recordedBlocks.json"
_KINDS = {"paragraph", "heading", "list", "quote", "code", "image"}


def recorded_blocks() -> str:
    """Return every blocks value that a response shows, each once, as JSON with one in a line."""
    responses = chain(
        (case.body for case in read_cases()),
        (step.body for scenario in write_scenarios() for step in scenario.steps),
    )
    lines = {json.dumps(value, ensure_ascii=True) for one in responses for value in _values(one)}
    ordered = sorted(lines, key=lambda line: (len(line), line))
    return "[\n" + ",\n".join(ordered) + "\n]\n"


def _values(response: JSON) -> Iterator[JSON]:
    if isinstance(response, list):
        if response and all(_is_block(one) for one in response):
            yield response
            return
        for one in response:
            yield from _values(one)
    elif isinstance(response, dict):
        for one in response.values():
            yield from _values(one)


def _is_block(value: JSON) -> bool:
    return isinstance(value, dict) and value.get("type") in _KINDS and "children" in value


if __name__ == "__main__":
    PATH.write_text(recorded_blocks())
