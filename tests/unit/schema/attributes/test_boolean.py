"""Booleans in filters."""

import pytest

from quire.schema.attributes.boolean import BOOLEAN


@pytest.mark.parametrize("text", ["false", "f", "0", ""])
def test_four_texts_mean_false(text: str) -> None:
    assert BOOLEAN.cast(text) is False


@pytest.mark.parametrize(
    "text", ["true", "t", "1", "yes", "no", "TRUE", "FALSE", "False", " ", "00", "null"]
)
def test_every_other_text_means_true(text: str) -> None:
    assert BOOLEAN.cast(text) is True
