"""What the UI is told by the admin API, in types and in texts."""

import json
import re
from pathlib import Path
from typing import get_args

import pytest

from quire.database.migration.steps import Step
from tests.ui import api_types

UI = Path(__file__).parents[2] / "ui"


async def test_the_types_that_the_ui_uses_are_those_of_the_admin_api() -> None:
    assert api_types.PATH.read_text() == await api_types.described_types(), (
        "run `python -m tests.ui.api_types`"
    )


@pytest.mark.parametrize("language", ["de", "en", "fr"])
def test_texts_of_steps_of_a_migration_name_their_details(language: str) -> None:
    texts = json.loads((UI / "src" / "i18n" / language / "model.json").read_text(encoding="utf-8"))
    details = {
        step.__name__[0].lower() + step.__name__[1:]: {"count", *step.__struct_fields__}
        for step in get_args(Step)
    }
    for key, text in texts.items():
        found = re.fullmatch(r"model\.step\.(\w+?)(_one|_other|_zero)?", key)
        if found:
            assert {*re.findall(r"{{(\w+)", text)} <= details[found[1]], key
