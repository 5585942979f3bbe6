"""Signatures of public names, and the reference page generated from their docstrings."""

import quire
import quire.testing
from tests.extending.public_names import GOLDEN, PAGE, golden_text, page_text

_REGENERATE = "python -m tests.extending.public_names writes it again; a change needs a reason"


def test_the_signatures_of_public_names_stay_as_they_are() -> None:
    assert golden_text() == GOLDEN.read_text(encoding="utf-8"), _REGENERATE


def test_the_reference_is_up_to_date() -> None:
    assert page_text() == PAGE.read_text(encoding="utf-8"), _REGENERATE


def test_every_public_name_says_what_it_is_for() -> None:
    silent = [
        f"{module.__name__}.{name}"
        for module in (quire, quire.testing)
        for name in module.__all__
        if not (getattr(module, name).__doc__ or "").strip()
    ]
    assert silent == []
